"""CHAMP: answers to competition mathematics, compared as text, yes or no, phrase, number, expression, zero in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from transforms.sra.grading.equality import same_value
from transforms.sra.grading.evaluation import OPERATORS, UndefinedError, arithmetic, read_numeral
from transforms.sra.grading.expressions import WORDS, NotAnExpressionError, OverBudgetError, Program, parser
from transforms.sra.grading.numeric import as_number, matches
from transforms.sra.grading.texts import after_trigger, last_answer_line, last_line

_EQUIVALENT: Final = re.compile(r"or\s++(?:equivalently|approximately)\s++", re.IGNORECASE)
_REMARK: Final = re.compile(r"\s\((?:i\.e\.[,\s]|none\b)", re.IGNORECASE)
_ONLY_VALUE: Final = re.compile(r"\sis the only possible value")
_LIMIT: Final = "the limit exists and is equal to"
_PHRASES: Final = (
    (re.compile(r"(?:0 (?:pairs|roots)\Z|at most 0\b)"), "0"),
    (re.compile(r"exactly one\b"), "1"),
    (re.compile(r"the limit does not exist\Z"), "limit does not exist"),
)
_COUNTED: Final = re.compile(r"(\d++) (?:values?|inequality|inequalities)\Z")
# A zero with words that leave it one: hedges before it, a unit or what is counted behind it.
_ZERO: Final = re.compile(
    r"(?:(?:about|almost|approx(?:\.|imately)?+|around|close to|essentially|exactly|nearly|only|practically|precisely"
    r"|roughly|virtually) )*+0++(?:\.0*+)?+(?: (?P<unit>[a-z]++)(?:/[a-z]++)?+)?+",
    re.IGNORECASE | re.ASCII,
)


def extract(text: str) -> str:
    """Return the answer of a generated text: the last `ANSWER:` line, else after the trigger, else the last line."""
    answer = last_answer_line(text)
    if answer is None:
        answer = after_trigger(text)
    return last_line(text) if answer is None else answer


def compare(gold: str, answer: str) -> tuple[bool, str]:
    """Return whether an answer is right, and the comparison that decided."""
    found = plain(answer)
    forms = gold_forms(gold)
    if forms[0].text.lower() == found.lower():
        return True, "text"
    if forms[0].text.lower() in ("yes", "no"):
        said = _yes_or_no(found.lower())
        return (said == forms[0].text.lower(), "yes_no") if said else (False, "text")
    form = Form.of(found)
    verdicts = [_match(gold_form, form) for gold_form in forms]
    right = [rule for correct, rule in verdicts if correct]
    return (True, right[0]) if right else (False, verdicts[0][1])


def _yes_or_no(low: str) -> str | None:
    if "yes" in low or "true" in low:
        return "yes"
    return "no" if "no" in low or "false" in low else None


# --- the forms of an answer -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write an answer, read as far as it can be. `rule` says what stood in the way of reading it."""

    text: str
    canonical: str
    number: float | None
    program: Program | None
    over_budget: bool

    @classmethod
    def of(cls, text: str) -> Form:
        """Read an answer that `plain` has tidied."""
        canonical = canonicalize(text)
        number, program = as_number(canonical), None
        try:
            program = parser(canonical).whole()
            number = _computed(program) if number is None else number
        except NotAnExpressionError:
            return cls(text, canonical, number, None, over_budget=False)
        except OverBudgetError:
            return cls(text, canonical, number, None, over_budget=True)
        return cls(text, canonical, number, program, over_budget=False)


def _computed(program: Program) -> float | None:
    try:
        return arithmetic(program, read_numeral, OPERATORS)
    except (NotAnExpressionError, UndefinedError):
        return None


@lru_cache(maxsize=4_096)
def gold_forms(gold: str) -> tuple[Form, ...]:
    """Return the gold answer and, where it names an equivalent one, that."""
    texts = [plain(gold)]
    found = _EQUIVALENT.search(gold)
    if found and (alternative := re.sub(r"\s*+\([^)]*+\)\Z", "", gold[found.end() :].strip().rstrip(".")).strip()):
        texts.append(plain(alternative))
    return tuple(Form.of(text) for text in texts)


def plain(answer: str) -> str:
    """Return an answer without its full stop, the equivalent it names, a closing `(i.e., …)`, and spare space."""
    text = " ".join(answer.split()).rstrip(".")
    if found := _EQUIVALENT.search(text):
        text = text[: found.start()].rstrip().removesuffix(",")
    text = text.rstrip()
    if text.endswith(")") and (remark := _REMARK.search(text, text.rfind(")", 0, -1) + 1)):
        text = text[: remark.start()]
    return text.strip()


def canonicalize(text: str) -> str:
    """Return the canonical form of a phrase that has one (`No integer solutions`, `98 values`), else the text."""
    low = text.lower()
    words = low.split(" ")
    if words[0] == "no" and len(words) > 1 and all(word.replace("_", "a").isalnum() for word in words):
        if words[-1] in ("solution", "solutions"):
            return "no solutions"
        if words[-1] in ("value", "values"):
            return "no such values"
    if (found := _ONLY_VALUE.search(low)) and found.start():
        return low[: found.start()]
    if low.startswith(_LIMIT + " "):
        return low.removeprefix(_LIMIT).strip()
    for pattern, canonical in _PHRASES:
        if pattern.match(low):
            return canonical
    counted = _COUNTED.match(low)
    return counted[1] if counted else text


# --- comparing two forms --------------------------------------------------------------------------------------------


def _match(gold: Form, answer: Form) -> tuple[bool, str]:
    if gold.text.lower() == answer.text.lower():
        return True, "text"
    if gold.canonical.lower() == answer.canonical.lower():
        return True, "phrase"
    if gold.number is not None and answer.number is not None:
        return matches(answer.number, gold.number), "number"
    if gold.program is not None and (answer.program is not None or answer.over_budget):
        return _match_programs(gold.program, answer.program)
    if gold.number == 0 and _is_zero(answer.canonical):
        return True, "zero"
    return False, "text"


def _is_zero(text: str) -> bool:
    found = _ZERO.fullmatch(text)
    return found is not None and (found["unit"] or "").lower() not in WORDS


def _match_programs(gold: Program, answer: Program | None) -> tuple[bool, str]:
    try:
        if answer is None:
            return False, "over_budget"
        return same_value(gold, answer), "expression"
    except OverBudgetError:
        return False, "over_budget"
