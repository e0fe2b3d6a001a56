"""Tests: statistics with their p-values, all two-sided but Hosmer-Lemeshow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.special import bdtr, chdtrc, ndtr, stdtr

from transforms.statistics.rows import FloatArray, IntArray, Rows, sums, sums_by_question
from transforms.statistics.scores import equal_mass_bin
from transforms.statistics.undefined import Undefined

_SAME = 1e-12  # values this near, relative to the largest they were subtracted from, differ by rounding alone


class TTest(NamedTuple):
    """A mean over its standard error, degrees of freedom, p by Student's t and by the normal."""

    t: float
    df: int
    p: float
    p_normal: float


class ZTest(NamedTuple):
    """A standard normal statistic and its two-sided p."""

    z: float
    p: float


class ChiSquaredTest(NamedTuple):
    """A chi-squared statistic, degrees of freedom and upper tail."""

    statistic: float
    df: int
    p: float


class Correlation(NamedTuple):
    """A correlation and its two-sided p by t with n - 2 degrees of freedom."""

    r: float
    p: float


class McNemar(NamedTuple):
    """Discordant pairs each way and the exact p."""

    first_only: int
    second_only: int
    p: float


def t_test(estimate: float, se: float, df: int) -> TTest:
    """Return both p-values of estimate / se; se is above 0, df at least 1."""
    t = estimate / se
    return TTest(t, df, float(2 * stdtr(df, -abs(t))), float(2 * ndtr(-abs(t))))


def mean_test(values: FloatArray, scale: float) -> TTest | Undefined:
    """Test a mean of independent values against 0; `scale` is the size of what they are differences of."""
    if not len(values):
        return Undefined("too_few_pairs")
    if len(values) < 2:
        return Undefined("one_question")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    if np.ptp(values) <= _SAME * scale:
        return Undefined("zero_variance")
    se = float(values.std(ddof=1) / np.sqrt(len(values)))
    return t_test(float(values.mean()), se, len(values) - 1)


def bias_test(rows: Rows) -> TTest | Undefined:
    """Test mean confidence minus accuracy against 0, clustered by question (CR1), t with G - 1."""
    if not rows.n:
        return Undefined("empty")
    g = rows.n_questions
    if g < 2:
        return Undefined("one_question")
    difference = rows.confidence - rows.correct
    bias = float(difference.mean())
    by_question = sums_by_question(rows, difference - bias)
    if np.abs(by_question).max() <= _SAME:
        return Undefined("zero_variance")
    se = float(np.sqrt((by_question**2).sum() * (g / (g - 1))) / rows.n)
    return t_test(bias, se, g - 1)


def spiegelhalter(rows: Rows) -> ZTest | Undefined:
    """Return Spiegelhalter's z; undefined where every confidence is 0, 0.5 or 1."""
    if not rows.n:
        return Undefined("empty")
    c, y = rows.confidence, rows.correct
    variance = float(((1 - 2 * c) ** 2 * c * (1 - c)).sum())
    if variance == 0:
        return Undefined("degenerate_expectation")
    z = float(((y - c) * (1 - 2 * c)).sum()) / float(np.sqrt(variance))
    return ZTest(z, float(2 * ndtr(-abs(z))))


def hosmer_lemeshow(rows: Rows, n_bins: int) -> ChiSquaredTest | Undefined:
    """Compare observed with expected right rows in equal-mass bins; df = non-empty bins, the score being external."""
    if not rows.n:
        return Undefined("empty")
    bins = equal_mass_bin(rows.confidence, n_bins)
    n = np.bincount(bins)
    held = n > 0
    n, observed, expected = n[held], sums(bins, rows.correct)[held], sums(bins, rows.confidence)[held]
    variance = expected * (1 - expected / n)
    if not (variance > 0).all():
        return Undefined("degenerate_expectation")
    statistic = float(((observed - expected) ** 2 / variance).sum())
    return ChiSquaredTest(statistic, len(n), float(chdtrc(len(n), statistic)))


def pearson(a: FloatArray, b: FloatArray, scale: tuple[float, float] = (0.0, 0.0)) -> Correlation | Undefined:
    """Correlate two aligned arrays; `scale` is the size of what their values are differences of."""
    n = len(a)
    if n < 3:
        return Undefined("too_few_pairs")
    if not (np.isfinite(a) & np.isfinite(b)).all():
        return Undefined("not_finite")
    if np.ptp(a) <= _SAME * scale[0] or np.ptp(b) <= _SAME * scale[1]:
        return Undefined("constant_signal")
    a, b = _centred(a), _centred(b)
    r = float((a * b).sum() / (np.sqrt((a * a).sum()) * np.sqrt((b * b).sum())))
    r = min(1.0, max(-1.0, r))
    if abs(r) == 1:
        return Correlation(r, 0.0)
    t = r * np.sqrt((n - 2) / ((1 - r) * (1 + r)))
    return Correlation(r, float(2 * stdtr(n - 2, -abs(t))))


def _centred(values: FloatArray) -> FloatArray:
    """Take the mean away, and the magnitude too, so that squares neither vanish nor overflow."""
    centred = values - values.mean()
    return np.asarray(centred / np.abs(centred).max())


def spearman(a: FloatArray, b: FloatArray) -> Correlation | Undefined:
    """Correlate the mid-ranks of two aligned arrays."""
    return pearson(_mid_ranks(a), _mid_ranks(b))


def _mid_ranks(values: FloatArray) -> FloatArray:
    # What is not a number has no rank: NaN again, where polars would give it the last.
    return pl.Series(values).fill_nan(None).rank("average").to_numpy()


def sign_test(k: int, n: int) -> float:
    """Return the exact two-sided binomial p of k in n against one half; 1 where n is 0."""
    # Against one half the distribution is symmetric: both tails are twice the smaller.
    return min(1.0, 2.0 * float(bdtr(min(k, n - k), n, 0.5))) if n else 1.0


def mcnemar(first: IntArray, second: IntArray) -> McNemar:
    """Compare two aligned arrays of right (1) and wrong (0)."""
    first_only, second_only = int((first > second).sum()), int((second > first).sum())
    return McNemar(first_only, second_only, sign_test(first_only, first_only + second_only))
