"""What no view may do, each shown by data for which doing it gives another number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

from tests.sql.database import Connection, database, derive, rows
from tests.sql.synthetic import Frames, lake_tables
from warehouse.code import SQL_ROOT
from warehouse.sqltext import load_sql, load_tables

CELL = ["model", "dataset", "condition"]
SMALL = {"champ": 4, "theoremqa": 4, "medcalcbench": 4, "logicbench": 4}
OF_SRA = (
    "calibration_summary", "reliability_diagram", "risk_coverage_curve", "skill_effect", "cap_repair_sensitivity",
    "entropy_by_span", "ab_position_bias", "tf_join_audit",
)  # fmt: skip
ENTROPIES = ("entropy_mean", "entropy_median", "entropy_max", "answer_entropy_mean", "numeric_entropy_mean")


@pytest.fixture(scope="module")
def frames() -> Frames:
    return lake_tables(SMALL, seed=21)


@pytest.fixture(scope="module")
def small(frames: Frames) -> Iterator[Connection]:
    with derive(database(frames)) as connection:
        yield connection


def test_the_error_of_agreement_is_that_of_its_question_conditions(small: Connection, frames: Frames) -> None:
    summary = rows(small, "FROM calibration_summary WHERE signal = 'agreement'")
    for row in summary:
        alone = frames["question_conditions"].filter(*(pl.col(name) == row[name] for name in CELL))
        right = alone["native_correct"].cast(pl.Float64).to_numpy()
        assert row["n"] == row["n_questions"] == alone.height
        assert row["accuracy_se"] == pytest.approx(right.std(ddof=1) / np.sqrt(len(right)), abs=1e-12)
        bias = alone["agreement_recomputed"].to_numpy() - right
        assert row["bias_se"] == pytest.approx(bias.std(ddof=1) / np.sqrt(len(bias)), abs=1e-12)
    copied = rows(
        small,
        "WITH copies AS (SELECT o.* FROM confidence_observations AS o, range(9) WHERE signal = 'agreement') "
        "SELECT cell, naive_se FROM clustered_mean('copies')",
    )
    honest = {row["cell"]: row["accuracy_se"] for row in summary}
    assert all(row["naive_se"] < 0.4 * honest[row["cell"]] for row in copied if honest[row["cell"]] > 0)


def test_b40_agreement_of_four_questions() -> None:
    tables = lake_tables(SMALL, seed=1)
    here = pl.all_horizontal(
        pl.col(name) == value for name, value in zip(CELL, ("Qwen3-32B", "champ", "direct"), strict=True)
    )
    native = [True, False, True, True]
    chosen = tables["question_conditions"].filter(here).with_columns(pl.Series("native_correct", native))
    questions = pl.concat([tables["question_conditions"].filter(~here), chosen])
    with derive(database(tables | {"question_conditions": questions})) as connection:
        query = "FROM calibration_summary WHERE signal = 'agreement' AND model = 'Qwen3-32B' AND dataset = 'champ'"
        (row,) = rows(connection, f"{query} AND condition = 'direct'")
    assert (row["n"], row["accuracy"]) == (4, 0.75)
    assert row["accuracy_se"] == pytest.approx(0.25, abs=1e-12)


def test_no_row_of_agreement_is_a_rollout(small: Connection) -> None:
    found = rows(small, "SELECT count(*) AS n, count(DISTINCT (cell, question_id)) AS q FROM confidence_observations "
                        "WHERE signal = 'agreement'")  # fmt: skip
    assert found[0]["n"] == found[0]["q"]


def ranked_within_datasets(frames: Frames) -> Frames:
    """T/F of one model under direct: right rows above wrong ones in every data set, at a level of its own."""
    level = pl.col("dataset").replace_strict({name: i / 5 for i, name in enumerate(SMALL)}, return_dtype=pl.Float64)
    within = level + pl.col("correct").cast(pl.Float64) / 10
    mine = (pl.col("model") == "Qwen3-32B") & (pl.col("condition") == "direct")
    tf = pl.when(mine).then(within).otherwise(pl.col("tf_p_correct")).alias("tf_p_correct")
    return frames | {"rollouts": frames["rollouts"].with_columns(tf)}


def test_no_view_pools_cells_before_ranking(frames: Frames) -> None:
    chosen = "signal = 'tf' AND model = 'Qwen3-32B' AND condition = 'direct'"
    with derive(database(ranked_within_datasets(frames))) as connection:
        found = rows(connection, f"SELECT auroc FROM calibration_summary WHERE {chosen}")
        assert [row["auroc"] for row in found] == [1.0] * 4
        query = (
            f"WITH p AS (SELECT * REPLACE ('all' AS cell) FROM confidence_observations WHERE {chosen}) FROM auroc('p')"
        )
        (pooled,) = rows(connection, query)
        assert pooled["auroc"] < 0.9
        everywhere = {row["auroc"] for row in rows(connection, f"FROM cap_repair_sensitivity WHERE {chosen}")}
        assert everywhere <= {1.0, None}


def changed(frames: Frames, model: str) -> Frames:
    """The same lake with one model's entropies ten times as large and its verdicts turned round."""
    mine = pl.col("model") == model
    larger = [pl.when(mine).then(10 * pl.col(name)).otherwise(pl.col(name)).alias(name) for name in ENTROPIES]
    turned = [
        pl.when(mine).then(1 - pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in ("tf_p_correct", "ab_p_correct", "ab_p_correct_ab")
    ]
    figures = ("mean", "median", "p90", "p99", "max", "sum")
    spans = [pl.when(mine).then(10 * pl.col(name)).otherwise(pl.col(name)).alias(name) for name in figures]
    return frames | {
        "rollouts": frames["rollouts"].with_columns(*larger, *turned),
        "rollout_entropies": frames["rollout_entropies"].with_columns(spans),
    }


@pytest.mark.parametrize("view", OF_SRA)
def test_nothing_of_one_model_moves_a_figure_of_another(small: Connection, frames: Frames, view: str) -> None:
    with derive(database(changed(frames, "Qwen3.6-35B-A3B"))) as connection:
        before, after = (c.sql(f"FROM {view} ORDER BY ALL").pl() for c in (small, connection))
    others = pl.col("model") != "Qwen3.6-35B-A3B"
    assert before.filter(others).rows() == after.filter(others).rows()
    if view != "tf_join_audit":
        assert before.filter(~others).rows() != after.filter(~others).rows()


def test_every_relation_with_entropies_is_kept_by_model() -> None:
    words = {"rollout_entropies", "token_entropies", "entropy_summary", "entropy_span_figures", *ENTROPIES}
    touched = [found for found in (*load_sql(SQL_ROOT), *load_tables(SQL_ROOT)) if found.words & words]
    assert {"entropy_by_span", "sra_confidence_observations", "entropy_summary"} <= {found.name for found in touched}
    for found in touched:
        assert "model" in found.grain or found.name in {"sra_confidence_observations", "published_figures_check"}


def test_the_skill_effect_is_paired_and_clustered(small: Connection) -> None:
    (row,) = rows(small, "FROM skill_effect WHERE model = 'Qwen3-32B' AND dataset = 'champ' AND signal = 'tf' "
                         "AND contrast = 'llm_select - direct' AND skill_subset = 'all'")  # fmt: skip
    frame = small.sql(
        "SELECT question_id, condition, correct::DOUBLE AS y FROM confidence_observations "
        "WHERE model = 'Qwen3-32B' AND dataset = 'champ' AND signal = 'tf' AND conf_ok(confidence) "
        "AND condition <> 'gold_skill'"
    ).pl()
    means = frame.pivot("condition", index="question_id", values="y", aggregate_function="mean")
    paired = (means["llm_select"] - means["direct"]).to_numpy()
    fitted = sm.OLS(paired, np.ones(len(paired))).fit()
    assert row["d_accuracy_se"] == pytest.approx(float(fitted.bse[0]), abs=1e-12)
    low, high = fitted.conf_int()[0]
    assert [row["d_accuracy_lo"], row["d_accuracy_hi"]] == pytest.approx([low, high], abs=1e-10)
