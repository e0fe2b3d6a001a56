"""Which statements `callake sql` runs: it is for asking, and writes nowhere inside the lake's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from pipelines.commands.common import outside
from pipelines.terminal import printable
from warehouse.catalog import quote
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake

_Kind = duckdb.StatementType
_ASKING: Final = frozenset({
    _Kind.SELECT, _Kind.EXPLAIN, _Kind.PRAGMA, _Kind.SET, _Kind.VARIABLE_SET, _Kind.CALL, _Kind.COPY, _Kind.PREPARE,
    _Kind.EXECUTE, _Kind.TRANSACTION, _Kind.MULTI, _Kind.VACUUM, _Kind.ANALYZE,
    # The lake's catalog is open for reading only, so that these reach nothing but temporary tables.
    _Kind.CREATE, _Kind.CREATE_FUNC, _Kind.INSERT, _Kind.UPDATE, _Kind.DELETE, _Kind.MERGE_INTO, _Kind.DROP,
    _Kind.ALTER,
})  # fmt: skip
_Token = tuple[str, duckdb.token_type]
# They run SQL that stands in a file or in a string, where no look at the statement sees it.
_HIDING: Final = ("import_database", "copy_database", "json_execute_serialized_sql")
# With them COPY writes beside the target it names.
_ELSEWHERE: Final = ("filename_pattern", "file_extension")
_FREE_SETTINGS: Final = (
    "threads", "memory_limit", "timezone", "calendar", "default_order", "default_null_order", "default_collation",
    "preserve_insertion_order", "explain_output", "max_expression_depth", "pivot_limit", "enable_progress_bar",
)  # fmt: skip
_INSTEAD: Final = "for anything else open lake.duckdb in DuckDB itself"


def confine(connection: duckdb.DuckDBPyConnection, spill: Path) -> None:
    """Lock every setting that names a file to write; what does not fit in memory goes below `spill`."""
    connection.execute(f"SET temp_directory = {quote(str(spill))}")
    connection.execute("SET allow_persistent_secrets = false")
    connection.execute(f"SET allowed_configs = [{', '.join(map(quote, _FREE_SETTINGS))}]")
    connection.execute("SET lock_configuration = true")


def judge(lake: Lake, statement: duckdb.Statement) -> None:
    """Raise LakeError, with a sentence, for a statement that is no question or may write inside the lake."""
    text = statement.query
    kind, tokens = _kind(statement), _tokens(text)
    words = [word for word, _kind_of_token in tokens]
    opening = words[0] if words else ""
    if kind not in _ASKING or opening == "import":
        raise LakeError(
            f"`callake sql` is for asking and does not run {opening.upper()}: it takes queries, temporary tables, "
            f"SET and COPY … TO 'file'; {_INSTEAD}."
        )
    _refuse_hidden(tokens)
    is_copy = kind is _Kind.COPY and opening == "copy"
    if ("copy", duckdb.token_type.keyword) in tokens[1 if is_copy else 0 :]:
        raise LakeError(
            "COPY inside another statement is not run by `callake sql`: give COPY … TO 'file' as a statement of its "
            'own; a column of that name is written "copy".'
        )
    if is_copy:
        _judge_copy(lake, tokens)


def _refuse_hidden(tokens: list[_Token]) -> None:
    """Raise LakeError for a call of what runs SQL that is not to be seen; a text or comment may name it."""
    names = [_name(token) for token in tokens]
    hiding = next((name for name in names if name in _HIDING), None)
    if hiding:
        raise LakeError(f"`callake sql` does not run {hiding}, which hides what it does; {_INSTEAD}.")
    for number, name in enumerate(names):
        if name == "query" and [word for word, _kind_of_token in tokens[number + 1 : number + 2]] == ["("]:
            inner = _plain(tokens, number + 2)
            if inner is None or [word for word, _kind_of_token in tokens[number + 3 : number + 4]] != [")"]:
                raise LakeError("`callake sql` takes query(…) with the query in plain quotes, as in query('SELECT 1').")
            _refuse_hidden(_tokens(inner))


def _name(token: _Token) -> str:
    """Return the name that a token may be, as DuckDB compares names; empty for a constant."""
    word, kind = token
    return "" if kind is duckdb.token_type.string_const else word.strip('"').lower()


def _plain(tokens: list[_Token], place: int) -> str | None:
    """Return the text of a constant in plain quotes, or None; DuckDB joins constants on lines that follow."""
    is_constant = [kind is duckdb.token_type.string_const for _word, kind in tokens[place : place + 2]]
    if is_constant not in ([True], [True, False]) or not tokens[place][0].startswith("'"):
        return None
    return tokens[place][0][1:-1].replace("''", "'")


def _kind(statement: duckdb.Statement) -> duckdb.StatementType | None:
    try:
        return statement.type
    except ValueError:
        # DuckDB knows more kinds than its Python package has names for.
        return None


def _judge_copy(lake: Lake, tokens: list[_Token]) -> None:
    depth, place = 0, None
    for number, (word, kind) in enumerate(tokens):
        if kind is duckdb.token_type.operator:
            depth += word.count("(") - word.count(")")
        elif depth == 0 and kind is duckdb.token_type.keyword and word == "to":
            place = number + 1
    if place is None:
        return  # COPY … FROM, into a temporary table
    target = _plain(tokens, place)
    if target is None:
        raise LakeError("`callake sql` takes COPY … TO with the file in plain quotes, as in COPY … TO 'out.parquet'.")
    options = " ".join(word.lower() for word, _kind_of_token in tokens[place + 1 :])
    named = next((name for name in _ELSEWHERE if name in options), None)
    if named:
        raise LakeError(f"`callake sql` does not take {named.upper()}, which can lead out of the folder named.")
    path = outside(lake, target)
    if path.is_dir() and any(path.iterdir()):
        raise LakeError(
            f"{printable(str(path))} is a folder that is not empty, and what is written into it can follow links or "
            "empty it: name a new folder."
        )


def _tokens(text: str) -> list[_Token]:
    """Return the words of a statement without comments: keywords in lower case, all else as it stands."""
    data = text.encode()
    found = duckdb.tokenize(text)
    ends = [start for start, _kind_of_token in found[1:]] + [len(data)]
    words = [
        (data[start:end].decode(errors="replace").strip(), kind) for (start, kind), end in zip(found, ends, strict=True)
    ]
    return [
        (word.lower() if kind is duckdb.token_type.keyword else word, kind)
        for word, kind in words
        if kind is not duckdb.token_type.comment
    ]
