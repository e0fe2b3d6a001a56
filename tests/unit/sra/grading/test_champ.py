"""CHAMP: what is extracted, and every comparison with an answer it takes and one it does not."""

from __future__ import annotations

import pytest

from tests.unit.sra.grading.cases import champ as question
from transforms.sra.grading import champ, grade_answer, grade_text


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ANSWER: 5\nANSWER: 7\n", "7"),
        ("  answer:  **7** \nSo it is.", "7"),
        ("AnSwEr:7", "7"),
        ("ANSWER: 7\r\nEnd", "7"),
        ("**ANSWER: 7**", "**ANSWER: 7**"),
        ("My ANSWER: 7\nis it", "is it"),
        ("ANSWER:\n9", ""),
        ("The answer is: 5. \nOr the answer is: 6/.\nEnd", "6"),
        ("Therefore, the answer is 8.\nEnd", "8"),
        ("Therefore, the answer is: 8", "8"),
        ("the answer is 8\nlast line \n\n", "last line"),
        ("\n \n", ""),
        ("ANSWER: 1\n" + "filler line\n" * 200, "1"),
        ("x ANSWER: 1 " * 200, ("x ANSWER: 1 " * 200).strip()),
        ("ANSWER: 1\n" + "not the ANSWER: 2\n" * 200, "1"),
    ],
)
def test_what_is_extracted(text: str, answer: str) -> None:
    assert champ.extract(text) == answer


RIGHT = [
    ("239", "239.", "text"),
    ("Always greater than 20", "always  greater THAN 20", "text"),
    ("n!, or equivalently 7", "n!, or approximately 9", "text"),
    ("100 (i.e., all values)", "100", "text"),
    ("0 (none of the values)", "0 (None of them)", "text"),
    ("Yes", "yes, because", "yes_no"),
    ("Yes", "That is true", "yes_no"),
    ("No", "I do not know", "yes_no"),
    ("No integer solutions", "No solution", "phrase"),
    ("No such values", "no positive real values", "phrase"),
    ("3 is the only possible value", "3", "phrase"),
    ("The limit exists and is equal to 2", "2", "phrase"),
    ("The limit does not exist", "limit does not exist", "phrase"),
    ("At most 0 values", "0 roots", "phrase"),
    ("0 pairs", "0", "phrase"),
    ("Exactly one sequence", "1", "phrase"),
    ("98 values", "98", "phrase"),
    ("2 inequalities", "2", "phrase"),
    ("239", "239.4", "number"),
    ("239", "2.39e2", "number"),
    ("8", "8.5", "number"),
    ("30", "60/2", "number"),
    ("30", "(30)", "number"),
    ("2", "2^3 - 2*3", "number"),
    ("1/2", "0.515", "number"),
    ("sqrt(3)", "1.8", "number"),
    ("C(10, 5)", "252", "expression"),
    ("C(n, 4)", "n(n-1)(n-2)(n-3)/4!", "expression"),
    ("n(n+1)*2^(n-2)", "2**(n-2) (n^2+n)", "expression"),
    ("(2n)!/(2^n*n!)", "(2n)!/(2^n n!)", "expression"),
    ("2^floor(n/2)*floor(n/2)!", "floor(n/2)! 2^floor(n/2)", "expression"),
    ("x^3-1", "(x-1)(x^2+x+1)", "expression"),
    ("xy^2", "y^2 x", "expression"),
    ("C(10, 5), or equivalently 252", "252", "expression"),
    ("sum_(i=1)^n i, or equivalently n(n+1)/2", "(n^2+n)/2", "expression"),
    ("It is not possible, or equivalently 0 roots", "0 roots", "text"),
    ("sqrt(3)/3, or equivalently 1/sqrt(3)", "3^(-1/2)", "number"),
    ("n!, or equivalently n*(n-1)! (for all n)", "(n-1)! n", "expression"),
    ("0", "approximately 0", "zero"),
    ("0", "About 0.00 dollars.", "zero"),
    ("0 roots", "exactly 0", "zero"),
    ("0", "0 solutions", "zero"),
    ("0", "approx. 0 meters/second", "zero"),
    ("0", "0 mg/dL", "expression"),
]
WRONG = [
    ("239", "240", "number"),
    ("239", "239.6", "number"),
    ("9", "8.5", "number"),
    ("239", "inf", "number"),
    ("239", "nan", "number"),
    ("239", "-239", "number"),
    ("1/2", "0.53", "number"),
    ("1/2", "1/0", "expression"),
    ("239", "x = 239", "text"),
    ("239", "$239$", "text"),
    ("239", "239 mg/dL", "expression"),
    ("239", "approximately 239", "text"),
    ("1", "approximately 0", "text"),
    ("0", "approximately 0.4", "text"),
    ("0", "approximately 10", "text"),
    ("0", "0 approximately 5", "text"),
    ("0", "less than 0", "text"),
    ("0", "greater than 0", "text"),
    ("0", "over 0", "text"),
    ("0", "not 0", "text"),
    ("0", "0 or infinity", "text"),
    ("0", "0 then", "text"),
    ("0", "a positive 0 is impossible", "text"),
    ("0", "$0$", "text"),
    ("0", "≈ 0", "text"),
    ("Always greater than 20", "Always greater than 21", "text"),
    ("Yes", "No", "yes_no"),
    ("No", "Yes", "yes_no"),
    ("Yes", "perhaps", "text"),
    ("No integer solutions", "No such values", "text"),
    ("No integer solutions", "No (integer) solutions", "text"),
    ("No integer solutions", "No idea", "text"),
    ("98 values", "97 values", "number"),
    ("2^n", "2^(n-1)", "expression"),
    ("2n!", "2(n!)", "expression"),
    ("x", "sqrt(x^2)", "expression"),
    ("n!", "N!!", "expression"),
    ("1 and 19", "19 and 1", "text"),
    ("[-1, 1]", "(-1, 1)", "text"),
    ("239", "9**9**9**9", "over_budget"),
    ("239", "1" * 500 + "+1", "over_budget"),
    ("n", "n" * 500, "over_budget"),
    ("239", "", "no_answer"),
    ("239", " \n", "no_answer"),
    ("239", "239" + " " * 5_000, "over_budget"),
]


@pytest.mark.parametrize(
    ("gold", "answer", "correct", "rule"),
    [(gold, answer, True, rule) for gold, answer, rule in RIGHT]
    + [(gold, answer, False, rule) for gold, answer, rule in WRONG],
)
def test_how_answers_are_compared(gold: str, answer: str, correct: bool, rule: str) -> None:
    grade = grade_answer(question(gold), answer)
    assert (grade.correct, grade.rule) == (correct, rule)


def test_thinking_does_not_count() -> None:
    assert grade_text(question("7"), "<think>ANSWER: 5</think>\nANSWER: 7").correct
    assert not grade_text(question("7"), "<think>ANSWER: 7").correct


@pytest.mark.parametrize(
    "answer", ["1.5*10^308*(1+I)", "(1+I)*x*10^308*1.7", "10^308*1.7*I+10^308*1.7", "-1.7*10^308*(1-I)"]
)
def test_values_too_large_to_be_compared_are_no_match(answer: str) -> None:
    assert grade_answer(question("x"), answer).correct is False
    assert grade_answer(question(answer), "x").correct is False
