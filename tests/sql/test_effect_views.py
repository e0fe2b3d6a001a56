"""What a skill and cap repair change, against figures computed without SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics

from tests.sql.database import Connection, Row, rows
from tests.sql.views import CELL, CLOSE, PROBABILITIES, usable


def test_cap_repaired_rows_left_out(lake: Connection, tables: dict[str, pl.DataFrame]) -> None:
    found = rows(lake, "FROM cap_repair_sensitivity WHERE signal IN ('tf', 'entropy_whole', 'agreement')")
    assert {row["rows_used"] for row in found} == {"all", "without_cap_repair"}
    repaired = tables["rollouts"].group_by(*CELL, "instance_id").agg(pl.col("cap_repair").any())
    checked = 0
    for row in found:
        here = pl.all_horizontal(pl.col(name) == row[name] for name in CELL)
        if row["signal"] == "agreement":
            frame = tables["question_conditions"].filter(here).join(repaired, on=[*CELL, "instance_id"])
            frame = frame.rename({"agreement_recomputed": "confidence", "native_correct": "correct"})
        else:
            column = pl.col("tf_p_correct") if row["signal"] == "tf" else -pl.col("entropy_mean")
            frame = tables["rollouts"].filter(here).with_columns(column.alias("confidence"))
        assert row["n_cap_repair"] == frame["cap_repair"].sum()
        if row["rows_used"] != "all":
            frame = frame.filter(~pl.col("cap_repair"))
        confidence, correct, question = usable(frame)
        assert (row["n"], row["n_questions"]) == (len(correct), len(set(question)))
        if row["auroc"] is not None:
            assert row["auroc"] == pytest.approx(metrics.roc_auc_score(correct, confidence), abs=CLOSE)
            checked += 1
        if row["signal"] != "entropy_whole":
            assert row["bias"] == pytest.approx((confidence - correct).mean(), abs=CLOSE)
        if row["rows_used"] == "all":
            assert row["accuracy_change"] == 0.0
    assert checked > 100


def by_question(frame: pl.DataFrame) -> pl.DataFrame:
    kept = frame.drop_nulls("confidence").filter(pl.col("confidence").is_not_nan())
    return kept.group_by("instance_id").agg(pl.col("correct").cast(pl.Float64).mean(), pl.col("confidence").mean())


def test_skill_effect_is_paired_by_question(
    lake: Connection, observations: dict[Any, pl.DataFrame], tables: dict[str, pl.DataFrame]
) -> None:
    found = rows(lake, "FROM skill_effect")
    keys = {(m, d, c, s) for (m, d, c, s) in observations if c != "direct"}
    assert {(r["model"], r["dataset"], r["contrast"].split(" - ")[0], r["signal"]) for r in found} == keys
    annotated = tables["question_conditions"].select(*CELL, "instance_id", "skill_is_annotated")
    for row in found:
        model, dataset, condition, signal = row["model"], row["dataset"], row["contrast"].split(" - ")[0], row["signal"]
        skill = annotated.filter(model=model, dataset=dataset, condition=condition).select(
            "instance_id", "skill_is_annotated"
        )
        direct, other = (by_question(observations[model, dataset, c, signal]) for c in ("direct", condition))
        both = direct.join(other, on="instance_id", how="full", suffix="_b", coalesce=True).join(
            skill, on="instance_id"
        )
        if row["skill_subset"] != "all":
            both = both.filter(skill_is_annotated=row["skill_subset"] == "annotated")
        pairs = both.drop_nulls(["confidence", "confidence_b"])
        n_only = (both["confidence_b"].null_count(), both["confidence"].null_count())
        assert (row["n_pairs"], row["n_direct_only"], row["n_skill_only"]) == (pairs.height, *n_only)
        check_differences(row, pairs, is_probability=signal in PROBABILITIES)
    assert {row["skill_subset"] for row in found} == {"all", "annotated", "not_annotated"}


def check_differences(row: Row, pairs: pl.DataFrame, *, is_probability: bool) -> None:
    d_accuracy = (pairs["correct_b"] - pairs["correct"]).to_numpy()
    d_confidence = (pairs["confidence_b"] - pairs["confidence"]).to_numpy()
    differences = {"d_accuracy": d_accuracy, "d_confidence": d_confidence}
    if is_probability:
        differences["d_bias"] = d_confidence - d_accuracy
    elif row["n_pairs"]:
        assert (row["d_bias"], row["d_brier"], row["d_bias_reason"]) == (None, None, "not_a_probability")
    for name, d in differences.items():
        if len(d) < 2:
            assert row[f"{name}_se"] is None
            continue
        assert row[name] == pytest.approx(d.mean(), abs=CLOSE)
        if np.ptp(d) > 1e-9:
            assert row[f"{name}_se"] == pytest.approx(d.std(ddof=1) / np.sqrt(len(d)), abs=CLOSE)
            assert row[f"{name}_p"] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-10)
    together = np.sign(d_accuracy) * np.sign(d_confidence)
    assert (row["n_same_sign"], row["n_opposite_sign"]) == ((together > 0).sum(), (together < 0).sum())
    if len(d_accuracy) > 2 and min(np.ptp(d_accuracy), np.ptp(d_confidence)) > 1e-9:
        assert row["pearson_r"] == pytest.approx(stats.pearsonr(d_accuracy, d_confidence)[0], abs=1e-9)
