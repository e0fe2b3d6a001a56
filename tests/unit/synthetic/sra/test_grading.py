"""What is planned right is graded right, and what is planned wrong wrong, by graders that share nothing with it."""

from __future__ import annotations

import gzip
import json

import pytest

from synthetic.sra import Job, Spec, draw, run_job
from synthetic.sra.forms import FORMS
from synthetic.sra.questions import instances_file, questions
from synthetic.sra.spec import DATASETS
from transforms.sra.grading import Grader
from transforms.sra.question import Question
from transforms.sra.questions import parse_questions

SPEC = Spec("tiny", seed=21, questions=120, mean_tokens=30)
MODELS = ("Qwen3-32B", "Gemma-4-31B-it")


def _questions(dataset: str) -> dict[str, Question]:
    found, issues = parse_questions(dataset, instances_file(SPEC, dataset), f"{dataset}.json")
    assert issues == []
    return {question.instance_id: question for question in found}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dataset", DATASETS)
def test_grading_finds_the_planned_correctness(dataset: str, model: str) -> None:
    job, known = Job("cell", model, dataset, "llm_select"), _questions(dataset)
    latent, place, grader = draw(SPEC, job), {name: k for k, name in enumerate(known)}, Grader(known)
    data = dict(run_job(SPEC, job).files)[f"bundle/models/{job.cell}/sampling9.jsonl.gz"]
    lines = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    rollouts = [(line["instance_id"], rollout) for line in lines for rollout in line["rollouts"]]
    grades = grader.texts([name for name, _ in rollouts], [rollout["text"] for _, rollout in rollouts])
    planned = [bool(latent.correct[place[name], rollout["sample"]]) for name, rollout in rollouts]
    assert [grade.correct for grade in grades] == planned
    natives = grader.answers([line["instance_id"] for line in lines], [line["native_answer"] for line in lines])
    assert [grade.correct for grade in natives] == [bool(latent.native_correct[place[n["instance_id"]]]) for n in lines]
    stored = [rollout["correct"] for _, rollout in rollouts]
    assert 0.01 < sum(a != b for a, b in zip(stored, planned, strict=True)) / len(stored) < 0.2


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_form_is_graded_as_it_says(dataset: str) -> None:
    """Each form of each kind of question, around every right and wrong answer, with nothing else in the text."""
    known = _questions(dataset)
    grader, checked = Grader(known), 0
    for question in questions(SPEC, dataset):
        answers = [(a, True) for a in question.draft.right] + [(a, False) for a in question.draft.wrong]
        for form in FORMS[f"{dataset}/{question.draft.kind}"]:
            for answer, right in answers:
                if not form.sound and right and not form.opens_think:
                    continue  # never written
                again = "" if form.again is None else f"{form.again}{answer}"
                thought = "<think> so far" if form.opens_think else "Some steps."
                text = f"{thought}{form.before}{answer}{again}{form.after}"
                (grade,) = grader.texts([question.instance_id], [text])
                assert grade.correct == (right and form.sound), (form, answer)
                checked += 1
    assert checked > 1000
