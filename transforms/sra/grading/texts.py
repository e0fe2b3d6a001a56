"""Finding the answer in a generated text. Every function here takes time linear in the text, whatever it holds."""

from __future__ import annotations

import re
from typing import Final

# An answer longer than this is no answer to any question of the four benchmarks; it is graded wrong, unread.
MAX_ANSWER_CHARS: Final = 4_096

_OPEN, _CLOSE = "<think>", "</think>"
_SPACE: Final = re.compile(r"\s*")
_TAIL_CHARS: Final = 512
_MARKER: Final = "answer:"
TRIGGER_CORE: Final = "he answer is"
TRIGGERS: Final = ("The answer is:", "the answer is:", "Therefore, the answer is", "therefore, the answer is")


def has(text: str, part: str) -> bool:
    """Tell whether a text holds a part. Looking from the right is three times as fast as `in` on long text."""
    return text.rfind(part) >= 0


def drop_thinking(text: str) -> str:
    """Return a text without its closed `<think>` blocks and without all that follows an unclosed one."""
    if not has(text, _OPEN):
        return text
    kept, position = [], 0
    while (start := text.find(_OPEN, position)) >= 0:
        end = text.find(_CLOSE, start + len(_OPEN))
        if end < 0:
            break
        kept.append(text[position:start])
        found = _SPACE.match(text, end + len(_CLOSE))
        position = found.end() if found else end
    kept.append(text[position:])
    # Joining what is left may itself spell an opening tag, which then counts as an unclosed one.
    return "".join(kept).partition(_OPEN)[0].lstrip()


def ascii_lower(text: str) -> str:
    """Return a text with its ASCII letters in lower case: same length, so that positions carry over.

    `str.lower` takes three times as long on text that is not ASCII, and moves positions for a few characters. Half a
    character, which UTF-8 cannot hold, becomes a question mark.
    """
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "replace").lower().decode()


def last_answer_line(text: str) -> str | None:
    """Return what follows `ANSWER:` (any case) on the last line that starts with it, asterisks around it left out."""
    # The line is almost always among the last, so the end is searched before the rest.
    cut = text.rfind("\n", 0, max(0, len(text) - _TAIL_CHARS)) + 1
    found = _last_answer_line(text[cut:])
    return _last_answer_line(text[:cut]) if found is None and cut else found


def _last_answer_line(text: str) -> str | None:
    low, end = ascii_lower(text), len(text)
    while (found := low.rfind(_MARKER, 0, end)) >= 0:
        start, stop = low.rfind("\n", 0, found), low.find("\n", found, end)
        line = text[start + 1 : stop if stop >= 0 else end].strip()
        if ascii_lower(line[: len(_MARKER)]) == _MARKER:
            return line[len(_MARKER) :].strip().strip("*").strip()
        # Only the start of a line counts, so the rest of this one need not be looked at again.
        end = max(start, 0)
    return None


def after_trigger(text: str) -> str | None:
    """Return the rest of the line behind the last trigger phrase, without a full stop or slash at its end."""
    if not has(text, TRIGGER_CORE):
        return None
    start, trigger = max((text.rfind(trigger), trigger) for trigger in TRIGGERS)
    if start < 0:
        return None
    start += len(trigger)
    stop = text.find("\n", start)
    line = text[start : stop if stop >= 0 else len(text)]
    return line.strip().rstrip(".").rstrip("/").strip()


def last_match(pattern: re.Pattern[str], start: str, text: str) -> re.Match[str] | None:
    """Return the last match of a pattern whose every match begins with `start`, or None.

    Takes linear time where the pattern stays within the text up to the next `start`.
    """
    position = text.rfind(start)
    while position >= 0:
        if found := pattern.match(text, position):
            return found
        position = text.rfind(start, 0, position)
    return None


def last_line(text: str) -> str:
    """Return the last line that is not blank, stripped; empty where there is none."""
    text = text.rstrip()
    return text[text.rfind("\n") + 1 :].strip()


_DIGIT: Final = re.compile(r"\d")
_NUMERALS_REVERSED: Final = re.compile(r"[\d.]*+-?")


def last_number(pattern: re.Pattern[str], text: str) -> str:
    """Return the last match of a pattern for numbers, matched from left to right; empty where there is no digit.

    The pattern is one of a sign, digits and points with at least one digit. Its last match lies in the last unbroken
    run of digits and points, or is the sign before it; a run longer than any answer is returned as it is.
    """
    from_right = text[::-1]
    digit = _DIGIT.search(from_right)
    if digit is None:
        return ""
    numerals = _NUMERALS_REVERSED.match(from_right, digit.start())
    end = digit.start() - (from_right.endswith(".", 0, digit.start()))
    run = from_right[end : numerals.end() if numerals else None][::-1]
    return run if len(run) > MAX_ANSWER_CHARS else str(pattern.findall(run)[-1])
