"""A database with the contracts' tables, the macros and the views, for tests: no lake, no files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb
import polars as pl

from tests.sql.synthetic import t_quantiles
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqltext import load_sql, load_tables

Row = dict[str, Any]
Connection = duckdb.DuckDBPyConnection
OBSERVATIONS = pl.Schema({"cell": pl.String, "question_id": pl.String, "confidence": pl.Float64, "correct": pl.Boolean})


def database(frames: Mapping[str, pl.DataFrame] | None = None, path: str = ":memory:") -> Connection:
    """Return a connection that holds the given tables, the others without a row, and every macro and view."""
    connection = duckdb.connect(path)
    given = {"t_quantiles": t_quantiles()} | dict(frames or {})
    for name, table in TABLES.items():
        put(connection, name, given.get(name, table.empty()))
    for found in load_sql(SQL_ROOT):
        connection.execute(found.sql)
    return connection


def derive(connection: Connection) -> Connection:
    """Compute the tables that are queries over the others, checked against their contracts."""
    for found in load_tables(SQL_ROOT):
        table = TABLES[found.name]
        rows = connection.sql(found.sql).pl()
        frame = rows.select(pl.col(name).cast(dtype) for name, dtype in table.polars_schema.items()).sort(table.key)
        put(connection, found.name, table.schema.validate(frame))
    return connection


def put(connection: Connection, name: str, frame: pl.DataFrame) -> None:
    """Make a table of a frame, in place of one of that name."""
    connection.register("_frame", frame)
    connection.execute(f"CREATE OR REPLACE TABLE {name} AS FROM _frame")
    connection.unregister("_frame")


def observe(
    connection: Connection,
    confidence: Sequence[float | None],
    correct: Sequence[bool | int | None],
    question: Iterable[Any] | None = None,
    cell: Iterable[Any] | str = "c",
    name: str = "t",
) -> None:
    """Make a table of observations; without `question` every row is its own."""
    n = len(confidence)
    cells = [cell] * n if isinstance(cell, str) else list(cell)
    questions = range(n) if question is None else question
    columns = {
        "cell": [str(c) for c in cells],
        "question_id": [None if q is None else str(q) for q in questions],
        "confidence": [None if c is None else float(c) for c in confidence],
        "correct": [None if y is None else bool(y) for y in correct],
    }
    put(connection, name, pl.DataFrame(columns, schema=OBSERVATIONS, strict=False))


def rows(connection: Connection, query: str) -> list[Row]:
    """Return the rows of a query by column name."""
    found: list[Row] = connection.sql(query).pl().to_dicts()
    return found


def one(connection: Connection, query: str) -> Row:
    """Return the only row of a query."""
    (row,) = rows(connection, query)
    return row
