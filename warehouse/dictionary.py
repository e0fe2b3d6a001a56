"""The data dictionary: what every table, view and macro is, from the contracts and the SQL files' headers."""

from __future__ import annotations

import polars as pl

from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES, Table
from warehouse.errors import LakeError
from warehouse.sqltext import load_sql


def table_comment(table: Table) -> str:
    """Return a table's description in one sentence or two."""
    return f"{table.description} Grain: {table.grain}. Key: {', '.join(table.key) or 'none'}. Source: {table.source}."


def column_comments(table: Table) -> dict[str, str]:
    """Return each column's description with its unit and restriction."""
    return {name: _column_comment(table, name) for name in table.polars_schema}


def _column_comment(table: Table, name: str) -> str:
    column = table.schema.columns()[name]
    metadata = column.metadata or {}
    parts = [column.description or ""]
    if "unit" in metadata:
        parts.append(f"Unit: {metadata['unit']}.")
    if name in table.restricted:
        parts.append(f"Restricted: {', '.join(table.restricted[name])}.")
    return " ".join(part for part in parts if part)


def overview() -> pl.DataFrame:
    """Return every table, view and macro: kind, name, grain, description."""
    rows = [("table", table.name, table.grain, table.description) for table in TABLES.values()]
    rows += [(found.kind, found.name, found.grain, found.description) for found in load_sql(SQL_ROOT)]
    return pl.DataFrame(rows, schema=["kind", "name", "grain", "description"], orient="row")


def describe(name: str) -> pl.DataFrame:
    """Return the columns of a table or view, or what a macro returns: column, type, key, description.

    Raises LakeError for a name that is neither.
    """
    if name in TABLES:
        table, comments = TABLES[name], column_comments(TABLES[name])
        rows = [(c, str(dtype), c in table.key, comments[c]) for c, dtype in table.polars_schema.items()]
    else:
        found = next((found for found in load_sql(SQL_ROOT) if found.name == name), None)
        if found is None:
            raise LakeError(f"There is no table, view or macro {name!r}: `callake tables` lists them.")
        rows = [(column, None, None, comment) for column, comment in found.columns.items()]
    return pl.DataFrame(
        rows, schema={"column": pl.String, "type": pl.String, "key": pl.Boolean, "description": pl.String}, orient="row"
    )
