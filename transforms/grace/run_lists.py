"""One model's runs for one question, and h, the share of the human buzzers that had been right by each run."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from transforms.grace import rules
from transforms.grace.notes import Notes, require_keys, unknown_fields
from transforms.grace.tables import Row
from transforms.issue_log import shown, shown_all
from transforms.jsontext import json_type

Elicitation = Literal["logit", "verb"]
_TEAM: Final = re.compile(r"[HM][0-9]{1,6}")
_NEEDED: Final = ("correctness", "conf")
# `run` is the text heard so far: counted, not stored.
_KNOWN: Final = frozenset((*_NEEDED, "position_items", "position", "run", "guess", "buzzed", "run_index", "word_range"))


@dataclass(slots=True)
class Humans:
    """The human teams of a question as its runs go by: those of `position`, and the last buzz of each so far."""

    buzzers: frozenset[str]
    last: dict[str, bool] = field(default_factory=dict)

    @property
    def n_correct(self) -> int:
        """Human teams whose last buzz so far is right."""
        return sum(self.last.values())

    @property
    def share(self) -> float:
        """Return h: the right ones over all that buzz on the question at any time; 0 where none does."""
        return self.n_correct / len(self.buzzers) if self.buzzers else 0.0


def read_run_list(runs: list[Any], elicitation: Elicitation, buzzers: frozenset[str], notes: Notes) -> list[Row]:
    """Return a row a run, without the question's keys; a run that is unsound has no row and is an error.

    A run whose confidence alone is unusable keeps its row, with the confidence null, and is an error all the same.
    Humans who buzz in a run count from that run on.
    """
    humans = Humans(buzzers)
    rows = []
    for clue, run in enumerate(runs):
        if not isinstance(run, dict):
            notes.add(rules.MISTYPED, f"{notes.place} has {json_type(run)} as run {clue}; an object was expected.")
            continue
        humans.last.update(_human_items(run, clue, notes))
        if require_keys(run, _NEEDED, notes) and (row := _read_run(run, clue, elicitation, humans, notes)):
            rows.append(row)
    if strangers := humans.last.keys() - buzzers:
        message = f"{notes.place} names the human teams {shown_all(sorted(strangers))}, which 'position' does not have."
        notes.add(rules.HUMAN_NOT_IN_POSITION, message)
    return rows


def _human_items(run: dict[str, Any], clue: int, notes: Notes) -> dict[str, bool]:
    """Return the human buzzes of a run: of its position_items, else of its position, else none."""
    items = run.get("position_items")
    if items is None and "position_items" in run:
        notes.add(rules.POSITION_ITEMS_NULL, f"{notes.place} has null as position_items of run {clue}.")
    if items is None:
        items = run.get("position")
    if items is None:
        return {}
    if not isinstance(items, dict):
        message = f"{notes.place} has {json_type(items)} as position_items of run {clue}; a map was expected."
        notes.add(rules.POSITION_ITEMS_MALFORMED, message)
        return {}
    broken = [team for team, sign in items.items() if not _TEAM.fullmatch(team) or sign not in ("+", "-")]
    if broken:
        message = f"{notes.place} has position_items {shown_all(broken)} of run {clue} that are not a team with + or -."
        notes.add(rules.POSITION_ITEMS_MALFORMED, message)
    return {team: sign == "+" for team, sign in items.items() if team.startswith("H") and team not in broken}


def _read_run(run: dict[str, Any], clue: int, elicitation: Elicitation, humans: Humans, notes: Notes) -> Row | None:
    typed = [_typed(run, key, kinds, notes) for key, kinds in _TYPES.items()]
    if not all(typed) or not _share_fits(humans, clue, notes):
        return None
    if run.get("run_index") not in (None, clue):
        notes.add(rules.RUNS_INDEX, f"{notes.place} has a run_index at run {clue} that is another.")
    conf = _usable(run["conf"], clue, elicitation, notes)
    return {
        "clue": clue,
        "elicitation": elicitation,
        "correct": run["correctness"],
        "confidence": math.exp(conf) if conf is not None and elicitation == "logit" else conf,
        "conf": conf,
        "buzzed": run.get("buzzed"),
        "n_words_heard": _words_heard(run, clue, notes),
        "n_humans_correct": humans.n_correct,
        "human_share": humans.share,
        "guess": run.get("guess"),
        "unknown_fields": unknown_fields(run, _KNOWN, notes),
    }


# Of each field the types it may have; those that are not needed may be null.
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "correctness": (bool,),
    "conf": (int, float),
    "buzzed": (bool, type(None)),
    "guess": (str, type(None)),
    "run": (str, type(None)),
    "run_index": (int, type(None)),
}


def _typed(run: dict[str, Any], key: str, kinds: tuple[type, ...], notes: Notes) -> bool:
    value = run.get(key)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        notes.add(rules.MISTYPED, f"{notes.place} has {json_type(value)} under {shown(key)} of a run.")
        return False
    return True


def _share_fits(humans: Humans, clue: int, notes: Notes) -> bool:
    if humans.share <= 1.0:
        return True
    message = (
        f"{notes.place} has {humans.n_correct} human teams right by run {clue}, more than the {len(humans.buzzers)} "
        "that buzz by its 'position'."
    )
    notes.add(rules.HUMAN_SHARE, message, value=str(humans.n_correct))
    return False


def _usable(conf: int | float, clue: int, elicitation: Elicitation, notes: Notes) -> float | None:
    """Return a confidence as the file has it; None, with an error noted, where it is not what was elicited."""
    number = float(conf)
    if not math.isfinite(number):
        message = f"{notes.place} has a confidence at run {clue} that is not a finite number; one was expected."
        notes.add(rules.CONFIDENCE_NOT_FINITE, message, value=repr(number))
        return None
    if number <= 0.0 if elicitation == "logit" else 0.0 <= number <= 1.0:
        return number
    expected = "a log-probability of at most 0" if elicitation == "logit" else "a probability from 0 to 1"
    found = f"{number:.6g}"
    message = f"{notes.place} has {found} as the confidence of run {clue}; '{elicitation}' needs {expected}."
    notes.add(rules.CONFIDENCE_RANGE, message, value=found)
    return None


def _words_heard(run: dict[str, Any], clue: int, notes: Notes) -> int | None:
    """Return how many words a run has heard: those of its text, else what its word_range says, else None."""
    found = [len(run["run"].split())] if run.get("run") is not None else []
    bounds = run.get("word_range")
    if isinstance(bounds, list) and len(bounds) == 2 and type(bounds[1]) is int and 0 <= bounds[1] < 10**6:
        found.append(bounds[1] + 1)
    elif bounds is not None:
        notes.add(rules.RUNS_PREFIX, f"{notes.place} has a word_range at run {clue} that is not two word indices.")
    if len(set(found)) > 1:
        notes.add(
            rules.RUNS_PREFIX, f"{notes.place} has {found[0]} words at run {clue}, its word_range ends at {found[1]}."
        )
    return found[0] if found else None
