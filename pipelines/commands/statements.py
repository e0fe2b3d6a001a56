"""Which statements `callake sql` runs: it is for asking, and a COPY writes outside of the lake's folder."""

from __future__ import annotations

import re
from typing import Final

import duckdb

from pipelines.commands.common import outside
from pipelines.terminal import printable
from warehouse.errors import LakeError
from warehouse.rows import make_folder
from warehouse.storage.layout import Lake

_Kind = duckdb.StatementType
# The lake's catalog is open for reading only, so that what writes reaches nothing but temporary tables.
_ASKING: Final = frozenset({
    _Kind.SELECT, _Kind.EXPLAIN, _Kind.PRAGMA, _Kind.SET, _Kind.VARIABLE_SET, _Kind.CALL, _Kind.COPY, _Kind.PREPARE,
    _Kind.EXECUTE, _Kind.TRANSACTION, _Kind.MULTI, _Kind.VACUUM, _Kind.ANALYZE, _Kind.CREATE, _Kind.CREATE_FUNC,
    _Kind.INSERT, _Kind.UPDATE, _Kind.DELETE, _Kind.MERGE_INTO, _Kind.DROP, _Kind.ALTER,
})  # fmt: skip
_COPY: Final = re.compile(r"\bcopy\b", re.IGNORECASE)
_TARGET: Final = re.compile(r"\bto\s+'((?:[^']|'')*)'", re.IGNORECASE)


def refuse_write(lake: Lake, statement: duckdb.Statement) -> None:
    """Raise LakeError, with a sentence, for a statement that is no question, or whose COPY writes inside the lake.

    It keeps people from mistakes: table files are read-only, and the catalog is open for reading only.
    """
    kind = _kind(statement)
    if kind not in _ASKING:
        raise LakeError(
            f"`callake sql` is for asking and does not run {kind.name if kind else 'this'}: it takes queries, "
            "temporary tables, SET and COPY … TO 'file'; for anything else open lake.duckdb in DuckDB itself."
        )
    if _COPY.search(statement.query):
        for target in _TARGET.findall(statement.query):
            path = outside(lake, target.replace("''", "'"))
            if path.is_dir() and any(path.iterdir()):
                raise LakeError(
                    f"{printable(str(path))} is a folder that is not empty, and COPY with OVERWRITE follows the links "
                    "in it and empties where they lead: name a new folder."
                )
            make_folder(path.parent)


def _kind(statement: duckdb.Statement) -> duckdb.StatementType | None:
    try:
        return statement.type
    except ValueError:
        # DuckDB knows more kinds than its Python package has names for.
        return None
