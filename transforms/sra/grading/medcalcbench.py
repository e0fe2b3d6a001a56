"""MedCalc-Bench: values of medical calculators, compared by the calculator's kind of output."""

from __future__ import annotations

import datetime
import re
from typing import Final

from transforms.sra.grading.numeric import as_float, rounds_to
from transforms.sra.grading.texts import after_trigger, has, last_answer_line, last_line, last_number

DATE_CALCULATORS: Final = frozenset((13, 68))
GESTATIONAL_CALCULATOR: Final = 69
# These score in whole numbers, whatever the output type of a question says.
WHOLE_CALCULATORS: Final = frozenset((4, 15, 16, 17, 18, 20, 21, 25, 27, 28, 29, 32, 33, 36, 43, 45, 48, 51))

_PLACEHOLDERS: Final = (
    "str(short_and_direct_answer_of_the_question)",
    "str(value which is the answer to the question)",
    "X.XX",
)
_MAX_KEYS: Final = 1_000
_KEY_END: Final = 'nswer":'
_KEY: Final = re.compile(r"[Aa]nswer\":\s*+")
_DATE_IN_TEXT: Final = re.compile(r"(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/(\d{4})")
_DATE: Final = re.compile(r"(1[0-2]|0[1-9]|[1-9])/(3[01]|[12][0-9]|0[1-9]|[ ]?[1-9])/([0-9]{4})")
_AGE_IN_TEXT: Final = re.compile(r"(\d+)\s*+(?:weeks?+)?+\s*+,?+\s*+[\"']?+(\d++)")
_AGE: Final = re.compile(r"(\d+)\s*+(?:weeks?+)?+[\"']?+,?+\s*+[\"']?+(\d++)")
_NUMBER: Final = re.compile(r"-?\d++\.?\d*+")
_FRACTION: Final = re.compile(r"(-?\d++(?:\.\d++)?+)\s*+/\s*+(\d++(?:\.\d++)?+)")


def extract(text: str, kind: str, calculator_id: int | None) -> str:
    """Return the answer of a generated text.

    In this order: the last `ANSWER:` line, a JSON `answer`, what follows the trigger, a date or a number of weeks and
    days where the calculator gives one, the last number, the last line.
    """
    answer = last_answer_line(text)
    if answer is None:
        answer = _json_answer(text) or after_trigger(text)
    if answer is None and (kind == "date" or calculator_id in DATE_CALCULATORS):
        answer = _date_in(text)
    if answer is None and calculator_id == GESTATIONAL_CALCULATOR and (found := _AGE_IN_TEXT.search(text)):
        answer = f"({found[1]}, {found[2]})"
    if answer is None:
        answer = last_number(_NUMBER, text) or last_line(text)
    return answer


def _json_answer(text: str) -> str | None:
    """Return the value of the first JSON `answer` whose object ends on its line; None for an empty or a sample one.

    Beyond a thousand keys whose object does not, none is looked for.
    """
    if not has(text, _KEY_END):
        return None
    position = 0
    for _ in range(_MAX_KEYS):
        found = _KEY.search(text, position)
        if found is None:
            break
        stop = text.find("\n", found.end())
        stop = stop if stop >= 0 else len(text)
        end = text.find("}", found.end(), stop)
        if end >= 0:
            answer = text[found.end() : end].strip().strip('"').strip("'")
            return answer if answer and answer not in _PLACEHOLDERS else None
        # No brace on the rest of this line, so no other key on it has one either, unless it ends the line.
        last = text.rfind(_KEY_END, found.end(), stop)
        position = last - 1 if last >= 0 and not text[last + len(_KEY_END) : stop].strip() else stop
    return None


def _date_in(text: str) -> str | None:
    found = _DATE_IN_TEXT.search(text)
    return f"{int(found[1]):02d}/{int(found[2]):02d}/{found[3]}" if found else None


# --- comparing ------------------------------------------------------------------------------------------------------


def compare(kind: str, calculator_id: int | None, gold: str, limits: tuple[str, str], answer: str) -> tuple[bool, str]:
    """Return whether an answer is right, and the comparison that decided. `limits` bound the right decimals."""
    answer = answer.strip()
    if calculator_id in DATE_CALCULATORS:
        return same_date(gold, answer), "date"
    if calculator_id == GESTATIONAL_CALCULATOR:
        expected = read_age(gold)
        return expected is not None and read_age(answer) == expected, "gestational_age"
    value = read_number(answer)
    if calculator_id in WHOLE_CALCULATORS or kind == "integer":
        whole = read_number(gold)
        return value is not None and whole is not None and rounds_to(value, round(whole)), "integer"
    low, high = read_number(limits[0]), read_number(limits[1])
    return value is not None and low is not None and high is not None and low <= value <= high, "range"


def read_number(text: str) -> float | None:
    """Return the number a text is, also written as a fraction."""
    text = text.strip()
    value = as_float(text)
    if value is None and (found := _FRACTION.fullmatch(text)):
        above, below = float(found[1]), float(found[2])
        value = above / below if below else None
    return value


def read_date(text: str) -> datetime.date | None:
    """Return the date a text is, as month/day/year with or without leading zeros."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    try:
        return datetime.date(int(found[3]), int(found[1]), int(found[2]))
    except ValueError:
        return None


def same_date(gold: str, answer: str) -> bool:
    """Tell whether two texts are one date."""
    expected = read_date(gold)
    return expected is not None and read_date(answer) == expected


def read_age(text: str) -> tuple[str, str] | None:
    """Return the weeks and days of a gestational age, as digits without leading zeros."""
    found = _AGE.search(text)
    return (found[1].lstrip("0") or "0", found[2].lstrip("0") or "0") if found else None
