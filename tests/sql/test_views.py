"""Views over a made-up lake against figures computed from its tables without SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn import metrics

from tests.sql import reference
from tests.sql.database import Connection, Row, database, derive, rows
from tests.sql.synthetic import FULL_SIZE, coverage_of, lake_tables
from warehouse.contracts.sra import CONDITIONS, DATASETS, MODELS, SIGNALS

CLOSE = 1e-12
CELL = ["model", "dataset", "condition"]
COLUMNS = {
    "ab": "ab_p_correct", "tf": "tf_p_correct", "entropy_whole": "entropy_mean",
    "entropy_answer": "answer_entropy_mean", "entropy_numeric": "numeric_entropy_mean",
}  # fmt: skip
PROBABILITIES = ("agreement", "ab", "tf")


@pytest.fixture(scope="module")
def tables(lake: Connection) -> dict[str, pl.DataFrame]:
    names = ("rollouts", "question_conditions", "rollout_entropies", "ab_verdicts", "tf_verdicts")
    return {name: lake.sql(f"FROM {name}").pl() for name in names}


@pytest.fixture(scope="module")
def observations(tables: dict[str, pl.DataFrame]) -> dict[tuple[str, str, str, str], pl.DataFrame]:
    """Question, confidence and outcome of every cell, from the tables alone."""
    found = {}
    questions = tables["question_conditions"].select(
        *CELL,
        "instance_id",
        pl.col("agreement_recomputed").alias("confidence"),
        pl.col("native_correct").alias("correct"),
    )
    for key, frame in questions.group_by(CELL):
        found[*key, "agreement"] = frame
    for signal, column in COLUMNS.items():
        sign = -1 if signal.startswith("entropy") else 1
        frame = tables["rollouts"].select(*CELL, "instance_id", (sign * pl.col(column)).alias("confidence"), "correct")
        for key, rows_ in frame.group_by(CELL):
            if coverage_of(str(key[0]), str(key[2]), signal) == "present":
                found[*key, signal] = rows_
    return found


def usable(frame: pl.DataFrame) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    kept = frame.drop_nulls("confidence").filter(pl.col("confidence").is_not_nan())
    return kept["confidence"].to_numpy(), kept["correct"].to_numpy(), kept["instance_id"].to_numpy()


def clustered(values: npt.NDArray[Any], question: npt.NDArray[Any]) -> float:
    """CR1 by statsmodels, whose small-sample factor for one regressor is (n - 1) / (n - 1)."""
    values = values.astype(float)
    groups = np.unique(question, return_inverse=True)[1]
    fitted = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return float(fitted.bse[0])


def insert(connection: Connection, table: str, **values: object) -> None:
    names = ", ".join(f"${name} AS {name}" for name in values)
    connection.execute(f"INSERT INTO {table} BY NAME SELECT {names}", values)


def keyed(connection: Connection, view: str) -> dict[tuple[str, ...], Row]:
    return {(r["model"], r["dataset"], r["condition"], r["signal"]): r for r in rows(connection, f"FROM {view}")}


def test_a_signal_that_does_not_apply_or_is_withheld_has_no_rows(lake: Connection) -> None:
    found = set(keyed(lake, "confidence_cells"))
    right = {
        (m, d, c, s) for m in MODELS for d in DATASETS for c in CONDITIONS for s in SIGNALS
        if coverage_of(m, c, s) == "present"
    }  # fmt: skip
    assert found == right
    assert len(right) == 256


def test_observations_are_the_tables(lake: Connection, observations: dict[Any, pl.DataFrame]) -> None:
    found = lake.sql(
        "SELECT model, dataset, condition, signal, question_id, confidence, correct FROM confidence_observations"
    )
    mine = dict(found.pl().group_by(*CELL, "signal"))
    assert mine.keys() == observations.keys()
    for key, frame in observations.items():
        right = sorted(map(repr, frame.select("instance_id", "confidence", "correct").rows()))
        assert sorted(map(repr, mine[key].select("question_id", "confidence", "correct").rows())) == right


def test_observations_have_the_published_columns(lake: Connection) -> None:
    names = [name for name, *_ in lake.execute("DESCRIBE confidence_observations").fetchall()]
    assert names == [
        "cell", "source", "model", "dataset", "condition", "signal", "unit", "unit_id", "question_id", "confidence",
        "is_probability", "correct", "cap_repair",
    ]  # fmt: skip
    units = dict(lake.execute("SELECT DISTINCT signal, unit FROM confidence_observations").fetchall())
    assert units == dict.fromkeys(COLUMNS, "rollout") | {"agreement": "question_condition"}
    assert lake.execute(
        "SELECT count(*) = count(DISTINCT (cell, unit_id)) FROM confidence_observations"
    ).fetchall() == [(True,)]


def test_names_with_slashes_stay_apart(lake: Connection) -> None:
    found = rows(
        lake, "SELECT cell_name('s', 'a/b', 'c', 'd', 'e') AS one, cell_name('s', 'a', 'b/c', 'd', 'e') AS two"
    )
    assert found == [{"one": "s/a%2Fb/c/d/e", "two": "s/a/b%2Fc/d/e"}]
    assert rows(lake, "SELECT cell_name('s', '%2F', 'c', 'd', 'e') AS name") == [{"name": "s/%252F/c/d/e"}]


def test_summary_counts_every_row(lake: Connection, observations: dict[Any, pl.DataFrame]) -> None:
    summary = keyed(lake, "calibration_summary")
    assert summary.keys() == observations.keys()
    for key, row in summary.items():
        frame = observations[key]
        confidence = frame["confidence"]
        assert row["n_rows"] == frame.height == sum(row[name] for name in ("n", "n_null", "n_nan", "n_out_of_range"))
        assert row["n_null"] == confidence.null_count()
        assert row["n_nan"] == confidence.is_nan().sum()
        assert row["n_out_of_range"] == 0
        assert row["n_unjoined"] == (0 if key[-1] in {"ab", "tf"} else None)


def test_summary_figures(lake: Connection, observations: dict[Any, pl.DataFrame]) -> None:
    for key, row in keyed(lake, "calibration_summary").items():
        confidence, correct, question = usable(observations[key])
        c, y = confidence.tolist(), correct.tolist()
        assert (row["n"], row["n_correct"], row["n_questions"]) == (len(y), sum(y), len(set(question)))
        assert row["accuracy"] == pytest.approx(correct.mean(), abs=CLOSE)
        assert row["accuracy_se"] == pytest.approx(clustered(correct, question), abs=1e-9)
        right = reference.selective(c, y)
        for name in ("aurc", "e_aurc", "augrc", "prr"):
            assert row[name] == pytest.approx(right[name], abs=CLOSE), (key, name)
        assert row["auroc"] == pytest.approx(metrics.roc_auc_score(correct, confidence), abs=CLOSE)
        assert row["auroc_se"] == pytest.approx(reference.obuchowski(c, y, question.tolist()), abs=1e-10)
        assert row["average_precision"] == pytest.approx(
            metrics.average_precision_score(correct, confidence), abs=CLOSE
        )
        if key[-1] in PROBABILITIES:
            check_calibration(row, confidence, correct, question)
        else:
            names = (
                "mean_confidence",
                "bias",
                "ece",
                "ece_equal_mass",
                "mce",
                "brier",
                "log_loss",
                "spiegelhalter_z",
                "bias_se",
            )
            assert {row[name] for name in names} == {None}
            assert row["calibration_reason"] == "not_a_probability"


def check_calibration(row: Row, confidence: Any, correct: Any, question: Any) -> None:
    c, y = confidence.tolist(), correct.tolist()
    wide = reference.binned_figures(c, y, reference.equal_width(c, 10))
    right = {name: value for name, value in wide.items() if name not in {"mean_gap", "rmsce_debiased"}} | {
        "ece_equal_mass": reference.binned_figures(c, y, reference.equal_mass(c, 10))["ece"],
        "mean_confidence": confidence.mean(), "bias": (confidence - correct).mean(),
        "brier": reference.brier(c, y), "log_loss": reference.log_loss(c, y),
    }  # fmt: skip
    assert {k: row[k] for k in right} == {k: pytest.approx(v, abs=CLOSE) for k, v in right.items()}
    terms = (
        row["reliability"]
        - row["resolution"]
        + row["uncertainty"]
        + row["within_bin_variance"]
        - row["within_bin_covariance"]
    )
    assert terms == pytest.approx(row["brier"], abs=CLOSE)
    assert row["spiegelhalter_z"] == pytest.approx(reference.spiegelhalter(c, y), rel=1e-9)
    assert row["calibration_reason"] is None
    reach = stats.t.ppf(0.975, row["n_questions"] - 1)
    for name, values in {
        "mean_confidence": confidence,
        "bias": confidence - correct,
        "brier": (confidence - correct) ** 2,
    }.items():
        se = clustered(values, question)
        assert row[f"{name}_se"] == pytest.approx(se, abs=1e-9)
        assert row[f"{name}_lo"] == pytest.approx(row[name] - reach * se, abs=1e-7)
        assert row[f"{name}_hi"] == pytest.approx(row[name] + reach * se, abs=1e-7)


def test_summary_and_macros_say_the_same(lake: Connection) -> None:
    summary = {row["cell"]: row for row in rows(lake, "FROM calibration_summary")}
    macros = ("calibration_error", "auroc", "aurc", "average_precision", "brier_decomposition")
    for macro in macros:
        for row in rows(lake, f"FROM {macro}('confidence_observations')"):
            ours = summary[row["cell"]]
            if not ours["is_probability"] and macro in {"calibration_error", "brier_decomposition"}:
                assert (row["n"], row["calibration_reason"]) == (0, "empty")
                continue
            shared = row.keys() & ours.keys()
            assert len(shared) > 4
            assert {k: row[k] for k in shared} == {k: near(ours[k]) for k in shared}


def near(value: Any) -> Any:
    """The same but for the last bits, which differ where one is summed by bin and the other by question."""
    return pytest.approx(value, abs=1e-15) if isinstance(value, float) else value


def test_reliability_and_risk_views_are_their_macros(lake: Connection) -> None:
    for name in ("reliability_diagram", "risk_coverage_curve"):
        columns = [column for column, *_ in lake.execute(f"DESCRIBE FROM {name}('confidence_observations')").fetchall()]
        chosen = ", ".join(columns)
        where = (
            "WHERE cell IN (SELECT cell FROM confidence_cells WHERE is_probability)" if name.startswith("rel") else ""
        )
        macro = lake.execute(f"SELECT {chosen} FROM {name}('confidence_observations') {where} ORDER BY ALL").fetchall()
        assert lake.execute(f"SELECT {chosen} FROM {name} ORDER BY ALL").fetchall() == macro
    bins = rows(lake, "SELECT cell, count(*) AS n FROM reliability_diagram GROUP BY cell")
    assert {row["n"] for row in bins} == {10}
    assert len(bins) == 136


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


def test_a_cell_without_one_usable_row_is_there(lake: Connection) -> None:
    tables = lake_tables({"champ": 2, "theoremqa": 2, "medcalcbench": 2, "logicbench": 2}, seed=5)
    blank = tables["rollouts"].with_columns(pl.lit(None, dtype=pl.Float64).alias("tf_p_correct"))
    with derive(database(tables | {"rollouts": blank})) as connection:
        found = rows(connection, "FROM calibration_summary WHERE signal = 'tf'")
    assert found
    for row in found:
        assert (row["n"], row["n_null"], row["accuracy"], row["auroc"]) == (0, 18, None, None)
        reasons = (
            "calibration_reason",
            "auroc_reason",
            "aurc_reason",
            "prr_reason",
            "accuracy_se_reason",
            "auroc_se_reason",
        )
        assert {row[name] for name in reasons} == {"empty"}


def test_unjoined_verdicts_are_counted(lake: Connection) -> None:
    tables = lake_tables({"champ": 2, "theoremqa": 2, "medcalcbench": 2, "logicbench": 2}, seed=5)
    stale = pl.col("instance_id") == "champ_00001"
    gone = [
        pl.when(stale).then(None).otherwise(pl.col(c)).alias(c)
        for c in ("tf_p_correct", "tf_join_basis", "tf_producer")
    ]
    with derive(database(tables | {"rollouts": tables["rollouts"].with_columns(gone)})) as connection:
        found = rows(connection, "FROM calibration_summary WHERE signal = 'tf'")
    assert {(row["dataset"], row["n_unjoined"]) for row in found} == {
        ("champ", 9), ("theoremqa", 0), ("medcalcbench", 0), ("logicbench", 0),
    }  # fmt: skip
    assert all(row["n_null"] >= row["n_unjoined"] for row in found)
