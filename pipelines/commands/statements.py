"""Which statements `callake sql` runs: it is for asking, and writes nowhere inside the lake's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlparse

import duckdb

from pipelines.commands.common import refuse_inside
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
    hiding = next((name for name in _HIDING if name in text.lower()), None)
    if hiding:
        raise LakeError(f"`callake sql` does not run {hiding}, which hides what it does; {_INSTEAD}.")
    is_copy = kind is _Kind.COPY and opening == "copy"
    if ("copy", duckdb.token_type.keyword) in tokens[1 if is_copy else 0 :]:
        raise LakeError(
            "COPY inside another statement is not run by `callake sql`: give COPY … TO 'file' as a statement of its "
            'own; a column of that name is written "copy".'
        )
    if is_copy:
        _judge_copy(lake, tokens)


def _kind(statement: duckdb.Statement) -> duckdb.StatementType | None:
    try:
        return statement.type
    except ValueError:
        # DuckDB knows more kinds than its Python package has names for.
        return None


def _judge_copy(lake: Lake, tokens: list[tuple[str, duckdb.token_type]]) -> None:
    depth, place = 0, None
    for number, (word, kind) in enumerate(tokens):
        if kind is duckdb.token_type.operator:
            depth += word.count("(") - word.count(")")
        elif depth == 0 and kind is duckdb.token_type.keyword and word == "to":
            place = number + 1
    if place is None:
        return  # COPY … FROM, into a temporary table
    target, kind = tokens[place] if place < len(tokens) else ("", duckdb.token_type.operator)
    if kind is not duckdb.token_type.string_const or not target.startswith("'"):
        raise LakeError("`callake sql` takes COPY … TO with the file in plain quotes, as in COPY … TO 'out.parquet'.")
    options = " ".join(word.lower() for word, _kind_of_token in tokens[place + 1 :])
    named = next((name for name in _ELSEWHERE if name in options), None)
    if named:
        raise LakeError(f"`callake sql` does not take {named.upper()}, which can lead out of the folder named.")
    path = _path(target[1:-1].replace("''", "'"))
    refuse_inside(lake, path)
    if "partition_by" in options and path.is_dir() and any(path.iterdir()):
        raise LakeError(
            f"{printable(str(path))} is not empty, and partitions written into it can follow links: name a new folder."
        )


def _path(target: str) -> Path:
    """Return where DuckDB would write: it takes file: addresses and `~` as well."""
    return Path(urlparse(target).path if target.startswith("file:") else target).expanduser()


def _tokens(text: str) -> list[tuple[str, duckdb.token_type]]:
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
