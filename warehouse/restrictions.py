"""Restricted columns: text that upstream terms keep from being passed on."""

from __future__ import annotations

import re
from typing import Final

import duckdb

from warehouse.contracts import TABLES

LABELS: Final = tuple(
    sorted({label for table in TABLES.values() for found in table.restricted.values() for label in found})
)
_WRITES: Final = re.compile(r"\bcopy\b", re.IGNORECASE)


def restricted_columns_written(
    connection: duckdb.DuckDBPyConnection, query: str, *, to_file: bool
) -> dict[str, tuple[str, ...]]:
    """Return the restricted columns that a query may put into a file, with their labels.

    It errs on the side of a warning: a restricted column counts where the query reads its table and either names
    the column or selects with `*`.
    """
    if not to_file and not _WRITES.search(query):
        return {}
    text = re.sub(r"\bcount\s*\(\s*\*\s*\)", "", query, flags=re.IGNORECASE)
    found = {}
    for table in TABLES.values():
        if table.restricted and _reads(connection, text, table.name):
            whole = _takes_whole_rows(text, table.name)
            for column, labels in table.restricted.items():
                if whole or re.search(rf"\b{column}\b", text, re.IGNORECASE):
                    found[f"{table.name}.{column}"] = labels
    return found


def _reads(connection: duckdb.DuckDBPyConnection, query: str, table: str) -> bool:
    """Tell whether a query names a table, as a relation or inside the path of its files."""
    if re.search(rf"\b{table}\b", query, re.IGNORECASE):
        return True
    try:
        return table in connection.get_table_names(_inner_select(query))
    except duckdb.Error:
        return False


def _takes_whole_rows(query: str, table: str) -> bool:
    """Tell whether a query may take every column: `*`, COLUMNS, no select list, SUMMARIZE, or a row as one value."""
    if re.search(r"\*|\bcolumns\s*\(|\bsummarize\b", query, re.IGNORECASE):
        return True
    if not re.search(r"\bselect\b", query, re.IGNORECASE) or re.match(r"\s*(from|table)\b", query, re.IGNORECASE):
        return True
    aliases = re.findall(rf"\b{table}\b\s+(?:as\s+)?(\w+)", query, re.IGNORECASE)
    return any(re.search(rf"\bselect\b[^;]*?(?<![.\w]){name}(?![.\w])[^;]*?\bfrom\b", query, re.IGNORECASE)
               for name in (*aliases, table))  # fmt: skip


def _inner_select(query: str) -> str:
    """Return the SELECT of a COPY statement, or the query itself."""
    match = re.match(r"\s*copy\s*\((.*)\)\s*to\b", query, re.IGNORECASE | re.DOTALL)
    return match.group(1) if match else query
