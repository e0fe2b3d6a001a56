"""Grading: is an answer right by its benchmark's own rules?

One module a benchmark, each with `extract` (text to answer) and `compare` (answer to verdict). `docs/grading.md` has
the rules, and every difference to the benchmarks' own evaluators.

Belongs here: rules that look at one answer and one question, and what they are made of: numbers, expressions, LaTeX,
texts.

Does not belong here: reading questions files (`transforms/sra/questions.py`); agreement and accuracy, which count
verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from transforms.sra.grading import champ, logicbench, medcalcbench, theoremqa
from transforms.sra.grading.texts import MAX_ANSWER_CHARS, drop_thinking
from transforms.sra.question import Question

# Goes up whenever a text or an answer may be graded differently than before.
GRADING_VERSION: Final = "2"
NO_ANSWER: Final = "no_answer"
OVER_BUDGET: Final = "over_budget"
_CACHE_SIZE: Final = 50_000


@dataclass(frozen=True, slots=True)
class Grade:
    """A verdict: the answer it is about (null where there is none), and the comparison that decided it."""

    extracted: str | None
    correct: bool
    rule: str


_Extract: TypeAlias = "Callable[[Question, str], str]"
_Compare: TypeAlias = "Callable[[Question, str], tuple[bool, str]]"
_BENCHMARKS: Final[dict[str, tuple[_Extract, _Compare]]] = {
    "champ": (
        lambda question, text: champ.extract(text),
        lambda question, answer: champ.compare(question.gold_answer, answer),
    ),
    "theoremqa": (
        lambda question, text: theoremqa.extract(text),
        lambda question, answer: theoremqa.compare(question.answer_kind, question.gold_answer, answer),
    ),
    "medcalcbench": (
        lambda question, text: medcalcbench.extract(text, question.answer_kind, question.calculator_id),
        lambda question, answer: medcalcbench.compare(
            question.answer_kind,
            question.calculator_id,
            question.gold_answer,
            (question.lower_limit or "", question.upper_limit or ""),
            answer,
        ),
    ),
    "logicbench": (
        lambda question, text: logicbench.extract(text, question.answer_kind, question.question),
        lambda question, answer: logicbench.compare(question.answer_kind, question.gold_answer, answer),
    ),
}


def _extract(question: Question, text: str) -> str:
    return _BENCHMARKS[question.dataset][0](question, drop_thinking(text))


def grade_text(question: Question, text: str) -> Grade:
    """Grade a generated text: drop the thinking, extract the answer, compare it.

    Raises KeyError for a question of a benchmark that is not one of the four.
    """
    return grade_answer(question, _extract(question, text))


def grade_answer(question: Question, answer: str | None) -> Grade:
    """Grade an answer as it is, without extracting it again; none, and an empty one, are wrong.

    An answer longer than `MAX_ANSWER_CHARS` is wrong without a look at it, and not kept.
    """
    compare = _BENCHMARKS[question.dataset][1]
    if answer is None or not answer.strip():
        return Grade(answer, correct=False, rule=NO_ANSWER)
    if len(answer) > MAX_ANSWER_CHARS:
        return Grade(None, correct=False, rule=OVER_BUDGET)
    return Grade(answer, *compare(question, answer))


class Grader:
    """Grades many answers to the same questions, each distinct answer to a question once.

    It remembers at most `cache_size` grades and forgets the oldest. Use one for a cell, in one thread.
    """

    def __init__(self, questions: Mapping[str, Question], cache_size: int = _CACHE_SIZE) -> None:
        self._questions = questions
        self._cache_size = cache_size
        self._grades: dict[tuple[str, str], Grade] = {}

    def texts(self, instance_ids: Sequence[str], texts: Sequence[str]) -> list[Grade]:
        """Grade generated texts, in order. Raises KeyError for an id that is no question's."""
        pairs = zip(instance_ids, texts, strict=True)
        return [self._grade(name, _extract(self._questions[name], text)) for name, text in pairs]

    def answers(self, instance_ids: Sequence[str], answers: Sequence[str | None]) -> list[Grade]:
        """Grade answers as they are, in order. Raises KeyError for an id that is no question's."""
        return [self._grade(name, answer) for name, answer in zip(instance_ids, answers, strict=True)]

    def _grade(self, name: str, answer: str | None) -> Grade:
        if answer is None or len(answer) > MAX_ANSWER_CHARS:
            return grade_answer(self._questions[name], answer)
        grade = self._grades.get((name, answer))
        if grade is None:
            grade = grade_answer(self._questions[name], answer)
            if len(self._grades) >= self._cache_size:
                del self._grades[next(iter(self._grades))]
            self._grades[name, answer] = grade
        return grade


__all__ = [
    "GRADING_VERSION",
    "MAX_ANSWER_CHARS",
    "NO_ANSWER",
    "OVER_BUDGET",
    "Grade",
    "Grader",
    "grade_answer",
    "grade_text",
]
