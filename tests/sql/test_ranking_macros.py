"""Ranking macros against independent references on made-up data."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from sklearn import metrics

from tests.sql import reference
from tests.sql.database import Connection, rows
from tests.sql.made import (
    CLOSE,
    SCORES,
    UNHURRIED,
    Case,
    by_cell,
    cases,
    check,
    load,
)


@UNHURRIED
@given(found=st.lists(cases(SCORES), min_size=4, max_size=8))
def test_ranking_figures(db: Connection, found: list[Case]) -> None:
    load(db, found)
    auroc, precision, aurc = (by_cell(db, f"FROM {name}('t')") for name in ("auroc", "average_precision", "aurc"))
    half = by_cell(db, "FROM prediction_rejection_ratio('t', max_rejection := 0.5)")
    for i, case in enumerate(found):
        c, y = case.confidence, case.correct
        area = None if case.one_class else float(metrics.roc_auc_score(y, c))
        check(auroc[str(i)], {"auroc": area})
        check(
            precision[str(i)], {"average_precision": float(metrics.average_precision_score(y, c)) if any(y) else None}
        )
        right = reference.selective(c, y)
        check(aurc[str(i)], {**right, "prr": None if case.one_class else right["prr"]})
        partial = reference.selective(c, y, Fraction(1, 2))["prr"]
        check(half[str(i)], {"prr": None if case.one_class else partial})
        error = 1 - sum(y) / len(y)
        if area is not None:
            assert aurc[str(i)]["augrc"] == pytest.approx((1 - area) * error * (1 - error) + error**2 / 2, abs=CLOSE)
        assert aurc[str(i)]["e_aurc"] >= -CLOSE
    assert auroc["empty"]["auroc_reason"] == "empty"


@UNHURRIED
@given(found=st.lists(cases(SCORES), min_size=4, max_size=8))
def test_the_clustered_standard_error_of_auroc(db: Connection, found: list[Case]) -> None:
    load(db, found)
    mine = by_cell(db, "FROM auroc('t')")
    for i, case in enumerate(found):
        row = mine[str(i)]
        right = reference.obuchowski(case.confidence, case.correct, case.question)
        if right is not None and right < 1e-6:  # a root of a difference of squares
            assert row["auroc_se"] is None or row["auroc_se"] < 2e-6
            continue
        check(row, {"auroc_se": right})
        assert (row["auroc_se"] is None) == (row["auroc_se_reason"] is not None)
        if right is not None:
            reach = stats.t.ppf(0.975, len(set(case.question)) - 1) * right / (row["auroc"] * (1 - row["auroc"]))
            logit = special.logit(row["auroc"])
            check(row, {"auroc_lo": special.expit(logit - reach), "auroc_hi": special.expit(logit + reach)})
        if (
            len(set(case.question)) == len(case.question)
            and min(sum(case.correct), len(case.correct) - sum(case.correct)) > 1
        ):
            check(row, {"auroc_se": reference.delong(case.confidence, case.correct)})


@UNHURRIED
@given(found=st.lists(cases(SCORES), min_size=4, max_size=8))
def test_the_roc_curve_is_sklearns(db: Connection, found: list[Case]) -> None:
    load(db, found)
    curve = rows(db, "FROM roc_curve('t') ORDER BY cell, confidence DESC")
    for i, case in enumerate(found):
        mine = [row for row in curve if row["cell"] == str(i)]
        if case.one_class:
            assert any(row["false_positive_rate"] is None or row["true_positive_rate"] is None for row in mine)
            continue
        fpr, tpr, thresholds = metrics.roc_curve(case.correct, case.confidence, drop_intermediate=False)
        assert [row["confidence"] for row in mine] == [float(t) for t in thresholds]
        assert [row["false_positive_rate"] for row in mine] == pytest.approx(list(fpr), abs=CLOSE)
        assert [row["true_positive_rate"] for row in mine] == pytest.approx(list(tpr), abs=CLOSE)


@UNHURRIED
@given(found=st.lists(cases(SCORES), min_size=4, max_size=8), bound=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
def test_risk_and_coverage(db: Connection, found: list[Case], bound: float) -> None:
    load(db, found)
    curve = rows(db, "FROM risk_coverage_curve('t') ORDER BY cell, coverage")
    at_risk = by_cell(db, f"FROM coverage_at_risk('t', {bound})")
    at_coverage = by_cell(db, f"FROM risk_at_coverage('t', {bound})")
    for i, case in enumerate(found):
        points = []
        for level in sorted(set(case.confidence), reverse=True):
            accepted = [y for c, y in zip(case.confidence, case.correct, strict=True) if c >= level]
            wrong = len(accepted) - sum(accepted)
            points.append((level, len(accepted) / len(case.correct), wrong / len(accepted), wrong / len(case.correct)))
        names = ("confidence", "coverage", "selective_risk", "generalized_risk")
        mine = [tuple(row[name] for name in names) for row in curve if row["cell"] == str(i)]
        assert mine == [pytest.approx(point, abs=CLOSE) for point in points]
        safe = [point[1] for point in points if point[2] <= bound]
        check(at_risk[str(i)], {"coverage_at_risk": max(safe) if safe else None})
        assert (at_risk[str(i)]["coverage_at_risk_reason"] == "no_threshold") == (not safe)
        enough = next((point[2] for point in points if point[1] >= bound), None)
        check(at_coverage[str(i)], {"risk_at_coverage": enough})
