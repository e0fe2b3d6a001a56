"""Entropies, the A/B order, the T/F joins and what the publishers state, against figures computed without SQL."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics

from tests.sql import reference
from tests.sql.database import Connection, database, derive, rows
from tests.sql.synthetic import FULL_SIZE, lake_tables
from tests.sql.views import CELL, CLOSE, clustered, insert


def test_entropy_by_span(lake: Connection, tables: dict[str, pl.DataFrame]) -> None:
    keys = [*CELL, "instance_id", "sample"]
    frame = tables["rollout_entropies"].join(tables["rollouts"].select(*keys, "correct"), on=keys)
    found = {tuple(row[k] for k in (*CELL, "span")): row for row in rows(lake, "FROM entropy_by_span")}
    groups = dict(frame.group_by(*CELL, "span"))
    assert found.keys() == groups.keys()
    for key, row in found.items():
        there = groups[key].filter(pl.col("n_tokens") > 0)
        assert (row["n"], row["n_without_span"]) == (there.height, groups[key].height - there.height)
        assert (row["n_questions"], row["n_correct"]) == (there["instance_id"].n_unique(), there["correct"].sum())
        assert row["n_tokens"] == groups[key]["n_tokens"].sum()
        for name in ("mean", "median", "p90", "max", "share_above_0_5"):
            area = metrics.roc_auc_score(there["correct"], -there[name])
            assert row[f"auroc_{name}"] == pytest.approx(area, abs=CLOSE)
            assert row[f"median_of_{name}"] == there[name].median()
        right = reference.obuchowski(
            (-there["mean"]).to_list(), there["correct"].to_list(), there["instance_id"].to_list()
        )
        assert row["auroc_mean_se"] == pytest.approx(right, abs=1e-10)


def test_a_span_that_no_rollout_has_is_counted() -> None:
    tables = lake_tables({"champ": 2, "theoremqa": 2, "medcalcbench": 2, "logicbench": 2}, seed=5)
    spanless = (pl.col("span") == "answer") & (pl.col("dataset") == "logicbench")
    figures = ["mean", "median", "p90", "p99", "max", "share_above_0_5"]
    entropies = tables["rollout_entropies"].with_columns(
        *(pl.when(spanless).then(None).otherwise(pl.col(name)).alias(name) for name in figures),
        pl.when(spanless).then(0).otherwise(pl.col("n_tokens")).alias("n_tokens"),
    )
    gone = (pl.col("signal") == "entropy_answer") & (pl.col("dataset") == "logicbench")
    status = pl.when(gone).then(pl.lit("not_applicable")).otherwise(pl.col("status")).alias("status")
    coverage = tables["signal_coverage"].with_columns(status)
    with derive(database(tables | {"rollout_entropies": entropies, "signal_coverage": coverage})) as connection:
        found = rows(connection, "FROM entropy_by_span WHERE dataset = 'logicbench' AND span = 'answer'")
    assert len(found) == 10
    for row in found:
        assert (row["n"], row["n_without_span"], row["n_questions"], row["n_correct"]) == (0, 18, 0, 0)
        assert (row["auroc_mean"], row["auroc_max"], row["median_of_mean"]) == (None, None, None)
        assert (row["auroc_reason"], row["auroc_mean_se_reason"]) == ("empty", "empty")


@pytest.mark.parametrize("span", ["whole", "answer", "numeric"])
def test_entropy_summary(lake: Connection, tables: dict[str, pl.DataFrame], span: str) -> None:
    groups = dict(tables["rollout_entropies"].filter(span=span).group_by(CELL))
    found = rows(lake, f"FROM entropy_summary(span := '{span}')")
    assert {tuple(row[name] for name in CELL) for row in found} == groups.keys()
    for row in found:
        frame = groups[tuple(row[name] for name in CELL)]
        there = frame.filter(pl.col("n_tokens") > 0)
        assert (row["n"], row["n_without_span"]) == (there.height, frame.height - there.height)
        over_tokens = frame.select(pl.col("sum").sum() / pl.col("n_tokens").sum()).item()
        assert row["mean_over_tokens"] == pytest.approx(over_tokens, rel=CLOSE)
        assert row["mean_over_rollouts"] == pytest.approx(there["mean"].mean(), rel=CLOSE)
        assert (row["median_of_mean"], row["median_of_p90"]) == (there["mean"].median(), there["p90"].median())


def test_ab_position_bias(lake: Connection, tables: dict[str, pl.DataFrame]) -> None:
    found = rows(lake, "FROM ab_position_bias")
    assert len(found) == 36
    for row in found:
        here = [pl.col(name) == row[name] for name in CELL]
        frame = tables["rollouts"].filter(here)
        gap = (frame["ab_p_correct_ab"] - frame["ab_p_correct_ba"]).to_numpy()
        se = clustered(gap, frame["instance_id"].to_numpy())
        reach = stats.t.ppf(0.975, frame["instance_id"].n_unique() - 1)
        assert row["n"] == frame.height
        assert row["position_bias"] == pytest.approx(gap.mean(), abs=CLOSE)
        assert row["position_bias"] == pytest.approx(row["mean_p_correct_ab"] - row["mean_p_correct_ba"], abs=CLOSE)
        assert row["position_bias_se"] == pytest.approx(se, abs=1e-9)
        assert row["position_bias_lo"] == pytest.approx(gap.mean() - reach * se, abs=1e-7)
        assert row["position_bias_naive_se"] == pytest.approx(gap.std(ddof=1) / np.sqrt(len(gap)), abs=CLOSE)
        assert row["mean_absolute_gap"] == pytest.approx(np.abs(gap).mean(), abs=CLOSE)
        flipped = (frame["ab_p_correct_ab"] > 0.5) != (frame["ab_p_correct_ba"] > 0.5)
        assert row["share_flipped"] == pytest.approx(flipped.mean(), abs=CLOSE)


def test_position_bias_in_logits(lake: Connection) -> None:
    logs = {"logp_a_ab": -0.2, "logp_b_ab": -1.8, "logp_a_ba": -0.5, "logp_b_ba": -0.95}
    cell = {"model": "m", "dataset": "d", "condition": "direct"}
    with database() as connection:
        insert(connection, "ab_verdicts", **cell, join_status="joined", **logs)
        insert(connection, "signal_coverage", **cell, signal="ab", status="present")
        orders = {"ab_p_correct_ab": 0.8, "ab_p_correct_ba": 0.4, "ab_join_basis": "answer_sha256"}
        insert(connection, "rollouts", **cell, instance_id="q", **orders)
        (row,) = rows(connection, "FROM ab_position_bias")
    assert row["position_bias_logits"] == pytest.approx(1.025, abs=CLOSE)
    assert row["position_bias"] == pytest.approx(0.4, abs=CLOSE)
    assert (row["position_bias_se"], row["position_bias_se_reason"]) == (None, "one_question")


def test_tf_join_audit_counts_every_verdict(lake: Connection, tables: dict[str, pl.DataFrame]) -> None:
    found = rows(lake, "FROM tf_join_audit")
    assert sum(row["n_rows"] for row in found) == tables["tf_verdicts"].height
    for row in found:
        frame = tables["tf_verdicts"].filter(model=row["model"], dataset=row["dataset"], condition=row["condition"])
        frame = frame.filter(producer=row["producer"])
        assert row["n_joined"] == row["n_verified"] + row["n_positional"] == frame.height
        assert (row["n_verified"] > 0) == (row["producer"] == "hashed")
        assert row["n_null"] == frame["tf_p_correct"].null_count()
        assert row["n_nan"] == frame["tf_p_correct"].is_nan().sum()
        assert row["n_questions"] == frame["instance_id"].n_unique()


def test_tf_join_audit_tells_what_was_left_out() -> None:
    with database() as connection:
        cell = {"model": "m", "dataset": "d", "condition": "direct", "instance_id": "q", "producer": "bare"}
        for status in ("joined", "stale_positional_join", "hash_mismatch", "no_rollout"):
            insert(connection, "tf_verdicts", **cell, tf_p_correct=0.5, join_basis="position", join_status=status)
        (row,) = rows(connection, "FROM tf_join_audit")
    names = (
        "n_rows",
        "n_joined",
        "n_verified",
        "n_positional",
        "n_stale_positional_join",
        "n_hash_mismatch",
        "n_no_rollout",
    )
    assert [row[name] for name in names] == [4, 1, 0, 1, 1, 1, 1]


@pytest.fixture(scope="module")
def whole() -> Iterator[Connection]:
    """A lake of the stated size, its base tables only."""
    with database(lake_tables(FULL_SIZE, seed=3)) as connection:
        yield connection


def test_published_counts_agree_at_the_stated_size(whole: Connection) -> None:
    found = rows(whole, "FROM published_figures_check")
    assert {row["figure"] for row in found if row["agrees"] is False} == set()
    agreeing = {row["figure"] for row in found if row["agrees"]}
    assert agreeing == {
        "models", "questions", "question_conditions", "rollouts", "ab_records", "tf_records", "entropy_rollouts",
        "manifest_files", "data_sets_with_signal",
    }  # fmt: skip
    stated = {(row["figure"], row["scope"]): row["found"] for row in found}
    assert stated["tf_records", "matched by answer hash"] == 14150
    assert stated["tf_records", "aligned by position"] == 16980


def test_published_counts_do_not_agree_with_a_sample(lake: Connection) -> None:
    found = rows(lake, "FROM published_figures_check")
    assert {row["figure"] for row in found if row["agrees"] is False} >= {"questions", "rollouts", "entropy_rollouts"}
    aurocs = [row for row in found if row["figure"] == "entropy_auroc"]
    assert len(aurocs) == 18
    assert all(row["agrees"] is None and row["found"] is not None and row["note"] for row in aurocs)
    assert {row["stated"] for row in aurocs} == {0.549, 0.659, 0.777, 0.639, 0.559, 0.632, 0.692, 0.535, 0.690}


def test_a_lake_without_the_bundle_says_nothing_of_it(db: Connection) -> None:
    for view in (
        "published_figures_check",
        "calibration_summary",
        "skill_effect",
        "entropy_by_span",
        "ab_position_bias",
    ):
        assert rows(db, f"FROM {view}") == []
