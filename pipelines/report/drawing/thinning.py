"""Fewer points for a curve, with its shape and the area below it kept."""

from __future__ import annotations

import heapq
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

TOLERANCE: Final = 1e-4
"""How far the area below a thinned curve may be from the area below all of its points."""

DEVIATION: Final = 0.01
"""How far a thinned curve may pass above or below a point that was left out."""


class _Piece(NamedTuple):
    """A straight piece from one kept point to the next: how bad it is, which point to keep next, its error of area."""

    badness: float
    start: int
    end: int
    split: int
    error: float


def kept_points(x: Numbers, y: Numbers) -> npt.NDArray[np.int64]:
    """Return the positions of the points to draw, the ends among them, so that area and shape are within tolerance.

    `x` rises. From the ends on, the worst piece is split at the point that it passes farthest, until no piece passes a
    point by more than `DEVIATION` and the area agrees within `TOLERANCE`. No point is moved.
    """
    areas = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])
    whole = _piece(x, y, areas, 0, len(x) - 1)
    pieces, kept, error = [whole], {0, len(x) - 1}, whole.error
    while pieces[0].badness < -1 or abs(error) > TOLERANCE:
        worst = heapq.heappop(pieces)
        if worst.end - worst.start < 2:
            break
        halves = [_piece(x, y, areas, *ends) for ends in ((worst.start, worst.split), (worst.split, worst.end))]
        for half in halves:
            heapq.heappush(pieces, half)
        kept.add(worst.split)
        error += sum(half.error for half in halves) - worst.error
    return np.array(sorted(kept))


def _piece(x: Numbers, y: Numbers, areas: Numbers, start: int, end: int) -> _Piece:
    """Return a piece; its badness is below 0, and the lower the worse, as a heap wants it."""
    if end - start < 2:
        return _Piece(0.0, start, end, start, 0.0)
    inside = slice(start + 1, end)
    line = y[start] + (y[end] - y[start]) * (x[inside] - x[start]) / (x[end] - x[start])
    passed = np.abs(line - y[inside])
    error = float((y[start] + y[end]) / 2 * (x[end] - x[start]) - (areas[end] - areas[start]))
    badness = -max(float(passed.max()) / DEVIATION, abs(error) / TOLERANCE)
    return _Piece(badness, start, end, start + 1 + int(passed.argmax()), error)
