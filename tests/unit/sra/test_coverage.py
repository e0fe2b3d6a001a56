"""Coverage: a row for every combination, and why what is not there is not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import polars as pl
import pytest

from transforms.sra.coverage import CellCoverage, coverage_frame, observe_cell
from transforms.sra.layout import CellKey
from warehouse.contracts import TABLES
from warehouse.contracts.sra import CONDITIONS, MODELS, ROLLOUTS_PER_QUESTION, SIGNALS

QWEN, GLM, GEMMA_26, _, GEMMA_31 = MODELS
ALL = frozenset({"sampling", "ab", "tf", "entropy_bin", "entropy_index"})
FULL = dict.fromkeys(SIGNALS, 18) | {"agreement": 2}


def cell(model: str = QWEN, condition: str = "direct") -> CellKey:
    return CellKey(model, "champ", condition)


def seen(kinds: frozenset[str] = ALL, **more: Any) -> CellCoverage:
    return CellCoverage(2, 18, kinds, **({"n_present": FULL} | more))


def covered(
    observed: Mapping[CellKey, CellCoverage], left_out: Mapping[CellKey, frozenset[str]] | None = None
) -> dict[tuple[CellKey, str], dict[str, Any]]:
    cells = {*observed, *(left_out or {}), cell()}
    models, datasets, conditions = ({getattr(c, key) for c in cells} for key in ("model", "dataset", "condition"))
    frame = coverage_frame(models, datasets, conditions, observed, left_out)
    table = TABLES["signal_coverage"]
    table.schema.validate(frame)
    assert dict(frame.schema) == table.polars_schema
    assert frame.equals(frame.sort(table.key))
    assert frame.height == len(models) * len(datasets) * len(conditions) * len(SIGNALS)
    keys = ("model", "dataset", "condition")
    return {(CellKey(*(row[k] for k in keys)), row["signal"]): row for row in frame.iter_rows(named=True)}


def figures(row: Mapping[str, Any]) -> tuple[str, int, int]:
    return row["status"], row["n_expected"], row["n_present"]


def test_a_cell_with_everything() -> None:
    rows = covered({cell(): seen()})
    assert {figures(row) for (_, signal), row in rows.items() if signal != "agreement"} == {("present", 18, 18)}
    assert figures(rows[cell(), "agreement"]) == ("present", 2, 2)
    assert {row["reason"] for row in rows.values()} == {None}


def test_every_combination_of_names_has_a_row() -> None:
    observed = {cell(QWEN): seen(), cell(GEMMA_26, "llm_select"): seen()}
    rows = covered(observed)
    assert {key for key, _ in rows} == {cell(m, c) for m, c in product((QWEN, GEMMA_26), ("direct", "llm_select"))}
    absent = rows[cell(GEMMA_26), "tf"]
    assert figures(absent) == ("missing", 18, 0)
    assert absent["reason"] == "The bundle has no such cell."
    assert figures(rows[cell(GEMMA_26), "agreement"]) == ("missing", 2, 0)


def test_what_does_not_apply_is_not_missing() -> None:
    rows = covered({cell(GEMMA_31): seen()})
    assert figures(rows[cell(GEMMA_31), "ab"]) == ("not_applicable", 0, 0)
    assert "0.017" in rows[cell(GEMMA_31), "ab"]["reason"]


@pytest.mark.parametrize("model", MODELS)
def test_what_is_withheld_is_not_missing(model: str) -> None:
    kinds = frozenset({"sampling", "ab", "tf"} if model == GEMMA_31 else {"sampling", "ab"})
    observed = {} if model == GEMMA_26 else {cell(model, "gold_skill"): seen(kinds)}
    rows = covered({cell(model): seen(), cell(QWEN, "gold_skill"): seen(), **observed})
    status = {signal: rows[cell(model, "gold_skill"), signal]["status"] for signal in SIGNALS}
    agreement = "withheld" if model == GEMMA_26 else "present"
    expected = dict.fromkeys(SIGNALS, "withheld") | {"agreement": agreement}
    expected["ab"] = "not_applicable" if model in {GEMMA_26, GEMMA_31} else "present"
    expected["tf"] = "present" if model == GEMMA_31 else "withheld"
    assert status == expected
    gone = [rows[cell(model, "gold_skill"), s] for s in SIGNALS if status[s] in {"withheld", "not_applicable"}]
    assert {(row["n_expected"], row["n_present"]) for row in gone} == {(0, 0)}
    assert all(row["reason"] for row in gone)


def test_what_is_withheld_and_there_all_the_same_is_present() -> None:
    rows = covered({cell(QWEN, "gold_skill"): seen(), cell(GEMMA_26, "gold_skill"): seen()})
    assert figures(rows[cell(QWEN, "gold_skill"), "tf"]) == ("present", 18, 18)
    assert figures(rows[cell(GEMMA_26, "gold_skill"), "agreement"]) == ("present", 2, 2)


def test_the_chunked_pass_is_said_wherever_its_entropies_are() -> None:
    rows = covered({cell(GEMMA_31): seen(n_present=FULL | {"entropy_answer": 17}), cell(QWEN): seen()})
    for signal in ("entropy_whole", "entropy_answer", "entropy_numeric"):
        assert "0.9994" in rows[cell(GEMMA_31), signal]["reason"]
        assert rows[cell(QWEN), signal]["reason"] is None
    assert rows[cell(GEMMA_31), "tf"]["reason"] is None
    assert rows[cell(GEMMA_31), "entropy_answer"]["reason"].startswith("Not there: 1 of generations without 'ANSWER:'")


def test_a_file_that_is_not_there() -> None:
    rows = covered({cell(): seen(frozenset({"sampling"}), n_present={"agreement": 2})})
    assert figures(rows[cell(), "tf"]) == ("missing", 18, 0)
    assert rows[cell(), "tf"]["reason"] == "The cell has no tf_logprob9.jsonl.gz."
    assert rows[cell(), "entropy_numeric"]["reason"] == "The cell has no token_entropy9.bin."


def test_spans_without_a_tokenizer() -> None:
    counts = FULL | {"entropy_answer": 0, "entropy_numeric": 0}
    rows = covered({cell(): seen(n_present=counts, has_tokenizer=False)})
    assert figures(rows[cell(), "entropy_whole"]) == ("present", 18, 18)
    for signal in ("entropy_answer", "entropy_numeric"):
        assert figures(rows[cell(), signal]) == ("missing", 18, 0)
        assert "tokenizer.json" in rows[cell(), signal]["reason"]


def test_a_cell_that_was_left_out() -> None:
    left_out = {cell(GLM): ALL, cell(GLM, "gold_skill"): frozenset({"sampling"})}
    rows = covered({cell(): seen()}, left_out)
    assert figures(rows[cell(GLM), "tf"]) == ("missing", 18, 0)
    assert "left out" in rows[cell(GLM), "tf"]["reason"]
    assert rows[cell(GLM, "gold_skill"), "tf"]["status"] == "withheld"
    assert rows[cell(GLM, "gold_skill"), "agreement"]["status"] == "missing"


def test_a_model_nobody_knows_has_no_excuse() -> None:
    odd = CellKey('Llama"; DROP\n𝔸', "champ", CONDITIONS[2])
    rows = covered({odd: seen(frozenset({"sampling"}), n_present={"agreement": 2})})
    assert {rows[odd, s]["status"] for s in SIGNALS if s != "agreement"} == {"missing"}


def rollouts(**columns: object) -> pl.DataFrame:
    names = ("ab_p_correct", "tf_p_correct", "entropy_mean", "answer_entropy_mean", "numeric_entropy_mean")
    values = dict.fromkeys(names, [0.5] * ROLLOUTS_PER_QUESTION) | columns
    return pl.DataFrame(values, schema=dict.fromkeys(names, pl.Float64))


QUESTIONS = pl.DataFrame({"agreement": [0.5]})


def verdicts(*statuses: str) -> pl.DataFrame:
    return pl.DataFrame({"join_status": list(statuses)})


def test_values_are_counted_and_null_and_nan_are_none() -> None:
    found = observe_cell(
        ALL,
        pl.DataFrame({"agreement": [0.5, None]}),
        rollouts(ab_p_correct=[None] + [0.5] * 8, tf_p_correct=[None, math.nan, math.nan, *[0.5] * 6]),
        verdicts(*["joined"] * 9),
    )
    assert (found.n_question_conditions, found.n_rollouts) == (2, 9)
    assert found.n_present == {
        "agreement": 1, "ab": 8, "tf": 6, "entropy_whole": 9, "entropy_answer": 9, "entropy_numeric": 9,
    }  # fmt: skip
    rows = covered({cell(): found})
    assert figures(rows[cell(), "tf"]) == ("partial", 9, 6)
    assert rows[cell(), "tf"]["reason"] == "Not there: 2 NaN, 1 null because the probe failed."
    assert rows[cell(), "ab"]["reason"] == "Not there: 1 null because the probe failed."
    assert rows[cell(), "agreement"]["reason"] == "Not there: 1 that the bundle does not state."


def test_what_was_not_joined_is_not_there() -> None:
    joined = verdicts(*["joined"] * 6, *["stale_positional_join"] * 3)
    found = observe_cell(ALL, QUESTIONS, rollouts(tf_p_correct=[0.5] * 6 + [None] * 3), joined)
    row = covered({cell(): found})[cell(), "tf"]
    assert figures(row) == ("partial", 9, 6)
    assert row["reason"] == "Not there: 3 left out because the positional join is stale."


def test_a_probe_that_failed_altogether_is_missing() -> None:
    found = observe_cell(ALL, QUESTIONS, rollouts(tf_p_correct=[None] * 9), verdicts(*["joined"] * 9))
    row = covered({cell(): found})[cell(), "tf"]
    assert figures(row) == ("missing", 9, 0)
    assert row["reason"] == "Not there: 9 null because the probe failed."
