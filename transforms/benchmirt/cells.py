"""From a file's bytes to a table of cells: CSV, gzipped CSV and Parquet, told apart by their first bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl
import pyarrow as pa
import pyarrow.csv as pc

from transforms import gzipped
from transforms.benchmirt import parquet, rules
from transforms.benchmirt.limits import Limits, too_large
from transforms.issue_log import IssueLog, shown

GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_BLOCK: Final = 256 << 20
_LISTED: Final = 20
_GZIP_RULES: Final = {rule.name: rule for rule in gzipped.RULES}


@dataclass(frozen=True, slots=True)
class Cells:
    """A table as the file has it: names of the columns in order (they may repeat), and their values.

    `frame` has the columns `0`, `1`, … : text of a CSV file, where an empty cell is the empty string, or the types of
    a Parquet file. `line` gives the line of a row (from 0) in a text file.
    """

    names: list[str]
    frame: pl.DataFrame
    lines: Callable[[Iterable[int]], dict[int, int]] = field(repr=False)

    def column(self, index: int) -> pl.Series:
        """Return a column's values."""
        return self.frame.to_series(index)


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
    return data


def read_cells(data: bytes, log: IssueLog, limits: Limits) -> Cells | None:
    """Return the table that an opened file holds, or None with every reason why it cannot be read."""
    if not data.startswith(parquet.MAGIC):
        return _read_csv(data, log, limits)
    found = parquet.read_columns(data, log, limits)
    return None if found is None else Cells(*found, lambda _: {})


def _read_csv(data: bytes, log: IssueLog, limits: Limits) -> Cells | None:
    if data.startswith(_BOM):
        log.add(rules.BYTE_ORDER_MARK, "The file starts with a byte order mark; it is skipped.", line=1)
        data = data[len(_BOM) :]
    if not _is_plain_text(data, log) or _note_open_quote(data, log):
        return None
    names = _header(data, log, limits)
    if names is None or too_large(len(names), data.count(b"\n"), log, limits):
        return None
    frame = _parse(data, len(names), log)
    if frame is None:
        return None
    if frame.height == 0:
        log.add(rules.EMPTY_FILE, "The file has a header and no row; expected at least one.", line=1)
        return None
    return Cells(names, frame, lambda found: lines_of(data, found))


def _is_plain_text(data: bytes, log: IssueLog) -> bool:
    sound = True
    if b"\x00" in data:
        at = data.index(b"\x00")
        log.add(rules.NUL_BYTE, f"The file holds a NUL at byte {at}; expected text.", line=data.count(b"\n", 0, at) + 1)
        sound = False
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        log.add(rules.NOT_UTF8, f"The file is not UTF-8 at byte {error.start}; save it as UTF-8.", line=line)
        sound = False
    if b"\r\n" in data:
        log.add(rules.CRLF, f"{data.count(bytes((13, 10)))} lines end in CRLF; read like LF.")
    return sound


def _header(data: bytes, log: IssueLog, limits: Limits) -> list[str] | None:
    text = io.TextIOWrapper(io.BytesIO(data[: limits.header_bytes]), "utf-8", "replace", newline="")
    try:
        return next(record for record in csv.reader(text, strict=True) if record)
    except (csv.Error, StopIteration):
        log.add(
            rules.UNREADABLE,
            f"The first {min(len(data), limits.header_bytes)} bytes hold no whole header; expected comma-separated "
            'names, quoted by " where they hold a comma.',
            line=1,
        )
        return None


def _parse(data: bytes, width: int, log: IssueLog) -> pl.DataFrame | None:
    """Return every row below the header as text. Raggedness and an open quote are errors, never filled up."""
    bad: list[int] = []

    def note(row: pc.InvalidRow) -> str:
        bad.append(row.actual_columns)
        return "skip"

    names = [str(i) for i in range(width)]
    try:
        table = pc.read_csv(
            io.BytesIO(data),
            pc.ReadOptions(column_names=names, block_size=min(_BLOCK, max(len(data) + 1, 1 << 16))),
            pc.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
            pc.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False),
        )
    except (pa.ArrowException, OSError) as error:
        log.add(rules.UNREADABLE, f"The file cannot be read as CSV ({type(error).__name__}); look for odd quotes.")
        return None
    if bad:
        _note_ragged(data, width, len(bad), log)
        return None
    return pl.DataFrame(pl.from_arrow(table)).slice(1)


def _note_open_quote(data: bytes, log: IssueLog) -> bool:
    """Tell whether the file ends inside quotes, which readers fill up silently with all that follows."""
    if data.count(b'"') % 2 == 0:
        return False
    log.add(
        rules.OPEN_QUOTE,
        f"The file holds {data.count(bytes((34,)))} quotation marks, an odd number: a quoted field does not end. "
        'Close it; inside quotes write " as "".',
        value=str(data.count(b'"')),
    )
    return True


def _note_ragged(data: bytes, width: int, n_bad: int, log: IssueLog) -> None:
    if not n_bad:
        return
    found = [(line, len(record)) for line, record in _records(data) if record and len(record) != width]
    for line, fields in found[:_LISTED]:
        log.add(
            rules.RAGGED_ROW,
            f"Line {line} has {fields} fields; the header has {width}. A row cut short or a comma without quotes?",
            line=line,
            value=str(fields),
        )
    if n_bad > _LISTED or not found:
        log.add(rules.RAGGED_ROW, f"{n_bad} rows in all do not have the header's {width} fields.", value=str(n_bad))


def _records(data: bytes) -> Iterable[tuple[int, Sequence[str]]]:
    """Yield the line each record starts in, and the record, as far as the slower reader gets."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""))
    line = 1
    try:
        for record in reader:
            yield line, record
            line = reader.line_num + 1
    except csv.Error:
        return


def lines_of(data: bytes, rows: Iterable[int]) -> dict[int, int]:
    """Return the line that each data row (from 0, the header not counted) starts in. Slow: for messages only."""
    wanted, found = set(rows), {}
    number = -2
    for line, record in _records(data):
        number += bool(record)
        if record and number in wanted:
            found[number] = line
            if len(found) == len(wanted):
                break
    return found


def show_rows(cells: Cells, rows: Sequence[int], ids: Sequence[str]) -> str:
    """Return where rows are, fit for a message: line and item, at most twenty."""
    lines = cells.lines(rows[:_LISTED])
    parts = [
        f"line {lines[row]} ({shown(ids[row])})" if row in lines else f"row {row + 1} ({shown(ids[row])})"
        for row in rows[:_LISTED]
    ]
    return ", ".join(parts) + (f" and {len(rows) - _LISTED} more" if len(rows) > _LISTED else "")
