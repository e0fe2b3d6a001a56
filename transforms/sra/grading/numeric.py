"""Numbers as the benchmarks compare them: tolerances, rounding, and reading one without trusting it."""

from __future__ import annotations

import math
from typing import Final

RELATIVE_TOLERANCE: Final = 0.04
ABSOLUTE_TOLERANCE: Final = 1e-9


def as_float(text: str) -> float | None:
    """Return the number a text spells out, infinities and NaN among them; None where it spells none."""
    try:
        return float(text)
    except ValueError:
        return None


def rounds_to(value: float, whole: int) -> bool:
    """Tell whether a number is `whole` once rounded; halves go to the even neighbour."""
    return value == whole if isinstance(value, int) else math.isfinite(value) and round(value) == whole


def is_close(value: float, gold: float) -> bool:
    """Tell whether a number lies within 4 % of the gold one, or within 1e-9 of a gold number near zero."""
    margin = max(abs(gold) * RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE)
    return gold - margin <= value <= gold + margin


def matches(value: float, gold: float) -> bool:
    """Compare with a gold number: whole ones by rounding, others within the tolerance."""
    return rounds_to(value, gold) if isinstance(gold, int) else is_close(value, gold)


def as_number(text: str) -> float | None:
    """Return the number a text spells out, as an `int` where it is whole: `2.0` counts as 2."""
    value = as_float(text)
    return int(value) if value is not None and value.is_integer() else value
