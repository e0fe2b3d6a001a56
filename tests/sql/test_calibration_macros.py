"""Calibration macros against independent references on made-up data."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve
from statsmodels.stats.proportion import proportion_confint

from tests.sql import reference
from tests.sql.database import Connection, rows
from tests.sql.made import (
    CLOSE,
    SIXTY_FOURTHS,
    UNHURRIED,
    Case,
    by_cell,
    cases,
    check,
    load,
)


@UNHURRIED
@given(found=st.lists(cases(), min_size=4, max_size=8), n_bins=st.integers(1, 20))
@pytest.mark.parametrize("strategy", ["equal_width", "equal_mass"])
def test_binned_figures(db: Connection, strategy: str, found: list[Case], n_bins: int) -> None:
    load(db, found)
    errors = by_cell(db, f"FROM calibration_error('t', {n_bins}, '{strategy}')")
    terms = by_cell(db, f"FROM brier_decomposition('t', {n_bins}, '{strategy}')")
    ace = "ace_equal_mass" if strategy == "equal_mass" else "mean_gap_equal_width"
    for i, case in enumerate(found):
        binning = reference.equal_mass if strategy == "equal_mass" else reference.equal_width
        right = reference.binned_figures(case.confidence, case.correct, binning(case.confidence, n_bins))
        gap = right.pop("mean_gap")
        names = ("reliability", "resolution", "uncertainty", "within_bin_variance", "within_bin_covariance")
        check(terms[str(i)], {name: right.pop(name) for name in names})
        if right["rmsce_debiased"] < 1e-6:  # a root of a difference: its square is what is exact
            assert errors[str(i)]["rmsce_debiased"] ** 2 == pytest.approx(right.pop("rmsce_debiased") ** 2, abs=CLOSE)
        check(errors[str(i)], {**right, ace: gap})
        assert terms[str(i)]["brier"] == pytest.approx(reference.brier(case.confidence, case.correct), abs=CLOSE)
        assert abs(terms[str(i)]["residual"]) <= CLOSE
        assert errors[str(i)]["overconfidence"] + errors[str(i)]["underconfidence"] == pytest.approx(
            errors[str(i)]["ece"], abs=CLOSE
        )
    assert errors["empty"]["ece"] is None
    assert errors["empty"]["n"] == 0


@UNHURRIED
@given(found=st.lists(cases(SIXTY_FOURTHS), min_size=4, max_size=8), n_bins=st.sampled_from([2, 4, 8]))
def test_equal_mass_bins_are_sklearns(db: Connection, found: list[Case], n_bins: int) -> None:
    load(db, found)
    diagram = rows(db, f"FROM reliability_diagram('t', {n_bins}, 'equal_mass') ORDER BY cell, bin")
    for i, case in enumerate(found):
        accuracy, confidence = calibration_curve(case.correct, case.confidence, n_bins=n_bins, strategy="quantile")
        mine = [row for row in diagram if row["cell"] == str(i)]
        assert [row["accuracy"] for row in mine] == pytest.approx(list(accuracy), abs=CLOSE)
        assert [row["mean_confidence"] for row in mine] == pytest.approx(list(confidence), abs=CLOSE)


@UNHURRIED
@given(found=st.lists(cases(), min_size=4, max_size=8))
def test_proper_scores(db: Connection, found: list[Case]) -> None:
    load(db, found)
    query = (
        "SELECT cell, brier_score(confidence, correct) AS brier, log_loss(confidence, correct) AS log_loss, "
        "calibration_in_the_large(confidence, correct) AS bias, spiegelhalter_z(confidence, correct) AS z, "
        "n_clipped(confidence, correct) AS n_clipped FROM t GROUP BY cell"
    )
    aggregates = by_cell(db, query)
    grouped = by_cell(db, "WITH g AS (FROM score_groups('t')) FROM proper_scores_of('g')")
    for i, case in enumerate(found):
        c, y = np.array(case.confidence), np.array(case.correct)
        clipped = np.where(y, c < reference.EPS, c > 1 - reference.EPS)
        z = reference.spiegelhalter(case.confidence, case.correct)
        right = {
            "brier": float(metrics.brier_score_loss(y, c, labels=[False, True])),
            "log_loss": reference.log_loss(case.confidence, case.correct),
        }
        check(aggregates[str(i)], {**right, "bias": float(math.fsum(c - y) / len(c)), "n_clipped": int(clipped.sum())})
        check(grouped[str(i)], {**right, "n_clipped": int(clipped.sum())})
        assert right["log_loss"] == pytest.approx(metrics.log_loss(y, c, labels=[False, True]), abs=1e-10)
        for z_found in (aggregates[str(i)]["z"], grouped[str(i)]["spiegelhalter_z"]):
            assert (z_found is None) == (z is None)
            assert z is None or z_found == pytest.approx(z, rel=1e-9, abs=1e-9)
    assert aggregates["empty"]["brier"] is None
    assert "empty" not in grouped


@UNHURRIED
@given(found=st.lists(cases(), min_size=4, max_size=8), n_bins=st.integers(1, 6))
def test_unbinned_calibration(db: Connection, found: list[Case], n_bins: int) -> None:
    load(db, found)
    walk = by_cell(db, "FROM ks_calibration_error('t')")
    fit = by_cell(db, f"FROM hosmer_lemeshow('t', {n_bins})")
    for i, case in enumerate(found):
        ks, kuiper = reference.cumulative(case.confidence, case.correct)
        check(walk[str(i)], {"ks_ce": ks, "kuiper": kuiper})
        parts = reference.bins(case.confidence, case.correct, reference.equal_mass(case.confidence, n_bins))
        spread = [m * p * (1 - p) for p, _, m in parts]
        if any(v < Fraction(1, 10**9) for v in spread):
            continue
        statistic = float(sum((m * (o - p)) ** 2 / v for (p, o, m), v in zip(parts, spread, strict=True)))
        assert fit[str(i)]["hosmer_lemeshow"] == pytest.approx(statistic, rel=1e-9)
        assert fit[str(i)]["hosmer_lemeshow_p"] == pytest.approx(stats.chi2.sf(statistic, len(parts)), abs=1e-9)


@UNHURRIED
@given(found=st.lists(cases(), min_size=3, max_size=5), n_bins=st.integers(1, 6))
def test_the_interval_of_a_bin(db: Connection, found: list[Case], n_bins: int) -> None:
    load(db, found)
    diagram = rows(db, f"FROM reliability_diagram('t', {n_bins})")
    assert len(diagram) == (len(found) + 1) * n_bins
    for i, case in enumerate(found):
        of = reference.equal_width(case.confidence, n_bins)
        for row in (row for row in diagram if row["cell"] == str(i)):
            held = [j for j, k in enumerate(of) if k == row["bin"]]
            assert row["n"] == len(held)
            if held:
                n_effective = effective(np.array(case.correct)[held], np.array(case.question)[held])
                k = row["accuracy"] * n_effective
                low, high = proportion_confint(k, n_effective, method="wilson")
                assert row["n_effective"] == pytest.approx(n_effective, rel=1e-9)
                assert [row["accuracy_lo"], row["accuracy_hi"]] == pytest.approx([low, high], abs=1e-9)


def effective(correct: np.ndarray, question: np.ndarray) -> float:
    """Rows over the design effect of their mean, which counts as at least 1; questions where there is none."""
    names, n = np.unique(question), len(correct)
    share = correct.mean()
    if share in {0.0, 1.0} or len(names) == 1:
        return float(len(names))
    sums = np.array([(correct - share)[question == q].sum() for q in names])
    clustered = (sums**2).sum() * len(names) / (len(names) - 1) / n**2
    return float(n / max(1.0, clustered / (share * (1 - share) / (n - 1))))
