"""The `position` field, in both of its shapes, and the marks in the text that say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple, TypeGuard

from transforms.grace import rules
from transforms.grace.notes import Notes
from transforms.issue_log import shown
from transforms.jsontext import json_type

_WORD: Final = re.compile(r"0|[1-9][0-9]{0,6}")
_VALUE: Final = re.compile(r"\[([HM][0-9]{1,6}), ([+-])\]")


class Buzz(NamedTuple):
    """One buzz: the index from 0 of the last word heard, the team, and whether its answer was right."""

    word: int
    team: str
    correct: bool

    @property
    def is_human(self) -> bool:
        """Whether a human team buzzed."""
        return self.team.startswith("H")


def read_position(position: object, notes: Notes) -> list[Buzz]:
    """Return the buzzes in order: of the file where it is a list, of the words where it is a map.

    Both shapes are read: a list of one-key maps `{"69": "[M1, +]"}`, and one map `{"69": ["[M1, +]", …], …}`, whose
    keys come in no order. A value may be one mark or a list of marks in either. What is neither is an error.
    """
    buzzes = [buzz for word, mark in _entries(position, notes) if (buzz := _read_mark(word, mark, notes))]
    if isinstance(position, dict):
        notes.add(rules.POSITION_BY_WORD, f"{notes.place} has 'position' as a map; its order is that of the words.")
        return sorted(buzzes, key=lambda buzz: buzz.word)
    if any(after.word < before.word for before, after in pairwise(buzzes)):
        message = f"{notes.place} has a list of buzzes that goes back in the question; the order of the list is kept."
        notes.add(rules.POSITION_ORDER, message)
    return buzzes


def _entries(position: object, notes: Notes) -> Iterator[tuple[str, object]]:
    """Yield every (word, mark) of a position, one error for each part that is neither shape."""
    if isinstance(position, dict):
        parts = [position]
    elif isinstance(position, list):
        parts = [part for part in position if _is_single(part, notes)]
    else:
        notes.add(
            rules.POSITION_MALFORMED, f"{notes.place} has {json_type(position)} as 'position'; a list was expected."
        )
        return
    for part in parts:
        for word, marks in part.items():
            for mark in marks if isinstance(marks, list) else [marks]:
                yield word, mark


def _is_single(part: object, notes: Notes) -> TypeGuard[dict[str, object]]:
    if isinstance(part, dict) and len(part) == 1:
        return True
    found = f"an object with {len(part)} keys" if isinstance(part, dict) else json_type(part)
    message = f"{notes.place} has {found} in 'position'; a map from one word index to one mark was expected."
    notes.add(rules.POSITION_MALFORMED, message)
    return False


def _read_mark(word: str, mark: object, notes: Notes) -> Buzz | None:
    match = _VALUE.fullmatch(mark) if isinstance(mark, str) else None
    if match and _WORD.fullmatch(word):
        return Buzz(int(word), match[1], match[2] == "+")
    found = f"a string of {len(mark)} characters" if isinstance(mark, str) else json_type(mark)
    message = (
        f"{notes.place} has {found} at the key {shown(word)} of 'position'; a word index with a mark such as "
        "'[H7, +]' was expected."
    )
    notes.add(rules.POSITION_MALFORMED, message)
    return None


def check_buzzes(buzzes: list[Buzz], n_words: int, notes: Notes) -> list[Buzz]:
    """Return the buzzes that stand inside the question and are their team's only one; the others are errors."""
    for buzz in buzzes:
        if buzz.word >= n_words:
            message = f"{notes.place} has {buzz.team} buzz at word {buzz.word} of {n_words}, counted from 0."
            notes.add(rules.WORD_OUT_OF_RANGE, message, value=str(buzz.word))
    return [buzz for buzz in one_buzz_a_team(buzzes, notes) if buzz.word < n_words]


def one_buzz_a_team(buzzes: list[Buzz], notes: Notes) -> list[Buzz]:
    """Return the buzzes of teams that buzz once; a team that buzzes twice is an error, and neither buzz counts."""
    counts = Counter(buzz.team for buzz in buzzes)
    for team, n in counts.items():
        if n > 1:
            notes.add(rules.REPEATED_TEAM, f"{notes.place} has {n} buzzes of {team}; a team buzzes once at most.")
    return [buzz for buzz in buzzes if counts[buzz.team] == 1]


def check_marks(question: str, marked: str, buzzes: list[Buzz], notes: Notes) -> None:
    """Compare the marked text with the question and with the buzzes of `position`; what differs is noted."""
    plain = _VALUE.sub("", marked)
    if plain.split() != question.split():
        message = (
            f"{notes.place} has a marked text whose {len(plain.split())} words are not the {len(question.split())} of "
            "the question: a mark is broken, or a word differs."
        )
        notes.add(rules.TEXT_DIFFERS, message)
        return
    if not _same_but_for_marks(marked, question):
        notes.add(
            rules.SPACES_DIFFER, f"{notes.place} has a marked text that differs from the question in white space."
        )
    marks = _marks(marked)
    if buzzes and not marks:
        notes.add(
            rules.MARKS_MISSING, f"{notes.place} has no mark in the marked text; 'position' alone tells its buzzes."
        )
    elif Counter(marks) != Counter(buzzes):
        message = (
            f"{notes.place} has {len(marks)} marks in the text that are not the {len(buzzes)} buzzes of 'position'."
        )
        notes.add(rules.MARKS_DIFFER, message)


def _same_but_for_marks(marked: str, question: str) -> bool:
    """Tell whether taking each mark out with the space before it gives the question to the letter."""
    return re.sub(rf" ?{_VALUE.pattern}", "", marked).strip() == question.strip()


def _marks(marked: str) -> list[Buzz]:
    """Return the marks of a text; one stands after the last word heard, whose index is the words before it less one."""
    found: list[Buzz] = []
    start = words = 0
    in_word = False
    for match in _VALUE.finditer(marked):
        between = marked[start : match.start()]
        if between:
            words += len(between.split()) - (in_word and not between[0].isspace())
            in_word = not between[-1].isspace()
        start = match.end()
        found.append(Buzz(words - 1, match[1], match[2] == "+"))
    return found
