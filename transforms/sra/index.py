"""`token_entropy9.index.jsonl.gz`: where each rollout's block of token entropies starts, and its stored summary."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any, Final

import polars as pl

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread
from transforms.jsonl import Limits, Line, read_lines
from transforms.sra.entropy_index import INDEX_SCHEMA
from transforms.sra.layout import CellKey
from transforms.sra.records import CELL_FIELDS, Columns, Field, Kind, RecordReader, record_rules
from warehouse.contracts import Issue, Rule, Severity
from warehouse.contracts.sra import SOURCE

COMMON: Final = record_rules("entropy_index")
TOKENS_DIFFER = Rule(
    "entropy_index.tokens_differ", Severity.WARNING, "Index and sampling file state different token counts."
)
ANOTHER_ORDER = Rule("entropy_index.another_order", Severity.INFO, "Index lines are not in the order of their keys.")
RULES: Final = (*COMMON.all, TOKENS_DIFFER, ANOTHER_ORDER)

_KEY: Final = ["instance_id", "sample"]
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_FIELDS: Final = (
    Field("instance_id", Kind.STRING),
    *(Field(name, Kind.INTEGER, low=_SMALLEST, high=_LARGEST) for name in ("sample", "offset", "n_tokens")),
    *(Field(name, Kind.NUMBER, nullable=True) for name in ("mean_entropy", "max_entropy")), *CELL_FIELDS,
)  # fmt: skip
_LINE: Final = itemgetter("instance_id", "sample", "offset", "n_tokens", "mean_entropy", "max_entropy")
_PLAIN_TYPES: Final = (str, int, int, int, float, float)
_Row = tuple[Any, ...]


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
    reader = _IndexReader(log, cell)
    for line in read_lines(data, log, limits):
        reader.take(line)
    return reader.finish(), log.issues


class _IndexReader:
    def __init__(self, log: IssueLog, cell: CellKey) -> None:
        self._log = log
        self._records = RecordReader(log, COMMON, cell)
        self._rows: list[_Row] = []
        self._last: _Row = ("", _SMALLEST)
        self._unordered = 0

    def take(self, line: Line) -> None:
        """Read one line."""
        before = self._log.total
        row = _plain(line) or self._explained(line)
        if line.n_bare and self._log.total == before:
            self._records.note_unread_nan(line.number)
        if row is not None:
            self._unordered += row[:2] < self._last
            self._last = row[:2]
            self._rows.append((*row, line.number))

    def finish(self) -> pl.DataFrame:
        """Return the rows, and record what is known only at the end of the file."""
        self._records.report_drift()
        if self._unordered:
            message = f"{self._unordered} lines come in another order than their keys'; sorted."
            self._log.add(ANOTHER_ORDER, message, value=str(self._unordered))
        columns = Columns(INDEX_SCHEMA)
        if self._rows:
            columns.extend(zip(*self._rows, strict=True))
        return columns.frame([*_KEY, "line"])

    def _explained(self, line: Line) -> _Row | None:
        found, sample = line.record.get("instance_id"), line.record.get("sample")
        where: dict[str, Any] = {
            "line": line.number,
            "instance_id": found if type(found) is str else None,
            "sample": sample if type(sample) is int and 0 <= sample < 2**31 else None,
        }
        values = self._records.read(line.record, _FIELDS, "", **where)
        in_folder = self._records.in_folder(line.record, **where)
        if values is None or not in_folder:
            return None
        for name in ("mean_entropy", "max_entropy"):
            if values[name] is not None and math.isnan(values[name]):
                self._log.add(COMMON.nan, f"{name} is NaN; stored as null.", **where, value="NaN")
                values[name] = None
        row: _Row = _LINE(values)
        return row


def _plain(line: Line) -> _Row | None:
    """Return the row of a line that is exactly as expected, else None."""
    record = line.record
    if len(record) != len(_PLAIN_TYPES) or line.n_bare:
        return None
    try:
        row: _Row = _LINE(record)
    except KeyError:
        return None
    if tuple(map(type, row)) != _PLAIN_TYPES:
        return None
    return row if max(row[1:4]) <= _LARGEST else None


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
