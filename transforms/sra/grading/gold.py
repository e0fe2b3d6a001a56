"""Can a question's gold answer be compared with anything? Checked when questions are read, not when one is graded."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from transforms.sra.grading.medcalcbench import (
    DATE_CALCULATORS,
    GESTATIONAL_CALCULATOR,
    WHOLE_CALCULATORS,
    read_age,
    read_date,
    read_number,
)
from transforms.sra.grading.numeric import as_number
from transforms.sra.grading.theoremqa import OPTIONS, gold_list
from transforms.sra.question import Question

KINDS: Final = {
    "champ": ("text",),
    "theoremqa": ("bool", "option", "integer", "float", "list of integer", "list of float"),
    "medcalcbench": ("decimal", "integer", "date"),
    "logicbench": ("BQA", "MCQA"),
}


def gold_fault(question: Question) -> str | None:
    """Return what the gold answer would have to be, as the end of a sentence, where it is not; else None."""
    expected, is_sound = _EXPECTED[question.dataset](question)
    return None if is_sound else expected


def _champ(question: Question) -> tuple[str, bool]:
    return "a text that is not blank", bool(question.gold_answer.strip())


def _theoremqa(question: Question) -> tuple[str, bool]:
    gold, kind = question.gold_answer, question.answer_kind
    if kind == "bool":
        return "True or False", gold in ("True", "False")
    if kind == "option":
        return "one of (a) to (f)", gold in OPTIONS
    if kind.startswith("list"):
        return "a list of numbers in brackets", _is_list(gold)
    return "a finite number", _is_finite(as_number(gold.strip()))


def _is_list(gold: str) -> bool:
    try:
        return all(map(math.isfinite, gold_list(gold)))
    except (ValueError, ArithmeticError):
        return False


def _is_finite(value: float | None) -> bool:
    return value is not None and abs(value) < math.inf


def _medcalcbench(question: Question) -> tuple[str, bool]:
    gold, calculator = question.gold_answer.strip(), question.calculator_id
    if calculator in DATE_CALCULATORS:
        return "a date as month/day/year", read_date(gold) is not None
    if calculator == GESTATIONAL_CALCULATOR:
        return "weeks and days", read_age(gold) is not None
    if calculator in WHOLE_CALCULATORS or question.answer_kind == "integer":
        return "a finite number", _is_finite(read_number(gold))
    low, high = read_number(question.lower_limit or ""), read_number(question.upper_limit or "")
    return "between two limits that are finite numbers in ascending order", (
        low is not None and high is not None and -math.inf < low <= high < math.inf
    )


def _logicbench(question: Question) -> tuple[str, bool]:
    if question.answer_kind == "BQA":
        return "yes or no", question.gold_answer.strip().lower() in ("yes", "no")
    return "choice_N", re.fullmatch(r"choice_[0-9]", question.gold_answer.strip().lower()) is not None


_EXPECTED: Final[dict[str, Callable[[Question], tuple[str, bool]]]] = {
    "champ": _champ,
    "theoremqa": _theoremqa,
    "medcalcbench": _medcalcbench,
    "logicbench": _logicbench,
}
