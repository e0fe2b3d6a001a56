"""TheoremQA: what is extracted, and every comparison with an answer it takes and one it does not."""

from __future__ import annotations

import pytest

from tests.unit.sra.grading.cases import theoremqa as question
from transforms.sra.grading import grade_answer, theoremqa


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is: 12", "12"),
        ("Therefore, the answer is 12.", "12"),
        ("Therefore, the answer is: 12", ": 12"),
        ("Therefore, the answer is: x = 12", "12"),
        ("the answer is 12, of 13", "13"),
        ("The answer is: 9\n\nThe answer is: 12", "9"),
        ("The answer is: 9\n\nTherefore, the answer is 12", "12"),
        ("Therefore, the answer is 9, so the answer is: 12", "12"),
        ("The answer is: 5, surely. Indeed we know.", "False"),
        ("The answer is: Yes", "True"),
        ("The answer is: it is untrue", "True"),
        ("The answer is: FALSE", "False"),
        ("It is not 12", "False"),
        ("So it is 12.5 or -13.5.", "-13.5"),
        ("values: .5", ".5"),
        ("1.2.3", ".3"),
        ("A digit-free text", ""),
        ("The answer is: (B)", "(B)"),
        ("Say (a) or (b)", "Say (a) or (b)"),
        ("The answer is: 3.50", "3.5"),
        ("The answer is: $11,760.00$", "11760"),
        ("The answer is: \\frac{54}{3}", "18.0"),
        ("The answer is: 2 \\times 10^{3}", "2000"),
        ("The answer is: 50%", "0.5"),
        ("The answer is: 2\\pi", "6.28"),
        ("The answer is: \\pi/2", "1.57"),
        ("The answer is: 10^{9^{9^{9}}}", "10^{9^{9^{9}}}"),
        ("The answer is: 20 mg/dL", "20"),
        ("The answer is: 1.5 kg2", "1.5"),
        ("The answer is: 25\u00b0C", "25"),
        ("The answer is: 2\\sqrt{3}", "2\\sqrt{3}"),
        ("The answer is: 5/", "5"),
        ("The answer is: [0, 5]", "[0, 5]"),
        ("The answer is: [1.0, 0.25]", "[1, 0.25]"),
        ("The answer is: [2]", "2"),
        ("The answer is: (0, 5)", "(0, 5)"),
        ("The answer is: ", ""),
    ],
)
def test_what_is_extracted(text: str, answer: str) -> None:
    assert theoremqa.extract(text) == answer


RIGHT = [
    ("bool", "True", "True", "text"),
    ("bool", "False", "false", "text"),
    ("option", "(b)", "(B)", "option"),
    ("option", "(b)", "(a) or (b)", "option"),
    ("integer", "12", "12", "text"),
    ("integer", "12", "12.4", "number"),
    ("integer", "12", "24/2", "number"),
    ("integer", "12", "3(4)", "number"),
    ("integer", "12", "1.2E1", "number"),
    ("integer", "12", "2*(3+3)", "number"),
    ("integer", "1000", "10**3", "number"),
    ("integer", "12", "(12, 3)", "number"),
    ("integer", "12", "[12, 3]", "number"),
    ("integer", "0", "False", "number"),
    ("integer", "1", "True", "number"),
    ("integer", "10", "\\binom{5}{2}", "number"),
    ("integer", "12", "1_2", "number"),
    ("float", "2.0", "2.4", "number"),
    ("float", "0.25", "0.2595", "number"),
    ("float", "0.0000", "0.3", "number"),
    ("float", "1.57", "\\pi/2", "number"),
    ("float", "-6e+25", "-6e+25", "text"),
    ("list of integer", "[1, 2]", "[1, 2]", "text"),
    ("list of integer", "[2, 1]", "(1, 2.2)", "list"),
    ("list of float", "[0.5, 0.25]", "(0.255, 1/2)", "list"),
    ("list of integer", "[3]", "(3,)", "list"),
]
WRONG = [
    ("bool", "True", "False", "text"),
    ("bool", "True", "1", "text"),
    ("option", "(b)", "(a)", "option"),
    ("option", "(b)", "b", "option"),
    ("integer", "12", "12.6", "number"),
    ("integer", "12", "-12", "number"),
    ("integer", "12", ": 12", "number"),
    ("integer", "12", "inf", "number"),
    ("float", "0.25", "nan", "number"),
    ("integer", "12", "1.2e+01", "number"),
    ("integer", "12", "approximately 12", "number"),
    ("integer", "12", "\\sqrt{144}", "number"),
    ("integer", "10", "\\binom{5}{7}", "number"),
    ("integer", "1", "1/0", "number"),
    ("integer", "1", "(1-1)^{-1}", "number"),
    ("float", "0.25", "0.261", "number"),
    ("float", "0.5", "1/2/3", "number"),
    ("list of integer", "[1, 2]", "[2, 1]", "list"),
    ("list of integer", "[1, 2]", "(1, 2, 2)", "list"),
    ("list of integer", "[1, 2]", "(1, 3)", "list"),
    ("list of integer", "[1, 2]", "(1, x)", "list"),
    ("list of integer", "[1, 2]", "(1), 2)", "list"),
    ("list of integer", "[3]", "(3)", "list"),
    ("list of integer", "[3]", "3", "list"),
    ("integer", "12", "9^{9^{9}}", "over_budget"),
    ("list of integer", "[1, 2]", "(1, 9**9**9)", "over_budget"),
    ("integer", "12", "1" * 401, "over_budget"),
    ("integer", "12", "", "no_answer"),
    ("integer", "12", "1" * 5_000, "over_budget"),
]


@pytest.mark.parametrize(
    ("kind", "gold", "answer", "correct", "rule"),
    [(kind, gold, answer, True, rule) for kind, gold, answer, rule in RIGHT]
    + [(kind, gold, answer, False, rule) for kind, gold, answer, rule in WRONG],
)
def test_how_answers_are_compared(kind: str, gold: str, answer: str, correct: bool, rule: str) -> None:
    grade = grade_answer(question(kind, gold), answer)
    assert (grade.correct, grade.rule) == (correct, rule)
