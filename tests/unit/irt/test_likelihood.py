"""Likelihood, abilities and standard errors against dense integration and numerical derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_expit
from scipy.stats import norm

from tests.unit.irt.data import LSAT7, Floats, simulated
from transforms.irt import WITHOUT_PRIORS, Settings, fit
from transforms.irt.data import check_responses
from transforms.irt.posterior import Items, default_nodes, logistic, posterior, rule, softplus

_GRID = np.linspace(-9.0, 9.0, 4001)


def dense(responses: Floats, slopes: Floats, intercepts: Floats) -> tuple[float, Floats, Floats]:
    """Log-likelihood, posterior means and standard deviations of one ability by the trapezoid rule on 4,001 points."""
    seen = ~np.isnan(responses)
    right = np.where(seen, responses, 0.0)
    logits = np.outer(_GRID, slopes) + intercepts
    log_joint = right @ log_expit(logits).T + (seen - right) @ log_expit(-logits).T + norm.logpdf(_GRID)
    highest = log_joint.max(axis=1, keepdims=True)
    weights = np.exp(log_joint - highest)
    total = weights.sum(axis=1)
    means = weights @ _GRID / total
    variances = weights @ _GRID**2 / total - means**2
    step = _GRID[1] - _GRID[0]
    return float((highest[:, 0] + np.log(total * step)).sum()), means, np.sqrt(variances)


@pytest.mark.parametrize(("n_items", "missing"), [(1, 0.0), (5, 0.3), (40, 0.1), (300, 0.0), (700, 0.2)])
def test_posteriors_are_those_of_dense_integration(n_items: int, missing: float) -> None:
    drawn = simulated(30, n_items, seed=n_items)
    responses = drawn.responses.copy()
    responses[np.random.default_rng(1).random(responses.shape) < missing] = np.nan
    items = Items(drawn.slopes, drawn.intercepts)
    found = posterior(
        check_responses(responses), items, rule(default_nodes(n_items, 1), 1), np.zeros((len(responses), 1))
    )
    log_likelihood, means, deviations = dense(responses, drawn.slopes[:, 0], drawn.intercepts)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=2e-3)
    assert found.means[:, 0] == pytest.approx(means, abs=1e-4)
    assert np.sqrt(found.covariances[:, 0, 0]) == pytest.approx(deviations, rel=2e-3)


def test_abilities_of_a_fit_are_posterior_means_under_its_own_items() -> None:
    responses = simulated(60, 80, seed=5).responses
    responses[3, 10:60] = np.nan
    found = fit(responses)
    log_likelihood, means, deviations = dense(responses, found.slopes[:, 0], found.intercepts)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-3)
    assert found.abilities[:, 0] == pytest.approx(means, abs=1e-3)
    assert found.ability_se[:, 0] == pytest.approx(deviations, rel=5e-3)


def test_two_dimensions_integrate_like_a_dense_grid() -> None:
    drawn = simulated(12, 30, dims=2, seed=3)
    found = posterior(
        check_responses(drawn.responses), Items(drawn.slopes, drawn.intercepts), rule(11, 2), np.zeros((12, 2))
    )
    points = np.linspace(-7.0, 7.0, 241)
    grid = np.array(np.meshgrid(points, points)).reshape(2, -1).T
    logits = grid @ drawn.slopes.T + drawn.intercepts
    right = drawn.responses
    joint = right @ log_expit(logits).T + (1 - right) @ log_expit(-logits).T + norm.logpdf(grid).sum(axis=1)
    total = np.exp(joint).sum(axis=1)
    step = points[1] - points[0]
    assert found.log_likelihood == pytest.approx(float(np.log(total * step**2).sum()), abs=1e-4)
    assert found.means == pytest.approx((np.exp(joint) @ grid) / total[:, None], abs=1e-4)


def test_maximum_likelihood_is_a_maximum() -> None:
    found = fit(LSAT7, settings=WITHOUT_PRIORS)
    best = dense(LSAT7, found.slopes[:, 0], found.intercepts)[0]
    for item in range(5):
        for step in (-0.02, 0.02):
            slopes, intercepts = found.slopes[:, 0].copy(), found.intercepts.copy()
            slopes[item] += step
            assert dense(LSAT7, slopes, found.intercepts)[0] < best
            intercepts[item] += step
            assert dense(LSAT7, found.slopes[:, 0], intercepts)[0] < best


def numerical_errors(responses: Floats, slopes: Floats, intercepts: Floats) -> Floats:
    """Standard errors of (intercepts, slopes) from the numerical Hessian of the densely integrated likelihood."""
    n = len(slopes)
    at = np.concatenate([intercepts, slopes])
    step = 1e-3

    def value(change: Floats) -> float:
        return dense(responses, (at + change)[n:], (at + change)[:n])[0]

    unit = np.eye(2 * n) * step
    hessian = np.empty((2 * n, 2 * n))
    for i in range(2 * n):
        for j in range(i, 2 * n):
            plus, minus = unit[i] + unit[j], unit[i] - unit[j]
            second = value(plus) - value(minus) - value(-minus) + value(-plus)
            hessian[i, j] = hessian[j, i] = second / (4 * step**2)
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(-hessian))))


def test_standard_errors_are_those_of_the_numerical_hessian() -> None:
    found = fit(LSAT7, settings=WITHOUT_PRIORS)
    expected = numerical_errors(LSAT7, found.slopes[:, 0], found.intercepts)
    assert found.se_method == "observed_information"
    assert found.parameter_se.T.ravel() == pytest.approx(expected, rel=2e-3)


def test_errors_item_by_item_are_about_those_of_all_parameters_together() -> None:
    responses = simulated(400, 150, seed=2).responses
    together = fit(responses[:, :20])
    assert together.se_method == "observed_information"
    apart = fit(np.concatenate([responses, simulated(400, 60, seed=9).responses], axis=1))
    assert apart.se_method == "item_blocks"
    drawn = simulated(300, 400, seed=4)
    found = fit(drawn.responses)
    standardised = (found.intercepts - drawn.intercepts) / found.parameter_se[:, 0]
    assert 0.8 < standardised.std() < 1.2


@pytest.mark.parametrize("model", ["1pl", "2pl", "m2pl"])
def test_every_model_has_errors_and_they_can_be_left_out(model: str) -> None:
    responses = simulated(40, 250, seed=6).responses
    found = fit(responses, model)  # type: ignore[arg-type]
    for errors in (found.parameter_se, found.discrimination_se, found.difficulty_se, found.ability_se):
        assert (errors > 0.0).all()
    without = fit(responses, model, settings=Settings(standard_errors=False))  # type: ignore[arg-type]
    assert without.se_method is None
    assert np.isnan(without.parameter_se).all()
    assert np.isnan(without.difficulty_se).all()
    assert np.array_equal(without.slopes, found.slopes)


@given(st.lists(st.floats(-800.0, 800.0), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_logistic_and_softplus_agree_with_scipy(values: list[float]) -> None:
    logits = np.array(values)
    assert softplus(logits.copy()) == pytest.approx(-log_expit(-logits), rel=1e-13, abs=1e-300)
    assert logistic(logits.copy()) == pytest.approx(expit(logits), rel=1e-13, abs=1e-300)
