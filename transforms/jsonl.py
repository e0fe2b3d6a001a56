"""JSON lines from strangers: every line becomes an object or an error that names it, and nothing is guessed."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from transforms.issue_log import IssueLog, shown_all
from warehouse.contracts import Rule, Severity, fingerprint

_BOM: Final = b"\xef\xbb\xbf"
_BLOCK: Final = 1 << 22
_LEAST_KEY: Final = len('"":0,')
_COLON, _QUOTE, _BACKSLASH, _CARRIAGE_RETURN = b':"\\\r'
# Strings first, so that a token inside one is not seen; possessive, so that hostile quotes cost linear time.
_STRING_OR_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?(?:"|\Z)|-?Infinity|NaN', re.DOTALL)
_STRING_AND_COLON: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?(?:"|\Z)(\s*+:)?', re.DOTALL)

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
    keys: int = 0


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
            tally.keys += count_keys(line.record)
            yield line
    _note_dress(data, tally, log)
    if tally.keys != _count_written_keys(data):
        _name_repeated_keys(data, log, bounds)


def _spans(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and end of every line, a byte order mark left out."""
    number, start = 0, len(_BOM) if data.startswith(_BOM) else 0
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
    n_bare = 0
    try:
        record = orjson.loads(view)
    except orjson.JSONDecodeError as error:
        line = bytes(view)
        if not line.strip():
            tally.blank += 1
            tally.first_blank = tally.first_blank or number
            return None
        record, n_bare = _read_bare_tokens(line, number, log, error)
        if n_bare == 0:
            return None
    if type(record) is not dict:
        found = json_type(record)
        log.add(NOT_AN_OBJECT, f"Line {number} holds {found}; expected an object.", line=number, value=found)
        return None
    return Line(number, record, n_bare, size)


def _within_bounds(view: memoryview, number: int, log: IssueLog, bounds: Limits) -> bool:
    """Tell whether a line that is long enough to break a bound may be decoded."""
    if len(view) > bounds.line_bytes:
        message = f"Line {number} has {len(view)} bytes; the bound is {bounds.line_bytes}. It is not read."
        log.add(LINE_TOO_LONG, message, line=number, value=str(len(view)))
        return False
    if np.count_nonzero(np.frombuffer(view, np.uint8) == _COLON) <= bounds.keys:
        return True
    n_keys = sum(found.start(1) >= 0 for found in _STRING_AND_COLON.finditer(view))
    if n_keys > bounds.keys:
        message = f"Line {number} holds {n_keys} keys; the bound is {bounds.keys}. It is not read."
        log.add(TOO_MANY_KEYS, message, line=number, value=str(n_keys))
    return n_keys <= bounds.keys


def _read_bare_tokens(line: bytes, number: int, log: IssueLog, error: orjson.JSONDecodeError) -> tuple[Any, int]:
    """Decode a line that is JSON but for bare tokens, and count these; 0, with an error noted, where it is not."""
    standard, n_bare = blank_bare_tokens(line)
    if n_bare == 0:
        _note_undecodable(line, number, log, error)
        return None, 0
    try:
        # The strict decoder judges everything but the tokens, the lenient one then gives the values.
        orjson.loads(standard)
        return json.loads(line.decode()), n_bare
    except orjson.JSONDecodeError as found:
        _note_undecodable(standard, number, log, found)
    except (RecursionError, ValueError):
        log.add(TOO_DEEP, f"Line {number} nests too deep, or holds a number too long, to be read.", line=number)
    return None, 0


def blank_bare_tokens(line: bytes) -> tuple[bytes, int]:
    """Return a line with every `NaN`, `Infinity` and `-Infinity` outside strings made `null`, and their number."""
    n_bare = 0

    def replace(found: re.Match[bytes]) -> bytes:
        nonlocal n_bare
        text = found[0]
        if text.startswith(b'"'):
            return text
        n_bare += 1
        return b"null"

    return _STRING_OR_TOKEN.sub(replace, line), n_bare


def _note_undecodable(line: bytes, number: int, log: IssueLog, error: orjson.JSONDecodeError) -> None:
    value = fingerprint(line)
    try:
        line.decode()
    except UnicodeDecodeError as found:
        message = f"Line {number} is not UTF-8 at its byte {found.start}; expected UTF-8 throughout."
        log.add(NOT_UTF8, message, line=number, value=value)
        return
    if "depth" in error.msg:
        log.add(TOO_DEEP, f"Line {number} nests deeper than 1,024 levels; it is not read.", line=number, value=value)
        return
    message = f"Line {number} is not JSON: {error.msg}, at its character {error.pos}. Expected one object a line."
    log.add(INVALID, message, line=number, value=value)


def _note_dress(data: bytes, tally: _Tally, log: IssueLog) -> None:
    if data.startswith(_BOM):
        log.add(BYTE_ORDER_MARK, "The file starts with a byte order mark; it is skipped.", line=1)
    if tally.crlf:
        log.add(CRLF, f"{tally.crlf} lines end in CRLF; read like LF.", value=str(tally.crlf))
    if tally.blank:
        message = f"{tally.blank} lines are blank, the first is line {tally.first_blank}; they are skipped."
        log.add(BLANK_LINE, message, line=tally.first_blank, value=str(tally.blank))
    if tally.lines == tally.blank:
        log.add(NO_LINES, "The file holds no record; expected one object a line.")


def count_keys(record: dict[str, Any]) -> int:
    """Return the number of keys of an object and of everything inside it, at any depth."""
    total, waiting = len(record), list(record.values())
    # The list grows while it is walked, so that depth costs no recursion.
    for value in waiting:
        if type(value) is dict:
            total += len(value)
            waiting += value.values()
        elif type(value) is list:
            waiting += value
    return total


def _count_written_keys(data: bytes | memoryview) -> int:
    """Count the places where a quote that is not escaped stands before a colon.

    This is the number of keys of everything written, or, where strings start with a colon or keys are written oddly,
    another number: then the lines are looked at one by one.
    """
    written, total = np.frombuffer(data, np.uint8), 0
    for start in range(0, len(written), _BLOCK):
        colons = np.flatnonzero(written[start : start + _BLOCK] == _COLON) + start
        colons = colons[colons >= 2]
        total += int(np.count_nonzero((written[colons - 1] == _QUOTE) & (written[colons - 2] != _BACKSLASH)))
    return total


def _name_repeated_keys(data: bytes, log: IssueLog, bounds: Limits) -> None:
    quiet, tally, view = IssueLog(), _Tally(), memoryview(data)
    for number, start, end in _spans(data):
        tally.lines = number
        line = _read_line(view[start:end], tally, quiet, bounds)
        if line is not None and count_keys(line.record) != _count_written_keys(view[start:end]):
            _note_repeated_keys(bytes(view[start:end]), number, log)


def _note_repeated_keys(line: bytes, number: int, log: IssueLog) -> None:
    try:
        repeated = repeated_keys(blank_bare_tokens(line)[0])
    except (RecursionError, ValueError):
        log.add(TOO_DEEP, f"Line {number} nests too deep, or holds a number too long, to be checked.", line=number)
        return
    if repeated:
        names = shown_all(repeated)
        log.add(REPEATED_KEY, f"Line {number} has these keys twice in one object: {names}.", line=number, value=names)


def repeated_keys(text: bytes) -> list[str]:
    """Return the keys that some object of a JSON text has more than once, sorted.

    Raises ValueError for what is not JSON and RecursionError for what nests too deep.
    """
    repeated: set[str] = set()

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            repeated.update(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        return found

    json.loads(text.decode(), object_pairs_hook=look)
    return sorted(repeated)


def json_type(value: object) -> str:
    """Return the JSON type of a decoded value, in words."""
    if value is None:
        return "null"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    names = {bool: "a boolean", str: "a string", dict: "an object", list: "an array"}
    return names.get(type(value), "a number")
