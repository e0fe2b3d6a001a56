"""The tables as a whole: contracts, agreement between them, and the same bits whatever the rows' order and threads."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

from tests.unit.statistics.observations import SHARED, cell, one_model
from transforms.statistics import Settings, statistics_tables, t_quantiles_table
from warehouse.contracts import TABLES, statistics, statistics_contrasts
from warehouse.contracts.statistics import BOOTSTRAP_STATISTICS, RECALIBRATIONS

FEW = Settings(replicates=50)
CELL = ["source", "model", "dataset", "condition", "signal"]


def largest(differences: pl.Series) -> float:
    found = differences.abs().max()
    assert isinstance(found, float)
    return found


@pytest.fixture(scope="module")
def observations() -> pl.DataFrame:
    return one_model()


@pytest.fixture(scope="module")
def tables(observations: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return statistics_tables(observations, FEW)


def _edge_cells() -> pl.DataFrame:
    """Cells in which figures are undefined, one reason or another."""
    return pl.concat(
        [
            cell("ab", [0.2, 0.4, 0.9], [1, 1, 1], range(3)),
            cell("tf", [0.5] * 4, [1, 0, 1, 0], range(4)),
            cell("agreement", [0.1, 0.9], [0, 1], [0, 0]),
            cell("verbalized", [math.nan, 1.5], [0, 1], range(2)),
            cell("logprob", [0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], range(4)),
            cell("entropy_whole", [-math.inf, -1.0], [0, 1], range(2), is_probability=False),
            cell("entropy_whole", [-math.inf, -2.0], [1, 1], range(2), is_probability=False, condition="llm_select"),
            cell("ab", [0.3], [0], [7], condition="llm_select"),
            cell("agreement", [0.0, 1.0], [0, 1], range(2), condition="llm_select"),
        ]
    )


@pytest.mark.parametrize("frame", [one_model(), _edge_cells(), one_model().clear()], ids=["usual", "edges", "nothing"])
def test_every_table_keeps_its_contract(frame: pl.DataFrame) -> None:
    found = statistics_tables(frame, FEW)
    known = (*statistics.TABLES, *statistics_contrasts.TABLES)
    assert sorted([*found, "t_quantiles"]) == sorted(table.name for table in known)
    for name, table in found.items():
        TABLES[name].schema.validate(table)
        assert table.equals(table.sort(TABLES[name].key)), name
        assert list(table.columns) == list(TABLES[name].polars_schema)


def test_every_cell_is_in_every_cell_table(observations: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> None:
    cells = observations.select(CELL).unique().sort(CELL)
    for name, rows in (
        ("calibration_fits", 1),
        ("calibration_tests", 1),
        ("recalibrated_scores", len(RECALIBRATIONS)),
        ("bootstrap_intervals", len(BOOTSTRAP_STATISTICS)),
    ):
        counted = tables[name].group_by(CELL).len().sort(CELL)
        assert counted.select(CELL).equals(cells), name
        assert counted["len"].unique().to_list() == [rows], name
    curve = tables["corp_reliability"].select(CELL).unique()
    assert curve.height == cells.filter(pl.col("signal") != "entropy_whole").height


def test_contrasts_are_those_both_conditions_have(tables: dict[str, pl.DataFrame]) -> None:
    found = tables["skill_effect_tests"].group_by("contrast").agg(pl.col("signal").unique().sort()).sort("contrast")
    assert found.rows() == [
        ("gold_skill - direct", ["ab", "agreement"]),
        ("llm_select - direct", ["ab", "agreement", "entropy_whole", "tf"]),
    ]
    assert tables["bootstrap_differences"].height == 2 * (2 + 4) * len(BOOTSTRAP_STATISTICS)
    native = tables["skill_effect_tests"].filter(pl.col("mcnemar_p").is_not_null())
    assert native["signal"].unique().to_list() == ["agreement"]


def test_tables_agree_with_each_other(tables: dict[str, pl.DataFrame]) -> None:
    wide = tables["bootstrap_intervals"].pivot("statistic", index=CELL, values="estimate")
    served = tables["recalibrated_scores"].filter(method="none").join(wide, on=CELL, suffix="_boot")
    assert served.height == wide.height
    for name in ("ece", "brier", "log_loss"):
        gap = served.select((pl.col(name) - pl.col(f"{name}_boot")).abs().max()).item()
        assert gap < 1e-12, name
    corp = tables["calibration_fits"].join(wide, on=CELL).drop_nulls("brier")
    for suffix in ("", "_in_sample"):
        total = corp[f"corp_miscalibration{suffix}"] - corp[f"corp_discrimination{suffix}"] + corp["corp_uncertainty"]
        assert largest(total - corp["brier"]) < 1e-12
    signed = tables["calibration_tests"].join(wide, on=CELL).drop_nulls("bias_t")
    assert (signed["bias_t"].sign() == signed["bias"].sign()).all()
    difference = tables["bootstrap_differences"].filter(statistic="auroc", contrast="llm_select - direct")
    for row in difference.iter_rows(named=True):
        mine = wide.filter(dataset=row["dataset"], signal=row["signal"])
        by_condition = dict(mine.select("condition", "auroc").iter_rows())
        assert row["estimate"] == by_condition["llm_select"] - by_condition["direct"]


def test_the_means_of_skill_effect_are_the_differences_of_the_cells(tables: dict[str, pl.DataFrame]) -> None:
    effect = tables["skill_effect_tests"].filter(skill_subset="all")
    wide = tables["bootstrap_differences"].pivot(
        "statistic", index=["dataset", "signal", "contrast"], values="estimate"
    )
    joined = effect.join(wide, on=["dataset", "signal", "contrast"])
    assert joined.height == effect.height == 12
    # All questions are paired and have nine rollouts, so means over questions and over rows are the same.
    assert largest(joined["d_accuracy"] - joined["accuracy"]) < 1e-12
    assert largest(joined["d_confidence"] - joined["mean_confidence"]) < 1e-12
    assert largest(joined["d_bias"] - joined["bias"]) < 1e-12


def test_subsets_follow_the_annotations(observations: pl.DataFrame) -> None:
    annotations = (
        observations.filter(pl.col("condition") != "direct")
        .select("dataset", "condition", "question_id")
        .unique()
        .with_columns(skill_is_annotated=pl.col("question_id").str.slice(-1).is_in(["0", "1", "2"]))
    )
    found = statistics_tables(observations, FEW, annotations)["skill_effect_tests"]
    counts = dict(found.group_by("skill_subset").agg(pl.col("n_pairs").unique().sort()).iter_rows())
    assert counts == {"all": [30], "annotated": [9], "not_annotated": [21]}
    TABLES["skill_effect_tests"].schema.validate(found)
    alone = statistics_tables(observations, FEW)["skill_effect_tests"]
    assert found.filter(skill_subset="all").equals(alone)


def test_annotations_without_a_column_are_refused(observations: pl.DataFrame) -> None:
    with pytest.raises(ValueError, match="no column skill_is_annotated; found dataset, condition, question_id"):
        statistics_tables(observations, FEW, observations.select("dataset", "condition", "question_id"))


def test_reasons_of_the_edges() -> None:
    found = statistics_tables(_edge_cells(), FEW)
    fits = {(r["signal"], r["condition"]): r for r in found["calibration_fits"].iter_rows(named=True)}
    assert fits["ab", "direct"]["calibration_slope_reason"] == "one_class"
    assert fits["tf", "direct"]["temperature_reason"] == "constant_signal"
    assert fits["agreement", "direct"]["intercept_in_the_large_se_reason"] == "one_question"
    assert fits["verbalized", "direct"]["smooth_ece_reason"] == "empty"  # B18: NULL, not 0
    assert fits["logprob", "direct"]["calibration_slope_reason"] == "separation"
    assert fits["logprob", "direct"]["temperature_at_bound"] is True
    assert fits["agreement", "llm_select"]["n_logit_clipped"] == 2
    entropy = fits["entropy_whole", "direct"]
    assert {v for k, v in entropy.items() if k.endswith("_reason")} == {"not_a_probability"}  # B19
    assert (entropy["n"], entropy["n_logit_clipped"]) == (2, None)
    tests = {(r["signal"], r["condition"]): r for r in found["calibration_tests"].iter_rows(named=True)}
    assert tests["ab", "llm_select"]["bias_reason"] == "one_question"
    assert tests["agreement", "llm_select"]["hosmer_lemeshow_reason"] == "degenerate_expectation"
    recalibrated = found["recalibrated_scores"].filter(signal="logprob", method="platt")
    assert recalibrated["reason"].to_list() == ["fold_without_fit"]


def _digest(found: dict[str, pl.DataFrame]) -> str:
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(found[name].write_ipc(None, compression="uncompressed").getvalue())
    return digest.hexdigest()


def test_the_order_of_rows_changes_no_bit(observations: pl.DataFrame) -> None:
    shuffled = observations.sample(fraction=1, shuffle=True, seed=3)
    assert _digest(statistics_tables(observations, FEW)) == _digest(statistics_tables(shuffled, FEW))


_RUN = "from tests.unit.statistics import test_tables as t; print(t._digest(t.statistics_tables(t.one_model(), t.FEW)))"


def test_threads_change_no_bit() -> None:
    root = Path(__file__).resolve().parents[3]
    found = set()
    for threads in ("1", "2", "4"):
        names = ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads), "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", _RUN], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        found.add(done.stdout.strip())
    assert found == {_digest(statistics_tables(one_model(), FEW))}


def test_a_seed_changes_the_replicates_and_nothing_else(observations: pl.DataFrame) -> None:
    a, b = (statistics_tables(observations, Settings(replicates=50, seed=seed)) for seed in (1, 2))
    assert not a["bootstrap_intervals"]["se"].equals(b["bootstrap_intervals"]["se"])
    assert a["bootstrap_intervals"]["estimate"].equals(b["bootstrap_intervals"]["estimate"])
    assert a["recalibrated_scores"].equals(b["recalibrated_scores"])


@pytest.mark.parametrize(("name", "value"), [("replicates", 1), ("folds", 1), ("seed", -1), ("ece_bins", 0)])
def test_settings_nothing_can_be_computed_from_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value}: give a whole number of at least"):
        Settings(**{name: value})


def test_t_quantiles() -> None:
    found = t_quantiles_table()
    TABLES["t_quantiles"].schema.validate(found)
    assert found["df"].to_list() == list(range(1, 10_001))
    expected = stats.t.ppf(0.975, found["df"].to_numpy())
    assert abs(found["q975"].to_numpy() / expected - 1).max() < 1e-12
    beyond = stats.t.ppf(0.975, 1e12)
    assert 0 < found["q975"][-1] / beyond - 1 < 1.3e-4


@pytest.mark.skipif(not (SHARED / "bundles").is_dir(), reason="the publisher's small bundle is not beside the checkout")
def test_figures_are_those_of_the_small_bundle() -> None:
    truth = json.loads((SHARED / "bundles" / "mini.truth.json").read_text())["partitions"]
    rollouts = pl.read_parquet(SHARED / "bundles" / "mini.truth.parquet")
    compared = 0
    for (model,), of_model in rollouts.partition_by("model", as_dict=True).items():
        found = statistics_tables(_as_observations(of_model), Settings(replicates=2))
        compared += sum(_compare(row, truth) for row in found["bootstrap_intervals"].iter_rows(named=True))
        fits = found["calibration_fits"].filter(pl.col("signal") == "agreement")
        assert set(fits["n"]) == {12}, model
    assert compared == sum(_stated(cell) for cell in truth.values()) > 700


def _as_observations(rollouts: pl.DataFrame) -> pl.DataFrame:
    keys = ["model", "dataset", "condition"]
    question: list[str | pl.Expr] = [*keys, pl.col("instance_id").alias("question_id")]
    native = rollouts.unique([*keys, "instance_id"]).select(
        *question, signal=pl.lit("agreement"), confidence="agreement", correct="native_correct", is_probability=True
    )
    signals = {
        "ab": "ab",
        "tf": "tf",
        "whole": "entropy_whole",
        "answer": "entropy_answer",
        "numeric": "entropy_numeric",
    }
    parts = [native]
    for column, signal in signals.items():
        confidence = pl.col(column) if column in {"ab", "tf"} else -pl.col(column)
        parts.append(
            rollouts.select(
                *question, signal=pl.lit(signal), confidence=confidence, correct="correct",
                is_probability=column in {"ab", "tf"},
            )
        )  # fmt: skip
    return pl.concat(parts, how="diagonal").with_columns(source=pl.lit("sra"))


def _stated(cell_truth: dict[str, dict[str, float]]) -> int:
    """How many figures the publisher states for a cell."""
    signals = sum(len(_TRUTH_NAMES) for signal in ("agreement", "ab", "tf") if cell_truth.get(signal))
    entropies = cell_truth.get("entropy") or {}
    return signals + sum(entropies.get(f"auroc_{span}") is not None for span in ("whole", "answer", "numeric"))


_TRUTH_NAMES = {"mean_confidence": "mean", "accuracy": "accuracy", "brier": "brier", "ece": "ece10", "auroc": "auroc"}


def _compare(row: dict[str, object], truth: dict[str, dict[str, dict[str, float]]]) -> int:
    """Compare one figure with the publisher's where there is one; return how many were."""
    stated = truth[f"{row['model']}/{row['dataset']}/{row['condition']}"]
    name, signal = str(row["statistic"]), str(row["signal"])
    if signal.startswith("entropy"):
        expected = (
            stated.get("entropy", {}).get(f"auroc_{signal.removeprefix('entropy_')}") if name == "auroc" else None
        )
    else:
        expected = (stated.get(signal) or {}).get(_TRUTH_NAMES.get(name, ""))
    if expected is None:
        return 0
    assert row["estimate"] == pytest.approx(expected, abs=1e-12), row
    return 1
