"""Slope, intercept and temperature against statsmodels, and where there is no maximum."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from scipy.special import expit, logit
from scipy.stats import t

from tests.unit.statistics.reference import Row, row_lists, simulated
from transforms.statistics import logistic
from transforms.statistics.logistic import (
    TEMPERATURE_BOUNDS,
    LogisticErrors,
    LogisticFit,
    Temperature,
    fit_intercept,
    fit_slope,
    fit_temperature,
    intercept_error,
    slope_errors,
)
from transforms.statistics.rows import EPS, Levels, Rows, is_clipped
from transforms.statistics.undefined import Undefined

EIGHT = Rows.of([0.1, 0.3, 0.4, 0.6, 0.8, 0.9, 0.2, 0.7], [0, 1, 0, 1, 1, 1, 0, 0])


def test_the_worked_example() -> None:
    fit = fit_slope(EIGHT.levels)
    assert isinstance(fit, LogisticFit)
    assert (fit.slope, fit.intercept) == pytest.approx((1.0739415, 0.0), abs=5e-8)
    assert fit_intercept(EIGHT.levels) == pytest.approx(0.0, abs=1e-12)
    temperature = fit_temperature(EIGHT.levels)
    assert isinstance(temperature, Temperature)
    assert temperature.value == pytest.approx(0.9311493, abs=2e-7)  # B38, whose last digit is an optimiser's
    assert not temperature.at_bound
    assert temperature.value == pytest.approx(1 / fit.slope, rel=1e-12)


@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("seed", range(4))
def test_fits_and_clustered_errors_are_those_of_statsmodels(seed: int, decimals: int | None) -> None:
    rows = Rows.of(*zip(*simulated(seed, questions=60, decimals=decimals), strict=True))
    x = logit(np.clip(rows.confidence, EPS, 1 - EPS))
    clusters = {"cov_type": "cluster", "cov_kwds": {"groups": rows.question}}
    logistic = sm.Logit(rows.correct, sm.add_constant(x))
    reference = logistic.fit(method="newton", disp=False, tol=1e-15, maxiter=60, **clusters)
    fit = fit_slope(rows.levels)
    assert isinstance(fit, LogisticFit)
    assert (fit.intercept, fit.slope) == pytest.approx(tuple(reference.params), rel=0, abs=1e-12)
    errors = slope_errors(rows, fit)
    assert isinstance(errors, LogisticErrors)
    assert (errors.intercept_se, errors.slope_se) == pytest.approx(tuple(reference.bse), rel=0, abs=1e-12)
    reach = t(rows.n_questions - 1).ppf(0.975) * errors.slope_se
    assert (errors.slope_lo, errors.slope_hi) == pytest.approx((fit.slope - reach, fit.slope + reach), rel=1e-12)


@pytest.mark.parametrize("decimals", [None, 1])
def test_the_intercept_in_the_large_is_that_of_a_glm_with_offset(decimals: int | None) -> None:
    # statsmodels diverges on offsets of 36 logits: the property test below has those.
    inside = [row for row in simulated(8, questions=60, decimals=decimals) if 0 < row[0] < 1]
    rows = Rows.of(*zip(*inside, strict=True))
    offset = logit(rows.confidence)
    family = sm.families.Binomial()
    model = sm.GLM(rows.correct, np.ones(rows.n), family=family, offset=offset)
    reference = model.fit(
        method="newton", tol=1e-15, maxiter=200, cov_type="cluster", cov_kwds={"groups": rows.question}
    )
    found = fit_intercept(rows.levels)
    assert isinstance(found, float)
    assert found == pytest.approx(float(reference.params[0]), abs=1e-12)
    assert intercept_error(rows, found) == pytest.approx(float(reference.bse[0]), rel=0, abs=1e-12)


def test_temperature_is_the_inverse_of_the_slope_without_intercept() -> None:
    rows = Rows.of(*zip(*simulated(9, questions=60), strict=True))
    reference = sm.Logit(rows.correct, logit(rows.confidence)[:, None]).fit(disp=False, tol=1e-15)
    found = fit_temperature(rows.levels)
    assert isinstance(found, Temperature)
    assert found.value == pytest.approx(1 / reference.params[0], abs=1e-12)
    assert not found.at_bound


@pytest.mark.parametrize(
    ("confidence", "correct", "reason"),
    [
        pytest.param([], [], "empty", id="no-rows"),
        pytest.param([0.2, 0.7], [1, 1], "one_class", id="all-right"),
        pytest.param([0.2, 0.7], [0, 0], "one_class", id="all-wrong"),
        pytest.param([0.4] * 4, [1, 0, 0, 1], "constant_signal", id="constant"),
        pytest.param([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], "separation", id="separated"),
        pytest.param([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], "separation", id="separated-downwards"),
        pytest.param([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1], "separation", id="touching-at-a-tie"),
    ],
)
def test_there_is_no_slope_without_overlap(confidence: list[float], correct: list[int], reason: str) -> None:
    assert fit_slope(Rows.of(confidence, correct).levels) == Undefined(reason)


def test_the_smallest_overlap_has_a_slope() -> None:
    fit = fit_slope(Rows.of([0.1, 0.5, 0.51, 0.9], [0, 1, 0, 1]).levels)
    assert isinstance(fit, LogisticFit)
    assert fit.slope > 0


def test_overlap_of_the_last_bits_has_a_slope() -> None:
    rows = Rows.of([0.1, 0.5, 0.5 + 2**-50, 0.9], [0, 1, 0, 1])
    fit = fit_slope(rows.levels)
    assert isinstance(fit, LogisticFit)
    assert _gradient(rows, fit) == pytest.approx((0, 0), abs=1e-12)


def test_a_fit_whose_newton_steps_overshoot_arrives() -> None:
    # Two rows far out and a level of 316,437: a plain Newton step leaps 13 orders of magnitude too far.
    n, k = np.array([2.0, 316_437.0, 7.0]), np.array([2.0, 316_431.0, 1.0])
    levels = Levels(np.array([4.27650641e-05, 0.435918066, 0.5]), n, k, np.zeros(0, dtype=np.int64))
    fit = fit_slope(levels)
    assert isinstance(fit, LogisticFit)
    residual = k - n * expit(fit.intercept + fit.slope * logit(levels.value))
    assert residual.sum() == pytest.approx(0, abs=1e-8)
    assert (residual * logit(levels.value)).sum() == pytest.approx(0, abs=1e-8)


def test_a_fit_that_does_not_arrive_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logistic, "_NEWTON_STEPS", 2)
    assert fit_slope(EIGHT.levels) == Undefined("not_converged")
    levels = EIGHT.levels
    certain = logistic.LogisticFit(slope=1e6, intercept=0.0)  # every variance underflows
    assert logistic._newton_step(certain, np.ones(len(levels.n)), levels) is None
    monkeypatch.setattr(logistic, "_newton_step", lambda *_: None)
    assert fit_slope(EIGHT.levels) == Undefined("not_converged")


def _gradient(rows: Rows, fit: LogisticFit) -> tuple[float, float]:
    x = logit(np.clip(rows.confidence, EPS, 1 - EPS))
    residual = rows.correct - expit(fit.intercept + fit.slope * x)
    return float(residual.sum()), float((residual * x).sum())


@settings(max_examples=200, deadline=None)
@given(row_lists())
def test_a_fit_is_a_maximum(rows: list[Row]) -> None:
    of = Rows.of(*zip(*rows, strict=True))
    fit = fit_slope(of.levels)
    if isinstance(fit, Undefined):
        assert fit.reason in {"one_class", "constant_signal", "separation"}
        return
    scale = np.abs(logit(np.clip(of.confidence, EPS, 1 - EPS))).max()
    assert _gradient(of, fit) == pytest.approx((0, 0), abs=1e-9 * of.n * max(1, scale))


@settings(max_examples=200, deadline=None)
@given(row_lists())
def test_an_intercept_makes_the_mean_right(rows: list[Row]) -> None:
    of = Rows.of(*zip(*rows, strict=True))
    found = fit_intercept(of.levels)
    assume(not of.one_class)
    assert isinstance(found, float)
    fitted = expit(found + logit(np.clip(of.confidence, EPS, 1 - EPS)))
    assert fitted.sum() == pytest.approx(of.n_correct, abs=1e-9 * of.n)


def test_an_intercept_needs_both_classes_and_its_error_two_questions() -> None:
    assert fit_intercept(Rows.of([], []).levels) == Undefined("empty")
    assert fit_intercept(Rows.of([0.3, 0.4], [1, 1]).levels) == Undefined("one_class")
    one_question = Rows.of([0.3, 0.4], [1, 0], [7, 7])
    assert intercept_error(one_question, 0.1) == Undefined("one_question")
    assert slope_errors(one_question, LogisticFit(1.0, 0.0)) == Undefined("one_question")


def test_temperature_stands_at_a_bound_and_says_so() -> None:
    coldest, hottest = TEMPERATURE_BOUNDS
    separable = Rows.of([0.2, 0.3, 0.7, 0.9], [0, 0, 1, 1])  # B38: never negative, never beyond the bound
    assert fit_temperature(separable.levels) == Temperature(coldest, at_bound=True)
    upside_down = Rows.of([0.2, 0.3, 0.7, 0.9], [1, 1, 0, 0])
    assert fit_temperature(upside_down.levels) == Temperature(hottest, at_bound=True)
    assert fit_temperature(Rows.of([0.5, 0.5], [1, 0]).levels) == Undefined("constant_signal")
    assert fit_temperature(Rows.of([], []).levels) == Undefined("empty")


def test_confidences_without_a_logit_are_counted() -> None:
    assert is_clipped(np.array([0.0, EPS / 2, EPS, 0.5, 1 - EPS, 1 - EPS / 2, 1.0])).tolist() == [
        True, True, False, False, False, True, True,
    ]  # fmt: skip
