"""The building blocks of a table's contract: a dataframely schema plus grain, source and restrictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dataframely as dy
import polars as pl

CELL_KEYS = ("model", "dataset", "condition")


@dataclass(frozen=True, slots=True)
class Table:
    """One published table.

    `grain` says what a row is. `by_cell` tables are laid out as `tables/<name>/<model>/<dataset>/<condition>/`,
    the others as one file. A `bulk` table is audited by
    column and not by row. `schema` is the only statement of dtypes, keys, ranges, units and descriptions.
    """

    name: str
    schema: type[dy.Schema]
    source: str
    grain: str
    description: str
    by_cell: bool = False
    bulk: bool = False

    @property
    def key(self) -> list[str]:
        """The primary key's columns, which are also the sort order inside a file."""
        return self.schema.primary_key()

    @property
    def polars_schema(self) -> dict[str, pl.DataType]:
        """Column name to polars dtype, in published order."""
        return {name: column.dtype for name, column in self.schema.columns().items()}

    @property
    def restricted(self) -> dict[str, tuple[str, ...]]:
        """Restricted columns, each with the restriction labels that cover it."""
        labels = {name: (column.metadata or {}).get("restricted", ()) for name, column in self.schema.columns().items()}
        return {name: tuple(found) for name, found in labels.items() if found}

    @property
    def comment(self) -> str:
        """What the table is, in a sentence or two."""
        return f"{self.description} Grain: {self.grain}. Key: {', '.join(self.key) or 'none'}. Source: {self.source}."

    @property
    def column_comments(self) -> dict[str, str]:
        """Each column's description with its unit and restriction."""
        return {name: self._column_comment(column, name) for name, column in self.schema.columns().items()}

    def _column_comment(self, column: dy.Column, name: str) -> str:
        unit = (column.metadata or {}).get("unit")
        parts = [column.description or "", f"Unit: {unit}." if unit else ""]
        parts += [f"Restricted: {', '.join(self.restricted[name])}."] if name in self.restricted else []
        return " ".join(part for part in parts if part)

    def empty(self) -> pl.DataFrame:
        """Return the table with no rows."""
        return pl.DataFrame(schema=self.polars_schema)


def _meta(unit: str | None, restricted: Sequence[str], values: Sequence[str] = ()) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if unit:
        found["unit"] = unit
    if restricted:
        found["restricted"] = tuple(restricted)
    if values:
        found["values"] = tuple(values)
    return found


def text(
    description: str,
    *,
    key: bool = False,
    nullable: bool = False,
    restricted: Sequence[str] = (),
    unit: str | None = None,
) -> dy.String:
    """A string column."""
    return dy.String(primary_key=key, nullable=nullable, description=description, metadata=_meta(unit, restricted))


def one_of(values: Sequence[str], description: str, *, key: bool = False, nullable: bool = False) -> dy.String:
    """A string column that takes only the named values."""
    allowed = list(values)
    return dy.String(
        primary_key=key,
        nullable=nullable,
        description=description,
        check=lambda column: column.is_in(allowed),
        metadata=_meta(None, (), allowed),
    )


def sha256(description: str, *, nullable: bool = False) -> dy.String:
    """A SHA-256 in lower-case hexadecimal."""
    return dy.String(nullable=nullable, regex="^[0-9a-f]{64}$", description=description)


def count(
    description: str,
    *,
    key: bool = False,
    nullable: bool = False,
    unit: str | None = None,
    max: int | None = None,
    restricted: Sequence[str] = (),
    alias: str | None = None,
) -> dy.Int32:
    """A whole number of something, never negative, in 32 bits."""
    return dy.Int32(
        min=0,
        max=max,
        alias=alias,
        primary_key=key,
        nullable=nullable,
        description=description,
        metadata=_meta(unit, restricted),
    )


def big_count(
    description: str,
    *,
    key: bool = False,
    nullable: bool = False,
    unit: str | None = None,
    alias: str | None = None,
) -> dy.Int64:
    """A whole number of something, never negative, in 64 bits."""
    return dy.Int64(
        min=0, alias=alias, primary_key=key, nullable=nullable, description=description, metadata=_meta(unit, ())
    )


def flag(description: str, *, nullable: bool = False) -> dy.Bool:
    """True or false."""
    return dy.Bool(nullable=nullable, description=description)


def probability(description: str, *, nullable: bool = True, allow_nan: bool = False) -> dy.Float64:
    """A number in [0, 1]; a NaN only where the source may hold one."""
    return dy.Float64(
        nullable=nullable,
        allow_nan=allow_nan,
        description=description,
        metadata=_meta("probability", ()),
        check=(lambda column: column.is_nan() | column.is_between(0.0, 1.0))
        if allow_nan
        else (lambda column: column.is_between(0.0, 1.0)),
    )


def real(description: str, *, nullable: bool = True, unit: str | None = None, min: float | None = None) -> dy.Float64:
    """A finite number in double precision."""
    return dy.Float64(nullable=nullable, description=description, min=min, metadata=_meta(unit, ()))


def entropy(description: str, *, nullable: bool = True) -> dy.Float64:
    """An entropy in nats: finite and above zero."""
    return dy.Float64(nullable=nullable, description=description, min_exclusive=0.0, metadata=_meta("nats", ()))
