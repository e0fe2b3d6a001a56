"""Time of every view at full size: `python -m tests.sql.timing [threads]`. Not a test."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import duckdb
import polars as pl

from tests.sql.synthetic import FULL_SIZE, lake_tables
from warehouse.catalog import table_view
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqltext import load_sql, load_tables

ROW_GROUP = 128 * 1024
MACROS = (
    "calibration_error('confidence_observations')", "auroc('confidence_observations')",
    "aurc('confidence_observations')", "clustered_mean('confidence_observations')",
    "reliability_diagram('confidence_observations')",
)  # fmt: skip


def connect(folder: Path, threads: int) -> duckdb.DuckDBPyConnection:
    """Return a connection that reads the folder's Parquet files as a lake's catalog does."""
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    for table in TABLES.values():
        path = folder / f"{table.name}.parquet"
        connection.execute(table_view(table, [path] if path.exists() else []))
    for found in load_sql(SQL_ROOT):
        connection.execute(found.sql)
    return connection


def write(folder: Path, name: str, frame: pl.DataFrame) -> None:
    """Write a table as the lake does: sorted by key, zstd, small row groups."""
    table = TABLES[name]
    rows = frame.select(pl.col(c).cast(t) for c, t in table.polars_schema.items()).sort(table.key or frame.columns)
    rows.write_parquet(folder / f"{name}.parquet", compression="zstd", row_group_size=ROW_GROUP)


def seconds(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    """Return the best of three after one to warm up; every column is computed and leaves the database."""
    best = float("inf")
    for _ in range(4):
        start = time.perf_counter()
        connection.sql(query).to_arrow_table()
        best = min(best, time.perf_counter() - start)
    return best


def main(threads: int) -> None:
    """Build the tables, then print a line a table computed in SQL, a view and a macro."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table, frame in lake_tables(FULL_SIZE, seed=1).items():
            write(folder, table, frame)
        for found in load_tables(SQL_ROOT):
            connection = connect(folder, threads)
            start = time.perf_counter()
            frame = connection.sql(found.sql).pl()
            print(f"table {found.name:28} {time.perf_counter() - start:6.2f} s {frame.height:9,} rows")
            write(folder, found.name, frame)
        connection = connect(folder, threads)
        views = [found.name for found in load_sql(SQL_ROOT) if found.kind == "view"]
        for query in (*views, *MACROS):
            (rows,) = connection.execute(f"SELECT count(*) FROM {query}").fetchall()[0]
            print(f"{query:50} {seconds(connection, f'FROM {query}'):6.3f} s {rows:9,} rows")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
