"""Rows as Parquet, CSV or JSON lines: DuckDB writes them, in the same way for every command and place."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import duckdb

from warehouse.catalog import quote
from warehouse.errors import LakeError

Form = Literal["parquet", "csv", "json"]
Sink = Callable[[bytes], bool]
"""Takes a piece of what is written; tells whether anybody wants the rest."""

_COPY: Final = {"parquet": "FORMAT parquet, COMPRESSION zstd", "csv": "FORMAT csv, HEADER", "json": "FORMAT json"}
_PIECE_BYTES: Final = 1 << 20
# JSON has no such numbers, and DuckDB writes them bare.
_NO_NUMBER: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')


def write_rows(connection: duckdb.DuckDBPyConnection, query: str, form: Form, target: Path) -> int:
    """Write the rows of a query to a file, whole or not at all, and return how many there are.

    Its folder is made; a name that ends in `.gz` is compressed. Raises duckdb.Error, and LakeError as `whole_file`.
    """
    with whole_file(target) as aside:
        if form == "parquet":
            return _copy(connection, connection.sql(query), str(aside), form)
        with gzip.open(aside, "wb") if target.suffix == ".gz" else aside.open("wb") as file:
            return stream_rows(connection, query, form, lambda piece: file.write(piece) >= 0)


def stream_rows(connection: duckdb.DuckDBPyConnection, query: str, form: Form, sink: Sink) -> int:
    """Hand the rows of a query on, piece by piece, and return how many there are; 0 where the sink wants no more.

    UTF-8. In JSON lines NaN and the infinities are texts, "NaN", "Infinity" and "-Infinity": apart from null, and valid
    JSON. Raises duckdb.Error.
    """
    relation = connection.sql(query)
    reader, writer = os.pipe()
    with ThreadPoolExecutor(1) as pool:
        copying = pool.submit(_copy_and_close, connection, relation, writer, form)
        try:
            with io.FileIO(reader) as pipe:
                wanted = all(map(sink, _pieces(pipe, form)))
        except BaseException:
            connection.interrupt()
            raise
        if not wanted:
            connection.interrupt()
            return 0
        return copying.result()


def _copy_and_close(
    connection: duckdb.DuckDBPyConnection, relation: duckdb.DuckDBPyRelation, writer: int, form: Form
) -> int:
    try:
        return _copy(connection, relation, f"/dev/fd/{writer}", form)
    finally:
        os.close(writer)


def _copy(connection: duckdb.DuckDBPyConnection, callake_rows: duckdb.DuckDBPyRelation, place: str, form: Form) -> int:
    # DuckDB finds the relation by the name of the parameter, and so takes also what is no SELECT, such as DESCRIBE.
    found = connection.execute(
        f"COPY (FROM callake_rows) TO {quote(place)} ({_COPY[form]}, USE_TMP_FILE false)"
    ).fetchone()
    return int(found[0]) if found else 0


def _pieces(pipe: io.FileIO, form: Form) -> Iterator[bytes]:
    rest = b""
    while piece := pipe.read(_PIECE_BYTES):
        if form == "csv":
            yield piece
            continue
        lines, newline, rest = (rest + piece).rpartition(b"\n")
        yield _valid(lines + newline)
    yield _valid(rest)


def _valid(lines: bytes) -> bytes:
    """Return lines of JSON with what is no JSON number as a text."""
    if b"NaN" not in lines and b"Infinity" not in lines:
        return lines
    return _NO_NUMBER.sub(lambda found: found[0] if found[0].startswith(b'"') else b'"%b"' % found[0], lines)


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Give a path to write to, and name it `target` once the block has written it: nobody finds a part of it there.

    The folder is made. What is no regular file, such as /dev/stdout, is written to directly. Raises LakeError where
    there can be no such folder.
    """
    if target.exists() and not target.is_file():
        yield target
        return
    target = target.resolve()
    make_folder(target.parent)
    aside = target.with_name(f".{os.getpid()}.partial")
    try:
        yield aside
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make the folder of a file that somebody named. Raises LakeError where that can not be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise LakeError(
            f"{folder} can not be made a folder ({problem.strerror}): name a file in another folder."
        ) from problem
