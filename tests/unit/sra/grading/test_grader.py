"""Grading many answers: in order, each distinct one once, within a bounded memory."""

from __future__ import annotations

from collections import Counter

import pytest

import transforms.sra.grading as grading
from tests.unit.sra.grading.cases import champ, logicbench, medcalcbench, theoremqa
from transforms.sra.grading import Grade, Grader, grade_answer, grade_text
from transforms.sra.question import Question

QUESTIONS = {
    "a": champ("7"),
    "b": theoremqa("integer", "7"),
    "c": medcalcbench("7", limits=("6.65", "7.35")),
    "d": logicbench("BQA", "no"),
}


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str | None]]:
    seen: Counter[tuple[str, str | None]] = Counter()

    def count(question: Question, answer: str | None) -> Grade:
        seen[question.dataset, answer] += 1
        return grade_answer(question, answer)

    monkeypatch.setattr(grading, "grade_answer", count)
    return seen


def test_grades_come_in_order_and_each_distinct_answer_is_compared_once(
    compared: Counter[tuple[str, str | None]],
) -> None:
    names = ["a", "b", "a", "c", "d", "a"]
    texts = ["ANSWER: 7", "The answer is: 7", "ANSWER: 8", "ANSWER: 7", "the answer is no", "So\nANSWER: 7"]
    grader = Grader(QUESTIONS)
    assert grader.texts(names, texts) == [grade_text(QUESTIONS[n], t) for n, t in zip(names, texts, strict=True)]
    assert [g.correct for g in grader.answers(["a", "a", "d"], ["7", None, "no"])] == [True, False, True]
    assert compared["champ", "7"] == 1 + 2  # once by the grader, twice by the two calls of grade_text above
    assert compared["champ", None] == 1


def test_the_memory_is_bounded_and_forgets_the_oldest(compared: Counter[tuple[str, str | None]]) -> None:
    grader = Grader(QUESTIONS, cache_size=2)
    grader.answers(["a"] * 5, ["1", "2", "3", "3", "1"])
    assert len(grader._grades) == 2
    assert compared == {("champ", "1"): 2, ("champ", "2"): 1, ("champ", "3"): 1}


def test_the_same_answer_to_two_questions_is_two_answers() -> None:
    grades = Grader({"a": champ("7"), "b": champ("8")}).answers(["a", "b"], ["7", "7"])
    assert [grade.correct for grade in grades] == [True, False]


def test_long_answers_are_not_remembered() -> None:
    grader = Grader(QUESTIONS)
    assert [grade.rule for grade in grader.answers(["a", "a"], ["7" * 5_000] * 2)] == ["over_budget"] * 2
    assert grader._grades == {}


def test_what_cannot_be_graded_is_an_error() -> None:
    with pytest.raises(KeyError):
        Grader(QUESTIONS).texts(["z"], ["ANSWER: 7"])
    with pytest.raises(ValueError, match="argument"):
        Grader(QUESTIONS).answers(["a"], [])
    with pytest.raises(KeyError):
        grade_answer(Question("toolqa", "x", "?", "7", "text", None, None, None, ()), "7")


def test_none_and_blank_answers() -> None:
    assert grade_answer(QUESTIONS["a"], None) == Grade(None, correct=False, rule="no_answer")
    assert grade_answer(QUESTIONS["c"], " ") == Grade(" ", correct=False, rule="no_answer")
