"""Natural-language inference: yes/no questions (BQA) and the best of four conclusions (MCQA)."""

from __future__ import annotations

from typing import Final

from synthetic.sra.questions.base import Draft
from synthetic.sra.streams import Generator

_NAMES: Final = ("Amara", "Björn", "Chen", "Dolores", "Emil", "Farida", "Goran", "Hana", "Ivo", "José")
_FACTS: Final = (
    ("waters the garden", "the herbs grow"), ("finishes the report", "the meeting starts early"),
    ("repairs the bicycle", "the trip can begin"), ("bakes bread", "the kitchen smells good"),
    ("closes the window", "the room stays warm"), ("practises daily", "the concert goes well"),
    ("studies the map", "the group arrives on time"), ("saves money", "the roof gets renewed"),
)  # fmt: skip


def _parts(rng: Generator) -> tuple[str, str, str, str, str]:
    name = _NAMES[int(rng.integers(len(_NAMES)))]
    first, second = rng.choice(len(_FACTS), 2, replace=False).tolist()
    (cause, effect), (other, consequence) = _FACTS[first], _FACTS[second]
    return name, cause, effect, other, consequence


def _binary(rng: Generator) -> Draft:
    name, cause, effect, other, _ = _parts(rng)
    follows = bool(rng.random() < 0.4)
    asked = f"{effect}" if follows else f"{name} {other}"
    text = f"Whenever {name} {cause}, {effect}. Today {name} {cause}.\n\nDoes this imply that {asked}?"
    right, wrong = ("yes", "no") if follows else ("no", "yes")
    return Draft(text, "BQA", (right,), (wrong,), {"answer": right, "task_type": "BQA"})


def _choice(rng: Generator) -> Draft:
    name, cause, effect, other, consequence = _parts(rng)
    premise = f"If {name} {cause}, {effect}; if {name} {other}, {consequence}. At least one of the two happens."
    conclusion = f"{effect} or {consequence}, or both"
    rest = [f"{name} never {cause}", f"it is certain that {effect}", f"it is certain that {consequence}"]
    place = int(rng.integers(4))
    rest.insert(place, conclusion)
    lines = "\n".join(f"  choice_{k + 1}: {line}." for k, line in enumerate(rest))
    labels = [f"choice_{k + 1}" for k in range(4)]
    right = labels.pop(place)
    text = f"{premise}\n\nWhich conclusion fits the context best?\n{lines}"
    return Draft(text, "MCQA", (right,), tuple(labels), {"answer": right, "task_type": "MCQA"})


def draft(rng: Generator, rank: int) -> Draft:
    """Make the question at place `rank`: two yes/no questions, then a choice, and so on."""
    return _choice(rng) if rank % 7 in (1, 4) else _binary(rng)
