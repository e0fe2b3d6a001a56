"""The data dictionary: what every table, view and macro is, from the contracts and the SQL files' headers."""

from __future__ import annotations

import polars as pl

from warehouse.catalog import connect_version, identifier
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES, Table
from warehouse.errors import LakeError
from warehouse.sqltext import SqlObject, load_sql

Row = tuple[str, str, str, str]


def overview() -> pl.DataFrame:
    """Return every table, view and macro: kind, name, grain, description."""
    rows = [("table", table.name, table.grain, table.description) for table in TABLES.values()]
    rows += [(found.kind, found.name, found.grain, found.description) for found in load_sql(SQL_ROOT)]
    return pl.DataFrame(rows, schema=["kind", "name", "grain", "description"], orient="row")


def describe(name: str) -> pl.DataFrame:
    """Return what stands behind a name: column or parameter, type, key, description.

    Raises LakeError for a name that is no table, view or macro.
    """
    found = next((found for found in load_sql(SQL_ROOT) if found.name == name), None)
    if name in TABLES:
        rows = _of_table(TABLES[name])
    elif found is None:
        raise LakeError(f"There is no table, view or macro {name!r}: `callake tables` lists them.")
    else:
        rows = _of_view(found) if found.kind == "view" else _of_macro(found)
    return pl.DataFrame(rows, schema=["column", "type", "key", "description"], orient="row")


def _of_table(table: Table) -> list[Row]:
    comments = table.column_comments
    return [
        (name, str(dtype), "yes" if name in table.key else "", comments[name])
        for name, dtype in table.polars_schema.items()
    ]


def _of_view(view: SqlObject) -> list[Row]:
    with connect_version(None) as connection:
        rows = connection.execute(f"DESCRIBE {identifier(view.name)}").fetchall()
    kinds = {str(row[0]): str(row[1]) for row in rows}
    comments = view.column_comments(list(kinds))
    return [(name, kind, "", comments[name]) for name, kind in kinds.items()]


def _of_macro(macro: SqlObject) -> list[Row]:
    parameters = [(f"{name} (parameter)", "", "", text) for name, text in macro.parameters.items()]
    columns = [(name, "", "", column.comment) for name, column in macro.columns.items()]
    return [("(returns)", macro.kind, "", macro.comment), *parameters, *columns]
