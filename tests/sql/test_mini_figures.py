"""Views over a foreign bundle's rollouts, given as tables, against figures that came with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

from tests.shared_data import shared
from tests.sql.database import Connection, database, derive, rows
from warehouse.contracts import TABLES
from warehouse.contracts.sra import SIGNALS, SPANS

CLOSE = 1e-9
CLIP = 1e-15
CELL = ["model", "dataset", "condition"]
COLUMNS = {"ab": "ab", "tf": "tf", "entropy_whole": "whole", "entropy_answer": "answer", "entropy_numeric": "numeric"}


def tables(truth: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The bundle's rollouts as the tables the views read; a signal without a value in a cell does not apply there."""
    truth = truth.with_columns(pl.col(name).fill_nan(None) for name in COLUMNS.values())
    renamed = truth.rename({"ab": "ab_p_correct", "tf": "tf_p_correct", "whole": "entropy_mean"}).with_columns(
        pl.col("answer").alias("answer_entropy_mean"),
        pl.col("numeric").alias("numeric_entropy_mean"),
        pl.lit("answer_sha256").alias("ab_join_basis"),
        pl.lit("answer_sha256").alias("tf_join_basis"),
    )
    questions = truth.group_by(*CELL, "instance_id").agg(
        pl.col("native_correct").first(), pl.col("agreement").first().alias("agreement_recomputed")
    )
    spans = [
        truth.select(*CELL, "instance_id", "sample", pl.lit(span).alias("span"), pl.col(span).alias("mean"))
        .with_columns(pl.col("mean").is_not_null().cast(pl.Int32).alias("n_tokens"))
        .filter(pl.col("mean").is_not_null().any().over(CELL))
        for span in SPANS
    ]
    coverage = []
    for signal in SIGNALS:
        there = pl.col(COLUMNS[signal]).is_not_null().any() if signal in COLUMNS else pl.lit(True)
        status = pl.when(there).then(pl.lit("present")).otherwise(pl.lit("not_applicable")).alias("status")
        coverage.append(
            truth.group_by(CELL).agg(status, pl.lit(signal).alias("signal")).select(*CELL, "signal", "status")
        )
    made = {
        "rollouts": renamed, "question_conditions": questions, "rollout_entropies": pl.concat(spans),
        "signal_coverage": pl.concat(coverage),
    }  # fmt: skip
    return {name: conform(name, frame) for name, frame in made.items()}


def conform(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(
        (pl.col(column) if column in frame.columns else pl.lit(None)).cast(dtype).alias(column)
        for column, dtype in TABLES[name].polars_schema.items()
    )


@pytest.fixture(scope="module")
def foreign() -> Iterator[Connection]:
    with derive(database(tables(pl.read_parquet(shared("bundles/mini.truth.parquet"))))) as connection:
        yield connection


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("bundles/mini.truth.json").read_text())["partitions"]
    return found


def near(value: float | None) -> Any:
    return None if value is None or value != value else pytest.approx(value, abs=CLOSE)


def of(row: dict[str, Any]) -> str:
    return "/".join(row[name] for name in CELL)


def test_probabilities(foreign: Connection, truth: dict[str, Any]) -> None:
    seen = 0
    for row in rows(foreign, "FROM calibration_summary WHERE is_probability"):
        right = truth[of(row)][row["signal"]]
        assert (row["n"], row["n_null"]) == (right["n"], row["n_rows"] - right["n"])
        figures = {
            "mean_confidence": "mean",
            "accuracy": "accuracy",
            "brier": "brier",
            "ece": "ece10",
            "auroc": "auroc",
        }
        assert {ours: row[ours] for ours in figures} == {ours: near(right[name]) for ours, name in figures.items()}
        seen += 1
    assert seen == sum(signal in cell for cell in truth.values() for signal in ("agreement", "ab", "tf"))


def test_other_bins_and_the_truths_clip(foreign: Connection, truth: dict[str, Any]) -> None:
    fifteen = {
        row["cell"]: row["ece"] for row in rows(foreign, "FROM calibration_error('confidence_observations', 15)")
    }
    query = (
        f"SELECT cell, model, dataset, condition, signal, log_loss(confidence, correct, eps := {CLIP}) AS nll "
        "FROM confidence_observations WHERE is_probability GROUP BY ALL"
    )
    for row in rows(foreign, query):
        right = truth[of(row)][row["signal"]]
        assert fifteen[row["cell"]] == near(right["ece15"])
        assert row["nll"] == near(right["nll"])


def test_entropies(foreign: Connection, truth: dict[str, Any]) -> None:
    found = {(of(row), row["span"]): row for row in rows(foreign, "FROM entropy_by_span")}
    for cell, figures in truth.items():
        for span, name in (("whole", "auroc_whole"), ("answer", "auroc_answer"), ("numeric", "auroc_numeric")):
            right, row = figures.get("entropy"), found.get((cell, span))
            if right is None:
                assert row is None
            elif row is not None:
                assert row["auroc_mean"] == near(right[name]), (cell, span)
                assert row["n"] == {"answer": right["span_rollouts"], "numeric": right["numeric_rollouts"]}.get(
                    span, row["n"]
                )


def test_agreement_has_a_row_a_question(foreign: Connection, truth: dict[str, Any]) -> None:
    for row in rows(foreign, "FROM calibration_summary WHERE signal = 'agreement'"):
        right = truth[of(row)]
        assert (row["n"], row["n_questions"]) == (right["questions"], right["questions"])
        assert (row["accuracy"], row["mean_confidence"]) == (
            near(right["native_accuracy"]),
            near(right["mean_agreement"]),
        )
