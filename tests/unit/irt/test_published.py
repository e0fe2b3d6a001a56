"""Estimates against those published for the same data, and against an independent package."""

from __future__ import annotations

import mirt
import numpy as np
import pytest

from tests.unit.irt.data import LSAT6, LSAT7
from transforms.irt import WITHOUT_PRIORS, fit


def test_section_7_is_the_matrix_that_another_package_ships() -> None:
    theirs = np.asarray(mirt.load_dataset("LSAT7")["data"], dtype=np.float64)
    assert np.array_equal(np.sort(theirs @ 2.0 ** np.arange(5)), np.sort(LSAT7 @ 2.0 ** np.arange(5)))


def test_two_parameters_of_section_6_as_published() -> None:
    # R package ltm, `ltm(LSAT ~ z1)`: difficulty, discrimination, and their standard errors.
    found = fit(LSAT6, "2pl", settings=WITHOUT_PRIORS)
    assert found.converged
    assert found.difficulty == pytest.approx([-3.3597, -1.3696, -0.2799, -1.8659, -3.1236], abs=0.02)
    assert found.discrimination == pytest.approx([0.8254, 0.7229, 0.8905, 0.6886, 0.6575], abs=0.005)
    assert found.difficulty_se == pytest.approx([0.8669, 0.3073, 0.0997, 0.4341, 0.8700], abs=0.02)
    assert found.discrimination_se == pytest.approx([0.2581, 0.1867, 0.2326, 0.1852, 0.2100], abs=0.005)
    assert found.log_likelihood == pytest.approx(-2466.653, abs=0.005)


def test_one_slope_of_section_6_as_published() -> None:
    # R package ltm, `rasch(LSAT)`: one discrimination for all items.
    found = fit(LSAT6, "1pl", settings=WITHOUT_PRIORS)
    assert found.difficulty == pytest.approx([-3.6153, -1.3224, -0.3176, -1.7301, -2.7802], abs=0.005)
    assert found.discrimination == pytest.approx([0.7551] * 5, abs=0.001)
    assert found.discrimination_se == pytest.approx([0.0694] * 5, abs=0.001)
    assert found.log_likelihood == pytest.approx(-2466.938, abs=0.005)
    assert found.n_parameters == 6
    assert found.aic == pytest.approx(4945.88, abs=0.01)


def test_two_parameters_of_section_7_as_published() -> None:
    # R package mirt, `mirt(expand.table(LSAT7), 1)`: slope and intercept.
    found = fit(LSAT7, "2pl", settings=WITHOUT_PRIORS)
    assert found.discrimination == pytest.approx([0.988, 1.081, 1.706, 0.765, 0.736], abs=0.005)
    assert found.intercepts == pytest.approx([1.856, 0.808, 1.804, 0.486, 1.855], abs=0.005)
    assert found.log_likelihood == pytest.approx(-2658.805, abs=0.005)


def test_an_independent_package_agrees_on_section_7() -> None:
    theirs = mirt.fit_mirt(LSAT7.astype(int), model="2PL", n_quadpts=61, tol=1e-6, max_iter=2000).coef()
    found = fit(LSAT7, "2pl", settings=WITHOUT_PRIORS)
    assert found.discrimination == pytest.approx(theirs["discrimination"].to_numpy(), abs=0.02)
    assert found.difficulty == pytest.approx(theirs["difficulty"].to_numpy(), abs=0.02)


def test_a_positive_intercept_is_an_easy_item() -> None:
    # Slope 2 and intercept 1 are a difficulty of -1/2, not of +1.
    found = fit(LSAT7, "2pl", settings=WITHOUT_PRIORS)
    assert found.difficulty == pytest.approx(-found.intercepts / found.slopes[:, 0])
    assert (found.difficulty[LSAT7.mean(axis=0) > 0.5] < 0).all()
