"""p-values against scipy, statsmodels and the worked cases."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from tests.unit.statistics.reference import D10_CONFIDENCE, D10_CORRECT, simulated
from transforms.statistics.rows import Rows
from transforms.statistics.significance import (
    ChiSquaredTest,
    Correlation,
    TTest,
    ZTest,
    bias_test,
    hosmer_lemeshow,
    mcnemar,
    mean_test,
    pearson,
    sign_test,
    spearman,
    spiegelhalter,
)
from transforms.statistics.undefined import Undefined


def test_spiegelhalter_is_two_sided() -> None:
    found = spiegelhalter(Rows.of(D10_CONFIDENCE, D10_CORRECT))
    assert isinstance(found, ZTest)
    assert found == pytest.approx((0.5531895, 0.5801336), abs=5e-8)  # B34
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(found.z)), abs=1e-15)


def test_spiegelhalter_needs_a_variance() -> None:
    assert spiegelhalter(Rows.of([0.0, 0.5, 1.0], [0, 1, 1])) == Undefined("degenerate_expectation")
    assert spiegelhalter(Rows.of([], [])) == Undefined("empty")


HL = Rows.of([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 1, 0, 1, 0, 1, 1])


def test_hosmer_lemeshow_worked_example() -> None:
    found = hosmer_lemeshow(HL, 4)
    assert isinstance(found, ChiSquaredTest)
    assert found.statistic == pytest.approx(1.1014867, abs=5e-8)
    assert found.df == 4
    assert found.p == pytest.approx(0.8940, abs=5e-5)
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 4), abs=1e-14)


def test_hosmer_lemeshow_needs_an_expectation_inside_0_and_1() -> None:
    assert hosmer_lemeshow(Rows.of([0.0, 0.0, 0.4, 0.6], [0, 0, 1, 0]), 2) == Undefined("degenerate_expectation")
    assert hosmer_lemeshow(Rows.of([1.0], [1]), 10) == Undefined("degenerate_expectation")
    assert hosmer_lemeshow(Rows.of([], []), 10) == Undefined("empty")
    constant = hosmer_lemeshow(Rows.of([0.5] * 6, [1, 0, 0, 0, 1, 0]), 10)
    assert isinstance(constant, ChiSquaredTest)
    assert constant.df == 1


def test_hosmer_lemeshow_p_is_uniform_for_a_calibrated_signal() -> None:
    rng = np.random.default_rng(3)
    p_values = []
    for _ in range(300):
        confidence = rng.random(1_000)
        found = hosmer_lemeshow(Rows.of(confidence, rng.random(1_000) < confidence), 10)
        assert isinstance(found, ChiSquaredTest)
        p_values.append(found.p)
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_bias_is_tested_as_statsmodels_tests_a_clustered_mean(seed: int) -> None:
    rows = Rows.of(*zip(*simulated(seed, questions=25), strict=True))
    model = sm.OLS(rows.confidence - rows.correct, np.ones(rows.n))
    reference = model.fit(cov_type="cluster", cov_kwds={"groups": rows.question}, use_t=True)
    found = bias_test(rows)
    assert isinstance(found, TTest)
    assert found.df == 24
    assert found.t == pytest.approx(float(reference.tvalues[0]), rel=1e-11)
    assert found.p == pytest.approx(float(reference.pvalues[0]), rel=1e-10)
    assert found.p_normal == pytest.approx(2 * stats.norm.sf(abs(found.t)), rel=1e-11)


def test_bias_has_the_clustered_error_of_the_case() -> None:
    # B39: three questions of nine with sums 9, 0, 5 have SE .2892685; a confidence of 0 makes bias minus accuracy.
    correct = [1] * 9 + [0] * 9 + [1] * 5 + [0] * 4
    found = bias_test(Rows.of([0.0] * 27, correct, np.repeat([0, 1, 2], 9)))
    assert isinstance(found, TTest)
    assert found.t == pytest.approx(-(14 / 27) / 0.2892685, rel=1e-6)
    # B40: one row a question, SE .25.
    found = bias_test(Rows.of([0.0] * 4, [1, 0, 1, 1]))
    assert isinstance(found, TTest)
    assert found.t == pytest.approx(-0.75 / 0.25, abs=1e-12)


def test_bias_needs_two_questions_that_differ() -> None:
    assert bias_test(Rows.of([], [])) == Undefined("empty")
    assert bias_test(Rows.of([0.2, 0.4], [0, 1], [5, 5])) == Undefined("one_question")
    assert bias_test(Rows.of([0.2, 0.2], [0, 0])) == Undefined("zero_variance")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_a_mean_is_tested_as_scipy_does(values: list[float]) -> None:
    found = mean_test(np.array(values), 1.0)
    if np.ptp(values) <= 1e-12:
        assert found == Undefined("zero_variance")
        return
    reference = stats.ttest_1samp(values, 0.0)
    assert isinstance(found, TTest)
    assert found.t == pytest.approx(reference.statistic, rel=1e-11, abs=1e-12)
    assert found.p == pytest.approx(reference.pvalue, rel=1e-11, abs=1e-300)


def test_a_mean_needs_two_finite_values_that_differ() -> None:
    assert mean_test(np.array([]), 1.0) == Undefined("too_few_pairs")
    assert mean_test(np.array([0.3]), 1.0) == Undefined("one_question")
    assert mean_test(np.array([7 / 9 - 5 / 9, 3 / 9 - 1 / 9]), 1.0) == Undefined("zero_variance")
    assert mean_test(np.array([1.0, np.inf]), 1.0) == Undefined("not_finite")


_ninths = st.integers(-9, 9).map(lambda j: j / 9)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_ninths, st.one_of(_ninths, st.floats(-1, 1))), min_size=3, max_size=40))
def test_correlations_are_scipys(pairs: list[tuple[float, float]]) -> None:
    a, b = (np.array(column) for column in zip(*pairs, strict=True))
    for ours, scipys in ((pearson(a, b), stats.pearsonr), (spearman(a, b), stats.spearmanr)):
        if np.ptp(a) == 0 or np.ptp(b) == 0:
            assert ours == Undefined("constant_signal")
            continue
        if np.ptp(b) < 1e-9 and scipys is stats.pearsonr:  # scipy warns: nothing to compare with
            continue
        reference = scipys(a, b)
        assert isinstance(ours, Correlation)
        assert ours.r == pytest.approx(reference.statistic, abs=1e-12)
        assert ours.p == pytest.approx(reference.pvalue, abs=1e-7 if abs(ours.r) > 0.9999 else 1e-11)


def test_correlations_need_three_pairs() -> None:
    assert pearson(np.array([1.0, 2.0]), np.array([1.0, 3.0])) == Undefined("too_few_pairs")
    assert pearson(np.array([1.0, 2.0, np.inf]), np.array([1.0, 3.0, 4.0])) == Undefined("not_finite")
    assert pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])) == pytest.approx((1.0, 0.0), abs=1e-7)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_mcnemar_is_statsmodels(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    table = [[int(((first == i) & (second == j)).sum()) for j in (1, 0)] for i in (1, 0)]
    found = mcnemar(first, second)
    assert (found.first_only, found.second_only) == (table[0][1], table[1][0])
    assert found.p == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, abs=1e-12)


def test_a_sign_test_of_nothing_says_nothing() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(1, 9) == pytest.approx(2 * stats.binom.cdf(1, 9, 0.5), abs=1e-15)
