"""TheoremQA: answers to theorem-driven questions, compared by the kind of the gold answer."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from transforms.sra.grading.evaluation import OPERATORS, UndefinedError, arithmetic, read_numeral
from transforms.sra.grading.expressions import MAX_CHARS, NotAnExpressionError, OverBudgetError, parser
from transforms.sra.grading.latex import read_latex
from transforms.sra.grading.numeric import as_number, matches
from transforms.sra.grading.texts import MAX_ANSWER_CHARS, TRIGGER_CORE, TRIGGERS, ascii_lower, has, last_number

OPTIONS: Final = ("(a)", "(b)", "(c)", "(d)", "(e)", "(f)")
_NUMBER: Final = re.compile(r"-?\d*+\.\d++|-?\d++")
_NUMBER_AND_UNIT: Final = re.compile(r"-?[\d.]++\s(?:\D++|\S++)\Z")
_UNITS: Final = ("$", "\u00a5", "\u00b0C", " C", "\u00b0")
_TRUTH: Final = {"True": 1, "False": 0}


def extract(text: str) -> str:
    """Return the answer of a generated text: what follows the last trigger, else its last number.

    A yes or no (or true or false) anywhere in the part looked at comes before everything else, also inside a word.
    """
    text = text.strip("\n")
    if _has_two(text, TRIGGER_CORE) and any(text.count(trigger) > 1 for trigger in TRIGGERS):
        # Repeated triggers mean that made-up questions follow the answer, as in a prompt with examples.
        text = text.partition("\n\n")[0]
    start = _after_last_trigger(text)
    part = text[max(start, 0) :].strip("\n").rstrip(".").rstrip("/").strip()
    low = ascii_lower(part)
    if has(low, "yes") or has(low, "true"):
        return "True"
    if has(low, "no") or has(low, "false"):
        return "False"
    if not any(has(low, option) for option in OPTIONS):
        part = _simplified(part) if start >= 0 else last_number(_NUMBER, part)
    return part.rstrip(".").rstrip("/")


def _has_two(text: str, part: str) -> bool:
    last = text.rfind(part)
    return last > 0 and text.rfind(part, 0, last) >= 0


def _after_last_trigger(text: str) -> int:
    """Return where the text behind the last trigger starts; -1 without one.

    Triggers are found from left to right, so in `Therefore, the answer is: 5` the colon is part of the answer.
    """
    core = text.rfind(TRIGGER_CORE)
    while core > 0:
        end = core + len(TRIGGER_CORE)
        before = text[max(core - 12, 0) : core]
        if before in ("Therefore, t", "therefore, t"):
            return end
        if before[-1] in "Tt" and text.startswith(":", end):
            return end + 1
        core = text.rfind(TRIGGER_CORE, 0, core)
    return -1


def _simplified(part: str) -> str:
    """Return the number an answer comes to, or its number without the unit, or the answer as it is."""
    part = part.rpartition("=")[2].strip()
    if len(part) > MAX_ANSWER_CHARS:
        return part
    part = _without_units(part)
    try:
        value = read_latex(part) if len(part) <= MAX_CHARS else None
    except OverBudgetError:
        value = None
    if value is not None:
        return str(list(value) if isinstance(value, tuple) else value)
    return part.split(" ", 1)[0] if _NUMBER_AND_UNIT.match(part) else part


def _without_units(text: str) -> str:
    text = _with_pi(text.replace("\\pi", "π")).replace("%", "/100")
    for unit in _UNITS:
        text = text.replace(unit, "")
    return text


def _with_pi(text: str) -> str:
    """Write π as 3.14, multiplied by a digit before it; after a brace it stays what it is."""
    first, *rest = text.split("π")
    done = [first]
    for before, piece in zip([first, *rest], rest, strict=False):
        done.append(("*3.14" if before[-1:].isdecimal() else "π" if before[-1:] == "}" else "3.14") + piece)
    return "".join(done)


# --- comparing ------------------------------------------------------------------------------------------------------


def compare(kind: str, gold: str, answer: str) -> tuple[bool, str]:
    """Return whether an answer is right, and the comparison that decided.

    `kind` is TheoremQA's `answer_type`: bool, option, integer, float, list of integer, list of float.
    """
    if gold.lower() in OPTIONS:
        return gold.lower() in answer.lower(), "option"
    if gold.lower() == answer.lower():
        return True, "text"
    try:
        if "list" in kind:
            return _match_list(answer, gold), "list"
        if kind in ("integer", "float"):
            value, expected = _number(answer), as_number(gold)
            return value is not None and expected is not None and matches(value, expected), "number"
    except OverBudgetError:
        return False, "over_budget"
    return False, "text"


def _number(answer: str) -> float | None:
    """Return the number an answer comes to: as LaTeX, as a numeral, or as Python; of a list, the first."""
    answer = _without_units(answer)
    value = read_latex(answer)
    if value is not None:
        return value[0] if isinstance(value, tuple) else value
    if answer in _TRUTH:
        return _TRUTH[answer]
    if re.search("[A-Za-z^]", answer):
        return None
    value = as_number(answer)
    items = [value] if value is not None else _python_items(answer)
    return items[0] if items else None


def _match_list(answer: str, gold: str) -> bool:
    """Compare element by element in ascending order; an answer is a list only in parentheses."""
    if not (answer.startswith("(") and answer.endswith(")") and "," in answer):
        return False
    found, expected = _python_items(answer), gold_list(gold)
    if found is None or len(found) != len(expected):
        return False
    return all(matches(value, wanted) for value, wanted in zip(sorted(found), expected, strict=True))


@lru_cache(maxsize=4_096)
def gold_list(gold: str) -> tuple[float, ...]:
    """Return the elements of a gold list in ascending order. Raises ValueError where it is none."""
    if not (gold.startswith("[") and gold.endswith("]")) or (items := _python_items(f"({gold[1:-1]},)")) is None:
        raise ValueError("not a list of numbers")
    return tuple(sorted(items))


def _python_items(text: str) -> list[float] | None:
    """Return the numbers of a Python tuple, or the one number of an expression; None where there is more than that."""
    inner = text[1:-1] if "," in text and text.startswith("(") and text.endswith(")") else text
    try:
        programs = parser(inner).listed(",")
        return [arithmetic(program, read_numeral, OPERATORS) for program in programs]
    except (NotAnExpressionError, UndefinedError):
        return None
