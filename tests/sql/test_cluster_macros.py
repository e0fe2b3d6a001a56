"""Clustered means, paired differences, McNemar and the bootstrap against independent references."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar

from tests.sql import reference
from tests.sql.database import Connection, observe, one
from tests.sql.made import (
    CLOSE,
    UNHURRIED,
    Case,
    by_cell,
    cases,
    check,
    load,
)
from transforms.statistics import DEFAULTS, statistics_tables
from transforms.statistics.weights import poisson_weights, question_hashes
from warehouse.contracts.statistics import BOOTSTRAP_STATISTICS


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
    # Sums of probabilities are whole multiples of 2^-96, so a change smaller than that is none.
    x, y = (
        np.where(abs(d) < 2.0**-95, 0, d) for d in (right["d_accuracy"].to_numpy(), right["d_confidence"].to_numpy())
    )
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


def strange_rows(confidence: np.ndarray) -> list[float | None]:
    """The same confidences, one in eight of which is null, NaN or no probability."""
    odd = {0: None, 1: math.nan, 2: 1.5}
    return [odd.get(i // 8 % 4, float(c)) if i % 8 == 0 else float(c) for i, c in enumerate(confidence)]


SHAPES = {
    "tied": (1, 0.5, 9),
    "continuous": (16, 0.5, 9),
    "almost all right": (2, 0.97, 3),
    "one a question": (2, 0.4, 1),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BOOTSTRAP_STATISTICS)
def test_the_bootstrap_is_that_of_the_published_table(db: Connection, name: str, shape: str) -> None:
    digits, right, rows_a_question = SHAPES[shape]
    rng = np.random.default_rng(8)
    question = [f"q{i // rows_a_question % 15}" for i in range(90)]
    confidence, correct = strange_rows(np.round(rng.random(90), digits)), rng.random(90) < right
    observe(db, confidence, [bool(y) for y in correct], question, ["direct"] * 45 + ["llm_select"] * 45)
    mine = by_cell(db, f"FROM bootstrap_ci('t', '{name}', b := 1000, prefix := 'champ' || chr(31))")
    keys = {"source": "sra", "model": "m", "dataset": "champ", "signal": "ab", "unit": "rollout"}
    observations = db.sql("FROM t").pl().with_columns(
        *(pl.lit(value).alias(column) for column, value in keys.items()),
        pl.col("cell").alias("condition"), pl.lit(True).alias("is_probability"), pl.lit(False).alias("cap_repair"),
        pl.int_range(pl.len()).cast(pl.String).alias("unit_id"),
    )  # fmt: skip
    table = statistics_tables(observations)["bootstrap_intervals"].filter(statistic=name)
    assert set(table["condition"]) == mine.keys() == {"direct", "llm_select"}
    for row in table.iter_rows(named=True):
        found = mine[row["condition"]]
        counts = ("n", "n_questions", "n_replicates", "n_undefined")
        assert {key: found[key] for key in counts} == {key: row[key] for key in counts}
        check(found, {key: row[key] for key in ("estimate", "bootstrap_mean", "bootstrap_bias", "se", "lo", "hi")})


def test_the_bootstrap_weights_are_those_of_the_published_table(db: Connection) -> None:
    questions = [f"q{i}" for i in range(40)] + ["qé", "", "a b", "0"]
    observe(db, [0.5] * len(questions), [1] * len(questions), questions)
    drawn = db.sql(f"FROM bootstrap_weights('t', 200, {DEFAULTS.seed}, 'champ' || chr(31)) WHERE replicate > 0").pl()
    mine = np.zeros((len(questions), 200), dtype=np.int64)
    for name, replicate, weight in drawn.select("question_id", "replicate", "weight").iter_rows():
        mine[questions.index(name), replicate - 1] = weight
    assert np.array_equal(mine, poisson_weights(question_hashes("champ", questions), 200, DEFAULTS.seed))
