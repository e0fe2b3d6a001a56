"""`callake sql` and `callake tables`: ask the current version, and what there is to ask."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import click
import duckdb
import polars as pl

from pipelines.commands.common import is_unicode, lake_option, outside
from pipelines.commands.display import SHOWN_ROWS, print_result, print_table
from pipelines.commands.statements import refuse_write
from pipelines.terminal import write_data
from warehouse.catalog import damage_named, open_lake, quote
from warehouse.dictionary import describe, markdown, overview
from warehouse.errors import LakeError
from warehouse.restrictions import restricted_columns_written
from warehouse.rows import Form, stream_rows, whole_file, write_rows
from warehouse.storage.layout import Lake

FORMATS = ("table", "json", "csv", "parquet")


@click.command("sql")
@click.argument("query")
@lake_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How to print, numbers exact; without it a table, and on a terminal numbers are rounded.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write here instead of printing.")
@click.option("--threads", type=click.IntRange(min=1), help="DuckDB threads; default: one a core.")
def sql(query: str, lake: Path, form: str | None, output: Path | None, threads: int | None) -> None:
    """Ask the current version with SQL; QUERY of `-` reads standard input.

    Nothing is written inside the lake: COPY … TO 'file' and --output take files elsewhere, and make the folder where
    it is not there. CSV and JSON lines are UTF-8 on every terminal. In CSV a null is empty and an empty text is "". In
    JSON dates are ISO texts, and NaN and the infinities are the texts "NaN", "Infinity" and "-Infinity". What does
    not fit in memory goes to the system's temporary folder (TMPDIR).
    """
    text = _text(query)
    if form == "parquet" and output is None:
        raise click.UsageError("--format parquet needs --output FILE.")
    found = Lake.at(lake)
    place = None if output is None else outside(found, output)
    with tempfile.TemporaryDirectory(prefix="callake-sql-") as spill, open_lake(found) as connection:
        connection.execute(f"SET temp_directory = {quote(spill)}")
        if threads:
            connection.execute(f"SET threads = {threads}")
        with _refusals(connection):
            statements = _statements(connection, text, place)
            for statement in statements:
                refuse_write(found, statement)
            _warn(connection, text, to_file=place is not None)
            for statement in statements:
                _answer(connection, statement, form, place)


def _text(query: str) -> str:
    """Return the text to run: the argument, or standard input for `-`."""
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig") if query == "-" else query
    except UnicodeDecodeError as problem:
        raise click.UsageError("The query on standard input is not UTF-8.") from problem
    if not is_unicode(text):
        raise click.UsageError("The query is not UTF-8.")
    if "\0" in text:
        raise click.UsageError("The query holds a NUL character: write chr(0) for it.")
    return text


def _statements(connection: duckdb.DuckDBPyConnection, text: str, output: Path | None) -> list[duckdb.Statement]:
    statements = connection.extract_statements(text)
    if not statements:
        raise click.UsageError("The query is empty.")
    if len(statements) > 1 and output is not None:
        raise click.UsageError(f"--output takes one statement, and there are {len(statements)}.")
    return statements


@contextmanager
def _refusals(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Turn what DuckDB refuses into a sentence: about the part file where that is damaged, else about the query."""
    try:
        with damage_named(connection):
            yield
    except duckdb.Error as problem:
        raise LakeError(f"DuckDB refused the query: {problem}") from problem


def _warn(connection: duckdb.DuckDBPyConnection, text: str, *, to_file: bool) -> None:
    for column, labels in restricted_columns_written(connection, text, to_file=to_file).items():
        click.echo(
            f"warning: the file holds {column}, which is restricted ({', '.join(labels)}): do not pass it on; "
            "`callake export` makes a copy to pass on.",
            err=True,
        )


def _answer(
    connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement, form: str | None, place: Path | None
) -> None:
    if statement.expected_result_type == [duckdb.ExpectedResultType.NOTHING]:
        connection.execute(statement.query)
    elif form in {None, "table"}:
        _write_table(connection.execute(statement.query), place, exact=form is not None)
    elif place is None:
        stream_rows(connection, statement.query, cast(Form, form), write_data)
    else:
        write_rows(connection, statement.query, cast(Form, form), place)


def _write_table(result: duckdb.DuckDBPyConnection, place: Path | None, *, exact: bool) -> None:
    columns = [str(column[0]) for column in result.description or ()]
    rows = result.fetchmany(SHOWN_ROWS + 1)
    if place is None:
        print_result(columns, rows, sys.stdout, exact=exact)
        return
    with whole_file(place) as aside, aside.open("w", encoding="utf-8", newline="") as handle:
        print_table(columns, rows, handle, exact=True)


@click.command("tables")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(("table", "json", "markdown")), default="table", show_default=True)
@click.option("--all", "internal", is_flag=True, help="List internal macros too, the steps of others.")
def tables(name: str | None, form: str, internal: bool) -> None:
    """Print the data dictionary: every view, table and macro, or the columns of NAME; in Markdown always all."""
    if form == "markdown":
        write_data(markdown().encode())
        return
    frame = overview(internal=internal) if name is None else describe(name)
    if form == "json":
        write_data(frame.write_ndjson().encode())
    else:
        # A terminal wants the first sentence; the rest is in `--format json`, in Markdown and in the comments.
        first = pl.col("description").str.extract(r"^(.*?[.:])(?:\s|$)").fill_null(pl.col("description"))
        shown = frame.with_columns(first.str.slice(0, 110)) if name is None else frame
        print_table(shown.columns, shown.fill_null("").rows(), sys.stdout)


COMMANDS = (sql, tables)
