"""How a text table is written: delimiter, a spreadsheet's hint in front, a header that lacks the row names' column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from transforms.benchmirt.limits import Limits

NAMES: Final = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar", " ": "a blank"}
_MARKS: Final = ",;\t|"
# The sniffer takes the square of a hostile sample, and more.
_SAMPLE: Final = 2048
_HINT: Final = re.compile(rb'"?sep=([!#-/:-@\[-`{-~ \t])"?\r?\n', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written. `start` is the byte at which its header begins and `line` that byte's line; `stated` is
    the delimiter that a line in front states. Where `short_header` is true, every row may have one field more than the
    header: the name of the row, in front.
    """

    delimiter: str
    header: list[str]
    short_header: bool = False
    start: int = 0
    stated: str | None = None

    @property
    def line(self) -> int:
        """The line of the header."""
        return 1 if self.stated is None else 2

    @property
    def names(self) -> list[str]:
        """The columns' names, an empty one for row names that the header leaves out."""
        return ["", *self.header] if self.short_header else self.header

    @property
    def delimiter_name(self) -> str:
        """The delimiter in words."""
        return NAMES.get(self.delimiter, repr(self.delimiter))


def find_dialect(data: bytes, limits: Limits) -> Dialect | None:
    """Return how a table without byte order mark is written, or None where its start holds no whole header.

    A delimiter that the file states, else the comma, stands where header and first row agree under it; where they do
    not, `csv.Sniffer` is asked for another, which stands only where they agree under that one.
    """
    hint = _HINT.match(data)
    start, stated = (hint.end(), hint[1].decode()) if hint else (0, None)
    head = data[start : start + limits.header_bytes]
    is_cut = start + len(head) < len(data)
    read = {stated or ",": _first_rows(head, stated or ",", is_cut)}
    found = _agreeing(read)
    if found is None or found[1]:
        read |= {delimiter: _first_rows(head, delimiter, is_cut) for delimiter in _sniffed(head, stated or ",")}
        found = _agreeing(read)
    if found is None:
        delimiter, rows = next(iter(read.items()))
        return Dialect(delimiter, rows[0], False, start, stated) if rows else None
    return Dialect(found[0], read[found[0]][0], found[1], start, stated)


def _sniffed(head: bytes, stated: str) -> Iterator[str]:
    """Yield the delimiters beside the stated one that the library finds, a blank last: it stands in names too."""
    whole, _, rest = head[:_SAMPLE].rpartition(b"\n")
    sample = (whole or rest).decode("utf-8", "replace")
    for marks in (_MARKS.replace(stated, ""), " "):
        try:
            yield csv.Sniffer().sniff(sample, marks).delimiter
        except csv.Error:
            continue


def _agreeing(read: dict[str, list[list[str]]]) -> tuple[str, bool] | None:
    """Return the first delimiter under which header and first row agree, and whether the header is one name short.

    A header as long as its row counts before a short one, a short one of several names before one of one name.
    """
    kept = {delimiter: rows for delimiter, rows in read.items() if rows and max(map(len, rows)) > 1}
    marks = [delimiter for delimiter in kept if delimiter != " "]
    whole = {delimiter for delimiter, rows in kept.items() if len({*map(len, rows)}) == 1}
    short = {delimiter for delimiter, rows in kept.items() if len(rows) == 2 and len(rows[1]) == len(rows[0]) + 1}
    several = {delimiter for delimiter in short if len(kept[delimiter][0]) > 1}
    ranked = [
        *((delimiter, False) for delimiter in marks if delimiter in whole),
        *((delimiter, True) for delimiter in marks if delimiter in several),
        *((delimiter, True) for delimiter in marks if delimiter in short),
        *((delimiter, delimiter in short) for delimiter in kept if delimiter in whole | short),
    ]
    return ranked[0] if ranked else None


def _first_rows(head: bytes, delimiter: str, is_cut: bool) -> list[list[str]]:
    """Return the header and the first row as far as they are whole."""
    rows = list(islice(_rows(head, delimiter), 3))
    # The last row of a piece may go on behind it.
    return rows[: len(rows) - (is_cut and len(rows) < 3)][:2]


def _rows(head: bytes, delimiter: str) -> Iterator[list[str]]:
    text = io.TextIOWrapper(io.BytesIO(head), "utf-8", "replace", newline="")
    try:
        yield from (row for row in csv.reader(text, strict=True, delimiter=delimiter) if row)
    except csv.Error:
        return
