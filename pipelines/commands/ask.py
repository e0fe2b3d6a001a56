"""`callake sql` and `callake tables`: ask the current version, and what there is to ask."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import click
import duckdb
import orjson
import polars as pl
from rich.console import Console
from rich.table import Table as RichTable

from pipelines.commands.common import lake_option
from warehouse.catalog import open_lake
from warehouse.dictionary import describe, overview
from warehouse.errors import LakeError
from warehouse.restrictions import restricted_columns_written
from warehouse.storage.layout import Lake

FORMATS = ("table", "json", "csv", "parquet")
SHOWN_ROWS = 200


@click.command("sql")
@click.argument("query")
@lake_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write here instead of printing.")
@click.option("--threads", type=click.IntRange(min=1), help="DuckDB threads; default: one a core.")
def sql(query: str, lake: Path, form: str, output: Path | None, threads: int | None) -> None:
    """Ask the current version with SQL; QUERY of `-` reads standard input."""
    text = sys.stdin.read() if query == "-" else query
    if form == "parquet" and output is None:
        raise click.UsageError("--format parquet needs --output FILE.")
    with open_lake(Lake.at(lake)) as connection:
        if threads:
            connection.execute(f"SET threads = {threads}")
        _warn(connection, text, to_file=output is not None)
        try:
            relation = connection.sql(text)
            if relation is None:
                return
            _write(relation, form, output)
        except duckdb.Error as problem:
            raise LakeError(f"DuckDB refused the query: {problem}") from problem


def _warn(connection: duckdb.DuckDBPyConnection, text: str, *, to_file: bool) -> None:
    for column, labels in restricted_columns_written(connection, text, to_file=to_file).items():
        click.echo(
            f"warning: the file holds {column}, which is restricted ({', '.join(labels)}): do not pass it on; "
            "`callake export` makes a copy to pass on.",
            err=True,
        )


def _write(relation: duckdb.DuckDBPyRelation, form: str, output: Path | None) -> None:
    if form == "parquet":
        relation.write_parquet(str(output))
    elif output is not None:
        with output.open("w", encoding="utf-8", newline="") as handle:
            _print(relation, form, handle)
    else:
        _print(relation, form, sys.stdout)


def _print(relation: duckdb.DuckDBPyRelation, form: str, handle: Any) -> None:  # noqa: ANN401 - a text stream
    if form == "table":
        _print_table(relation, handle)
        return
    if form == "csv":
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(relation.columns)
        while rows := relation.fetchmany(10_000):
            writer.writerows(rows)
        return
    while rows := relation.fetchmany(10_000):
        for row in rows:
            line = orjson.dumps(dict(zip(relation.columns, row, strict=True)), default=str)
            handle.write(line.decode() + "\n")


def _print_table(relation: duckdb.DuckDBPyRelation, handle: Any) -> None:  # noqa: ANN401 - a text stream
    rows = relation.fetchmany(SHOWN_ROWS + 1)
    console = Console(file=handle, highlight=False, width=None if handle.isatty() else 100_000)
    grid = RichTable(box=None, pad_edge=False)
    for column, kind in zip(relation.columns, relation.types, strict=True):
        numeric = str(kind) in {"BIGINT", "INTEGER", "DOUBLE", "FLOAT", "HUGEINT"}
        grid.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows[:SHOWN_ROWS]:
        grid.add_row(*[_cell(value) for value in row])
    console.print(grid, markup=False)
    if len(rows) > SHOWN_ROWS:
        console.print(f"… only the first {SHOWN_ROWS} rows are shown; --format csv or json prints all.", markup=False)


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("[", "\\[")


@click.command("tables")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(("table", "json")), default="table", show_default=True)
def tables(name: str | None, form: str) -> None:
    """Print the data dictionary: every table, view and macro, or the columns of NAME."""
    frame = overview() if name is None else describe(name)
    if form == "json":
        click.echo(frame.write_ndjson(), nl=False)
        return
    with pl.Config(tbl_rows=-1, tbl_cols=-1, fmt_str_lengths=400, tbl_hide_dataframe_shape=True,
                   tbl_hide_column_data_types=True, tbl_formatting="NOTHING", tbl_width_chars=200):  # fmt: skip
        click.echo(str(frame))


COMMANDS = (sql, tables)
