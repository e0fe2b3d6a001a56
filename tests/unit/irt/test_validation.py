"""Cross-validation: equal folds, and no prediction that has seen its response."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.irt.data import simulated
from transforms.irt import IrtInputError, assign_folds, cross_validate, fit


@given(st.integers(2, 12), st.integers(2, 12), st.integers(2, 10), st.floats(0.0, 0.8), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_folds_are_of_equal_size_within_one(n: int, m: int, n_folds: int, missing: float, seed: int) -> None:
    responses = np.zeros((n, m))
    responses[np.random.default_rng(seed).random((n, m)) < missing] = np.nan
    there = int((~np.isnan(responses)).sum())
    if there < n_folds:
        with pytest.raises(IrtInputError, match="cannot be cut"):
            assign_folds(responses, n_folds, seed)
        return
    folds = assign_folds(responses, n_folds, seed)
    assert ((folds == -1) == np.isnan(responses)).all()
    sizes = np.bincount(folds[folds >= 0], minlength=n_folds)
    assert sizes.sum() == there
    assert np.ptp(sizes) <= 1
    assert np.array_equal(folds, assign_folds(responses, n_folds, seed))


def test_another_seed_gives_other_folds_and_one_fold_is_none() -> None:
    responses = np.zeros((10, 10))
    assert not np.array_equal(assign_folds(responses, seed=1), assign_folds(responses, seed=2))
    with pytest.raises(IrtInputError, match="expected 2 or more"):
        assign_folds(responses, 1)


def test_a_prediction_has_not_seen_its_response() -> None:
    responses = simulated(12, 40, seed=1).responses
    before = cross_validate(responses, n_folds=5)
    changed = responses.copy()
    row, column = 3, 17
    changed[row, column] = 1.0 - changed[row, column]
    after = cross_validate(changed, n_folds=5)
    fold = before.folds[row, column]
    held_out = before.folds == fold
    # The fold that holds the cell out is fitted to the same responses as before; the others see the change.
    assert np.array_equal(after.predicted[held_out], before.predicted[held_out])
    assert not np.array_equal(after.predicted[~held_out], before.predicted[~held_out])


def test_a_fold_is_predicted_by_a_fit_to_the_others() -> None:
    responses = simulated(15, 30, seed=2).responses
    found = cross_validate(responses, n_folds=4)
    training = np.where(found.folds == 2, np.nan, responses)
    expected = fit(training).predict()
    assert found.predicted[found.folds == 2] == pytest.approx(expected[found.folds == 2])


def test_predictions_are_better_than_each_models_mean() -> None:
    drawn = simulated(60, 300, seed=3)
    found = cross_validate(drawn.responses)
    assert not np.isnan(found.predicted).any()
    error = np.abs(drawn.responses - found.predicted).mean()
    assert error < np.abs(drawn.responses - drawn.responses.mean(axis=1, keepdims=True)).mean() - 0.05
    assert found.predicted.mean() == pytest.approx(drawn.responses.mean(), abs=0.01)


def test_what_the_other_folds_say_nothing_about_has_no_prediction() -> None:
    responses = simulated(10, 30, seed=4).responses
    responses[1:, 6] = np.nan  # one answer to item 6: held out once, and then nobody has answered it
    responses[8, 1:] = np.nan  # one answer by model 8
    found = cross_validate(responses, n_folds=5)
    assert np.isnan(found.predicted[0, 6])
    assert np.isnan(found.predicted[8, 0])
    missing = np.isnan(found.predicted) & ~np.isnan(responses)
    assert missing.sum() == 2
    assert np.isnan(found.predicted[np.isnan(responses)]).all()
