"""Bins and proper scores against the cases' numbers and scikit-learn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from tests.unit.statistics.reference import D10_CONFIDENCE, D10_CORRECT, Row, brier, ece, row_lists
from transforms.statistics.scores import (
    equal_mass_bin,
    equal_width_bin,
    expected_calibration_error,
    log_losses,
    penalty_is_clipped,
    squared_errors,
)


@pytest.mark.parametrize(
    ("confidence", "correct", "bins", "expected"),
    [
        pytest.param(D10_CONFIDENCE, D10_CORRECT, 5, 0.085, id="D10-5"),
        pytest.param(D10_CONFIDENCE, D10_CORRECT, 10, 0.085, id="D10-10"),
        pytest.param([0, 0.8], [1, 1], 10, 0.6, id="B3-zero-is-in-the-first-bin"),
        pytest.param([0, 1], [1, 0], 10, 1.0, id="B4-zero-is-not-in-the-last-bin"),
        pytest.param([7 / 9, 8 / 9], [1, 0], 9, 0.5555556, id="B5-7/9-in-nine-bins"),
        pytest.param([0.3, 0.25], [1, 0], 10, 0.225, id="B7-edges-belong-below"),
        pytest.param([1, 1], [1, 1], 10, 0, id="B9-mean-confidence-not-middle"),
        pytest.param([0.1, 0.9], [0, 1], 10, 0.1, id="B15-no-max-p-1-p"),
    ],
)
def test_ece_of_the_cases(confidence: list[float], correct: list[int], bins: int, expected: float) -> None:
    found = expected_calibration_error(np.array(confidence, dtype=float), np.array(correct), bins)
    assert found == pytest.approx(expected, abs=5e-8)


@pytest.mark.parametrize("n_bins", [5, 9, 10, 15, 20, 25, 50, 100])
def test_a_rational_falls_where_its_fraction_does(n_bins: int) -> None:
    fractions = sorted({Fraction(j, m) for m in range(1, 101) for j in range(m + 1)})
    found = equal_width_bin(np.array([float(f) for f in fractions]), n_bins)
    exact = [max(0, -(-f.numerator * n_bins // f.denominator) - 1) for f in fractions]
    assert found.tolist() == exact


@pytest.mark.parametrize(("n_bins", "expected"), [(2, 0.045), (4, 0.145), (5, 0.085)])
def test_equal_mass_bins_are_scikit_learns(n_bins: int, expected: float) -> None:
    confidence, correct = np.array(D10_CONFIDENCE), np.array(D10_CORRECT)
    gaps = np.bincount(equal_mass_bin(confidence, n_bins), weights=confidence - correct)
    assert np.abs(gaps).sum() / 10 == pytest.approx(expected, abs=1e-12)


def test_equal_mass_bins_keep_ties_together() -> None:
    assert set(equal_mass_bin(np.full(4, 0.5), 2)) == {0}  # B11: a constant signal is one bin
    ten = np.arange(1, 11) / 10.0
    assert np.bincount(equal_mass_bin(ten, 3)).tolist() == [4, 3, 3]  # B35: contiguous groups
    assert len(np.unique(equal_mass_bin(np.array([0.1, 0.2]), 10))) == 2


@given(row_lists())
def test_scores_are_the_exact_ones(rows: list[Row]) -> None:
    confidence, correct, _ = (np.array(column) for column in zip(*rows, strict=True))
    assert expected_calibration_error(confidence, correct, 10) == pytest.approx(ece(rows, 10), abs=1e-13)
    assert squared_errors(confidence, correct).mean() == pytest.approx(brier(rows), abs=1e-13)
    assert squared_errors(confidence, correct).mean() == pytest.approx(
        brier_score_loss(correct, confidence, labels=[0, 1]), abs=1e-13
    )
    assert log_losses(confidence, correct).mean() == pytest.approx(
        sklearn_log_loss(correct, confidence, labels=[0, 1]), rel=1e-12, abs=1e-12
    )


def test_log_loss_of_certainty_is_clipped_and_counted() -> None:
    confidence, correct = np.array([0.0, 0.0]), np.array([1, 0])  # B21
    assert log_losses(confidence, correct).mean() == pytest.approx(18.0218, abs=5e-5)
    assert penalty_is_clipped(confidence, correct).sum() == 1
    assert log_losses(np.array(D10_CONFIDENCE), np.array(D10_CORRECT)).mean() == pytest.approx(0.5118078, abs=5e-8)
    assert penalty_is_clipped(np.array([1.0, 1.0, 0.0]), np.array([1, 0, 0])).tolist() == [False, True, False]
    assert squared_errors(np.ones(4), np.ones(4, dtype=int)).mean() == 0  # B20
