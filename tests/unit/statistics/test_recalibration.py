"""Recalibration never sees the question it is judged on; CORP adds up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import LeaveOneGroupOut

from tests.unit.statistics.reference import Row, row_lists, simulated
from transforms.statistics.isotonic import fit_isotonic
from transforms.statistics.recalibration import METHODS, CrossFitted, corp, corp_in_sample, cross_fit, score
from transforms.statistics.rows import IntArray, Rows
from transforms.statistics.undefined import Undefined


def _rows(seed: int = 4) -> tuple[Rows, IntArray]:
    rows = Rows.of(*zip(*simulated(seed, questions=40), strict=True))
    return rows, rows.question % 5


@pytest.mark.parametrize("method", METHODS)
def test_no_row_sees_an_outcome_of_its_own_fold(method: str) -> None:
    rows, fold = _rows()
    before = cross_fit(rows, fold, method)
    turned = Rows(rows.confidence, np.where(fold == 2, 1 - rows.correct, rows.correct), rows.question)
    after = cross_fit(turned, fold, method)
    assert isinstance(before, CrossFitted)
    assert isinstance(after, CrossFitted)
    same = before.probability == after.probability
    assert same[fold == 2].all(), "the judged fold's own outcomes changed its probabilities"
    assert not same[fold != 2].all(), "the other folds' outcomes must matter to the rest"
    assert before.n_folds == 5


def test_isotonic_cross_fitting_is_scikit_learns() -> None:
    rows, fold = _rows()
    expected = np.empty(rows.n)
    for train, test in LeaveOneGroupOut().split(rows.confidence, rows.correct, fold):
        model = IsotonicRegression(out_of_bounds="clip").fit(rows.confidence[train], rows.correct[train])
        expected[test] = model.predict(rows.confidence[test])
    found = cross_fit(rows, fold, "isotonic")
    assert isinstance(found, CrossFitted)
    np.testing.assert_allclose(found.probability, expected, rtol=0, atol=1e-12)
    scores = score(found.probability, rows.correct, 10)
    assert scores.brier == pytest.approx(brier_score_loss(rows.correct, expected), abs=1e-12)


def test_cross_fitting_is_honest_where_fitting_in_sample_is_not() -> None:
    rng = np.random.default_rng(0)
    rows = Rows.of(rng.random(600), rng.integers(0, 2, 600))  # confidence says nothing
    in_sample = fit_isotonic(rows.levels).fitted[rows.levels.of_row]
    found = cross_fit(rows, rows.question % 5, "isotonic")
    assert isinstance(found, CrossFitted)
    assert score(in_sample, rows.correct, 10).brier < 0.25 < score(found.probability, rows.correct, 10).brier


def test_recalibration_mends_a_distorted_probability() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(4_000)
    logit = 3 * np.log(truth / (1 - truth)) + 1
    rows = Rows.of(1 / (1 + np.exp(-logit)), rng.random(4_000) < truth, np.arange(4_000) // 9)
    served = score(rows.confidence, rows.correct, 10)
    for method in ("platt", "isotonic"):
        found = cross_fit(rows, rows.question % 5, method)
        assert isinstance(found, CrossFitted)
        assert score(found.probability, rows.correct, 10).ece < served.ece / 3, method


@pytest.mark.parametrize("method", METHODS)
def test_what_cannot_be_fitted_says_why(method: str) -> None:
    one = Rows.of([0.2, 0.8], [0, 1], [3, 3])
    assert cross_fit(one, np.zeros(2, dtype=np.int64), method) == Undefined("one_question")
    assert cross_fit(Rows.of([], []), np.zeros(0, dtype=np.int64), method) == Undefined("empty")


def test_a_fold_without_a_fit_leaves_the_method_out() -> None:
    separated = Rows.of([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    fold = np.array([0, 1, 0, 1])
    assert cross_fit(separated, fold, "platt") == Undefined("fold_without_fit")
    at_bound = cross_fit(separated, fold, "temperature")
    assert isinstance(at_bound, CrossFitted)
    assert at_bound.n_folds_at_bound == 2
    half = Rows.of([0.5] * 4, [0, 0, 1, 1])
    assert cross_fit(half, fold, "temperature") == Undefined("fold_without_fit")


@settings(max_examples=100, deadline=None)
@given(row_lists(min_questions=2))
def test_corp_adds_up_to_the_brier_score(rows: list[Row]) -> None:
    of = Rows.of(*zip(*rows, strict=True))
    found = cross_fit(of, of.question % 2, "isotonic")
    assert isinstance(found, CrossFitted)
    brier = score(of.confidence, of.correct, 10).brier
    for parts in (corp(of, found.probability), corp_in_sample(of)):
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert total == pytest.approx(brier, abs=1e-12)
    in_sample = corp_in_sample(of)
    assert 0 <= in_sample.discrimination <= in_sample.uncertainty + 1e-15
    assert in_sample.miscalibration >= 0


def test_corp_in_sample_is_its_definition() -> None:
    rows, _ = _rows()
    fitted = IsotonicRegression().fit_transform(rows.confidence, rows.correct)
    base = np.full(rows.n, rows.correct.mean())
    served, calibrated, climate = (brier_score_loss(rows.correct, p) for p in (rows.confidence, fitted, base))
    found = corp_in_sample(rows)
    assert found == pytest.approx((served - calibrated, climate - calibrated, climate), abs=1e-12)
