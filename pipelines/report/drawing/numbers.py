"""Numbers as text for eyes, and as text to compare with."""

from __future__ import annotations

import math


def exact(value: object) -> str:
    """Return a value for a `data-*` attribute, short and less than 1e-10 from the row's."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}" if abs(value) < 1 else repr(value)
    return str(value)


def shown(value: float | None, digits: int = 3) -> str:
    """Return a number for eyes; a missing one is a dash."""
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}f}"
    return (text[1:] if float(text) == 0 and text.startswith("-") else text).replace("-", "−")


def interval(lo: float | None, hi: float | None, digits: int = 3) -> str:
    """Return an interval for eyes; nothing where it has no ends."""
    return "" if lo is None or hi is None else f"{shown(lo, digits)} to {shown(hi, digits)}"


def narrow(lo: float | None, hi: float | None) -> str:
    """Return an interval in little room; nothing where it has no ends. A dash beside a minus would be misread."""
    if lo is None or hi is None:
        return ""
    return f"{shown(lo, 2)}{'–' if lo >= 0 else ' to '}{shown(hi, 2)}"
