"""Names for people, and the order that things stand in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CONDITIONS: Final = ("direct", "llm_select", "gold_skill")
SIGNALS: Final = {
    "agreement": "agreement",
    "ab": "A/B",
    "tf": "T/F",
    "entropy_whole": "entropy, whole",
    "entropy_answer": "entropy, answer",
    "entropy_numeric": "entropy, digits",
    "verbalized": "verbalized",
    "logprob": "log-probability",
    "irt": "item response",
}
SERIES: Final = {signal: number % 6 for number, signal in enumerate(SIGNALS)}
"""The series of a signal: its colour, its dot and its dashes."""

SOURCES: Final = {"sra": "SRA", "grace": "GRACE", "benchmirt": "BenchMIRT"}


def signal_name(signal: str) -> str:
    """Return a signal's name for people; one that nobody named here stands as it is."""
    return SIGNALS.get(signal, signal)


def in_order(values: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Return distinct values: the known ones in their order, then the others by name."""
    found = set(values)
    first = [value for value in known if value in found]
    return first + sorted(found - set(first))
