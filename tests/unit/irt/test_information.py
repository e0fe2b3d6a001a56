"""Information against its definition: the expected squared derivative of the log-likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_expit

from transforms.irt import item_information, most_informative


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-4.0, 4.0))
@settings(max_examples=100, deadline=None)
def test_information_is_the_variance_of_the_score(slope: float, intercept: float, ability: float) -> None:
    step = 1e-5
    p = expit(slope * ability + intercept)
    by_right = (log_expit(slope * (ability + step) + intercept) - log_expit(slope * (ability - step) + intercept)) / (
        2 * step
    )
    by_wrong = (log_expit(-slope * (ability + step) - intercept) - log_expit(-slope * (ability - step) - intercept)) / (
        2 * step
    )
    expected = p * by_right**2 + (1 - p) * by_wrong**2
    found = item_information(np.array([[slope]]), np.array([intercept]), [ability])
    assert found[0, 0] == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_an_item_tells_most_at_its_difficulty_and_a_steeper_one_more() -> None:
    abilities = np.linspace(-3.0, 3.0, 601)
    found = item_information(np.array([[1.0], [2.0]]), np.array([0.5, 1.0]), abilities)
    assert abilities[found.argmax(axis=0)] == pytest.approx([-0.5, -0.5], abs=0.011)
    assert found.max(axis=0) == pytest.approx([0.25, 1.0], abs=1e-4)


def test_the_best_items_for_an_ability_come_first_and_ties_keep_their_order() -> None:
    slopes = np.array([[1.0], [2.0], [1.0], [2.0]])
    intercepts = np.array([0.0, -4.0, 0.0, 4.0])  # difficulties 0, 2, 0, -2
    assert most_informative(slopes, intercepts, 2.0, 2).tolist() == [1, 0]
    assert most_informative(slopes, intercepts, -2.0, 1).tolist() == [3]
    assert most_informative(slopes, intercepts, 0.0, 4).tolist() == [0, 2, 1, 3]


def test_several_dimensions_count_along_the_first() -> None:
    both = item_information(np.array([[1.5, 0.7]]), np.array([0.2]), [0.0, 1.0])
    assert both == pytest.approx(item_information(np.array([[1.5]]), np.array([0.2]), [0.0, 1.0]))
