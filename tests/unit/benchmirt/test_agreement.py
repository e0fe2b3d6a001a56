"""Slopes, their errors, correlations and links, against statsmodels, scipy and many draws."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as statsmodels
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from tests.unit.benchmirt.matrices import kept, matrix
from tests.unit.irt.data import Floats
from transforms.benchmirt.agreement import mean_correlations, profile_of, regress, regress_together, to_rows
from transforms.benchmirt.groups import linked_sets


def test_correlations_are_pearsons_with_the_mean_of_the_others() -> None:
    scores = matrix(9, 80).scores
    scores[2, 10:40] = np.nan
    everyone = np.ones(9, dtype=np.bool_)
    some = np.arange(9) < 5
    for members in (everyone, some):
        expected = []
        for i in range(9):
            others = np.nanmean(scores[members & (np.arange(9) != i)], axis=0)
            known = ~np.isnan(scores[i]) & ~np.isnan(others)
            expected.append(np.corrcoef(scores[i][known], others[known])[0, 1])
        assert mean_correlations(to_rows(scores), members, everyone) == pytest.approx(np.array(expected))


def test_slopes_and_their_errors_are_a_score_test_of_logistic_regression() -> None:
    """Beside 0 the slope of one step is the maximum's, and its error's share for the model itself that of the test."""
    scores = matrix(30, 600, seed=4).scores
    scores[0] = scores[0][np.random.default_rng(0).permutation(600)]
    rows, others = to_rows(scores), np.arange(30) > 0
    profile = profile_of(rows, others)
    found = regress(rows, ~others, profile)
    easiness = profile.totals / (profile.information + profile.precision)
    expected = statsmodels.Logit(scores[0], statsmodels.add_constant(easiness)).fit(disp=0)
    assert found.slopes[0] == pytest.approx(expected.params[1], abs=0.02)
    assert found.errors[0] == pytest.approx(expected.bse[1], rel=0.2)
    assert found.shared[0] == 600


@pytest.mark.parametrize("coverage", [0.2, 1.0])
def test_the_error_of_a_slope_is_how_much_slopes_differ(coverage: float) -> None:
    """Of models that answered the same items, over many draws; one by one, and a half taken together."""
    each, together = [], []
    for seed in range(60):
        scores = kept(matrix(20, 300, seed), coverage, seed).scores
        rows, core = to_rows(scores), np.arange(20) < 10
        profile = profile_of(rows, core)
        one, half = regress(rows, ~core, profile), regress_together(rows, ~core, profile)
        each += list(((one.slopes - 1.0) / one.errors)[10:])
        together += list((half.slopes - 1.0) / half.errors)
    assert np.std(each) == pytest.approx(0.95, abs=0.15)
    assert np.std(together) == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("coverage", [0.1, 0.3, 1.0])
def test_the_slope_of_models_that_agree_is_about_one_whatever_is_missing(coverage: float) -> None:
    slopes = []
    for seed in range(8):
        rows = to_rows(kept(matrix(30, 2000, seed), coverage, seed).scores)
        everyone = np.ones(30, dtype=np.bool_)
        slopes += list(regress(rows, everyone, profile_of(rows, everyone)).together().slopes)
    assert np.mean(slopes) == pytest.approx(1.1, abs=0.2)


def test_linked_sets_are_the_components_of_who_answered_what() -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        scores = np.where(random.random((25, 40)) < 0.04, 1.0, np.nan)
        graph = components(scores)
        found = {frozenset(np.flatnonzero(one).tolist()) for one in linked_sets(to_rows(scores))}
        assert found == graph
    chain = np.full((50, 51), np.nan)
    for i in random.permutation(50):
        chain[i, [i, i + 1]] = 1.0
    assert [one.sum() for one in linked_sets(to_rows(chain))] == [50]


def components(scores: Floats) -> set[frozenset[int]]:
    """The components by scipy, of the models and items as one graph."""
    n, items = scores.shape
    graph = np.zeros((n + items, n + items))
    graph[:n, n:] = ~np.isnan(scores)
    _, labels = connected_components(csr_matrix(graph), directed=False)
    return {frozenset(np.flatnonzero(labels[:n] == label).tolist()) for label in set(labels[:n])}
