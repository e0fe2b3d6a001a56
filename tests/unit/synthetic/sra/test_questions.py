"""The questions: format, answer kinds, and gold answers worked out again here."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from synthetic.sra import Spec
from synthetic.sra.questions import instances_file, questions
from synthetic.sra.spec import DATASETS

SPEC = Spec("small", seed=9, questions=400)
PUBLISHED = Path(__file__).resolve().parents[4].parent / "shared" / "sra-bench" / "instances"


def _rows(dataset: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(instances_file(SPEC, dataset))
    return rows


def _shape(row: dict[str, Any]) -> tuple[Any, ...]:
    inner = tuple((key, type(value)) for key, value in row["eval_data"].items())
    return tuple((key, type(value)) for key, value in row.items()), inner


@pytest.mark.parametrize("dataset", DATASETS)
def test_rows_have_the_keys_and_types_of_published_ones(dataset: str) -> None:
    if not PUBLISHED.is_dir():
        pytest.skip(f"the published questions are not at {PUBLISHED}")
    published = json.loads((PUBLISHED / f"{dataset}.json").read_text())
    assert {_shape(row) for row in _rows(dataset)} == {_shape(row) for row in published}


@pytest.mark.parametrize(
    ("dataset", "key"), [("theoremqa", "answer_type"), ("medcalcbench", "output_type"), ("logicbench", "task_type")]
)
def test_every_published_kind_of_answer_occurs(dataset: str, key: str) -> None:
    known = {
        "answer_type": {"float", "integer", "bool", "list of integer", "option", "list of float"},
        "output_type": {"decimal", "integer", "date"},
        "task_type": {"BQA", "MCQA"},
    }
    assert {row["eval_data"][key] for row in _rows(dataset)} == known[key]
    tiny = json.loads(instances_file(Spec("tiny"), dataset))
    assert {row["eval_data"][key] for row in tiny} == known[key]


@pytest.mark.parametrize("dataset", DATASETS)
def test_names_are_distinct_and_of_their_data_set(dataset: str) -> None:
    names = [row["instance_id"] for row in _rows(dataset)]
    assert len(set(names)) == len(names) == 400
    assert all(re.fullmatch(rf"{dataset}_\d{{5}}", name) for name in names)
    assert all(row["skill_annotations"] for row in _rows(dataset))


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_gold_is_the_first_right_answer_and_no_wrong_one(dataset: str) -> None:
    for question in questions(SPEC, dataset):
        assert question.draft.right[0] == question.draft.eval_data["answer"]
        assert question.draft.wrong
        assert not set(question.draft.right) & set(question.draft.wrong)


def test_decimal_limits_are_five_per_cent_around_the_gold() -> None:
    decimals = [r["eval_data"] for r in _rows("medcalcbench") if r["eval_data"]["output_type"] == "decimal"]
    assert len(decimals) > 100
    for data in decimals:
        gold, low, high = (float(data[key]) for key in ("answer", "lower_limit", "upper_limit"))
        assert low < gold < high
        assert (gold - low, high - gold) == pytest.approx((abs(gold) * 0.05,) * 2, abs=2e-5)


def test_exact_answers_have_limits_that_are_the_gold() -> None:
    exact = [r["eval_data"] for r in _rows("medcalcbench") if r["eval_data"]["output_type"] != "decimal"]
    assert all(d["answer"] == d["lower_limit"] == d["upper_limit"] for d in exact)


def test_due_dates_and_gestational_ages_follow_from_the_note() -> None:
    checked = 0
    for row in _rows("medcalcbench"):
        dates = [datetime.strptime(d, "%m/%d/%Y") for d in re.findall(r"\d\d/\d\d/\d{4}", row["question"])]
        answer, calculator = row["eval_data"]["answer"], row["eval_data"]["calculator_id"]
        if calculator in (13, 68):
            days = 280 if calculator == 13 else 14
            assert datetime.strptime(answer, "%m/%d/%Y") == dates[0] + timedelta(days=days)
            checked += 1
        if calculator == 69:
            days = (dates[0] - dates[1]).days
            assert answer == f"('{days // 7} weeks', '{days % 7} days')"
            checked += 1
    assert checked > 80


def test_calculations_follow_from_the_note() -> None:
    checked = 0
    for row in _rows("medcalcbench"):
        numbers = [float(x) for x in re.findall(r"\d+(?:\.\d+)?", row["question"].split("\n")[0])]
        expected = _recalculate(row["eval_data"]["calculator_id"], numbers)
        if expected is not None:
            assert float(row["eval_data"]["answer"]) == pytest.approx(expected, abs=1e-5)
            checked += 1
    assert checked > 150


def _recalculate(calculator: int, numbers: list[float]) -> float | None:
    match calculator:
        case 5:
            return (numbers[-2] + 2 * numbers[-1]) / 3
        case 6:
            return numbers[-1] / (numbers[-2] / 100) ** 2
        case 7:
            return numbers[-2] + 0.8 * (4 - numbers[-1])
        case 11:
            return numbers[-1] / math.sqrt(60 / numbers[-2])
        case 39:
            return numbers[-3] - numbers[-2] - numbers[-1]
        case 2:
            return (140 - numbers[0]) * numbers[1] / (72 * numbers[2])
    return None


def test_choices_hold_the_gold_label() -> None:
    for row in _rows("logicbench"):
        if row["eval_data"]["task_type"] == "MCQA":
            assert [f"choice_{k}" in row["question"] for k in (1, 2, 3, 4, 5)] == [True] * 4 + [False]
            assert row["eval_data"]["answer"] in ("choice_1", "choice_2", "choice_3", "choice_4")
        else:
            assert row["eval_data"]["answer"] in ("yes", "no")


def test_a_wrong_number_is_out_of_every_tolerance() -> None:
    compared = 0
    for dataset in DATASETS:
        for question in questions(SPEC, dataset):
            gold, *_ = _numbers(question.draft.right[:1])
            for value in _numbers(question.draft.wrong):
                if gold is not None and value is not None:
                    assert abs(value - gold) > 0.06 * abs(gold)
                    assert round(value) != gold
                    compared += 1
    assert compared > 1000


def _numbers(texts: tuple[str, ...]) -> list[float | None]:
    return [float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else None for text in texts]
