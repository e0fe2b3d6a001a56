"""`lake.duckdb`: the tables of one version as views by absolute path, the macros, the views, and their comments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES, Table
from warehouse.errors import LakeError
from warehouse.sqltext import SqlObject, load_checks, load_sql
from warehouse.storage.layout import Lake
from warehouse.storage.record import RECORD, files_of, read_record, way_back
from warehouse.storage.versions import damaged_parts, require_version

DATABASE: Final = "lake.duckdb"
_OF_FILES: Final = (duckdb.InternalException, duckdb.SerializationException, duckdb.FatalException)
_DUCKDB_TYPES: Final = {
    "String": "VARCHAR",
    "Boolean": "BOOLEAN",
    "Int16": "SMALLINT",
    "Int32": "INTEGER",
    "Int64": "BIGINT",
    "Float32": "FLOAT",
    "Float64": "DOUBLE",
    "List(String)": "VARCHAR[]",
}


def quote(text: str) -> str:
    """Return a SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal_path(path: Path) -> str:
    """Return a path as a SQL literal that DuckDB reads as this one file and not as a pattern."""
    return quote("".join(f"[{char}]" if char in "*?[" else char for char in str(path)))


def table_view(table: Table, files: Sequence[Path]) -> str:
    """Return the statement that makes a table readable: its files, or no rows where the version has none."""
    name = identifier(table.name)
    if files:
        paths = ", ".join(literal_path(path) for path in files)
        return f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet([{paths}], hive_partitioning = false)"
    columns = ", ".join(
        f"NULL::{_DUCKDB_TYPES[str(dtype)]} AS {identifier(column)}" for column, dtype in table.polars_schema.items()
    )
    return f"CREATE OR REPLACE VIEW {name} AS SELECT {columns} WHERE false"


def table_files(version: Path, record: dict[str, Any] | None, table: Table) -> list[Path]:
    """Return a table's files in a version, in key order: those its record lists, or in a stage those that are there.

    Raises LakeError where a listed file is gone: a copy that was cut short must not answer as if it were whole.
    """
    if record is None:
        return sorted((version / "tables" / table.name).rglob("*.parquet"))
    listed = [version / file.path for file in files_of(record, [table.name])]
    gone = [path for path in listed if not path.is_file()]
    if gone:
        raise LakeError(
            f"{len(gone)} files of {table.name} that {version / RECORD} lists are not there, the first is {gone[0]}: "
            f"copy the lake again; {way_back(version)}."
        )
    return sorted(listed)


def connect_version(version: Path | None, *, comments: bool = False, database: Path | str = ":memory:") -> Any:  # noqa: ANN401
    """Return a connection that sees the tables, macros and views of a version's folder; of None, without a row."""
    record = read_record(version) if version is not None and (version / RECORD).is_file() else None
    connection = duckdb.connect(str(database))
    try:
        _define(connection, version, record, comments=comments)
    except BaseException:
        connection.close()
        raise
    return connection


def _define(connection: Any, version: Path | None, record: dict[str, Any] | None, *, comments: bool) -> None:  # noqa: ANN401
    connection.execute("BEGIN")
    for table in TABLES.values():
        connection.execute(table_view(table, table_files(version, record, table) if version else []))
    objects = load_sql(SQL_ROOT)
    for found in objects:
        connection.execute(found.sql)
    if comments:
        _comment(connection, objects)
    connection.execute("COMMIT")


def _comment(connection: Any, objects: Iterable[SqlObject]) -> None:  # noqa: ANN401
    """Comment every table, macro, view and column. Statements take half the time in one text that they take alone."""
    kinds = {"view": "VIEW", "macro": "MACRO", "table macro": "MACRO TABLE"}
    columns = _columns(connection)
    statements: list[str] = []
    for table in TABLES.values():
        statements += _comments("VIEW", table.name, table.comment, table.column_comments)
    for found in objects:
        of_columns = found.column_comments(columns[found.name]) if found.kind == "view" else {}
        statements += _comments(kinds[found.kind], found.name, found.comment, of_columns)
    connection.execute(";\n".join(statements))


def _comments(kind: str, name: str, comment: str, of_columns: Mapping[str, str]) -> Iterator[str]:
    yield f"COMMENT ON {kind} {identifier(name)} IS {quote(comment)}"
    for column, text in of_columns.items():
        yield f"COMMENT ON COLUMN {identifier(name)}.{identifier(column)} IS {quote(text)}"


def _columns(connection: Any) -> dict[str, list[str]]:  # noqa: ANN401
    """Return the columns of every view, in order."""
    found: dict[str, list[str]] = {}
    query = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index"
    for view, column in connection.execute(query).fetchall():
        found.setdefault(view, []).append(column)
    return found


def build_catalog(lake: Lake, version: Path, *, check: bool) -> list[dict[str, Any]]:
    """Write a version's `lake.duckdb`, and return the outcome of the whole-table checks where asked to run them.

    The file is written aside and renamed, so that a reader never opens a part of one.
    """
    aside = version / f".{DATABASE}.{os.getpid()}.tmp"
    aside.unlink(missing_ok=True)
    try:
        outcome = _write(lake, version, aside, check=check)
        aside.replace(version / DATABASE)
    finally:
        aside.unlink(missing_ok=True)
    return outcome


def _write(lake: Lake, version: Path, database: Path, *, check: bool) -> list[dict[str, Any]]:
    connection = connect_version(version, comments=True, database=database)
    try:
        connection.execute(
            "CREATE TABLE lake_location AS SELECT $1 AS root, $2 AS version_id", [str(lake.root), version.name]
        )
        connection.execute("COMMENT ON TABLE lake_location IS 'Where the lake stood when this catalog was written.'")
        return run_checks(connection) if check else []
    finally:
        connection.close()


def run_checks(connection: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Run every check under `sql/checks`: each selects the rows that break it."""
    outcome = []
    for found in load_checks(SQL_ROOT):
        rows = connection.execute(f"SELECT count(*) FROM ({found.sql})").fetchall()[0][0]
        outcome.append({"name": found.name, "passed": rows == 0, "rows": rows, "description": found.description})
    return outcome


def open_lake(lake: Lake) -> Any:  # noqa: ANN401
    """Open the current version's catalog, read-only; write it again first where it is not this version's in this lake.

    That is so where the lake was moved or copied, where the file is another version's, and where it is no database.
    """
    version = require_version(lake)
    database = version / DATABASE
    if not _is_of(database, lake, version):
        write_again(lake, version)
    return duckdb.connect(str(database), read_only=True)


def write_again(lake: Lake, version: Path) -> None:
    """Write a published version's catalog again: it is derived from the record and the project's SQL.

    Raises LakeError where the record or a file that it lists can not be used, or the folder can not be written.
    """
    read_record(version)
    try:
        build_catalog(lake, version, check=False)
    except (duckdb.Error, OSError) as problem:
        raise LakeError(
            f"{version / DATABASE} can not be written ({problem}): see to the folder, or run "
            f"{lake.command('verify-lake', '--version', version.name)} to find what is damaged."
        ) from problem


def _is_of(database: Path, lake: Lake, version: Path) -> bool:
    """Tell whether a file is a catalog that was written for this version where the lake stands now."""
    try:
        root, version_id = location(database)
    except LakeError:
        # What can not be read is written again.
        return False
    return version_id == version.name and is_at(Path(root), lake.root)


@contextmanager
def damage_named(connection: Any) -> Iterator[None]:  # noqa: ANN401
    """Raise LakeError that names the part file where what DuckDB refuses inside the block is a damaged one.

    `connection` is one that `open_lake` gave. Any other refusal of DuckDB passes as it is.
    """
    root, version_id = connection.execute("SELECT root, version_id FROM lake_location").fetchall()[0]
    try:
        yield
    except duckdb.Error as problem:
        # DuckDB's own refusals say of what kind they are; what a decoder throws does not, and names no file.
        search = isinstance(problem, _OF_FILES) or " Error: " not in str(problem)
        lake = Lake.at(root)
        version = lake.version(version_id)
        damaged = damaged_parts(version, str(problem), search=search)
        if not damaged:
            raise
        more = f" ({len(damaged) - 1} more parts are damaged too)" if len(damaged) > 1 else ""
        raise LakeError(
            f"A part file of the lake is damaged: {damaged[0]}{more} {lake.command('verify-lake')} lists "
            f"everything that is; {way_back(version)}."
        ) from problem


def is_at(path: Path, root: Path) -> bool:
    """Tell whether a path leads to the lake, however it is spelled: a published version is not written for that."""
    return path.exists() and path.samefile(root)


def location(database: Path) -> tuple[str, str]:
    """Return the root and the version's id that a catalog was written for. Raises LakeError where it says neither."""
    if not database.is_file():
        raise LakeError(f"{database} is no file.")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            found = connection.execute("SELECT root, version_id FROM lake_location").fetchall()
    except duckdb.Error as problem:
        raise LakeError(f"{database} can not be read as a catalog ({problem}).") from problem
    if len(found) != 1:
        raise LakeError(f"{database} says {len(found)} times where its lake stood, and a catalog says it once.")
    root, version_id = found[0]
    return str(root), str(version_id)
