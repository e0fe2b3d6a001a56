"""`callake sql` and `callake tables`: ask the current version, and what there is to ask."""

from __future__ import annotations

import csv
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click
import duckdb
import polars as pl

from pipelines.commands.common import is_unicode, lake_option, outside
from pipelines.commands.display import SHOWN_ROWS, print_result, print_table
from pipelines.commands.statements import confine, judge
from warehouse.catalog import damage_named, open_lake
from warehouse.dictionary import describe, markdown, overview
from warehouse.errors import LakeError
from warehouse.restrictions import restricted_columns_written
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

    Nothing is written inside the lake: COPY … TO 'file' and --output take files elsewhere. What does not fit in
    memory goes to the system's temporary folder (TMPDIR).
    """
    text = _text(query)
    if form == "parquet" and output is None:
        raise click.UsageError("--format parquet needs --output FILE.")
    found = Lake.at(lake)
    place = None if output is None else outside(found, output)
    with tempfile.TemporaryDirectory(prefix="callake-sql-") as spill, open_lake(found) as connection:
        confine(connection, Path(spill))
        if threads:
            connection.execute(f"SET threads = {threads}")
        with _refusals(connection):
            statements = _statements(connection, text, place)
            for statement in statements:
                judge(found, statement)
            _warn(connection, text, to_file=place is not None)
            for statement in statements:
                _answer(connection, statement.query, form, place)


def _text(query: str) -> str:
    """Return the text to run: the argument, or standard input for `-`."""
    try:
        text = sys.stdin.read() if query == "-" else query
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


def _answer(connection: duckdb.DuckDBPyConnection, text: str, form: str | None, output: Path | None) -> None:
    if form == "parquet":
        _write_parquet(connection, text, str(output))
    else:
        _write(connection.execute(text), form, output)


def _write_parquet(connection: duckdb.DuckDBPyConnection, text: str, target: str) -> None:
    relation = connection.sql(text)
    if relation is not None:
        relation.write_parquet(target, compression="zstd")


def _write(result: duckdb.DuckDBPyConnection, form: str | None, output: Path | None) -> None:
    if not result.description:
        return
    if output is not None:
        with output.open("w", encoding="utf-8", newline="") as handle:
            _print(result, form, handle)
    else:
        _print(result, form, sys.stdout)


def _print(result: duckdb.DuckDBPyConnection, form: str | None, handle: TextIO) -> None:
    columns = [str(column[0]) for column in result.description or ()]
    if form in {None, "table"}:
        print_result(columns, result.fetchmany(SHOWN_ROWS + 1), handle, exact=form is not None)
        return
    writer = csv.writer(handle, lineterminator="\n")
    if form == "csv":
        writer.writerow(columns)
    while rows := result.fetchmany(10_000):
        if form == "csv":
            writer.writerows(rows)
        else:
            handle.writelines(_json_line(columns, row) for row in rows)


def _json_line(columns: Sequence[str], row: Sequence[object]) -> str:
    return json.dumps(dict(zip(_distinct(columns), map(_plain, row), strict=True)), ensure_ascii=False) + "\n"


def _distinct(columns: Sequence[str]) -> list[str]:
    """Give columns of one name names of their own, so that none is lost: a, a_1, a_2."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _plain(value: object) -> object:
    """Return a value as JSON can hold it: NaN and infinities by name, so that they stay apart from null."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, str | int | float | None) else str(value)


@click.command("tables")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(("table", "json", "markdown")), default="table", show_default=True)
def tables(name: str | None, form: str) -> None:
    """Print the data dictionary: every table, view and macro, or the columns of NAME; in Markdown always all."""
    if form == "markdown":
        click.echo(markdown(), nl=False)
        return
    frame = overview() if name is None else describe(name)
    if form == "json":
        click.echo(frame.write_ndjson(), nl=False)
    else:
        # A terminal wants the first sentence; the rest is in `--format json`, in Markdown and in the comments.
        first = pl.col("description").str.extract(r"^(.*?[.:])(?:\s|$)").fill_null(pl.col("description"))
        shown = frame.with_columns(first.str.slice(0, 110)) if name is None else frame
        print_table(shown.columns, shown.fill_null("").rows(), sys.stdout)


COMMANDS = (sql, tables)
