"""Parquet from strangers: types that polars reads, text that is UTF-8, and no more of it than the limit."""

from __future__ import annotations

import io
from typing import Final

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from transforms.benchmirt import rules
from transforms.benchmirt.limits import Limits, too_large
from transforms.issue_log import IssueLog, shown_all

MAGIC: Final = b"PAR1"


def read_columns(data: bytes, log: IssueLog, limits: Limits) -> tuple[list[str], pl.DataFrame] | None:
    """Return the names of a file's columns, which may repeat, and their values as the columns `0`, `1`, … .

    None, with an error noted, where the file is damaged, has no row, is larger than the limits, or has a column of a
    type that no table of scores or of metadata has.
    """
    try:
        table = _read(data, log, limits)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        log.add(rules.UNREADABLE, f"The file starts like Parquet and cannot be read ({type(error).__name__}).")
        return None
    if table is None:
        return None
    if table.num_rows == 0 or table.num_columns == 0:
        message = f"The file has {table.num_columns} columns and {table.num_rows} rows; expected at least one of each."
        log.add(rules.EMPTY_FILE, message)
        return None
    return list(table.column_names), pl.DataFrame([_plain(column, str(i)) for i, column in enumerate(table.columns)])


def _read(data: bytes, log: IssueLog, limits: Limits) -> pa.Table | None:
    schema = pq.read_schema(io.BytesIO(data))
    texts = [field.name for field in schema if _is_text(field.type)]
    # Text stays coded until its size is known: a short file can say a long text as often as it likes.
    file = pq.ParquetFile(io.BytesIO(data), read_dictionary=texts)
    if too_large(len(schema), file.metadata.num_rows, log, limits) or not _are_plain(schema, log):
        return None
    table = file.read()
    # Whether text is UTF-8 nobody has looked at before, and polars takes it for granted.
    table.validate(full=True)
    n_bytes = sum(_decoded_bytes(chunk) for column in table.columns for chunk in column.chunks)
    if n_bytes > limits.file_bytes:
        message = f"The file holds {n_bytes} bytes once its text is spelled out; the limit is {limits.file_bytes}."
        log.add(rules.TOO_LARGE, message)
        return None
    return table


def _is_text(kind: pa.DataType) -> bool:
    return any(known(kind) for known in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _is_coded_text(kind: pa.DataType) -> bool:
    return pa.types.is_dictionary(kind) and _is_text(kind.value_type)


_PLAIN_TYPES: Final = (
    _is_text, _is_coded_text, pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null,
    pa.types.is_date, pa.types.is_decimal128,
)  # fmt: skip


def _are_plain(schema: pa.Schema, log: IssueLog) -> bool:
    """Tell whether every column is of a type that a table of scores or of metadata has; polars does not read all."""
    odd = [found.name for found in schema if not any(known(found.type) for known in _PLAIN_TYPES)]
    if odd:
        message = (
            f"These columns of the Parquet file are of types that are not read: {shown_all(odd)}; expected numbers, "
            "text, truth values or dates."
        )
        log.add(rules.UNREADABLE, message, value=str(len(odd)))
    return not odd


def _decoded_bytes(chunk: pa.Array) -> int:
    """Return how many bytes a piece of a column takes with every text spelled out."""
    if not pa.types.is_dictionary(chunk.type):
        return int(chunk.nbytes)
    lengths = pc.cast(pc.binary_length(chunk.dictionary), pa.int64())
    return int(pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0)


def _plain(column: pa.ChunkedArray, name: str) -> pl.Series:
    coded = pa.types.is_dictionary(column.type)
    return pl.Series(name, pl.from_arrow(pc.cast(column, pa.large_string()) if coded else column))
