"""The mini bundle through the whole pipeline, against figures that were computed from memory and not from its files."""

from __future__ import annotations

import json
import math
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from tests.shared_data import SHARED, shared

TRUTH = SHARED / "bundles" / "mini.truth.json"
CELLS: dict[str, Any] = json.loads(TRUTH.read_text())["partitions"] if TRUTH.exists() else {"(absent)": {}}
EXACT, OVER_TOKENS = 1e-9, 1e-6
CLIP_OF_THE_TRUTH = 1e-15
SPANS = {"auroc_whole": "entropy_mean", "auroc_answer": "answer_entropy_mean", "auroc_numeric": "numeric_entropy_mean"}


@pytest.fixture(scope="module")
def tables(mini: duckdb.DuckDBPyConnection) -> dict[str, pl.DataFrame]:
    names = ("rollouts", "question_conditions", "calibration_summary", "ab_position_bias", "signal_coverage")
    return {name: mini.sql(f"FROM {name}").pl() for name in names}


def of_cell(frame: pl.DataFrame, cell: str) -> pl.DataFrame:
    model, dataset, condition = cell.split("/")
    return frame.filter(model=model, dataset=dataset, condition=condition)


def truth(cell: str) -> dict[str, Any]:
    shared("bundles/mini.truth.json")
    found: dict[str, Any] = CELLS[cell]
    return found


@pytest.mark.parametrize("cell", CELLS)
def test_counts_and_accuracy(tables: dict[str, pl.DataFrame], cell: str) -> None:
    known = truth(cell)
    rollouts, questions = of_cell(tables["rollouts"], cell), of_cell(tables["question_conditions"], cell)
    assert (questions.height, rollouts.height) == (known["questions"], known["rollouts"])
    assert rollouts["correct"].mean() == pytest.approx(known["accuracy"], abs=EXACT)
    assert questions["native_correct"].mean() == pytest.approx(known["native_accuracy"], abs=EXACT)
    assert questions["agreement_recomputed"].mean() == pytest.approx(known["mean_agreement"], abs=EXACT)
    assert rollouts["cap_repair"].sum() == known["cap_repair"]


@pytest.mark.parametrize("signal", ["agreement", "ab", "tf"])
@pytest.mark.parametrize("cell", CELLS)
def test_probability_signals(
    mini: duckdb.DuckDBPyConnection, tables: dict[str, pl.DataFrame], cell: str, signal: str
) -> None:
    known = truth(cell).get(signal)
    rows = of_cell(tables["calibration_summary"], cell).filter(signal=signal)
    if known is None:
        assert rows.is_empty()
        return
    row = rows.row(0, named=True)
    assert row["n"] == known["n"]
    pairs = {"mean_confidence": "mean", "accuracy": "accuracy", "brier": "brier", "ece": "ece10", "auroc": "auroc"}
    for ours, theirs in pairs.items():
        assert same(row[ours], known[theirs]), (ours, row[ours], known[theirs])
    fifteen = "SELECT ece FROM calibration_error('r', n_bins := 15)"
    query = f"WITH r AS (FROM confidence_observations WHERE cell = $1) {fifteen}"
    (ece15,) = mini.execute(query, [row["cell"]]).fetchall()[0]
    assert same(ece15, known["ece15"])
    assert same(clipped_log_loss(mini, row["cell"]), known["nll"])


def same(ours: float | None, theirs: float | None) -> bool:
    undefined = theirs is None or math.isnan(theirs)
    return ours is None if undefined else ours == pytest.approx(theirs, abs=EXACT)


def clipped_log_loss(mini: duckdb.DuckDBPyConnection, cell: str) -> float:
    rows = mini.sql("SELECT confidence, correct FROM confidence_observations WHERE cell = $1", params=[cell]).pl()
    confidence = rows["confidence"].to_numpy().clip(CLIP_OF_THE_TRUTH, 1 - CLIP_OF_THE_TRUTH)
    return float(log_loss(rows["correct"], np.column_stack([1 - confidence, confidence]), labels=[False, True]))


@pytest.mark.parametrize("cell", CELLS)
def test_position_bias(tables: dict[str, pl.DataFrame], cell: str) -> None:
    known, rows = truth(cell).get("ab_order_gap"), of_cell(tables["ab_position_bias"], cell)
    if known is None:
        assert rows.is_empty()
    else:
        assert rows["position_bias"].item() == pytest.approx(known, abs=EXACT)


@pytest.mark.parametrize("cell", CELLS)
def test_entropies(mini: duckdb.DuckDBPyConnection, tables: dict[str, pl.DataFrame], cell: str) -> None:
    known, rollouts = truth(cell).get("entropy"), of_cell(tables["rollouts"], cell)
    if known is None:
        assert rollouts["entropy_mean"].null_count() == rollouts.height
        return
    tokens = mini.sql(
        "SELECT entropy::DOUBLE AS entropy, in_answer, is_numeric FROM token_entropies "
        "WHERE model = $1 AND dataset = $2 AND condition = $3", params=cell.split("/"),
    ).pl()  # fmt: skip
    assert tokens.height == known["tokens"]
    assert (tokens["in_answer"].sum(), tokens["is_numeric"].sum()) == (known["span_tokens"], known["numeric_tokens"])
    assert rollouts.filter(pl.col("n_tokens_answer") > 0).height == known["span_rollouts"]
    assert rollouts.filter(pl.col("n_tokens_numeric") > 0).height == known["numeric_rollouts"]
    assert tokens["entropy"].mean() == pytest.approx(known["mean"], abs=OVER_TOKENS)
    assert tokens["entropy"].median() == pytest.approx(known["median"], abs=EXACT)
    assert tokens["entropy"].max() == pytest.approx(known["max"], abs=EXACT)
    for figure, column in SPANS.items():
        rows = rollouts.drop_nulls(column)
        ours = roc_auc_score(rows["correct"], -rows[column]) if rows["correct"].n_unique() == 2 else None
        assert same(ours, known[figure]), figure


@pytest.mark.parametrize(("signal", "figure"), [("entropy_whole", "auroc_whole"), ("entropy_answer", "auroc_answer")])
@pytest.mark.parametrize("cell", CELLS)
def test_entropy_auroc_of_the_view(tables: dict[str, pl.DataFrame], cell: str, signal: str, figure: str) -> None:
    known = truth(cell).get("entropy")
    rows = of_cell(tables["calibration_summary"], cell).filter(signal=signal)
    if known is None or (known["span_rollouts"] == 0 and signal == "entropy_answer"):
        assert rows.is_empty()
    else:
        assert same(rows["auroc"].item(), known[figure])


def test_every_combination_has_its_coverage(tables: dict[str, pl.DataFrame]) -> None:
    coverage = tables["signal_coverage"]
    assert coverage.height == 5 * 4 * 3 * 6
    counts = dict(coverage["status"].value_counts().iter_rows())
    # Gemma's A/B: 2 models x 12 cells, and spans that no generation of a cell has. Withheld: gold_skill's T/F of three
    # models, entropies of four, one whole model.
    without_span = coverage.filter(pl.col("signal").str.starts_with("entropy"), status="not_applicable")
    assert counts["not_applicable"] == 24 + without_span.height
    assert set(without_span["signal"]) == {"entropy_answer", "entropy_numeric"}
    assert counts["withheld"] == 3 * 4 + 4 * 4 * 3 + 4 * 5
    assert "missing" not in counts


def test_rollouts_are_the_truths(tables: dict[str, pl.DataFrame]) -> None:
    keys = ["model", "dataset", "condition", "instance_id", "sample"]
    known = pl.read_parquet(shared("bundles/mini.truth.parquet")).with_columns(pl.col("sample").cast(pl.Int32))
    both = tables["rollouts"].join(known, on=keys, how="inner", suffix="_truth")
    assert both.height == known.height
    assert (both["correct"] == both["correct_truth"]).all()
    for ours, theirs in {"ab_p_correct": "ab", "tf_p_correct": "tf", "entropy_mean": "whole"}.items():
        found = both.select(a=pl.col(ours).fill_null(float("nan")), b=pl.col(theirs).fill_null(float("nan")))
        assert found.filter(pl.col("a").is_nan() != pl.col("b").is_nan()).is_empty()
        differences = found.filter(pl.col("a").is_not_nan()).select((pl.col("a") - pl.col("b")).abs().max())
        assert differences.item() <= EXACT
