"""The ten reference rows, the decisions every figure rests on, and worked or degenerate inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tests.sql.database import Connection, observe, one, rows
from tests.sql.inputs import CLOSE, D10_CONFIDENCE, D10_CORRECT, NAN, SEVEN, d10, figure, scalar

D10 = [
    ("calibration_error", (5,), "accuracy", 0.5),
    ("calibration_error", (5,), "bias", 0.035),
    ("calibration_error", (5,), "ece", 0.085),
    ("calibration_error", (10,), "ece", 0.085),
    ("calibration_error", (5,), "mce", 0.1333333),
    ("calibration_error", (5,), "mean_gap_equal_width", 0.0716667),
    ("calibration_error", (5,), "rmsce", 0.0972540),
    ("calibration_error", (2, "equal_mass"), "ece", 0.045),
    ("calibration_error", (4, "equal_mass"), "ece", 0.145),
    ("calibration_error", (5, "equal_mass"), "ece", 0.085),
    ("brier_decomposition", (5,), "brier", 0.18175),
    ("brier_decomposition", (5,), "reliability", 0.0094583),
    ("brier_decomposition", (5,), "resolution", 0.0833333),
    ("brier_decomposition", (5,), "uncertainty", 0.25),
    ("brier_decomposition", (5,), "within_bin_variance", 0.000625),
    ("brier_decomposition", (5,), "within_bin_covariance", -0.005),
    ("auroc", (), "auroc", 0.78),
    ("auroc", (), "auroc_se", 0.1542725),
    ("average_precision", (), "average_precision", 0.7583333),
    ("aurc", (), "aurc", 0.3020238),
    ("aurc", (), "aurc_optimal", 0.1771825),
    ("aurc", (), "e_aurc", 0.1248413),
    ("aurc", (), "augrc", 0.18),
    ("aurc", (), "prr", 0.6132760),
    ("prediction_rejection_ratio", (1.0,), "prr", 0.6132760),
    ("prediction_rejection_ratio", (0.5,), "prr", 0.5749319),
    ("ks_calibration_error", (), "ks_ce", 0.055),
    ("ks_calibration_error", (), "kuiper", 0.09),
    ("adaptive_calibration_error", (2,), "tce", 0.055),
    ("adaptive_calibration_error", (5,), "tce", 0.14375),
    ("adaptive_calibration_error", (5,), "mean_gap_equal_width", 0.0716667),
]


@pytest.mark.parametrize(("macro", "more", "name", "right"), D10)
def test_d10(db: Connection, macro: str, more: tuple[Any, ...], name: str, right: float) -> None:
    assert d10(db, macro, *more)[name] == pytest.approx(right, abs=SEVEN)


@pytest.mark.parametrize(
    ("expression", "right"),
    [
        ("brier_score(confidence, correct)", 0.18175),
        ("log_loss(confidence, correct)", 0.5118078),
        ("spiegelhalter_z(confidence, correct)", 0.5531895),
        ("calibration_in_the_large(confidence, correct)", 0.035),
    ],
)
def test_d10_by_aggregates(db: Connection, expression: str, right: float) -> None:
    assert scalar(db, expression, D10_CONFIDENCE, D10_CORRECT) == pytest.approx(right, abs=SEVEN)


def test_d10_standard_error_of_auroc_with_pairs_as_clusters(db: Connection) -> None:
    observe(db, D10_CONFIDENCE, D10_CORRECT, question=[i // 2 for i in range(10)])
    assert one(db, "FROM auroc('t')")["auroc_se"] == pytest.approx(0.1480270, abs=SEVEN)


def every_fraction() -> Iterator[tuple[int, int, int]]:
    for n in (5, 9, 10, 15, 20, 25, 50, 100):
        yield from ((j, m, n) for m in range(1, 101) for j in range(m + 1))


def test_0_1_bins_are_closed_on_the_right(db: Connection) -> None:
    for bins in (5, 10):
        assert d10(db, "calibration_error", bins)["ece"] == pytest.approx(0.085, abs=CLOSE)
    assert d10(db, "calibration_error", 5)["mce"] == pytest.approx(2 / 15, abs=CLOSE)
    edges = [row["n"] for row in rows(db, "FROM reliability_diagram('t', 5) ORDER BY bin")]
    assert edges == [2, 2, 2, 3, 1]


def test_0_2_every_fraction_lies_in_the_bin_of_its_edges(db: Connection) -> None:
    cases = pl.DataFrame(list(every_fraction()), schema=["j", "m", "n"], orient="row")
    db.register("fractions", cases)
    found = db.sql("SELECT j, m, n, conf_bin(j / m, n) AS bin FROM fractions").pl()
    db.unregister("fractions")
    for j, m, n, bin_ in found.iter_rows():
        edges = [k / n for k in range(n + 1)]
        assert bin_ == 1 or edges[bin_ - 1] < j / m, (j, m, n)
        assert j / m <= edges[bin_], (j, m, n)


def test_0_3_rows_in_any_order_give_the_same_figures(db: Connection) -> None:
    rng, seen = np.random.default_rng(0), set()
    for _ in range(20):
        order = rng.permutation(10)
        confidence, correct = np.array(D10_CONFIDENCE)[order], np.array(D10_CORRECT)[order]
        observe(db, list(confidence), list(correct))
        macros = (
            "auroc",
            "average_precision",
            "aurc",
            "calibration_error",
            "ks_calibration_error",
            "brier_decomposition",
        )
        seen.add(str([[v for k, v in one(db, f"FROM {macro}('t')").items() if "_se" not in k] for macro in macros]))
    assert len(seen) == 1


def test_0_4_rows_that_cannot_be_used_are_counted(db: Connection) -> None:
    confidence, correct = [0.5, None, NAN, -0.1, 1.5, 0.7, math.inf], [1, 1, 0, 1, 0, None, 1]
    found = figure(db, "calibration_error", confidence, correct)
    assert [found[name] for name in ("n", "n_null", "n_nan", "n_out_of_range")] == [1, 2, 1, 3]
    assert (found["accuracy"], found["ece"]) == (1.0, 0.5)
    ranked = one(db, "FROM auroc('t')")
    assert [ranked[name] for name in ("n", "n_null", "n_nan", "n_correct")] == [4, 2, 1, 3]
    counts = one(db, "FROM row_counts('t')")
    assert counts["n_rows"] == sum(counts[name] for name in ("n_in_range", "n_out_of_range", "n_nan", "n_null")) == 7


def test_0_5_undefined_is_null_with_a_reason(db: Connection) -> None:
    observe(db, [None, 0.5, 0.6, 0.5], [1, 1, 1, 0], cell=["empty", "right", "right", "wrong"])
    auroc = {row["cell"]: row for row in rows(db, "FROM auroc('t')")}
    assert {cell: (row["auroc"], row["auroc_reason"]) for cell, row in auroc.items()} == {
        "empty": (None, "empty"), "right": (None, "one_class"), "wrong": (None, "one_class"),
    }  # fmt: skip
    aurc = {row["cell"]: row for row in rows(db, "FROM aurc('t')")}
    assert {cell: (row["aurc"], row["prr"], row["prr_reason"]) for cell, row in aurc.items()} == {
        "empty": (None, None, "empty"), "right": (0.0, None, "one_class"), "wrong": (1.0, None, "one_class"),
    }  # fmt: skip
    mean = {row["cell"]: row for row in rows(db, "FROM clustered_mean('t', col := 'confidence')")}
    assert (mean["empty"]["mean"], mean["empty"]["mean_reason"]) == (None, "empty")
    assert (mean["wrong"]["mean_se"], mean["wrong"]["mean_se_reason"]) == (None, "one_question")
    assert one(db, "FROM calibration_error('t') WHERE cell = 'empty'")["calibration_reason"] == "empty"


def test_0_6_only_a_probability_has_calibration_figures(lake: Connection) -> None:
    query = "SELECT DISTINCT signal, is_probability, ece IS NOT NULL AS calibrated, auroc IS NOT NULL AS ranked"
    for row in rows(lake, f"{query} FROM calibration_summary"):
        assert row["calibrated"] == row["is_probability"] == (not row["signal"].startswith("entropy"))
        assert row["ranked"]


def test_0_7_copies_of_agreement_shrink_the_standard_error(db: Connection) -> None:
    observe(db, [0.5] * 4, [1, 0, 1, 1])
    assert one(db, "FROM clustered_mean('t')")["mean_se"] == pytest.approx(0.25, abs=CLOSE)
    observe(db, [0.5] * 36, [1, 0, 1, 1] * 9)
    assert one(db, "FROM clustered_mean('t')")["mean_se"] == pytest.approx(0.0731925, abs=SEVEN)


def test_0_8_ranking_pooled_cells_is_another_number(db: Connection) -> None:
    confidence, correct = [0.6, 0.7, 0.1, 0.2], [0, 1, 0, 1]
    observe(db, confidence, correct, cell=["a", "a", "b", "b"])
    assert [row["auroc"] for row in rows(db, "FROM auroc('t')")] == [1.0, 1.0]
    assert figure(db, "auroc", confidence, correct)["auroc"] == 0.75


def test_hosmer_lemeshow_worked(db: Connection) -> None:
    observe(db, [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.5], [0, 0, 1, 0, 1, 0, 1, 1, None])
    found = one(db, "FROM hosmer_lemeshow('t', 4, 'equal_width')")
    assert found["n_null"] == 1
    assert found["hosmer_lemeshow_df"] == 4
    expected = hosmer_lemeshow([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 1, 0, 1, 0, 1, 1], 4)
    assert found["hosmer_lemeshow"] == pytest.approx(expected, abs=CLOSE)
    assert found["hosmer_lemeshow"] == pytest.approx(1.1014867, abs=SEVEN)
    assert found["hosmer_lemeshow_p"] == pytest.approx(stats.chi2.sf(expected, 4), abs=CLOSE)
    assert one(db, "FROM hosmer_lemeshow('t', 4, 'equal_width', fitted := true)")["hosmer_lemeshow_df"] == 2


def hosmer_lemeshow(confidence: list[float], correct: list[int], bins: int) -> float:
    total = 0.0
    for k in range(bins):
        held = [(c, y) for c, y in zip(confidence, correct, strict=True) if k / bins < c <= (k + 1) / bins]
        expected, observed, n = sum(c for c, _ in held), sum(y for _, y in held), len(held)
        total += (observed - expected) ** 2 / (expected * (1 - expected / n))
    return total


def test_degenerate_murphy_terms(db: Connection) -> None:
    found = figure(db, "brier_decomposition", [0.1, 0.3, 0.7, 0.9], [0, 1, 1, 1], 2)
    names = ("brier", "reliability", "resolution", "uncertainty", "within_bin_variance", "within_bin_covariance")
    right = [0.15, 0.065, 0.0625, 0.1875, 0.01, 0.05]
    assert [found[name] for name in names] == pytest.approx(right, abs=CLOSE)


def test_debiased_gap_of_noise_is_zero(db: Connection) -> None:
    found = figure(db, "calibration_error", [0.5] * 6, [0, 1] * 3)
    assert (found["rmsce"], found["rmsce_debiased"]) == (0.0, 0.0)


def test_a_bin_of_one_row_can_be_left_out_of_the_maximum(db: Connection) -> None:
    observe(db, [0.95, 0.35, 0.35], [0, 0, 1])
    loud = one(db, "FROM calibration_error('t')")
    assert (loud["mce"], loud["mce_n"]) == (0.95, 1)
    quiet = one(db, "FROM calibration_error('t', min_bin_n := 2)")
    assert (quiet["mce"], quiet["mce_n"]) == (pytest.approx(0.15, abs=CLOSE), 2)


@pytest.mark.parametrize(
    ("k", "n", "lo", "hi"), [(0, 5, 0, 0.4344825), (5, 5, 0.5655175, 1), (3, 10, 0.1077913, 0.6032219)]
)
def test_wilson(db: Connection, k: int, n: int, lo: float, hi: float) -> None:
    found = one(db, f"SELECT wilson_lo({k}, {n}) AS lo, wilson_hi({k}, {n}) AS hi")
    assert (found["lo"], found["hi"]) == (pytest.approx(lo, abs=SEVEN), pytest.approx(hi, abs=SEVEN))
    assert math.copysign(1, found["lo"]) == 1


def test_the_ab_verdict(db: Connection) -> None:
    logs = "-0.2, -1.8, -0.5, -0.95"
    found = one(db, f"SELECT verdict_p({logs}) AS p, sigmoid(verdict_logit({logs})) AS of_logit")
    assert (found["p"], found["of_logit"]) == (pytest.approx(0.6106896, abs=SEVEN), pytest.approx(0.6399161, abs=SEVEN))


def test_auroc_of_zero_or_one_has_no_interval(db: Connection) -> None:
    found = figure(db, "auroc", [0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert (found["auroc"], found["auroc_se"], found["auroc_lo"], found["auroc_hi"]) == (1.0, 0.0, None, None)
    assert found["auroc_se_reason"] == "zero_variance"


def test_mcnemar_wants_one_row_a_question(db: Connection) -> None:
    observe(db, [0.5] * 6, [1, 0, 1, 0, 1, 1], question=[0, 1, 2, 0, 1, 2], cell=["a"] * 3 + ["b"] * 3)
    found = one(db, "FROM mcnemar('t', 'a', 'b')")
    assert (found["n_a_only_correct"], found["n_b_only_correct"], found["mcnemar_p"]) == (1, 1, 1.0)
    observe(db, [0.5] * 4, [1, 0, 1, 0], question=[0, 0, 0, 0], cell=["a", "a", "b", "b"])
    twice = one(db, "FROM mcnemar('t', 'a', 'b')")
    assert (twice["mcnemar_p"], twice["mcnemar_reason"]) == (None, "several_rows_a_question")
