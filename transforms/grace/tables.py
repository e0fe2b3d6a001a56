"""What reading GRACE gives, and the limits it is read under."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from warehouse.contracts import TABLES, Issue
from warehouse.contracts.grace import SOURCE

Row = dict[str, Any]
_LARGEST_SIZE: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds, in bytes and counts, that hold whatever a header states. The public release needs a hundredth of each."""

    archive_bytes: int = 8 << 20
    entries: int = 1_000
    entry_bytes: int = 4 << 20
    total_bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class SourceTables:
    """The tables of a source by name, the files they came from, and everything that was noticed."""

    tables: dict[str, pl.DataFrame]
    issues: list[Issue]
    source_files: pl.DataFrame


def frame(table: str, rows: Iterable[Row]) -> pl.DataFrame:
    """Return `rows` as the named table: its columns, its dtypes, sorted by its key."""
    contract = TABLES[table]
    return pl.DataFrame(list(rows), schema=contract.polars_schema).sort(contract.key)


def without_rows(*tables: str) -> dict[str, pl.DataFrame]:
    """Return the named tables, empty."""
    return {table: TABLES[table].empty() for table in tables}


def file_row(path: str, kind: str, status: str, data: bytes | None, declared: int | None = None) -> Row:
    """Return a row of `source_files`; `data` is None where the file was refused or never read.

    A declared size that no file can have is left out: a header may state any number of 64 bits.
    """
    return {
        "source": SOURCE,
        "path": path,
        "kind": kind,
        "bytes_declared": declared if declared is None or declared <= _LARGEST_SIZE else None,
        "bytes_actual": None if data is None else len(data),
        "sha256_declared": None,
        "sha256_actual": None if data is None else hashlib.sha256(data).hexdigest(),
        "status": status,
    }
