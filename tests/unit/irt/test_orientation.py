"""Rotations leave every logit what it was, and a fit of several dimensions has one orientation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from tests.unit.irt.data import Floats, simulated
from transforms.irt import Fit, IrtInputError, fit, rotate
from transforms.irt.orientation import canonical_rotation


def fitted(dims: int = 2, seed: int = 0) -> Fit:
    return fit(simulated(40, 120, dims=dims, seed=seed).responses, "m2pl", dims)


def quarter_turn() -> Floats:
    return np.array([[0.0, -1.0], [1.0, 0.0]])


def test_a_quarter_turn_keeps_the_logit_at_two() -> None:
    # Turning abilities by the transposed matrix, as published code does, makes it -2.
    found = fitted()
    turned = rotate(found, quarter_turn())
    ability, slope = np.array([1.0, 0.0]), np.array([2.0, 0.0])
    assert (ability @ quarter_turn()) @ (slope @ quarter_turn()) == 2.0
    assert (ability @ quarter_turn().T) @ (slope @ quarter_turn()) == -2.0
    assert np.abs(turned.logits() - found.logits()).max() < 1e-9
    assert np.abs(turned.slopes - found.slopes).max() > 0.1


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_the_canonical_orientation_changes_no_logit(seed: int, dims: int) -> None:
    random = np.random.default_rng(seed)
    slopes, abilities = random.normal(size=(50, dims)), random.normal(size=(9, dims))
    accuracy = random.random(9)
    accuracy[seed % 9] = np.nan
    rotation = canonical_rotation(slopes, abilities, accuracy)
    assert rotation @ rotation.T == pytest.approx(np.eye(dims), abs=1e-12)
    before, after = abilities @ slopes.T, (abilities @ rotation) @ (slopes @ rotation).T
    assert np.abs(after - before).max() < 1e-9


@given(st.integers(0, 10_000), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_every_rotation_of_a_solution_has_the_same_canonical_orientation(seed: int, dims: int) -> None:
    random = np.random.default_rng(seed)
    slopes, abilities = random.normal(size=(50, dims)) * (1.0 + np.arange(dims)), random.normal(size=(30, dims))
    accuracy = abilities.sum(axis=1) + 0.1 * random.normal(size=30)
    turn = ortho_group.rvs(dims, random_state=seed)
    once = slopes @ canonical_rotation(slopes, abilities, accuracy)
    again = (slopes @ turn) @ canonical_rotation(slopes @ turn, abilities @ turn, accuracy)
    assert again == pytest.approx(once, abs=1e-8)


@pytest.mark.parametrize("dims", [2, 3])
def test_axes_are_principal_and_point_to_accuracy(dims: int) -> None:
    found = fitted(dims, seed=dims)
    squares = found.slopes.T @ found.slopes
    assert squares - np.diag(np.diag(squares)) == pytest.approx(np.zeros((dims, dims)), abs=1e-8)
    assert (np.diff(np.diag(squares)) < 0.0).all()
    accuracy = simulated(40, 120, dims=dims, seed=dims).responses.mean(axis=1)
    assert all(np.corrcoef(found.abilities[:, d], accuracy)[0, 1] > 0.0 for d in range(dims))


def test_a_sign_that_accuracy_does_not_decide_follows_the_slopes() -> None:
    slopes, abilities = np.array([[-1.0], [-2.0]]), np.array([[1.0], [-1.0]])
    assert canonical_rotation(slopes, abilities, np.array([0.5, 0.5])) == pytest.approx(-np.eye(1))
    assert canonical_rotation(slopes, abilities, np.array([0.6, 0.4])) == pytest.approx(np.eye(1))


def test_standard_errors_turn_with_the_axes() -> None:
    found = fitted()
    back = rotate(rotate(found, quarter_turn()), quarter_turn().T)
    assert back.parameter_se == pytest.approx(found.parameter_se)
    turned = rotate(found, quarter_turn())
    assert turned.parameter_se[:, 1] == pytest.approx(found.parameter_se[:, 2])
    # What does not depend on the axes does not change.
    assert turned.discrimination_se == pytest.approx(found.discrimination_se)
    assert turned.difficulty_se == pytest.approx(found.difficulty_se)


def test_a_matrix_that_would_change_the_logits_is_refused() -> None:
    with pytest.raises(IrtInputError, match="not orthogonal"):
        rotate(fitted(), np.array([[1.0, 0.4], [0.0, 1.0]]))
