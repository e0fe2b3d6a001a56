"""Pairing by question: the worked case, unpaired questions, subsets, ties that rounding would split."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from transforms.statistics.rows import Rows
from transforms.statistics.significance import McNemar, TTest
from transforms.statistics.skill_effect import pair, skill_effect
from transforms.statistics.undefined import Undefined


def _everything(n: int) -> np.ndarray:
    return np.ones(n, dtype=bool)


def test_p1() -> None:
    # direct 1 0 .5 1, select .5 .25 .5 0 by question, four rollouts a question
    direct = Rows.of([0.5] * 16, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1], np.repeat(range(4), 4))
    select = Rows.of([0.25] * 16, [1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0], np.repeat(range(4), 4))
    pairs = pair(direct, select, _everything(4))
    assert pairs.d_accuracy.tolist() == [-0.5, 0.25, 0, -1]
    found = skill_effect(pairs, is_probability=True, is_native=False)
    assert isinstance(found.accuracy, TTest)
    assert found.accuracy.t == pytest.approx(-0.3125 / 0.2771695, rel=1e-6)
    assert found.accuracy.df == 3
    assert found.accuracy.p == pytest.approx(stats.ttest_1samp([-0.5, 0.25, 0, -1], 0).pvalue, abs=1e-12)
    assert found.confidence == Undefined("zero_variance")
    assert isinstance(found.bias, TTest)
    assert found.bias.t == pytest.approx((-0.25 + 0.3125) / 0.2771695, rel=1e-6)
    assert (found.n_same_sign, found.n_opposite_sign) == (2, 1)
    assert found.sign_agreement == 2 / 3
    assert found.sign_p == 1.0
    assert found.pearson == Undefined("constant_signal")
    assert found.spearman == Undefined("constant_signal")
    assert found.mcnemar == Undefined("no_native_answers")


def test_questions_under_one_condition_are_counted_and_left_out() -> None:
    direct = Rows.of([0.1, 0.2, 0.3], [1, 0, 1], [0, 1, 2])
    select = Rows.of([0.9, 0.8], [1, 1], [2, 4])
    pairs = pair(direct, select, _everything(5))
    assert (pairs.n, pairs.n_direct_only, pairs.n_skill_only) == (1, 2, 1)
    assert pairs.d_confidence == pytest.approx([0.6])
    subset = pair(direct, select, np.array([True, False, False, False, True]))
    assert (subset.n, subset.n_direct_only, subset.n_skill_only) == (0, 1, 1)
    found = skill_effect(subset, is_probability=True, is_native=True)
    assert found.accuracy == found.confidence == found.bias == found.mcnemar == Undefined("too_few_pairs")
    assert found.sign_p == Undefined("no_change")


def test_native_answers_get_mcnemar() -> None:
    direct = Rows.of([0.1] * 6, [1, 1, 1, 0, 0, 1], range(6))
    select = Rows.of([0.1] * 6, [0, 0, 1, 1, 0, 0], range(6))
    found = skill_effect(pair(direct, select, _everything(6)), is_probability=True, is_native=True)
    assert isinstance(found.mcnemar, McNemar)
    assert found.mcnemar[:2] == (3, 1)
    assert found.mcnemar.p == pytest.approx(stats.binomtest(1, 4, 0.5).pvalue)


def test_two_rows_of_one_question_are_no_native_answer() -> None:
    direct = Rows.of([0.1, 0.1, 0.2], [1, 0, 1], [0, 0, 1])
    select = Rows.of([0.1, 0.2], [1, 1], [0, 1])
    found = skill_effect(pair(direct, select, _everything(2)), is_probability=True, is_native=True)
    assert found.mcnemar == Undefined("no_native_answers")


def test_an_entropy_has_a_change_but_no_bias() -> None:
    rng = np.random.default_rng(0)
    direct = Rows.of(-rng.random(30) * 5, rng.integers(0, 2, 30), range(30))
    select = Rows.of(-rng.random(30) * 5, rng.integers(0, 2, 30), range(30))
    found = skill_effect(pair(direct, select, _everything(30)), is_probability=False, is_native=False)
    assert isinstance(found.confidence, TTest)
    assert found.bias == Undefined("not_a_probability")


def test_equal_changes_tie_though_rounding_parts_them() -> None:
    # Every change is a ninth or none, from different levels: as doubles the differences are several numbers.
    n = 8
    direct = Rows.of([k / 9 for k in range(n)], [0, 1] * 4, range(n))
    select = Rows.of([(k + 1 - k % 2) / 9 for k in range(n)], [1, 1] * 4, range(n))
    pairs = pair(direct, select, _everything(n))
    assert len(set(pairs.d_confidence)) > 2
    found = skill_effect(pairs, is_probability=True, is_native=True)
    assert found.spearman == pytest.approx((1.0, 0.0), abs=1e-7)
    assert (found.n_same_sign, found.n_opposite_sign) == (4, 0)


def test_accuracies_of_different_rollout_counts_tie_exactly() -> None:
    # 1/3 of three and 3/9 of nine are one accuracy.
    direct = Rows.of([0.5] * 12, [1, 0, 0] + [1] * 3 + [0] * 6, [0] * 3 + [1] * 9)
    select = Rows.of([0.5] * 12, [1, 1] + [0] * 7 + [1, 0, 0], [0] * 9 + [1] * 3)
    pairs = pair(direct, select, _everything(2))
    assert pairs.d_accuracy.tolist() == [(2 * 3 - 1 * 9) / 27, 0.0]


def test_an_infinite_score_is_reported() -> None:
    direct = Rows.of([np.inf, 1.0, 2.0], [1, 0, 1], range(3))
    select = Rows.of([np.inf, 2.0, 3.5], [1, 1, 0], range(3))
    found = skill_effect(pair(direct, select, _everything(3)), is_probability=False, is_native=False)
    assert found.confidence == Undefined("not_finite")
    assert found.pearson == Undefined("not_finite")
    assert found.spearman == Undefined("not_finite")
    assert isinstance(found.accuracy, TTest)
