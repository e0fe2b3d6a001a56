"""Which code made something: hashes of source text, so that what a change touches is known and the rest is reused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from warehouse.contracts import Table

PROJECT: Final = Path(__file__).resolve().parents[1]
SQL_ROOT: Final = PROJECT / "sql"
LIBRARIES: Final = ("dataframely", "duckdb", "isal", "numpy", "orjson", "polars", "pyarrow", "scikit-learn", "scipy")

_BOUNDS: Final = ("min", "max", "min_exclusive", "max_exclusive", "regex", "allow_nan")


def hash_files(root: Path, patterns: Iterable[str]) -> str:
    """Return the SHA-256 over the relative paths and bytes of the files below `root` that match the patterns."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()}):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def libraries() -> str:
    """Return the names and versions of the libraries that decide on what is in a file."""
    return ",".join(f"{name} {version(name)}" for name in LIBRARIES)


@cache
def code_hash(*patterns: str) -> str:
    """Return the hash of the project's files that match the patterns, together with the libraries' versions."""
    return hashlib.sha256(f"{hash_files(PROJECT, patterns)}\n{libraries()}".encode()).hexdigest()


def code_record() -> dict[str, str]:
    """Return what `lake.json` says about the code: version, the hash of all of it, and of what reads the tables."""
    return {
        "version": version("calibration-lake"),
        "building": code_hash("transforms/**/*.py", "warehouse/**/*.py", "pipelines/**/*.py"),
        "reading": reading_hash(),
    }


def reading_hash() -> str:
    """Return the hash of what reads the tables: the catalog's SQL and the contracts, and not the report's queries."""
    of_catalog = ("checks", "macros", "tables", "views")
    return hash_files(
        PROJECT,
        [*(f"sql/{folder}/*" for folder in of_catalog), "sql/glossary.tsv", "warehouse/contracts/*.py"],
    )


def contract_hash(tables: Iterable[Table]) -> str:
    """Return the hash of what a table's contract says about its files: names, types, nulls, bounds, keys, grain."""
    lines = [
        f"{table.name} {table.grain} {name} {column.dtype} {column.nullable} {column.primary_key} {column.metadata} "
        + " ".join(f"{side}={getattr(column, side, None)}" for side in _BOUNDS)
        for table in tables
        for name, column in table.schema.columns().items()
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
