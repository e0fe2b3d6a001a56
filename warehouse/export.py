"""A copy of a table to pass on: restricted text blank unless named, the licence beside it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

import duckdb

from warehouse.catalog import damage_named, identifier, quote
from warehouse.contracts import LICENCES, TABLES
from warehouse.errors import LakeError
from warehouse.rows import Form, whole_file, write_rows

FORMATS: Final[dict[str, Form]] = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json"}
_BY_DATASET: Final = frozenset({"medcalcbench"})
_FORMULA: Final = "^[=+\\-@\\t\\r]"


def export(connection: duckdb.DuckDBPyConnection, name: str, target: Path, include: Collection[str]) -> int:
    """Write a table or view to `target` (.parquet, .csv or .jsonl) and its licence beside it; return the rows.

    Their folder is made. In CSV a text that a spreadsheet would run as a formula gets a leading apostrophe. Raises
    LakeError for an unknown name or file ending, for a part file that is damaged, and where DuckDB can not write.
    """
    refuse_ending(target)
    form = FORMATS[target.suffix.lower()]
    columns = _columns(connection, name)
    chosen = ", ".join(_expression(name, column, kind, include, target) for column, kind in columns)
    try:
        with damage_named(connection):
            rows = write_rows(connection, f"SELECT {chosen} FROM {identifier(name)}", form, target)
    except duckdb.Error as problem:
        raise LakeError(f"{target} could not be written: {problem}") from problem
    with whole_file(target.with_name(target.name + ".LICENCE.txt")) as licence:
        licence.write_text(_licence(name, include), encoding="utf-8")
    return rows


def refuse_ending(target: Path) -> None:
    """Raise LakeError for a file whose ending names no format."""
    if target.suffix.lower() not in FORMATS:
        raise LakeError(f"{target} ends in {target.suffix!r}: name a file that ends in {', '.join(FORMATS)}.")


def _columns(connection: duckdb.DuckDBPyConnection, name: str) -> list[tuple[str, str]]:
    rows = connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() "
        "WHERE table_name = $1 AND NOT internal ORDER BY column_index",
        [name],
    ).fetchall()
    if not rows:
        raise LakeError(f"There is no table or view {name!r}: `callake tables` lists them.")
    return [(str(column), str(kind)) for column, kind in rows]


def _expression(name: str, column: str, kind: str, include: Collection[str], target: Path) -> str:
    value = identifier(column)
    if kind == "VARCHAR" and target.suffix.lower() == ".csv":
        # A plain number that starts with a sign is no formula.
        formula = f"regexp_matches({value}, {quote(_FORMULA)}) AND try_cast({value} AS DOUBLE) IS NULL"
        value = f"CASE WHEN {formula} THEN '''' || {value} ELSE {value} END"
    labels = set(TABLES[name].restricted.get(column, ()) if name in TABLES else ()) - set(include)
    if labels & _BY_DATASET:
        value = (
            f"CASE WHEN dataset IN ({', '.join(quote(label) for label in sorted(labels))}) THEN NULL ELSE {value} END"
        )
    elif labels:
        value = f"CAST(NULL AS {kind})"
    return f"{value} AS {identifier(column)}"


def _licence(name: str, include: Collection[str]) -> str:
    sources = [TABLES[name].source] if name in TABLES and TABLES[name].source in LICENCES else sorted(LICENCES)
    held = f"Restricted text included by name: {', '.join(sorted(include))}.\n" if include else ""
    return (
        f"{name}, exported from calibration-lake.\n{held}\n"
        + "\n\n".join(LICENCES[source] for source in sources)
        + "\n"
    )
