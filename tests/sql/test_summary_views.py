"""The summary, its neighbours and the observations under them, against figures computed without SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics

from tests.sql import reference
from tests.sql.database import Connection, Row, database, derive, rows
from tests.sql.synthetic import coverage_of, lake_tables
from tests.sql.views import CELL, CLOSE, COLUMNS, PROBABILITIES, clustered, keyed, usable
from warehouse.contracts.sra import CONDITIONS, DATASETS, MODELS, SIGNALS


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


def test_the_oracle_and_the_random_line(lake: Connection, observations: dict[Any, pl.DataFrame]) -> None:
    """The oracle's curve by sorting right rows first; its kink is where they end."""
    lines = dict(lake.sql("FROM risk_coverage_reference ORDER BY coverage").pl().group_by(*CELL, "signal"))
    assert lines.keys() == {key for key, frame in observations.items() if len(usable(frame)[0])}
    for key, line in lines.items():
        correct = usable(observations[key])[1].astype(bool)
        n, accuracy = len(correct), float(correct.mean())
        risks = np.cumsum(np.sort(~correct)) / np.arange(1, n + 1)
        steps = {round(k / 100, 2) for k in range(1, 101)} | ({accuracy} if accuracy else set())
        assert line["coverage"].to_list() == pytest.approx(sorted(steps), abs=CLOSE)
        assert line["random_risk"].to_list() == pytest.approx([1 - accuracy] * line.height, abs=CLOSE)
        for coverage, risk in line.select("coverage", "oracle_risk").iter_rows():
            k = coverage * n
            if abs(k - round(k)) < 1e-9 and round(k) > 0:
                assert risk == pytest.approx(risks[round(k) - 1], abs=CLOSE)
