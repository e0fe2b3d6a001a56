"""Logistic calibration on the logit: slope and intercept, intercept alone, temperature."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, stdtrit

from transforms.statistics.rows import FloatArray, Levels, Rows, logit, sums_by_question
from transforms.statistics.undefined import Undefined

TEMPERATURE_BOUNDS: Final = (1e-3, 1e3)
_INTERCEPT_BRACKET: Final = 80.0  # beyond twice the largest logit, 36.04, either sign is certain
_NEWTON_STEPS: Final = 100
_SETTLED: Final = 1e-8  # convergence is quadratic: the step after one of this size is of the order of rounding


class LogisticFit(NamedTuple):
    """correct ~ sigma(intercept + slope * logit(confidence)); the intercept in logits."""

    slope: float
    intercept: float


class LogisticErrors(NamedTuple):
    """Standard errors clustered by question (CR1, statsmodels' factor), and the slope's 95 % interval (t, G - 1)."""

    slope_se: float
    slope_lo: float
    slope_hi: float
    intercept_se: float


class Temperature(NamedTuple):
    """T > 0, and whether the log loss still falls at the bound where T stands."""

    value: float
    at_bound: bool


def fit_slope(levels: Levels) -> LogisticFit | Undefined:
    """Maximise the likelihood of slope and intercept; it has a maximum only where right and wrong rows overlap."""
    x = logit(levels.value)
    reason = _why_no_slope(x, levels)
    if reason:
        return Undefined(reason)
    centre = float((levels.n * x).sum() / levels.n.sum())
    scale = float(np.sqrt((levels.n * (x - centre) ** 2).sum() / levels.n.sum()))
    found = _newton((x - centre) / scale, levels)
    if found is None:
        return Undefined("not_converged")
    return LogisticFit(slope=found.slope / scale, intercept=found.intercept - found.slope * centre / scale)


def _why_no_slope(x: FloatArray, levels: Levels) -> str | None:
    if not len(x):
        return "empty"
    right, wrong = x[levels.k > 0], x[levels.k < levels.n]
    if not len(right) or not len(wrong):
        return "one_class"
    if x[0] == x[-1]:
        return "constant_signal"
    return "separation" if wrong[-1] <= right[0] or right[-1] <= wrong[0] else None


def _newton(x: FloatArray, levels: Levels) -> LogisticFit | None:
    """Newton's method with steps halved while the likelihood falls; None where it does not settle."""
    at = LogisticFit(0.0, 0.0)
    likelihood = _log_likelihood(at, x, levels)
    for _ in range(_NEWTON_STEPS):
        step = _newton_step(at, x, levels)
        if step is None:
            return None
        size = _size(step, at)
        if size < _SETTLED:
            return _move(at, step, 1.0)
        share = 1.0
        reached = _log_likelihood(_move(at, step, share), x, levels)
        while reached < likelihood * (1 + 1e-12) and share * size > _SETTLED:  # the likelihood is negative
            share /= 2
            reached = _log_likelihood(_move(at, step, share), x, levels)
        at, likelihood = _move(at, step, share), reached
    return None


def _move(at: LogisticFit, step: LogisticFit, share: float) -> LogisticFit:
    return LogisticFit(at.slope + share * step.slope, at.intercept + share * step.intercept)


def _size(step: LogisticFit, at: LogisticFit) -> float:
    return max(abs(step.slope), abs(step.intercept)) / (1 + abs(at.slope) + abs(at.intercept))


def _newton_step(at: LogisticFit, x: FloatArray, levels: Levels) -> LogisticFit | None:
    z = at.intercept + at.slope * x
    p, q = expit(z), expit(-z)
    information = _Information.of(levels.n * p * q, x)
    if not information.of_slope > 0:
        return None
    residual = levels.k * q - (levels.n - levels.k) * p
    return information.solve(float(residual.sum()), float((residual * (x - information.centre)).sum()))


class _Information(NamedTuple):
    """Fisher information, diagonal once the slope turns about `centre`; nothing cancels."""

    of_intercept: float
    of_slope: float
    centre: float

    @classmethod
    def of(cls, weight: FloatArray, x: FloatArray) -> _Information:
        total = float(weight.sum())
        if not total > 0:
            return cls(0.0, 0.0, 0.0)
        centre = float((weight * x).sum()) / total
        return cls(total, float((weight * (x - centre) ** 2).sum()), centre)

    def solve(self, score: float, centred_moment: float) -> LogisticFit:
        slope = centred_moment / self.of_slope
        return LogisticFit(slope, score / self.of_intercept - self.centre * slope)


def _log_likelihood(at: LogisticFit, x: FloatArray, levels: Levels) -> float:
    z = at.intercept + at.slope * x
    either = np.log1p(np.exp(-np.abs(z)))  # terms of one sign, so that nothing cancels
    right, wrong = np.maximum(-z, 0) + either, np.maximum(z, 0) + either
    return -float((levels.k * right + (levels.n - levels.k) * wrong).sum())


def slope_errors(rows: Rows, fit: LogisticFit) -> LogisticErrors | Undefined:
    """Return the clustered standard errors of a fit of these rows."""
    if rows.n_questions < 2:
        return Undefined("one_question")
    x = logit(rows.confidence)
    z = fit.intercept + fit.slope * x
    information = _Information.of(expit(z) * expit(-z), x)
    residual = rows.correct * expit(-z) - (1 - rows.correct) * expit(z)
    influence_slope = sums_by_question(rows, residual * (x - information.centre)) / information.of_slope
    influence_intercept = (
        sums_by_question(rows, residual) / information.of_intercept - information.centre * influence_slope
    )
    slope_se = _cr1(rows, influence_slope, parameters=2)
    reach = float(stdtrit(rows.n_questions - 1, 0.975)) * slope_se
    return LogisticErrors(slope_se, fit.slope - reach, fit.slope + reach, _cr1(rows, influence_intercept, 2))


def _cr1(rows: Rows, influence: FloatArray, parameters: int) -> float:
    """Root of the summed squared influence of each question, times statsmodels' small-sample factor."""
    g, n = rows.n_questions, rows.n
    return float(np.sqrt((influence**2).sum() * (g / (g - 1)) * ((n - 1) / (n - parameters))))


def fit_intercept(levels: Levels) -> float | Undefined:
    """Maximise the likelihood of the intercept with the slope held at 1; needs both classes."""
    if not len(levels.n):
        return Undefined("empty")
    if levels.k.sum() in {0, levels.n.sum()}:
        return Undefined("one_class")
    x = logit(levels.value)

    def score(intercept: float) -> float:
        z = intercept + x
        return float((levels.k * expit(-z) - (levels.n - levels.k) * expit(z)).sum())

    return float(brentq(score, -_INTERCEPT_BRACKET, _INTERCEPT_BRACKET, xtol=1e-15, rtol=1e-15, maxiter=500))


def intercept_error(rows: Rows, intercept: float) -> float | Undefined:
    """Return the clustered standard error of `fit_intercept` of these rows."""
    if rows.n_questions < 2:
        return Undefined("one_question")
    z = intercept + logit(rows.confidence)
    residual = rows.correct * expit(-z) - (1 - rows.correct) * expit(z)
    return _cr1(rows, sums_by_question(rows, residual) / float((expit(z) * expit(-z)).sum()), parameters=1)


def fit_temperature(levels: Levels) -> Temperature | Undefined:
    """Minimise the log loss of sigma(logit(confidence) / T) over T in [0.001, 1000].

    Where the rows say the inverse of T is zero or below, or without limit, T stands at a bound and says so.
    """
    if not len(levels.n):
        return Undefined("empty")
    x = logit(levels.value)
    if not np.any(x):
        return Undefined("constant_signal")

    def score(inverse: float) -> float:
        z = inverse * x
        return float((x * (levels.k * expit(-z) - (levels.n - levels.k) * expit(z))).sum())

    coldest, hottest = TEMPERATURE_BOUNDS
    if score(1 / hottest) <= 0:
        return Temperature(hottest, at_bound=True)
    if score(1 / coldest) >= 0:
        return Temperature(coldest, at_bound=True)
    inverse = brentq(score, 1 / hottest, 1 / coldest, xtol=1e-15, rtol=1e-15, maxiter=500)
    return Temperature(1 / float(inverse), at_bound=False)
