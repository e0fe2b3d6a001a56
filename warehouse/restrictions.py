"""Restricted columns: text that upstream terms keep from being passed on."""

from __future__ import annotations

import re
from typing import Final

import duckdb

from warehouse.contracts import TABLES

LABELS: Final = tuple(
    sorted({label for table in TABLES.values() for found in table.restricted.values() for label in found})
)
_WRITES: Final = re.compile(r"\b(copy|export)\b", re.IGNORECASE)


def restricted_columns_written(
    connection: duckdb.DuckDBPyConnection, query: str, *, to_file: bool
) -> dict[str, tuple[str, ...]]:
    """Return the restricted columns that a query may put into a file, with their labels.

    It errs on the side of a warning: a restricted column counts where the query reads its table and either names
    the column or selects with `*`.
    """
    if not to_file and not _WRITES.search(query):
        return {}
    try:
        read = set(connection.get_table_names(_inner_select(query)))
    except duckdb.Error:
        read = {name for name in TABLES if re.search(rf"\b{name}\b", query, re.IGNORECASE)}
    found = {}
    for table in TABLES.values():
        for column, labels in table.restricted.items():
            named = re.search(rf"\b{column}\b|\*|\bcolumns\s*\(", query, re.IGNORECASE)
            if table.name in read and named:
                found[f"{table.name}.{column}"] = labels
    return found


def _inner_select(query: str) -> str:
    """Return the SELECT of a COPY statement, or the query itself."""
    match = re.match(r"\s*copy\s*\((.*)\)\s*to\b", query, re.IGNORECASE | re.DOTALL)
    return match.group(1) if match else query
