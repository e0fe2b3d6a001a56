"""Macros against independent references on made-up data: ties, constants, one class, one question, nine rollouts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import special, stats
from sklearn import metrics
from sklearn.calibration import calibration_curve
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from tests.sql import reference
from tests.sql.database import OBSERVATIONS, Connection, Row, observe, one, put, rows
from transforms.statistics import statistics_tables

CLOSE = 1e-12
UNHURRIED = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Case:
    """One cell's rows."""

    confidence: list[float]
    correct: list[bool]
    question: list[int]

    @property
    def one_class(self) -> bool:
        return len(set(self.correct)) == 1


NINTHS = st.integers(0, 9).map(lambda j: j / 9)
PROBABILITIES = st.one_of(NINTHS, st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]), st.floats(0, 1))
SIXTY_FOURTHS = st.integers(0, 64).map(lambda j: j / 64)
SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))


@st.composite
def cases(draw: st.DrawFn, values: st.SearchStrategy[float] = PROBABILITIES) -> Case:
    per_question = draw(st.sampled_from([1, 1, 2, 9]))
    n_questions = draw(st.integers(1, 6 if per_question == 9 else 12))
    n = per_question * n_questions
    kind = draw(st.sampled_from(["any", "any", "any", "constant", "right", "wrong"]))
    confidence = [draw(values)] * n if kind == "constant" else draw(st.lists(values, min_size=n, max_size=n))
    correct = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    correct = [kind == "right"] * n if kind in {"right", "wrong"} else correct
    return Case(confidence, correct, [i // per_question for i in range(n)])


def load(db: Connection, found: Sequence[Case]) -> None:
    """Make the cases cells 0, 1, … of one relation, so that one query judges them all, and add an empty cell."""
    frames = [
        pl.DataFrame(
            {"cell": str(i), "question_id": [str(q) for q in case.question], "confidence": case.confidence,
             "correct": case.correct}, schema=OBSERVATIONS,
        ) for i, case in enumerate(found)
    ]  # fmt: skip
    empty = pl.DataFrame([("empty", "0", None, True)], schema=OBSERVATIONS, orient="row")
    put(db, "t", pl.concat([*frames, empty]))


def by_cell(db: Connection, query: str) -> dict[str, Row]:
    return {row["cell"]: row for row in rows(db, query)}


def same(found: float | None, right: float | None) -> bool:
    return found is None if right is None else found is not None and abs(found - right) <= CLOSE * max(1.0, abs(right))


def check(found: Row, right: dict[str, float | None]) -> None:
    assert {k: v for k, v in right.items() if not same(found[k], v)} == {}, found


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
@given(found=st.lists(cases(), min_size=4, max_size=8))
@pytest.mark.parametrize("column", ["correct", "confidence"])
def test_clustered_means_are_statsmodels(db: Connection, column: str, found: list[Case]) -> None:
    load(db, found)
    mine = by_cell(db, f"FROM clustered_mean('t', col := '{column}')")
    for i, case in enumerate(found):
        values = np.array(case.correct if column == "correct" else case.confidence, dtype=float)
        row = mine[str(i)]
        check(row, {"mean": float(math.fsum(values) / len(values))})
        g = len(set(case.question))
        if g == 1:
            assert (row["mean_se"], row["mean_se_reason"]) == (None, "one_question")
            continue
        fitted = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": case.question})
        residuals = values - values.mean()
        sums = np.array([residuals[np.array(case.question) == q].sum() for q in range(g)])
        se = float(np.sqrt((sums**2).sum() * g / (g - 1)) / len(values))
        check(row, {"mean_se": se})
        correction = np.sqrt(len(values) / (len(values) - 1) / (len(values) / (len(values) - 1)))
        assert row["mean_se"] == pytest.approx(float(fitted.bse[0]) * correction, abs=1e-9)
        reach = stats.t.ppf(0.975, g - 1) * se
        check(row, {"mean_lo": row["mean"] - reach, "mean_hi": row["mean"] + reach})


@UNHURRIED
@given(found=cases(), other=cases())
def test_paired_differences_are_scipys(db: Connection, found: Case, other: Case) -> None:
    n = min(len(found.question), len(other.question))
    question = [f"q{q}" for q in found.question[:n]] + [f"q{q}" for q in other.question[:n]]
    confidence, correct = found.confidence[:n] + other.confidence[:n], found.correct[:n] + other.correct[:n]
    observe(db, confidence, correct, question, ["a"] * n + ["b"] * n)
    mine = one(db, "FROM paired_difference('t', 'a', 'b')")
    frame = db.sql("FROM t").pl().with_columns(pl.col("correct").cast(pl.Float64))
    means = frame.group_by("cell", "question_id").agg(pl.col("correct").mean(), pl.col("confidence").mean())
    a, b = (means.filter(cell=cell).drop("cell") for cell in "ab")
    both = a.join(b, on="question_id", suffix="_b").sort("question_id")
    assert (mine["n_pairs"], mine["n_a_only"], mine["n_b_only"]) == (
        both.height, a.height - both.height, b.height - both.height,
    )  # fmt: skip
    right = {
        "d_accuracy": both["correct_b"] - both["correct"],
        "d_confidence": both["confidence_b"] - both["confidence"],
    }
    right["d_bias"] = right["d_confidence"] - right["d_accuracy"]
    for name, differences in right.items():
        d = differences.to_numpy()
        assert mine[name] == pytest.approx(float(d.mean()), abs=CLOSE)
        if len(d) > 1 and np.ptp(d) > 1e-9:
            tested = stats.ttest_1samp(d, 0)
            assert mine[f"{name}_se"] == pytest.approx(float(d.std(ddof=1) / np.sqrt(len(d))), abs=CLOSE)
            assert mine[f"{name}_p"] == pytest.approx(float(tested.pvalue), abs=1e-11)
            low, high = tested.confidence_interval(0.95)
            assert [mine[f"{name}_lo"], mine[f"{name}_hi"]] == pytest.approx([low, high], abs=1e-11)
    x, y = right["d_accuracy"].to_numpy(), right["d_confidence"].to_numpy()
    moved = x * y
    assert (mine["n_same_sign"], mine["n_opposite_sign"]) == (
        sum(np.sign(x) * np.sign(y) > 0),
        sum(np.sign(x) * np.sign(y) < 0),
    )
    if len(moved) > 2 and min(np.ptp(x), np.ptp(y)) > 1e-6:
        assert mine["pearson_r"] == pytest.approx(float(stats.pearsonr(x, y)[0]), abs=1e-9)


@UNHURRIED
@given(a=st.lists(st.booleans(), min_size=1, max_size=40), b=st.lists(st.booleans(), min_size=40, max_size=40))
def test_mcnemar_is_statsmodels(db: Connection, a: list[bool], b: list[bool]) -> None:
    n = len(a)
    observe(db, [0.5] * (2 * n), [*a, *b[:n]], [*range(n), *range(n)], ["a"] * n + ["b"] * n)
    mine = one(db, "FROM mcnemar('t', 'a', 'b')")
    table = [[sum(x == i and y == j for x, y in zip(a, b, strict=False)) for j in (True, False)] for i in (True, False)]
    assert (mine["n_a_only_correct"], mine["n_b_only_correct"]) == (table[0][1], table[1][0])
    if table[0][1] + table[1][0]:
        assert mine["mcnemar_p"] == pytest.approx(float(mcnemar(table, exact=True).pvalue), abs=CLOSE)
    else:
        assert mine["mcnemar_p"] == 1.0


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


def ece10(confidence: list[float], correct: list[bool]) -> float:
    return reference.binned_figures(confidence, correct, reference.equal_width(confidence, 10))["ece"]


REPLICATED: dict[str, Callable[[np.ndarray, np.ndarray], float | None]] = {
    "accuracy": lambda c, y: float(y.mean()),
    "bias": lambda c, y: float((c - y).mean()),
    "brier": lambda c, y: float(((c - y) ** 2).mean()),
    "log_loss": lambda c, y: reference.log_loss(c.tolist(), y.tolist()),
    "ece": lambda c, y: ece10(c.tolist(), y.tolist()),
    "auroc": lambda c, y: None if len(set(y)) < 2 else float(metrics.roc_auc_score(y, c)),
    "aurc": lambda c, y: reference.selective(c.tolist(), y.tolist())["aurc"],
}


@pytest.mark.parametrize("name", REPLICATED)
def test_the_bootstrap_replicate_by_replicate(db: Connection, name: str) -> None:
    rng = np.random.default_rng(4)
    question = [f"q{i // 3}" for i in range(24)]
    confidence, correct = np.round(rng.random(24), 1), rng.random(24) < 0.6
    observe(db, list(confidence), [bool(y) for y in correct], question)
    mine = one(db, f"FROM bootstrap_ci('t', '{name}', b := 60, seed := 7)")

    def figure(weights: np.ndarray) -> float | None:
        c, y = np.repeat(confidence, weights), np.repeat(correct, weights)
        return REPLICATED[name](c, y) if len(c) else None

    values = reference.bootstrap(question, 60, 7, figure)
    drawn = np.array([value for value in values if value is not None])
    estimate = REPLICATED[name](confidence, correct)
    assert estimate is not None
    assert (mine["n_replicates"], mine["n_undefined"]) == (len(drawn), 60 - len(drawn))
    right = {
        "estimate": estimate, "bootstrap_mean": float(drawn.mean()), "bootstrap_bias": float(drawn.mean() - estimate),
        "se": float(drawn.std(ddof=1)), "lo": float(np.quantile(drawn, 0.025)), "hi": float(np.quantile(drawn, 0.975)),
    }  # fmt: skip
    check(mine, dict(right))


@pytest.mark.parametrize(
    "name",
    ["accuracy", "mean_confidence", "bias", "brier", "log_loss", "ece", "auroc", "aurc", "e_aurc", "augrc", "prr"],
)
def test_the_bootstrap_is_that_of_the_published_table(db: Connection, name: str) -> None:
    rng = np.random.default_rng(8)
    question = [f"q{i // 9}" for i in range(90)]
    confidence, correct = np.round(rng.random(90), 2), rng.random(90) < 0.5
    observe(db, list(confidence), [bool(y) for y in correct], question)
    mine = one(db, f"FROM bootstrap_ci('t', '{name}', b := 1000, prefix := 'champ' || chr(31))")
    keys = {"source": "sra", "model": "m", "dataset": "champ", "condition": "direct", "signal": "ab", "unit": "rollout"}
    observations = db.sql("FROM t").pl().with_columns(
        *(pl.lit(value).alias(column) for column, value in keys.items()),
        pl.lit(True).alias("is_probability"), pl.lit(False).alias("cap_repair"), pl.col("question_id").alias("unit_id"),
    )  # fmt: skip
    table = statistics_tables(observations)["bootstrap_intervals"].filter(statistic=name).row(0, named=True)
    check(mine, {k: table[k] for k in ("estimate", "se", "lo", "hi", "bootstrap_bias", "n_replicates", "n_undefined")})


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 8, 30, 222, 999, 1000, 1001, 2829, 20_000])
def test_students_t(db: Connection, degrees: int) -> None:
    found = one(db, f"SELECT t_q975({degrees}) AS q, student_p(2.1, {degrees}) AS p, student_p(-0.3, {degrees}) AS far")
    assert found["q"] == pytest.approx(float(stats.t.ppf(0.975, degrees)), abs=CLOSE)
    assert found["p"] == pytest.approx(2 * float(stats.t.sf(2.1, degrees)), abs=CLOSE)
    assert found["far"] == pytest.approx(2 * float(stats.t.sf(0.3, degrees)), abs=CLOSE)
    assert one(db, "SELECT t_q975(0) AS q, student_p(1, 0) AS p, student_p(NULL, 3) AS n") == dict.fromkeys("qpn")


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 10, 25])
@pytest.mark.parametrize("x", [0.0, 0.3, 2.0, 11.5, 80.0])
def test_chi_squared(db: Connection, degrees: int, x: float) -> None:
    found = one(db, f"SELECT chi_squared_p({x}, {degrees}) AS p")["p"]
    assert found == pytest.approx(float(stats.chi2.sf(x, degrees)), abs=CLOSE)


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.4, 1.0, 1.999, 2.0, 3.5, 6.0, 20.0])
def test_the_normal_tail(db: Connection, x: float) -> None:
    assert one(db, f"SELECT erfc({x}) AS p")["p"] == pytest.approx(float(special.erfc(x)), rel=1e-12)
    assert one(db, f"SELECT normal_p(-{x}) AS p")["p"] == pytest.approx(2 * float(stats.norm.sf(x)), rel=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (0, 1), (3, 12), (6, 12), (5, 11), (1, 400), (1300, 2830), (2830, 2830)])
def test_the_sign_test(db: Connection, k: int, n: int) -> None:
    right = float(stats.binomtest(k, n, 0.5).pvalue) if n else 1.0
    assert one(db, f"SELECT sign_test_p({k}, {n}) AS p")["p"] == pytest.approx(right, abs=CLOSE)


@UNHURRIED
@given(values=st.lists(st.floats(-30, 30), min_size=1, max_size=50))
def test_sums_are_exact(db: Connection, values: list[float]) -> None:
    frame: dict[str, Any] = {"x": values}
    put(db, "numbers", pl.DataFrame(frame))
    found = one(db, "SELECT exact_sum(x) AS exact, ordered_sum(x) AS ordered, ordered_mean(x) AS mean FROM numbers")
    total = float(sum(Fraction(v) for v in values))
    assert found["exact"] == pytest.approx(total, abs=1e-27 * len(values), rel=2e-16)
    assert found["ordered"] == pytest.approx(total, abs=1e-12)
    assert found["mean"] == pytest.approx(total / len(values), abs=CLOSE)
