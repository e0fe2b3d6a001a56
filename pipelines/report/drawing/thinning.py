"""Fewer points for a curve, with the area below it kept."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

TOLERANCE: Final = 1e-4
"""How far the area below a thinned curve may be from the area below all of its points."""


def kept_points(x: Numbers, y: Numbers, tolerance: float = TOLERANCE) -> npt.NDArray[np.int64]:
    """Return the positions of the points to draw: few, the ends among them, and the area the same within `tolerance`.

    `x` rises. Positions are spread over x, half of them evenly and half by equal ratios, for a curve of running means
    moves most at its start. Twice as many are taken until the area agrees. What is drawn are points of the curve
    itself, none is moved.
    """
    if float(y.min()) == float(y.max()):
        return np.unique([0, len(x) - 1])
    whole = float(np.trapezoid(y, x))
    count = 24
    while count < len(x):
        kept = _spread(x, count)
        if abs(float(np.trapezoid(y[kept], x[kept])) - whole) <= tolerance:
            return kept
        count *= 2
    return np.arange(len(x))


def _spread(x: Numbers, count: int) -> npt.NDArray[np.int64]:
    """Return the first position at or after each of `count` even and of `count` geometric steps of x."""
    start = max(float(x[0]), 1e-9)
    steps = np.concatenate([np.linspace(x[0], x[-1], count), np.geomspace(start, max(x[-1], start), count)])
    return np.unique(np.searchsorted(x, np.concatenate([steps, x[:1], x[-1:]])).clip(0, len(x) - 1))
