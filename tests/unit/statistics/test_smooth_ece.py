"""Smooth ECE against the library of its authors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from relplot.metrics import smECE, smECE_sigma

from tests.unit.statistics.reference import D10_CONFIDENCE, D10_CORRECT, Row, row_lists, simulated
from transforms.statistics.rows import Rows
from transforms.statistics.smooth_ece import smooth_ece, smooth_ece_at


def test_d10() -> None:
    assert smooth_ece(Rows.of(D10_CONFIDENCE, D10_CORRECT)).error == pytest.approx(0.0900045, abs=5e-8)


def _arrays(rows: list[Row]) -> tuple[Rows, np.ndarray, np.ndarray]:
    of = Rows.of(*zip(*rows, strict=True))
    return of, of.confidence, of.correct.astype(np.float64)


@settings(max_examples=60, deadline=None)
@given(row_lists())
def test_error_and_bandwidth_are_relplots(rows: list[Row]) -> None:
    of, confidence, correct = _arrays(rows)
    error, bandwidth = smECE(confidence, correct, return_width=True)
    assert smooth_ece(of) == pytest.approx((error, bandwidth), abs=1e-12)


@pytest.mark.parametrize("decimals", [None, 1])
def test_a_cell_of_real_size_is_relplots(decimals: int | None) -> None:
    of, confidence, correct = _arrays(simulated(6, questions=1_100, decimals=decimals))
    error, bandwidth = smECE(confidence, correct, return_width=True)
    assert smooth_ece(of) == pytest.approx((error, bandwidth), abs=1e-12)


@pytest.mark.parametrize("bandwidth", [1.0, 0.3, 0.01, 0.0017])
def test_every_bandwidth_is_relplots(bandwidth: float) -> None:
    of, confidence, correct = _arrays(simulated(7, questions=30))
    assert smooth_ece_at(of, bandwidth) == pytest.approx(smECE_sigma(confidence, correct, bandwidth), abs=1e-12)


def test_a_perfect_signal_has_a_narrow_kernel_and_no_error() -> None:
    found = smooth_ece(Rows.of([0.0, 1.0] * 50, [0, 1] * 50))
    assert found.error == pytest.approx(0.0, abs=1e-15)
    assert found.bandwidth <= 0.002


def test_everything_wrong_and_sure_has_the_widest_kernel() -> None:
    of, confidence, correct = _arrays([(0.0, 1, at) for at in range(50)])
    assert smooth_ece(of) == pytest.approx(smECE(confidence, correct, return_width=True), abs=1e-12)
