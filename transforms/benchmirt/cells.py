"""From a file's bytes to a table of cells: text, gzipped text and Parquet, told apart by their first bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from transforms import gzipped
from transforms.benchmirt import parquet, rules
from transforms.benchmirt.csv_table import lines_of, read_text_table
from transforms.benchmirt.dialect import Dialect
from transforms.benchmirt.limits import Limits
from transforms.issue_log import IssueLog, shown

GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
_LISTED: Final = 20
_GZIP_RULES: Final = {rule.name: rule for rule in gzipped.RULES}


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table as the file has it: names of the columns in order (they may repeat), and their values.

    `frame` has the columns `0`, `1`, … : text of a CSV file, where an empty cell is the empty string, or the types of
    a Parquet file. `line` gives the line of a row (from 0) in a text file, and `dialect` how that is written.
    """

    names: list[str]
    frame: pl.DataFrame
    lines: Callable[[Iterable[int]], dict[int, int]] = field(repr=False)
    dialect: Dialect | None = None

    def column(self, index: int) -> pl.Series:
        """Return a column's values."""
        return self.frame.to_series(index)

    def text(self, index: int) -> pl.Series:
        """Return a column's values as text, empty where there is none."""
        return self.column(index).cast(pl.String).fill_null("")

    @property
    def header_line(self) -> int | None:
        """The line that the header stands in."""
        return None if self.dialect is None else self.dialect.line

    @property
    def written(self) -> dict[str, str | bool]:
        """How the file is written, for the lake's record."""
        if self.dialect is None:
            return {"format": "parquet"}
        facts: dict[str, str | bool] = {"format": "text", "delimiter": self.dialect.delimiter}
        noted = {"separator_hint": self.dialect.stated is not None, "short_header": self.dialect.short_header}
        return facts | {name: value for name, value in noted.items() if value}


def open_file(data: bytes, log: IssueLog, limits: Limits) -> bytes | None:
    """Return a file's bytes, inflated where they are gzip, or None with an error where they cannot be."""
    if not data.startswith(GZIP):
        return _within(data, log, limits)
    inflated, issues = gzipped.inflate(data, "", limits.file_bytes)
    for issue in issues:
        log.add(_GZIP_RULES[issue.rule], issue.message, value=issue.value)
    return None if inflated is None else _within(inflated, log, limits)


def _within(data: bytes, log: IssueLog, limits: Limits) -> bytes | None:
    if not data.strip():
        log.add(rules.EMPTY_FILE, f"The file has {len(data)} bytes and no text; expected a table.")
        return None
    if len(data) > limits.file_bytes:
        log.add(rules.TOO_LARGE, f"The file has {len(data)} bytes; the limit is {limits.file_bytes}.")
        return None
    if data.startswith(_ZIP):
        message = "The file is a ZIP archive, as a spreadsheet's .xlsx is; save the table as CSV."
        log.add(rules.UNREADABLE, message)
        return None
    return data


def read_cells(data: bytes, log: IssueLog, limits: Limits) -> RawTable | None:
    """Return the table that an opened file holds, or None with every reason why it cannot be read."""
    if data.startswith(parquet.MAGIC):
        columns = parquet.read_columns(data, log, limits)
        return None if columns is None else RawTable(*columns, lambda _: {})
    table = read_text_table(data, log, limits)
    if table is None:
        return None
    return RawTable(table.dialect.names, table.frame, lambda rows: lines_of(table, rows), table.dialect)


def show_rows(cells: RawTable, rows: Sequence[int], ids: Sequence[str]) -> str:
    """Return where rows are, fit for a message: line and item, at most twenty."""
    lines = cells.lines(rows[:_LISTED])
    parts = [
        f"line {lines[row]} ({shown(ids[row])})" if row in lines else f"row {row + 1} ({shown(ids[row])})"
        for row in rows[:_LISTED]
    ]
    return ", ".join(parts) + (f" and {len(rows) - _LISTED} more" if len(rows) > _LISTED else "")
