"""The benchmarks' own verdicts, the mini bundle's truth, and what `docs/grading.md` says of both."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.shared_data import shared
from tests.unit.sra.grading.cases import champ, theoremqa
from transforms.sra.grading import Grader, grade_answer
from transforms.sra.question import Question
from transforms.sra.questions import parse_questions

DOCS = Path(__file__).resolve().parents[4] / "docs" / "grading.md"
DATASETS = ("champ", "theoremqa", "medcalcbench", "logicbench")


@lru_cache
def _questions(dataset: str) -> dict[str, Question]:
    path = shared(f"sra-bench/instances/{dataset}.json")
    found, issues = parse_questions(dataset, path.read_bytes(), path.name)
    assert issues == []
    return {question.instance_id: question for question in found}


@lru_cache
def _outputs(dataset: str) -> list[tuple[int, dict[str, Any]]]:
    lines = gzip.decompress(shared("oracle/grading_cases.jsonl.gz").read_bytes()).splitlines()
    outputs = [(number, json.loads(line)) for number, line in enumerate(lines, 1)]
    return [(number, output) for number, output in outputs if output["dataset"] == dataset]


def _table(heading: str) -> list[list[str]]:
    """Return the rows of the first table under a heading of the page."""
    section = DOCS.read_text().split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return rows[1:]


def _listed_differences() -> set[int]:
    listed = re.search(r"^Outputs whose verdict differs, by number of their line: (.+)\.$", DOCS.read_text(), re.M)
    assert listed is not None
    return set() if listed[1] == "none" else {int(number) for number in listed[1].split(", ")}


@pytest.mark.parametrize("dataset", DATASETS)
def test_agreement_with_the_evaluators_is_what_the_page_says(dataset: str) -> None:
    outputs = _outputs(dataset)
    ids, texts = [o["instance_id"] for _, o in outputs], [o["text"] for _, o in outputs]
    grades = Grader(_questions(dataset)).texts(ids, texts)
    pairs = list(zip(outputs, grades, strict=True))
    other_verdict = {number for (number, output), grade in pairs if grade.correct != output["correct"]}
    other_answer = {number for (number, output), grade in pairs if grade.extracted != output["extracted"]}
    assert len(other_verdict) <= 0.005 * len(outputs)
    assert other_verdict == _listed_differences() & {number for number, _ in outputs}
    counts = [str(len(found)) for found in (outputs, other_verdict, other_answer)]
    assert [dataset, *counts] in _table("Agreement")


def test_every_listed_difference_is_an_output() -> None:
    numbers = {number for dataset in DATASETS for number, _ in _outputs(dataset)}
    assert _listed_differences() <= numbers
    assert len(numbers) == 10_789


@pytest.mark.parametrize("row", _table("Deliberate differences"), ids=lambda row: " ".join(row[:3]))
def test_deliberate_differences_are_as_the_page_says(row: list[str]) -> None:
    benchmark, gold, answer, published, here, reason = row
    asked = {"champ": champ(gold.strip("`")), "theoremqa": theoremqa("integer", gold.strip("`"))}[benchmark]
    grade = grade_answer(asked, answer.strip("`"))
    assert grade.correct == (here == "right")
    assert {published, here} == {"right", "wrong"}
    assert reason


def _mini() -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    files = sorted(shared("bundles/mini").glob("models/*/*/*/sampling9.jsonl.gz"))
    return [
        (file.parts[-4:-1], json.loads(line))
        for file in files
        for line in gzip.decompress(file.read_bytes()).decode("utf-8-sig").splitlines()
        if line.strip()
    ]


def test_every_rollout_and_native_answer_of_the_mini_bundle() -> None:
    truth = pl.read_parquet(shared("bundles/mini.truth.parquet"))
    keys = ["model", "dataset", "condition", "instance_id", "sample"]
    expected = {tuple(row[:5]): row[5:] for row in truth.select(*keys, "correct", "native_correct").iter_rows()}
    graders = {dataset: Grader(_questions(dataset)) for dataset in DATASETS}
    found: dict[tuple[Any, ...], tuple[bool, bool]] = {}
    n_native: Counter[bool] = Counter()
    for cell, record in _mini():
        name, rollouts = record["instance_id"], record["rollouts"]
        (native,) = graders[cell[1]].answers([name], [record["native_answer"]])
        n_native[native.correct] += 1
        grades = graders[cell[1]].texts([name] * len(rollouts), [rollout["text"] for rollout in rollouts])
        for rollout, grade in zip(rollouts, grades, strict=True):
            found[*cell, name, rollout["sample"]] = (grade.correct, native.correct)
    assert len(found) == 6_048
    assert n_native.total() == 672
    assert found == expected
