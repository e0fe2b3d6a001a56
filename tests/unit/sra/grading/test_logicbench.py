"""LogicBench: what is extracted, and the comparison with an answer it takes and one it does not."""

from __future__ import annotations

import pytest

from tests.unit.sra.grading.cases import CHOICES
from tests.unit.sra.grading.cases import logicbench as question
from transforms.sra.grading import grade_answer, logicbench

FILLER = "and so on, as was said " * 40


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is yes at first. But the answer is: **No**.", "no"),
        ("Answer  is:\n true " + FILLER, "yes"),
        ("the answer is False", "no"),
        ("the answer is yesterday", "the answer is yesterday"),
        ("**Yes**, since it holds. It cannot be inferred otherwise", "yes"),
        ("No. It is true", "no"),
        ("Yesterday. Then no", "no"),
        (f"{FILLER}It cannot be concluded, yes", "no"),
        (f"{FILLER}It cannot  logically follow, yes", "no"),
        (f"{FILLER}That is not necessarily true", "no"),
        (f"{FILLER}That is not possible", "no"),
        (f"{FILLER}Oh no, it is yes", "no"),
        (f"It cannot be concluded. {FILLER}yes or no or yes indeed", "yes"),
        (f"{FILLER}yes or no indeed", "no"),
        (f"{FILLER}is untrue", "yes"),
        (f"{FILLER}is falsehood", "no"),
        ("First line\n Last LINE ", "last line"),
        ("", ""),
    ],
)
def test_what_is_extracted_of_yes_or_no(text: str, answer: str) -> None:
    assert logicbench.extract(text, "BQA", CHOICES) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("choice_1, no: Choice 3, rather " + FILLER, "choice_3"),
        ("It is choice2", "choice_2"),
        ("The answer is: **2**, not answer 3", "choice_2"),
        ("Option 3 it is", "choice_3"),
        ("answer 3rd", "answer 3rd"),
        (f"{FILLER}so MIKE IS TIRED of waiting.", "choice_2"),
        (f"Mike is tired of waiting.{FILLER}5", "choice_5"),
        ("Hence\nit is 4, as stated", "choice_4"),
        ("It is 7", "it is 7"),
        ("Therefore, the answer is\nFourth: 4", ""),
    ],
)
def test_what_is_extracted_of_several_choices(text: str, answer: str) -> None:
    assert logicbench.extract(text, "MCQA", CHOICES) == answer


@pytest.mark.parametrize(
    ("kind", "gold", "answer", "correct", "rule"),
    [
        ("BQA", "no", " No ", True, "yes_no"),
        ("BQA", "no", "yes", False, "yes_no"),
        ("BQA", "no", "no.", False, "yes_no"),
        ("MCQA", "choice_2", "Choice_2", True, "choice"),
        ("MCQA", "choice_2", "choice_22", False, "choice"),
        ("MCQA", "choice_2", "2", False, "choice"),
        ("MCQA", "choice_2", None, False, "no_answer"),
        ("MCQA", "choice_2", "choice_2" * 1_000, False, "over_budget"),
    ],
)
def test_how_answers_are_compared(kind: str, gold: str, answer: str | None, correct: bool, rule: str) -> None:
    grade = grade_answer(question(kind, gold), answer)
    assert (grade.correct, grade.rule) == (correct, rule)
