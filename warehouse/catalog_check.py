"""Whether a version's catalog is the one that its record and the project's SQL give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import duckdb

from warehouse.catalog import DATABASE, connect_version, is_at, location
from warehouse.code import code_record
from warehouse.contracts import TABLES
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.record import RECORD, read_record

Definitions = dict[tuple[str, str], list[str]]
"""The statements of what a catalog defines, by kind and name; a macro may have several."""

_EXCLUDED: Final = re.compile(r"EXCLUDE \(([^()]*)\)")


def catalog_problems(lake: Lake, version: Path) -> list[str]:
    """Compare a version's catalog with the one that would be written; return a sentence for each thing wrong.

    None for a catalog that is not there, which the record's own verification says, for one of a lake that was moved,
    which is written again when it is opened, and for a record or files that can not be used, which is said there too.
    """
    database = version / DATABASE
    if not database.is_file():
        return []
    remedy = f"{lake.command('catalog')} writes it again."
    try:
        root, version_id = location(database)
        if version_id != version.name:
            return [f"{database} is the catalog of another version, {version_id!r}. {remedy}"]
        expected = _expected(Lake.at(root).version(version_id)) if is_at(Path(root), lake.root) else None
        differing = [] if expected is None else _differing(database, version, expected)
    except (LakeError, duckdb.Error) as problem:
        return [f"{problem} {remedy}"]
    return [
        f"{database}: {kind} {name} is not the one that {RECORD} and the project's SQL give. {remedy}"
        for kind, name in differing
    ]


def _expected(version: Path) -> Definitions | None:
    """Return what a version's catalog has to define; None where files are gone, which is found by their own names."""
    try:
        connection = connect_version(version)
    except LakeError:
        return None
    with connection:
        return _definitions(connection)


def _differing(database: Path, version: Path, expected: Definitions) -> list[tuple[str, str]]:
    """Return kind and name of what a catalog defines otherwise; of the tables' views alone where other SQL wrote it."""
    with duckdb.connect(str(database), read_only=True) as connection:
        actual = _definitions(connection)
    same_sql = read_record(version)["code"]["reading"] == code_record()["reading"]
    names = sorted(key for key in actual.keys() | expected.keys() if actual.get(key) != expected.get(key))
    return [(kind, name) for kind, name in names if same_sql or name in TABLES]


def _definitions(connection: Any) -> Definitions:  # noqa: ANN401
    """Return what a catalog defines by kind and name: its views, its macros, and tables beside `lake_location`."""
    query = """
        SELECT 'the view' AS kind, view_name AS name, sql AS definition FROM duckdb_views() WHERE NOT internal
        UNION ALL
        SELECT 'the macro', function_name, concat_ws(' ', function_type, parameters::VARCHAR, macro_definition)
        FROM duckdb_functions() WHERE NOT internal
        UNION ALL
        SELECT 'the table', table_name, sql FROM duckdb_tables() WHERE NOT internal AND table_name <> 'lake_location'
        ORDER BY ALL
    """
    found: Definitions = {}
    for kind, name, definition in connection.execute(query).fetchall():
        found.setdefault((kind, name), []).append(_EXCLUDED.sub(_sorted_names, definition or ""))
    return found


def _sorted_names(excluded: re.Match[str]) -> str:
    # DuckDB keeps these names as a set and prints them in any order.
    return f"EXCLUDE ({', '.join(sorted(excluded[1].split(', ')))})"
