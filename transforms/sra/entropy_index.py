"""`token_entropy9.index.jsonl.gz`: where each rollout's block of token entropies starts, and its stored summary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import Annotated, Any, Final

import polars as pl
from msgspec import Meta

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread
from transforms.jsonl import Limits, Line
from transforms.sra.layout import CellKey
from transforms.sra.record_shapes import Record, Whole, columns_of
from transforms.sra.records import Columns, RecordReader, place, record_rules
from warehouse.contracts import Issue, Rule, Severity
from warehouse.contracts.sra import SOURCE

COMMON: Final = record_rules("entropy_index")
TOKENS_DIFFER = Rule(
    "entropy_index.tokens_differ", Severity.WARNING, "Index and sampling file state different token counts."
)
ANOTHER_ORDER = Rule("entropy_index.another_order", Severity.INFO, "Index lines are not in the order of their keys.")
RULES: Final = (*COMMON, TOKENS_DIFFER, ANOTHER_ORDER)


class IndexLine(Record, kw_only=True):
    """Where one rollout's block is, and what is stored about it. Numbers are judged with the file they point into."""

    instance_id: Annotated[str, Meta(description="the question, as the data set names it")]
    sample: Annotated[Whole, Meta(description="the rollout's number")]
    offset: Annotated[Whole, Meta(description="the block's first byte")]
    n_tokens: Annotated[Whole, Meta(description="the tokens of the block")]
    mean_entropy: Annotated[float | None, Meta(description="the mean of the block's entropies")]
    max_entropy: Annotated[float | None, Meta(description="the largest of the block's entropies")]


_KEY: Final = ["instance_id", "sample"]
_COLUMNS: Final = columns_of(IndexLine)
INDEX_SCHEMA: Final[dict[str, type[pl.DataType]]] = {**_COLUMNS, "line": pl.Int64}
"""The decoded index: one row a line, `line` from 1; the two stored summaries may be null."""
_ROW: Final = attrgetter(*_COLUMNS)


def parse_index(
    data: bytes,
    cell: CellKey,
    path: str,
    limits: Limits | None = None,
    unread: list[Unread] | None = None,
) -> tuple[pl.DataFrame, list[Issue]]:
    """Read an inflated index. Grain: a line, sorted by key and line; columns of `INDEX_SCHEMA`; offsets in bytes.

    Only JSON types are judged here. Samples, offsets and counts are judged by `place_blocks`, which knows the file they
    point into, and repeated or missing rollouts by it and `match_rollouts`. Never raises on what the file holds: every
    line gives a row or an error.
    """
    log = IssueLog(KEPT_PER_RULE, unread, source=SOURCE, path=path, **cell.columns)
    reader, rows = RecordReader(log, COMMON, cell), []
    for line in reader.lines(data, limits):
        found = reader.take(line, IndexLine)
        if found is not None:
            row = _ROW(found)
            rows.append((*(_without_nan(row, line, log) if line.n_bare else row), line.number))
    reader.report_drift()
    unordered = sum(row[:2] < last[:2] for last, row in pairwise(rows))
    if unordered:
        message = f"{unordered} lines come in another order than their keys'; sorted."
        log.add(ANOTHER_ORDER, message, value=str(unordered))
    columns = Columns(INDEX_SCHEMA)
    if rows:
        columns.extend(zip(*rows, strict=True))
    return columns.frame([*_KEY, "line"]), log.issues


def _without_nan(row: tuple[Any, ...], line: Line, log: IssueLog) -> Iterator[Any]:
    for name, value in zip(_COLUMNS, row, strict=True):
        is_nan = type(value) is float and math.isnan(value)
        if is_nan:
            where = {**place(line), "sample": row[1] if 0 <= row[1] < 2**31 else None}
            log.add(COMMON.nan, f"{name} is NaN; stored as null.", **where, value="NaN")
        yield None if is_nan else value


def check_token_counts(index: pl.DataFrame, rollouts: pl.DataFrame, cell: CellKey, path: str) -> list[Issue]:
    """Return where an index and the cell's rollouts (`instance_id`, `sample`, `n_tokens`) state different counts."""
    log = IssueLog(source=SOURCE, path=path, **cell.columns)
    stated = rollouts.select("instance_id", pl.col("sample").cast(pl.Int64), stated="n_tokens")
    differing = index.join(stated, on=_KEY).filter(pl.col("n_tokens") != pl.col("stated")).sort(*_KEY, "line")
    columns = (*_KEY, "line", "n_tokens", "stated")
    for instance_id, sample, line, n_tokens, other in differing.select(columns).iter_rows():
        message = f"The index states {n_tokens} tokens and the sampling file {other}: one of them may be newer."
        log.add(TOKENS_DIFFER, message, line=line, instance_id=instance_id, sample=sample, value=str(n_tokens))
    return log.issues
