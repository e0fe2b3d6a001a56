"""Text written to run away: it grades, as wrong, in work that grows no faster than the text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.grading.cases import EVERY_KIND, champ, theoremqa
from transforms.sra.grading import MAX_ANSWER_CHARS, OVER_BUDGET, Grade, grade_answer, grade_text
from transforms.sra.question import Question

LENGTH = 60_000
GENEROUS_SECONDS = 2.0
UNITS = (
    "9", " ", "\n", "(", ")", "\\", "\\frac{", ",", ".", "-", "*", ":", "=", "π", "{", "!", "^", "/", "\u00a0",
    "\x00", "\ud800", "٣", "answer:", "ANSWER:", "xanswer:", "answer is ", "The answer is:", "he answer is",
    "Therefore, the answer is", "<think>", "<think></think>", "<thi<think></think>nk>", 'answer":', 'answer":\n',
    '"answer": }', "choice_", "choice 1 ", "option ", "answer ", "yes", "no,", "cannot be ", "or equivalently ",
    "or ", " (i.e. ", "1 ", "1 weeks", "12/", "12/12/", "1.1.", "1-", "..", " is the only possible value",
    "no a solutions ", "C(", "sqrt(", "9**", "n!", "1e9", "E", "\\left(", "\\pi", "(a)", "\r\n",
)  # fmt: skip
FRAMES = ("{}", "ANSWER: 1 {}", "The answer is: {}", "{}\nANSWER: 0", "answer is {}x")
EXPRESSIONS = (
    "9**9**9**9", "9^9^9^9", "9^{9^{9^{9}}}", "1e999999999", "-1e999999999", "1E999999999", "10^(10^9)", "7^-(10^9)",
    "1/10^9999999", "(" * 3_000, "((((1))))" * 300, "[" * 3_000, "\\frac{1}" * 300, "-" * 3_000 + "1",
    "+" * 200 + "1", "1" * 4_096, "0." + "3" * 4_000, "٣" * 50, "1_000_000", "nan", "inf", "-infinity",
    "factorial(factorial(9))", "9!!!!!!", "C(10^9, 10^8)", "C(1e300, 40)", "(1/3)^(1/3)^(1/3)", "exp(exp(exp(9)))",
    "tan(pi/7)", "floor(10^300/7)", "sqrt(" * 30 + "7" + ")" * 30, "n^n^n^n", "abs(-1e308*10)",
    "C(" * 20 + "5, 2)" * 20, "(n+k)^400", "1/" * 100 + "7", "\x00", "\ud800", "1\ud800", "__import__('os')",
    "[].__class__", "lambda: 0", "(" + "1," * 1_000 + ")", "(((1,),),)", "1;" * 60 + "1", "12/25/99999", "99/99/9999",
    "9" * 40 + " weeks " + "9" * 40, "1/0", "0/0",
)  # fmt: skip


def _wrong_and_small(grade: Grade) -> None:
    assert not grade.correct
    assert grade.extracted is None or len(grade.extracted) <= MAX_ANSWER_CHARS


@pytest.mark.parametrize("unit", UNITS)
def test_long_text_is_graded_quickly(unit: str) -> None:
    for frame in FRAMES:
        text = frame.format((unit * LENGTH)[:LENGTH])
        for question in EVERY_KIND:
            started = time.process_time()
            grade = grade_text(question, text)
            assert time.process_time() - started < GENEROUS_SECONDS
            assert grade.extracted is None or len(grade.extracted) <= MAX_ANSWER_CHARS


@contextmanager
def _calls() -> Iterator[Callable[[], int]]:
    """Count calls of functions, built-in ones included: the loops of extraction make one or more a turn."""
    made = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield lambda: made
    finally:
        sys.setprofile(before)


def _work(question: Question, text: str) -> int:
    with _calls() as made:
        grade_text(question, text)
        return made()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("frame", FRAMES)
def test_loops_take_turns_in_proportion_to_the_text(unit: str, frame: str) -> None:
    for question in EVERY_KIND:
        n = max(1, 4_000 // len(unit))
        once, twice = (_work(question, frame.format(unit * k * n)) for k in (1, 2))
        assert twice <= 2 * once + 200


@pytest.mark.parametrize("answer", EXPRESSIONS)
def test_hostile_expressions_are_wrong_and_quick(answer: str) -> None:
    for question in (*EVERY_KIND, champ("n!"), champ("sqrt(3)/3"), champ("C(n, 4)"), theoremqa("float", "0.5")):
        started = time.process_time()
        _wrong_and_small(grade_answer(question, answer))
        _wrong_and_small(grade_text(question, f"ANSWER: {answer}\nThe answer is: {answer}"))
        assert time.process_time() - started < GENEROUS_SECONDS


def test_what_runs_away_is_called_so() -> None:
    assert grade_answer(champ("5"), "9**9**9**9").rule == OVER_BUDGET
    assert grade_answer(theoremqa("integer", "5"), "9^{9^{9^{9}}}").rule == OVER_BUDGET
    assert grade_text(champ("5"), "ANSWER: " + "5" * 5_000) == Grade(None, correct=False, rule=OVER_BUDGET)


def test_an_answer_just_short_enough_is_compared() -> None:
    assert grade_answer(champ("5"), "5" + " " * (MAX_ANSWER_CHARS - 1)).correct
    assert grade_answer(champ("5"), "5" + " " * MAX_ANSWER_CHARS).rule == OVER_BUDGET


anything = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(UNITS + EXPRESSIONS[:6]), max_size=12).map("".join),
    st.text(alphabet="0123456789+-*/^()[]{},.\\ answer:ANSWERyeoisTh_!%$=π\n", max_size=120),
)


@settings(max_examples=300)
@given(anything, st.sampled_from(EVERY_KIND))
def test_any_text_grades_and_always_the_same(text: str, question: Question) -> None:
    first = grade_text(question, text)
    assert grade_text(question, text) == first
    assert first.extracted is None or len(first.extracted) <= MAX_ANSWER_CHARS
    assert grade_answer(question, first.extracted).correct == first.correct


@settings(max_examples=300)
@given(anything, st.sampled_from(EVERY_KIND))
def test_any_answer_grades(answer: str, question: Question) -> None:
    grade = grade_answer(question, answer)
    assert grade.extracted in (answer, None)
    assert isinstance(grade.correct, bool)
    assert grade.rule.replace("_", "").islower()
