"""What holds of every parser's result, whatever the input: the assertions that all targets share."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import polars as pl

from tests.fuzz.mutations import CANARY, NAMES
from warehouse.contracts import TABLES, Issue, Severity, has_errors, issues_frame

LONGEST_MESSAGE: Final = 2_000
_RULE: Final = re.compile(r"[a-z_]+(\.[a-z0-9_]+)?")
_STRING: Final = r'"(?:[^"\\]|\\.)*'
_NAMED: Final = re.compile(
    rf'{_STRING}{CANARY}(?:[^"\\]|\\.)*"\s*:|"(?:{"|".join(sorted(NAMES))})"\s*:\s*{_STRING}{CANARY}', re.DOTALL
)


class BrokenError(AssertionError):
    """A property that a parser does not keep."""


def require(holds: object, what: str) -> None:
    """Raise `BrokenError` where a property does not hold; unlike `assert` it is there under every switch of Python."""
    if not holds:
        raise BrokenError(what)


def sound_issues(issues: Iterable[Issue], data: bytes | None = None, naming: Collection[str] = ()) -> None:
    """Every finding is a sentence of bounded length, without control characters and without the input's text.

    The input's text is looked for where `data`, which is JSON or text, is given; `naming` rules show names.
    """
    found = list(issues)
    for issue in found:
        require(isinstance(issue.severity, Severity) and _RULE.fullmatch(issue.rule), f"odd rule {issue.rule!r}")
        _sound_text(issue.message, issue.rule)
        require(issue.message[-1] in ".?!", f"{issue.rule}: no sentence: {issue.message[-60:]!r}")
        if issue.value is not None:
            _sound_text(issue.value, issue.rule)
    if found:
        issues_frame(found)
    telling = [issue for issue in found if CANARY in issue.message + (issue.value or "") and issue.rule not in naming]
    if data is not None and telling:
        is_name = _NAMED.search(data.decode("utf-8", "replace"))
        require(is_name, f"a message of {telling[0].rule} holds text of the input that is no name")


def _sound_text(text: str, rule: str) -> None:
    require(0 < len(text) < LONGEST_MESSAGE, f"{rule}: {len(text)} characters")
    require(text.isprintable(), f"{rule}: control characters in {text[:200]!r}")


def sound_table(name: str, frame: pl.DataFrame) -> None:
    """A frame is what its table's contract says: columns, dtypes, key, ranges."""
    table = TABLES[name]
    require(dict(frame.schema) == table.polars_schema, f"{name} has the schema {frame.schema}")
    if frame.height:
        require(table.schema.is_valid(frame), f"{name} breaks its contract")


def same_frames(left: Mapping[str, pl.DataFrame], right: Mapping[str, pl.DataFrame]) -> None:
    """Two readings of the same bytes give the same tables."""
    require(left.keys() == right.keys(), "other tables at the second reading")
    for name, frame in left.items():
        require(frame.equals(right[name]), f"{name} differs at the second reading")


def lines_accounted(data: bytes, kept: Iterable[int], issues: Iterable[Issue]) -> None:
    """Every line that is not blank is kept or has an error; a flood of errors that is only counted says so."""
    found = list(issues)
    if any(issue.line is None and issue.severity is Severity.ERROR for issue in found):
        return
    text = data.removeprefix(b"\xef\xbb\xbf")
    written = {number for number, line in enumerate(text.split(b"\n"), 1) if line.strip()}
    reported = {issue.line for issue in found if issue.severity is Severity.ERROR}
    lost = written - set(kept) - reported
    require(not lost, f"lines {sorted(lost)[:5]} vanish")


def refused_with_reason(is_refused: bool, issues: Iterable[Issue]) -> None:
    """What is refused whole has an error, and what has none is not refused."""
    require(not is_refused or has_errors(issues), "refused without an error")
