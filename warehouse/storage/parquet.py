"""Writing a table's file so that the same rows give the same bytes, and auditing what was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

import dataframely as dy
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.contracts import CELL_KEYS, Table
from warehouse.errors import LakeError
from warehouse.storage.files import fsync_file, sha256_file
from warehouse.storage.layout import Cell, no_rows_file, table_file

ROW_GROUP: Final = 131_072
ZSTD_LEVEL: Final = 3
# Ids and entropies hardly shrink further at a higher level, and there are millions of them a cell.
BULK_ZSTD_LEVEL: Final = 1
BULK_PAGE: Final = 64 << 20
"""Bytes that no page of a row group comes to: its rows end it."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of a version; `path` is relative to the version's folder, `cell` is its keys where it has them."""

    table: str
    path: str
    rows: int
    bytes: int
    sha256: str
    cell: Cell | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON would hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> FileReport:
        """Return the report that `as_dict` wrote."""
        cell = found.get("cell")
        return cls(**{**found, "cell": tuple(cell) if cell else None})


def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a table: plain strings, nullability as in the contract."""
    small = {pa.large_string(): pa.string(), pa.string_view(): pa.string()}
    fields = []
    for name, column in table.schema.columns().items():
        kind = pl.Series(dtype=column.dtype).to_arrow().type
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            kind = pa.list_(small.get(kind.value_type, kind.value_type))
        fields.append(pa.field(name, small.get(kind, kind), nullable=column.nullable))
    return pa.schema(fields)


Rows: TypeAlias = pl.DataFrame | pa.Table | Iterator[pa.Table]
"""A frame in any order, or Arrow tables in the key's order: one, or several made one after the other."""


def write_table(root: Path, table: Table, rows: Rows, cell: Cell | None = None) -> FileReport:
    """Write one file of a table below `root`, audit it as written, and report it.

    Raises LakeError when a column is missing or what was written does not keep the contract.
    """
    return _write_file(root, table_file(table, cell), table, rows, cell)


def write_empty(root: Path, table: Table) -> FileReport:
    """Write the one file of a table that has no rows below `root`, audit it as written, and report it."""
    return _write_file(root, no_rows_file(table), table, table.empty(), None)


def _write_file(root: Path, relative: str, table: Table, rows: Rows, cell: Cell | None) -> FileReport:
    path = root / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    n_rows = _write(path, table, _arrow(table, rows))
    problems = audit_file(path, table, cell)
    if problems:
        raise LakeError(f"{relative} was written and does not keep its contract: " + "; ".join(problems) + ".")
    return FileReport(table.name, relative, n_rows, path.stat().st_size, sha256_file(path), cell)


def _arrow(table: Table, rows: Rows) -> Iterator[pa.Table]:
    if isinstance(rows, pl.DataFrame):
        _require(table, rows.columns)
        frame = rows.select(pl.col(name).cast(dtype) for name, dtype in table.polars_schema.items())
        order = table.key or list(table.polars_schema)
        yield frame.sort(order, nulls_last=True, maintain_order=True).to_arrow().cast(arrow_schema(table))
        return
    for part in [rows] if isinstance(rows, pa.Table) else rows:
        _require(table, part.column_names)
        yield part.select(list(table.polars_schema))


def _require(table: Table, columns: Sequence[str]) -> None:
    missing = [name for name in table.polars_schema if name not in columns]
    if missing:
        raise LakeError(f"Table {table.name} lacks the columns {missing}; it has {list(columns)}.")


def _write(path: Path, table: Table, parts: Iterator[pa.Table]) -> int:
    """Write the parts, each as one row group or more, and return the number of rows."""
    first = next(parts)
    n_rows = 0
    # Without the stored Arrow schema a file reads back as plain Parquet types everywhere: a dictionary-encoded
    # string would otherwise come back as a category in some readers and a string in others.
    with pq.ParquetWriter(
        path,
        first.schema,
        compression="zstd",
        compression_level=BULK_ZSTD_LEVEL if table.bulk else ZSTD_LEVEL,
        write_statistics=True,
        store_schema=False,
        **_encodings(table, first.schema),
    ) as writer:
        for part in chain([first], parts):
            writer.write_table(part, row_group_size=ROW_GROUP)
            n_rows += part.num_rows
        writer.add_key_value_metadata({"table": table.name, "grain": table.grain, "source": table.source})
    fsync_file(path)
    return n_rows


def _encodings(table: Table, schema: pa.Schema) -> dict[str, Any]:
    """Return how columns are encoded: what repeats by a dictionary, numbers that are all new as they are.

    Of a bulk table the last key counts up by one, so differences take next to nothing; an entropy's bytes shrink where
    its first bytes stand beside the other first bytes; and a page holds a row group, since short pages cost a quarter
    of the time.
    """
    exact = {field.name: "BYTE_STREAM_SPLIT" for field in schema if pa.types.is_floating(field.type)}
    if not table.bulk:
        return {"use_dictionary": [name for name in schema.names if name not in exact]}
    exact[table.key[-1]] = "DELTA_BINARY_PACKED"
    return {
        "use_dictionary": [name for name in schema.names if name not in exact],
        "column_encoding": exact,
        "write_batch_size": ROW_GROUP,
        "max_rows_per_page": ROW_GROUP,
        "data_page_size": BULK_PAGE,
    }


def audit_file(path: Path, table: Table, cell: Cell | None) -> list[str]:
    """Read a file back and return what breaks the contract, as clauses; empty where all is well."""
    found = pq.read_schema(path)
    expected = arrow_schema(table)
    if found.names != expected.names or [f.type for f in found] != [f.type for f in expected]:
        return [f"its columns are {_columns(found)} and should be {_columns(expected)}"]
    if table.bulk:
        return _audit_bulk(path, table, cell)
    return _audit_rows(pl.read_parquet(path, glob=False), table, cell)


def _columns(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def _audit_rows(frame: pl.DataFrame, table: Table, cell: Cell | None) -> list[str]:
    problems = [f"{n} rows break {rule}" for rule, n in table.schema.filter(frame).failure.counts().items()]
    if table.key and not frame.select(pl.struct(table.key).is_sorted()).item():
        problems.append(f"its rows are not sorted by {', '.join(table.key)}")
    if cell is not None:
        problems += [
            f"its {name} is not {value!r} throughout"
            for name, value in zip(CELL_KEYS, cell, strict=True)
            if not (frame[name] == value).all()
        ]
    return problems


def _audit_bulk(path: Path, table: Table, cell: Cell | None) -> list[str]:
    """Audit a table too long to check row by row: keys strictly rising, each number's declared bounds.

    One row group is in memory at a time, read as it is encoded: strings as a dictionary and indices.
    """
    strings = [name for name, dtype in table.polars_schema.items() if dtype == pl.String]
    rising = [name for name in table.key if name not in CELL_KEYS]
    problems: dict[str, int] = {}
    last: tuple[object, ...] | None = None
    with pq.ParquetFile(path, read_dictionary=strings) as file:
        columns = [name for name in table.polars_schema if cell is None or name not in CELL_KEYS]
        for number in range(file.num_row_groups):
            if file.metadata.row_group(number).num_rows == 0:
                continue
            found = _constant_keys(file.metadata.row_group(number), cell) if cell is not None else {}
            rows = file.read_row_group(number, columns=columns)
            found |= _broken_values(rows, table)
            first = tuple(rows[name][0].as_py() for name in rising)
            if (last is not None and first <= last) or not _strictly_rising([_ranks(rows[name]) for name in rising]):
                found[f"do not rise strictly by {', '.join(rising)}"] = 1
            last = tuple(rows[name][-1].as_py() for name in rising)
            for what, n in found.items():
                problems[what] = problems.get(what, 0) + n
    return [f"{n} rows or row groups {what}" for what, n in problems.items()]


def _constant_keys(group: pq.RowGroupMetaData, cell: Cell) -> dict[str, int]:
    """Compare a row group's smallest and largest key with the cell's: equal, it holds nothing else."""
    by_name = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    found = {}
    for name, value in zip(CELL_KEYS, cell, strict=True):
        bounds = by_name[name].statistics
        if bounds is None or bounds.null_count or (bounds.min, bounds.max) != (value, value):
            found[f"have another {name} than {value!r}"] = 1
    return found


def _broken_values(rows: pa.Table, table: Table) -> dict[str, int]:
    found = {}
    columns = {name: column for name, column in table.schema.columns().items() if name in rows.column_names}
    for name, column in columns.items():
        if not column.nullable and rows[name].null_count:
            found[f"have no {name}"] = rows[name].null_count
        elif column.dtype.is_numeric():
            found |= _outside(name, rows[name].to_numpy(), column)
    return found


def _ranks(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return integers in the order of a key column's values."""
    if not pa.types.is_dictionary(column.type):
        return np.asarray(column.to_numpy(), dtype=np.int64)
    array = pa.concat_arrays(column.unify_dictionaries().chunks)
    order = np.argsort(np.array(array.dictionary.to_pylist(), dtype=object))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.asarray(rank[array.indices.to_numpy()])


def _strictly_rising(keys: list[np.ndarray[Any, np.dtype[np.int64]]]) -> bool:
    """Tell whether rows rise strictly in lexicographic order of the keys."""
    rises = np.zeros(len(keys[0]) - 1, dtype=bool)
    tied = ~rises
    for key in keys:
        step = np.diff(key)
        rises |= tied & (step > 0)
        tied &= step == 0
    return bool(rises.all())


def _outside(name: str, values: np.ndarray[Any, Any], column: dy.Column) -> dict[str, int]:
    bound = {side: getattr(column, side, None) for side in ("min", "min_exclusive", "max")}
    bounds = {
        f"have {name} below its minimum": values < bound["min"] if bound["min"] is not None else None,
        f"have {name} not above its lower bound": (
            ~(values > bound["min_exclusive"]) if bound["min_exclusive"] is not None else None
        ),
        f"have {name} above its maximum": values > bound["max"] if bound["max"] is not None else None,
        f"have {name} that is not finite": ~np.isfinite(values) if values.dtype.kind == "f" else None,
    }
    return {what: int(bad.sum()) for what, bad in bounds.items() if bad is not None and bad.any()}
