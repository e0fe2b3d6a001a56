"""ECE, Brier and means over replicates against rows that were literally repeated; sums that no order changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.statistics import reference
from tests.unit.statistics.reference import Row, row_lists, simulated
from transforms.statistics.exact_sums import weighted_sums
from transforms.statistics.mean_replicates import accuracy_replicates, calibration_replicates
from transforms.statistics.rows import Rows

NAMES = ("accuracy", "mean_confidence", "bias", "ece", "brier", "log_loss")


def _log_loss(rows: list[Row]) -> float:
    eps = 2.220446049250313e-16
    losses = [-math.log(max(c, eps)) if y else -math.log(max(1 - c, eps)) for c, y, _ in rows]
    return math.fsum(losses) / len(rows)


def _brute_force(rows: list[Row]) -> dict[str, float]:
    if not rows:
        return dict.fromkeys(NAMES, math.nan)
    accuracy = sum(y for _, y, _ in rows) / len(rows)
    confidence = math.fsum(c for c, _, _ in rows) / len(rows)
    return {
        "accuracy": accuracy,
        "mean_confidence": confidence,
        "bias": confidence - accuracy,
        "ece": reference.ece(rows, 10),
        "brier": reference.brier(rows),
        "log_loss": _log_loss(rows),
    }


@settings(max_examples=150, deadline=None)
@given(row_lists(), st.data())
def test_a_replicate_is_the_figure_of_the_repeated_rows(rows: list[Row], data: st.DataObject) -> None:
    n_questions = 1 + max(q for _, _, q in rows)
    drawn = [data.draw(st.lists(st.integers(0, 3), min_size=n_questions, max_size=n_questions)) for _ in range(3)]
    weights = np.array([[1] * n_questions, *drawn], dtype=np.int8).T
    of = Rows.of(*zip(*rows, strict=True))
    found = calibration_replicates(of, weights, 10)
    assert tuple(found) == NAMES
    for replicate, column in enumerate(weights.T):
        expected = _brute_force(reference.repeated(rows, dict(enumerate(column))))
        got = {name: float(found[name][replicate]) for name in NAMES}
        assert got == pytest.approx(expected, abs=1e-12, nan_ok=True)
    np.testing.assert_array_equal(accuracy_replicates(of, weights)["accuracy"], found["accuracy"])


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e-200, 1e12])
def test_sums_are_those_of_exact_arithmetic_at_any_scale(scale: float) -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(size=3_000) * scale
    group, column = rng.integers(0, 50, 3_000), rng.integers(0, 4, 3_000)
    weights = rng.poisson(1, (50, 6)).astype(np.int8)
    found = weighted_sums(weights, group, column, values)
    for c in range(4):
        for r in range(6):
            chosen = column == c
            exact = math.fsum(values[chosen] * weights[group[chosen], r].astype(float))
            assert found[c, r] == pytest.approx(exact, abs=5e-15 * scale * math.sqrt(3_000))


def test_sums_do_not_see_the_order_of_rows_or_replicates() -> None:
    rows = simulated(3)
    confidence, correct, question = (np.array(column) for column in zip(*rows, strict=True))
    weights = np.random.default_rng(1).poisson(1, (120, 40)).astype(np.int8)
    ordered = calibration_replicates(Rows.of(confidence, correct, question), weights, 10)
    order = np.random.default_rng(2).permutation(len(rows))
    # Rows itself sorts; build one that does not, to shuffle what the sums see.
    shuffled = Rows(confidence[order], correct[order], question[order])
    for name, values in calibration_replicates(shuffled, weights, 10).items():
        assert values.tobytes() == ordered[name].tobytes(), name


def test_a_column_of_zeros_sums_to_zero() -> None:
    found = weighted_sums(np.ones((2, 3), dtype=np.int8), np.array([0, 1]), np.array([0, 1]), np.array([0.0, 2.0]))
    assert found.tolist() == [[0.0] * 3, [2.0] * 3]
