"""A table in CSV, or in one of its dialects: every row as long as the header, nothing filled up, nothing dropped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.csv as pc

from transforms.benchmirt import rules
from transforms.benchmirt.dialect import Dialect, find_dialect
from transforms.benchmirt.limits import Limits, too_large
from transforms.benchmirt.names import ITEM_NAMES, MODEL_NAMES, counts_rows, key
from transforms.issue_log import IssueLog, shown

BOM: Final = b"\xef\xbb\xbf"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_BLOCK: Final = 256 << 20
_LISTED: Final = 20


class TextTable(NamedTuple):
    """A table's text below its header as the columns `0`, `1`, … , how it is written, and its bytes from the header."""

    frame: pl.DataFrame
    dialect: Dialect
    body: bytes


def read_text_table(data: bytes, log: IssueLog, limits: Limits) -> TextTable | None:
    """Return the table that a text holds, or None with every reason why it cannot be read."""
    if data.startswith(BOM):
        log.add(rules.BYTE_ORDER_MARK, "The file starts with a byte order mark; it is skipped.", line=1)
        data = data[len(BOM) :]
    if not _is_plain_text(data, log) or _note_open_quote(data, log):
        return None
    dialect = find_dialect(data, limits)
    if dialect is None:
        log.add(
            rules.UNREADABLE,
            f"The first {min(len(data), limits.header_bytes)} bytes hold no whole header; expected comma-separated "
            'names, quoted by " where they hold a comma.',
            line=1,
        )
        return None
    body = data[dialect.start :] if dialect.start else data
    if too_large(len(dialect.names), body.count(b"\n"), log, limits):
        return None
    frame = _parse(body, dialect, log)
    if frame is None or not _has_rows(frame, log) or not _names_fit(frame, dialect, log):
        return None
    _note_dialect(dialect, log)
    return TextTable(frame, dialect, body)


def _is_plain_text(data: bytes, log: IssueLog) -> bool:
    if data.startswith(_UTF16):
        log.add(rules.NOT_UTF8, "The file starts like UTF-16; save it as UTF-8.", line=1)
        return False
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


def _parse(body: bytes, dialect: Dialect, log: IssueLog) -> pl.DataFrame | None:
    """Return every row below the header as text. Raggedness is an error, never filled up."""
    bad: list[int] = []

    def note(row: pc.InvalidRow) -> str:
        bad.append(row.actual_columns)
        return "skip"

    names = [str(i) for i in range(len(dialect.names))]
    try:
        table = pc.read_csv(
            io.BytesIO(body),
            pc.ReadOptions(column_names=names, block_size=min(_BLOCK, max(len(body) + 1, 1 << 16))),
            pc.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True, invalid_row_handler=note),
            pc.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False),
        )
    except (pa.ArrowException, OSError) as error:
        log.add(rules.UNREADABLE, f"The file cannot be read as CSV ({type(error).__name__}); look for odd quotes.")
        return None
    # A header that leaves out the name of the row names is the one row that may be short.
    if len(bad) > dialect.short_header:
        _note_ragged(body, dialect, len(bad) - dialect.short_header, log)
        return None
    return pl.DataFrame(pl.from_arrow(table)).slice(0 if dialect.short_header else 1)


def _note_ragged(body: bytes, dialect: Dialect, n_bad: int, log: IssueLog) -> None:
    # Where most rows have a field for their name, those that have none are the odd ones, and not the header.
    by_rows = dialect.short_header and 2 * n_bad < body.count(b"\n")
    width, others = (len(dialect.names), "other rows have") if by_rows else (len(dialect.header), "header has")
    records = islice(_records(body, dialect), int(by_rows), None)
    found = ((line, len(record)) for line, record in records if record and len(record) != width)
    listed = list(islice(found, _LISTED))
    for line, fields in listed:
        log.add(
            rules.RAGGED_ROW,
            f"Line {line} has {fields} fields; the {others} {width}. A row cut short or {dialect.delimiter_name} "
            "without quotes?",
            line=line,
            value=str(fields),
        )
    if n_bad > _LISTED or not listed:
        log.add(rules.RAGGED_ROW, f"{n_bad} rows in all do not have {width} fields.", value=str(n_bad))


def _has_rows(frame: pl.DataFrame, log: IssueLog) -> bool:
    if frame.height == 0:
        log.add(rules.EMPTY_FILE, "The file has a header and no row; expected at least one.", line=1)
    return frame.height > 0


def _names_fit(frame: pl.DataFrame, dialect: Dialect, log: IssueLog) -> bool:
    """Tell whether a header that is one name short lacks the first name, and refuse it where that is not sure."""
    if not dialect.short_header:
        return True
    naming = [name for name in dialect.header if key(name) in (*ITEM_NAMES, *MODEL_NAMES)]
    if (frame.to_series(-1) == "").all():
        why = "Their last field is empty: leave out the delimiter at the end of the rows"
    elif naming and not counts_rows(frame.to_series(0)):
        why = f"Beside {shown(naming[0])} it cannot be told whether the first or the last name is missing: add it"
    else:
        return True
    fields = len(dialect.names)
    message = f"The rows have {fields} fields; the header has {fields - 1}. {why}."
    log.add(rules.RAGGED_ROW, message, line=dialect.line, value=str(fields))
    return False


def _note_dialect(dialect: Dialect, log: IssueLog) -> None:
    line = dialect.line
    if dialect.stated is not None:
        message = f"The first line, sep={dialect.stated}, is a spreadsheet's hint; it is not read as the header."
        log.add(rules.SEPARATOR_HINT, message, line=1, value=dialect.stated)
    if dialect.delimiter != ",":
        message = f"Fields are separated by {dialect.delimiter_name}, not by a comma."
        log.add(rules.DELIMITER, message, line=line, value=dialect.delimiter_name)
    if dialect.short_header:
        message = (
            f"The header has {len(dialect.header)} names and every row {len(dialect.names)} fields, as R's write.table "
            "leaves it: the column of row names, the first, is read without a name."
        )
        log.add(rules.SHORT_HEADER, message, line=line)


def _records(body: bytes, dialect: Dialect) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the line each record starts in, and the record, as far as the slower reader gets."""
    text = io.TextIOWrapper(io.BytesIO(body), "utf-8", newline="")
    reader = csv.reader(text, delimiter=dialect.delimiter)
    line = dialect.line
    try:
        for record in reader:
            yield line, record
            line = dialect.line + reader.line_num
    except csv.Error:
        return


def lines_of(table: TextTable, rows: Iterable[int]) -> dict[int, int]:
    """Return the line that each data row (from 0, the header not counted) starts in. Slow: for messages only."""
    wanted, found = set(rows), {}
    number = -2
    for line, record in _records(table.body, table.dialect):
        number += bool(record)
        if record and number in wanted:
            found[number] = line
            if len(found) == len(wanted):
                break
    return found
