"""MedCalc-Bench: what is extracted, and every comparison with an answer it takes and one it does not."""

from __future__ import annotations

import pytest

from tests.unit.sra.grading.cases import medcalcbench as question
from transforms.sra.grading import grade_answer, medcalcbench
from transforms.sra.question import Question

DECIMAL, DATE, AGE = ("decimal", 2), ("date", 13), ("date", 69)


@pytest.mark.parametrize(
    ("text", "calculator", "answer"),
    [
        ('{"answer": "6"}\nANSWER: **5**\nend', DECIMAL, "5"),
        ('{"answer": "6"} The answer is: 7', DECIMAL, "6"),
        ("{'Answer\": '6', 'x': 1}", DECIMAL, "6', 'x': 1"),
        ('"answer": 6\n"answer": 7}', DECIMAL, "7"),
        ('"answer": 6, "answer":\n\n 7}', DECIMAL, "7"),
        ('"answer": "X.XX"} The answer is: 7.', DECIMAL, "7"),
        ('"answer": ""} or "answer": 8} so 9', DECIMAL, "9"),
        ("Therefore, the answer is 7 mg", DECIMAL, "7 mg"),
        ("it is 7.5 mg/dL.", DECIMAL, "7.5"),
        ("it is 7.", DECIMAL, "7."),
        ("from 3-5", DECIMAL, "-5"),
        ("1.2.3", DECIMAL, "3"),
        ("first\nno digits here \n", DECIMAL, "no digits here"),
        ("born 3/4/2019, due 12/05/2019", DATE, "03/04/2019"),
        ("born 3/4/2019", DECIMAL, "2019"),
        ("born 13/44/2019", DATE, "2019"),
        ("about 3 weeks, 4 days", AGE, "(3, 4)"),
        ("12 words, then 5 weeks 6", AGE, "(1, 2)"),
        ("so 5 words, then 6", AGE, "6"),
        ("5 weeks 4 days", DECIMAL, "4"),
    ],
)
def test_what_is_extracted(text: str, calculator: tuple[str, int], answer: str) -> None:
    assert medcalcbench.extract(text, *calculator) == answer


def test_keys_are_looked_at_up_to_a_bound() -> None:
    assert medcalcbench.extract('"answer": 6\n' * 999 + '"answer": 7}', *DECIMAL) == "7"
    assert medcalcbench.extract('"answer": 6\n' * 1_000 + '"answer": 7} or 8', *DECIMAL) == "8"


RANGE = question("5.0", limits=("4.75", "5.25"))
WHOLE, WHOLE_BY_CALCULATOR = question("4", "integer", 24), question("4", "decimal", 4)
DAY, WEEKS = question("12/05/2019", "date", 68), question("('3 weeks', '4 days')", "date", 69)
RIGHT = [
    (RANGE, "4.75", "range"),
    (RANGE, "5.25", "range"),
    (RANGE, " 10/2 ", "range"),
    (RANGE, "5e0", "range"),
    (WHOLE, "4.4", "integer"),
    (WHOLE, "8.2 / 2.0", "integer"),
    (WHOLE_BY_CALCULATOR, "3.6", "integer"),
    (DAY, "12/05/2019", "date"),
    (DAY, "12/5/2019", "date"),
    (WEEKS, "(3, 4)", "gestational_age"),
    (WEEKS, "3 weeks 4 days", "gestational_age"),
    (WEEKS, "('03 weeks', '04 days')", "gestational_age"),
]
WRONG = [
    (RANGE, "4.74", "range"),
    (RANGE, "5.26", "range"),
    (RANGE, "5 mg", "range"),
    (RANGE, "5/0", "range"),
    (RANGE, "nan", "range"),
    (RANGE, "inf", "range"),
    (question("5.0"), "5.0", "range"),
    (WHOLE, "4.6", "integer"),
    (WHOLE, "inf", "integer"),
    (WHOLE, "nan", "integer"),
    (WHOLE, "four", "integer"),
    (DAY, "12/06/2019", "date"),
    (DAY, "2019-12-05", "date"),
    (DAY, "12/05/19", "date"),
    (question("02/30/2019", "date", 13), "02/30/2019", "date"),
    (WEEKS, "(4, 3)", "gestational_age"),
    (WEEKS, "3 weeks and 4 days", "gestational_age"),
    (WEEKS, "3", "gestational_age"),
    (question("soon", "date", 69), "soon", "gestational_age"),
    (WEEKS, "9" * 4_000, "gestational_age"),
    (RANGE, None, "no_answer"),
    (RANGE, "5" * 5_000, "over_budget"),
]


@pytest.mark.parametrize(
    ("asked", "answer", "correct", "rule"),
    [(asked, answer, True, rule) for asked, answer, rule in RIGHT]
    + [(asked, answer, False, rule) for asked, answer, rule in WRONG],
)
def test_how_answers_are_compared(asked: Question, answer: str | None, correct: bool, rule: str) -> None:
    grade = grade_answer(asked, answer)
    assert (grade.correct, grade.rule) == (correct, rule)
