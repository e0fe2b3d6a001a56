"""Isotonic recalibration by pooling adjacent violators, on levels of confidence whose ties are already pooled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from transforms.statistics.rows import FloatArray, IntArray, Levels, Rows, sums


class IsotonicFit(NamedTuple):
    """Rising fitted probability at each level of confidence, and the block each level is pooled into, from 0."""

    value: FloatArray
    fitted: FloatArray
    block: IntArray

    def predict(self, confidence: FloatArray) -> FloatArray:
        """Interpolate linearly between levels; outside them take the nearest."""
        return np.asarray(np.interp(confidence, self.value, self.fitted))


class CorpBlock(NamedTuple):
    """One block of the isotonic reliability curve."""

    confidence_lo: float
    confidence_hi: float
    n: int
    n_correct: int
    n_questions: int
    mean_confidence: float
    fitted: float


def fit_isotonic(levels: Levels) -> IsotonicFit:
    """Fit the rising function of confidence nearest to the outcomes in squared error; needs a level."""
    found = isotonic_regression(levels.k / levels.n, weights=levels.n)
    block = np.repeat(np.arange(len(found.blocks) - 1), np.diff(found.blocks))
    # Whole-number ratios: neighbours that pooling left apart though they are equal become one block.
    fitted = _block_ratio(levels, block)
    block = np.concatenate([[0], np.cumsum(np.diff(fitted) != 0)])
    return IsotonicFit(levels.value, _block_ratio(levels, block), block)


def _block_ratio(levels: Levels, block: IntArray) -> FloatArray:
    return np.asarray((sums(block, levels.k) / sums(block, levels.n))[block])


def corp_blocks(rows: Rows) -> list[CorpBlock]:
    """Return the blocks of the isotonic fit of all rows, in order of confidence; none without rows."""
    if not rows.n:
        return []
    fit = fit_isotonic(rows.levels)
    block = fit.block[rows.levels.of_row]
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    ends = np.append(starts[1:], rows.n)
    return [_corp_block(rows, int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def _corp_block(rows: Rows, start: int, end: int) -> CorpBlock:
    confidence, correct = rows.confidence[start:end], rows.correct[start:end]
    lo, hi = float(confidence[0]), float(confidence[-1])
    return CorpBlock(
        confidence_lo=lo,
        confidence_hi=hi,
        n=end - start,
        n_correct=int(correct.sum()),
        n_questions=len(np.unique(rows.question[start:end])),
        mean_confidence=min(max(float(confidence.mean()), lo), hi),
        fitted=float(correct.sum() / (end - start)),
    )
