"""Linear scales and round tick marks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map of the numbers from `lo` to `hi` onto the pixels from `start` to `end`."""

    lo: float
    hi: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the pixel of a number, to a tenth; a number outside stands at the edge."""
        share = (min(max(value, self.lo), self.hi) - self.lo) / (self.hi - self.lo)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, count: int = 5) -> list[tuple[float, str]]:
        """Return about `count` round numbers inside the scale as (pixel, label)."""
        step = step_of(self.lo, self.hi, count)
        first, last = math.ceil(self.lo / step - 1e-9), math.floor(self.hi / step + 1e-9)
        return [(self.at(n * step), short(n * step)) for n in range(first, last + 1)]


def step_of(lo: float, hi: float, count: int) -> float:
    """Return the least of 1, 2, 2.5, 5 times a power of ten that makes at most `count` steps from lo to hi."""
    least = (hi - lo) / count
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))


def domain(values: Iterable[float | None], *, include: float | None = None, count: int = 10) -> tuple[float, float]:
    """Return a range of whole steps that holds every finite number given; of none, from 0 to 1."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if include is not None:
        known.append(include)
    if not known:
        return 0.0, 1.0
    lo, hi = min(known), max(known)
    if hi - lo < 1e-9:
        lo, hi = lo - 0.05, hi + 0.05
    step = step_of(lo, hi, count)
    return math.floor(lo / step + 1e-9) * step, math.ceil(hi / step - 1e-9) * step


def short(value: float) -> str:
    """Return a tick's label: few digits, a true minus sign, no negative zero."""
    text = f"{value:.6g}"
    return "0" if float(text) == 0 else text.replace("-", "−")
