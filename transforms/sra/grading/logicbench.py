"""LogicBench: yes/no questions (`BQA`) and multiple choice (`MCQA`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from transforms.sra.grading.texts import after_trigger, ascii_lower, has, last_line, last_match

YES_NO: Final = "BQA"
_TAIL_CHARS: Final = 500
_COMPARED_CHARS: Final = 40
_STATED: Final = re.compile(r"answer\s++is[:\s]*+\**+\s*+(yes|no|true|false)\b")
_OPENING: Final = re.compile(r"\**+(yes|no)\**+[.,!\s]")
_DENIAL: Final = re.compile(
    r"cannot\s++(?:(?:be\s++)?(?:conclude|infer|say|determine)|logically|necessarily|definitively)"
    r"|not\s++(?:necessarily\s++true|possible|correct|true|valid)|\bno,\s"
)
_WORDS: Final = {word: re.compile(rf"\b{word}\b") for word in ("yes", "no")}
_CHOICE: Final = re.compile(r"choice[_ ]?(\d++)")
_NUMBERED: Final = re.compile(r"(?:answer|option)\s*+(?:is)?+[:\s]*+\**+\s*+(?:choice[_ ]?)?+(\d++)\b")
_OFFERED: Final = re.compile(r"choice_([1-5]):\s*+(.+?)(?=\n|choice_|\Z)", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\b([1-5])\b")


def extract(text: str, kind: str, question: str) -> str:
    """Return the answer of a generated text: yes, no or `choice_N` where one can be told, else its last line."""
    text = text.strip()
    return _yes_or_no(text) if kind == YES_NO else _choice(text, question)


def _last(pattern: re.Pattern[str], start: str, text: str) -> str | None:
    """Return what the pattern's last match in the text holds, letter case aside."""
    # A match is almost always near the end, so the end is searched before the whole.
    tail = text[-_TAIL_CHARS:]
    for part in (tail,) if len(tail) == len(text) else (tail, text):
        if found := last_match(pattern, start, ascii_lower(part)):
            return found[1]
    return None


def _yes_or_no(text: str) -> str:
    """Return the last stated answer, else the opening word, else a denial or the last yes or no near the end."""
    if stated := _last(_STATED, "answer", text):
        return "yes" if stated in ("yes", "true") else "no"
    if opening := _OPENING.match(ascii_lower(text[: text.find("\n") + 1] or text)):
        return opening[1]
    tail = ascii_lower(text[-_TAIL_CHARS:])
    if (has(tail, "not") or has(tail, "no,")) and _DENIAL.search(tail):
        return "no"
    found = [word for word in (last_match(pattern, word, tail) for word, pattern in _WORDS.items()) if word]
    if found:
        return max(found, key=lambda word: word.start())[0]
    if "true" in tail or "false" in tail:
        return "yes" if "true" in tail else "no"
    return last_line(text).lower()


def _choice(text: str, question: str) -> str:
    """Return the last choice named, else the first number given as the answer, else the choice that is quoted."""
    if named := _last(_CHOICE, "choice", text):
        return f"choice_{named}"
    low = ascii_lower(text)
    if (has(low, "answer") or has(low, "option")) and (numbered := _NUMBERED.search(low)):
        return f"choice_{numbered[1]}"
    for number, start in reversed(_offered(question)):
        if start in low[-_TAIL_CHARS:]:
            return f"choice_{number}"
    answer = after_trigger(text)
    answer = (last_line(text) if answer is None else answer).lower()
    digit = _DIGIT.search(answer)
    return f"choice_{digit[1]}" if digit else answer


@lru_cache(maxsize=4_096)
def _offered(question: str) -> tuple[tuple[str, str], ...]:
    """Return the numbers a question offers, ascending, each with how its text starts, in lower case."""
    starts: dict[str, str] = {}
    for number, words in _OFFERED.findall(question):
        starts.setdefault(number, ascii_lower(words.strip())[:_COMPARED_CHARS])
    return tuple(sorted(starts.items()))


def compare(kind: str, gold: str, answer: str) -> tuple[bool, str]:
    """Return whether an answer is the gold one, letter case aside, and the comparison that decided."""
    return answer.strip().lower() == gold.strip().lower(), "yes_no" if kind == YES_NO else "choice"
