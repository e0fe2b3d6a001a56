"""JSON lines from strangers: every line becomes an object or an error that names it, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from transforms.issue_log import IssueLog, shown_all
from transforms.jsontext import (
    BOM,
    Flaw,
    UndecodableError,
    bound_written_keys,
    count_written_keys,
    decode,
    json_type,
    repeated_keys,
)
from warehouse.contracts import Rule, Severity, fingerprint

__all__ = ["RULES", "Limits", "Line", "json_type", "read_lines"]

_LEAST_KEY: Final = len('"":0,')
_COLON, _CARRIAGE_RETURN = b":\r"

NOT_UTF8 = Rule("jsonl.not_utf8", Severity.ERROR, "A line is not UTF-8.")
INVALID = Rule("jsonl.invalid", Severity.ERROR, "A line is not JSON.")
TOO_DEEP = Rule("jsonl.too_deep", Severity.ERROR, "A line nests deeper than is read.")
NOT_AN_OBJECT = Rule("jsonl.not_an_object", Severity.ERROR, "A line is JSON but not an object.")
LINE_TOO_LONG = Rule("jsonl.line_too_long", Severity.ERROR, "A line is longer than the bound.")
TOO_MANY_LINES = Rule("jsonl.too_many_lines", Severity.ERROR, "A file holds more lines than the bound.")
TOO_MANY_KEYS = Rule("jsonl.too_many_keys", Severity.ERROR, "A line holds more keys than the bound.")
REPEATED_KEY = Rule("jsonl.repeated_key", Severity.ERROR, "An object has one key twice; a reader would drop one value.")
NO_LINES = Rule("jsonl.no_lines", Severity.ERROR, "A file holds no line but blank ones.")
BYTE_ORDER_MARK = Rule("jsonl.byte_order_mark", Severity.INFO, "A file starts with a byte order mark.")
CRLF = Rule("jsonl.crlf", Severity.INFO, "Lines end in CRLF.")
BLANK_LINE = Rule("jsonl.blank_line", Severity.INFO, "Lines are blank.")
RULES: Final = (
    NOT_UTF8, INVALID, TOO_DEEP, NOT_AN_OBJECT, LINE_TOO_LONG, TOO_MANY_LINES, TOO_MANY_KEYS, REPEATED_KEY, NO_LINES,
    BYTE_ORDER_MARK, CRLF, BLANK_LINE,
)  # fmt: skip
_FLAWS: Final = {
    Flaw.NOT_UTF8: NOT_UTF8, Flaw.HALF_PAIR: INVALID, Flaw.TOO_DEEP: TOO_DEEP, Flaw.NOT_JSON: INVALID,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file and one line of it may hold. A line's objects take about 25 times its bytes at the very worst."""

    line_bytes: int = 64 << 20
    keys: int = 10_000
    lines: int = 1_000_000

    @property
    def harmless(self) -> int:
        """The length up to which a line cannot break a bound."""
        return min(self.line_bytes, _LEAST_KEY * self.keys)


class Line(NamedTuple):
    """One line: its number from 1, its object, how many bare `NaN`/`Infinity` tokens it holds, and its bytes."""

    number: int
    record: dict[str, Any]
    n_bare: int
    size: int


@dataclass(slots=True)
class _Tally:
    lines: int = 0
    blank: int = 0
    first_blank: int = 0
    crlf: int = 0
    keys: dict[int, int] = field(default_factory=dict)


def read_lines(data: bytes, log: IssueLog, limits: Limits | None = None) -> Iterator[Line]:
    """Yield the object of every line that holds one; every other line that is not blank becomes an error in `log`.

    Bare `NaN`, `Infinity` and `-Infinity` outside strings, which `json.dumps` writes and JSON does not have, are read
    as the floats they mean, so that they can be told from null; `Line.n_bare` counts them. Findings about the file as
    a whole (repeated keys, CRLF, blank lines, a byte order mark) are added once the last line was taken.
    """
    bounds, tally, view = limits or Limits(), _Tally(), memoryview(data)
    n_lines = data.count(b"\n")
    if n_lines > bounds.lines:
        message = f"The file has {n_lines} lines; the bound is {bounds.lines}. None is read."
        log.add(TOO_MANY_LINES, message, value=str(n_lines))
        return
    for number, start, end in _spans(data):
        tally.lines = number
        line = _read_line(view[start:end], tally, log, bounds)
        if line is not None:
            tally.crlf += data[end - 1] == _CARRIAGE_RETURN
            yield line
    _note_dress(data, tally, log)
    if sum(tally.keys.values()) < bound_written_keys(data):
        _name_repeated_keys(data, tally, log)


def _spans(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and end of every line, a byte order mark left out."""
    number, start = 0, len(BOM) if data.startswith(BOM) else 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        yield number, start, end
        start = end + 1


def _read_line(view: memoryview, tally: _Tally, log: IssueLog, bounds: Limits) -> Line | None:
    number, size = tally.lines, len(view)
    if size > bounds.harmless and not _within_bounds(view, number, log, bounds):
        return None
    try:
        record, n_keys, n_bare = decode(view)
    except UndecodableError as problem:
        _note_undecodable(bytes(view), tally, log, problem)
        return None
    if type(record) is not dict:
        found = json_type(record)
        log.add(NOT_AN_OBJECT, f"Line {number} holds {found}; expected an object.", line=number, value=found)
        return None
    tally.keys[number] = n_keys
    return Line(number, record, n_bare, size)


def _note_undecodable(line: bytes, tally: _Tally, log: IssueLog, problem: UndecodableError) -> None:
    if not line.strip():
        tally.blank += 1
        tally.first_blank = tally.first_blank or tally.lines
        return
    expected = " Expected one object a line." if problem.flaw is Flaw.NOT_JSON else ""
    message = f"Line {tally.lines} {problem}.{expected}"
    log.add(_FLAWS[problem.flaw], message, line=tally.lines, value=fingerprint(line))


def _within_bounds(view: memoryview, number: int, log: IssueLog, bounds: Limits) -> bool:
    """Tell whether a line that is long enough to break a bound may be decoded."""
    if len(view) > bounds.line_bytes:
        message = f"Line {number} has {len(view)} bytes; the bound is {bounds.line_bytes}. It is not read."
        log.add(LINE_TOO_LONG, message, line=number, value=str(len(view)))
        return False
    if np.count_nonzero(np.frombuffer(view, np.uint8) == _COLON) <= bounds.keys:
        return True
    n_keys = count_written_keys(view)
    if n_keys > bounds.keys:
        message = f"Line {number} holds {n_keys} keys; the bound is {bounds.keys}. It is not read."
        log.add(TOO_MANY_KEYS, message, line=number, value=str(n_keys))
    return n_keys <= bounds.keys


def _note_dress(data: bytes, tally: _Tally, log: IssueLog) -> None:
    if data.startswith(BOM):
        log.add(BYTE_ORDER_MARK, "The file starts with a byte order mark; it is skipped.", line=1)
    if tally.crlf:
        log.add(CRLF, f"{tally.crlf} lines end in CRLF; read like LF.", value=str(tally.crlf))
    if tally.blank:
        message = f"{tally.blank} lines are blank, the first is line {tally.first_blank}; they are skipped."
        log.add(BLANK_LINE, message, line=tally.first_blank, value=str(tally.blank))
    if tally.lines == tally.blank:
        log.add(NO_LINES, "The file holds no record; expected one object a line.")


def _name_repeated_keys(data: bytes, tally: _Tally, log: IssueLog) -> None:
    view = memoryview(data)
    for number, start, end in _spans(data):
        n_keys, line = tally.keys.get(number), view[start:end]
        if n_keys is None or bound_written_keys(line) <= n_keys or count_written_keys(line) <= n_keys:
            continue
        names = shown_all(repeated_keys(bytes(line)))
        message = f"Line {number} has these keys twice in one object: {names}."
        log.add(REPEATED_KEY, message, line=number, value=names)
