"""AUROC, AURC and kin: the cases, scikit-learn, and replicates against rows that were literally repeated."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from tests.unit.statistics import reference
from tests.unit.statistics.reference import D10_CONFIDENCE, D10_CORRECT, Row, row_lists, simulated
from transforms.statistics.rank_replicates import HarmonicSums, rank_replicates
from transforms.statistics.rows import Rows

NAMES = ("auroc", "aurc", "e_aurc", "augrc", "prr")


def _of(confidence: list[float], correct: list[int]) -> dict[str, float]:
    rows = Rows.of(confidence, correct)
    found = rank_replicates(rows, np.ones((len(confidence), 1), dtype=np.int8))
    assert tuple(found) == NAMES
    return {name: float(values[0]) for name, values in found.items()}


def test_d10() -> None:
    expected = {"auroc": 0.78, "aurc": 0.3020238, "e_aurc": 0.1248413, "augrc": 0.18, "prr": 0.6132760}
    assert _of(D10_CONFIDENCE, D10_CORRECT) == pytest.approx(expected, abs=5e-8)


@pytest.mark.parametrize("tail", sorted(set(itertools.permutations([0, 1, 1]))))
def test_aurc_does_not_see_the_order_of_ties(tail: tuple[int, ...]) -> None:
    assert _of([0.9, 0.7, 0.7, 0.7], [1, *tail])["aurc"] == pytest.approx(0.1597222, abs=5e-8)  # B28


def test_the_remaining_cases() -> None:
    assert _of([3.4000000000000004, 3.4], [1, 0])["auroc"] == 1.0  # B23
    assert _of([98, 98.5, 99], [0, 1, 1])["auroc"] == 1.0  # B24
    assert np.isnan(_of([0.2, 0.9], [1, 1])["auroc"])  # B26
    assert _of([0.5, 0.5], [1, 0])["prr"] == _of([0.5, 0.5], [0, 1])["prr"] == 0  # B29
    for one_class in ([1, 1], [0, 0]):
        assert np.isnan(_of([0.1, 0.2], one_class)["prr"])  # B30
    assert _of([0.5] * 4, [1, 0, 0, 1])["auroc"] == 0.5
    assert (_of([0.1, 0.2], [1, 1])["aurc"], _of([0.1, 0.2], [0, 0])["aurc"]) == (0.0, 1.0)
    assert _of([0.1, 0.2], [0, 0])["augrc"] == 0.5


def _brute_force(rows: list[Row]) -> dict[str, float | None]:
    return {
        "auroc": reference.auroc(rows),
        "aurc": reference.aurc(rows) if rows else None,
        "e_aurc": reference.aurc(rows) - reference.best_aurc(rows) if rows else None,
        "augrc": reference.augrc(rows) if rows else None,
        "prr": reference.prr(rows) if rows else None,
    }


@settings(max_examples=150, deadline=None)
@given(row_lists(), st.data())
def test_a_replicate_is_the_figure_of_the_repeated_rows(rows: list[Row], data: st.DataObject) -> None:
    n_questions = 1 + max(q for _, _, q in rows)
    drawn = [data.draw(st.lists(st.integers(0, 3), min_size=n_questions, max_size=n_questions)) for _ in range(3)]
    weights = np.array([[1] * n_questions, *drawn], dtype=np.int8).T
    confidence, correct, question = zip(*rows, strict=True)
    found = rank_replicates(Rows.of(confidence, correct, question), weights)
    for replicate, column in enumerate(weights.T):
        expected = _brute_force(reference.repeated(rows, dict(enumerate(column))))
        for name in NAMES:
            value = float(found[name][replicate])
            assert value == pytest.approx(np.nan if expected[name] is None else expected[name], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("decimals", [None, 3, 1])
def test_thousands_of_rows(decimals: int | None) -> None:
    rows = simulated(5, questions=400, decimals=decimals)
    confidence, correct, question = (np.array(column) for column in zip(*rows, strict=True))
    weights = np.random.default_rng(1).poisson(1, (400, 70)).astype(np.int8)  # more than one chunk
    weights[:, 0] = 1
    found = rank_replicates(Rows.of(confidence, correct, question), weights)
    for replicate in (0, 1, 63, 64, 69):
        weight = weights[question, replicate]
        expected = roc_auc_score(correct, confidence, sample_weight=weight)
        assert found["auroc"][replicate] == pytest.approx(expected, abs=1e-12)
        repeated = np.repeat(np.arange(len(rows)), weight)
        expected_aurc = _aurc_in_doubles(confidence[repeated], correct[repeated])
        assert found["aurc"][replicate] == pytest.approx(expected_aurc, abs=1e-12)
        accuracy = correct[repeated].mean()
        identity = (1 - expected) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
        assert found["augrc"][replicate] == pytest.approx(identity, abs=1e-12)


def _aurc_in_doubles(confidence: np.ndarray, correct: np.ndarray) -> float:
    """Each row of a block of ties counts the block's error rate, so the expectation is a plain curve."""
    levels, inverse = np.unique(-confidence, return_inverse=True)
    rate = np.bincount(inverse, weights=1 - correct, minlength=len(levels)) / np.bincount(inverse)
    errors = np.cumsum(rate[np.sort(inverse)])
    return float(np.mean(errors / np.arange(1, len(confidence) + 1)))


@pytest.mark.parametrize("count", [0, 1, 2, 1_000, 250_000])
def test_harmonic_sums_are_exact_and_do_not_overflow(count: int) -> None:
    found = HarmonicSums.up_to(count)
    h = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, count + 1))])
    np.testing.assert_allclose(found.h * found.unit, h, rtol=1e-12)
    k = np.arange(count + 1)
    np.testing.assert_allclose(found.s[1:-1] * found.unit, (k * h - k)[1:], rtol=1e-12, atol=1e-12)
    assert found.s[-1] >= 0
    assert int(found.h[-1]) * max(1, count) < 2**62


def test_a_chunk_does_not_change_the_weights_it_is_given() -> None:
    rows = Rows.of([0.5, 0.5, 0.2], [1, 0, 0])
    weights = np.ones((3, 2), dtype=np.int8)
    rank_replicates(rows, weights)
    assert (weights == 1).all()
