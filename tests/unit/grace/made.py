"""Small packets and run files, written by hand or drawn by hypothesis, and the zip around them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from synthetic.zipcrypto import Entry, write_zip
from transforms.grace import Elicitation, Limits, SourceTables, read_release, read_runs

PASSWORD = "quiz"
SHARED = Path(__file__).resolve().parents[4] / "shared" / "grace"
RELEASE = SHARED / "[public]ALL_final_buzzpoints_enc.zip"
needs_release = pytest.mark.skipif(not RELEASE.exists(), reason=f"the public GRACE release is not at {RELEASE}")

# Examples are bounded in number, not in time: a busy machine is no failure.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXT = "A made up river runs past the old mill and the new bridge"
Question = dict[str, Any]


def question(index: int | str = 1, **changes: object) -> Question:
    """A sound question of 13 words with three buzzes; `changes` replace fields, and None as a value stays null."""
    sound: Question = {
        "tossup_index": index,
        "category": "Geo/CE",
        "question": TEXT,
        "answer": "Wexa [or the Wexa River; prompt on river]",
        "question_buzzpoints": "A made up river [M1, -] runs past the old mill [H2, +] [H1, -] and the new bridge",
        "position": [{"3": "[M1, -]"}, {"8": "[H2, +]"}, {"8": "[H1, -]"}],
    }
    return {**sound, **changes}


def without(item: Question, *keys: str) -> Question:
    """The same object without some of its keys."""
    return {key: value for key, value in item.items() if key not in keys}


def packet_name(number: int) -> str:
    return f"[public]made/packet{number}_buzzpoints.json"


def packet_entry(content: object, number: int = 1, *, encrypted: bool = True, method: int = 8) -> Entry:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Entry(packet_name(number), data, encrypted=encrypted, method=method)


def release(*packets: object, limits: Limits | None = None) -> SourceTables:
    """Read a release whose packets have these contents: lists of questions, or raw bytes."""
    entries = [packet_entry(content, number + 1) for number, content in enumerate(packets)]
    return read_release(write_zip(entries, PASSWORD), "made.zip", PASSWORD, limits)


def one_question(**changes: object) -> SourceTables:
    return release([{**question(), **changes}])


def run(correctness: object = True, conf: object = 0.5, **more: object) -> dict[str, Any]:
    return {"correctness": correctness, "conf": conf, **more}


def run_question(index: int | str = 1, position: object = None, **models: object) -> dict[str, Any]:
    found = question()["position"] if position is None else position
    return {"tossup_index": index, "position": found, **models}


def runs(*items: object, elicitation: Elicitation = "verb", name: str | None = None) -> SourceTables:
    """Read one run file of packet 1 of a release of one question."""
    path = name or "packet1_model_human_output.json"
    return read_runs({path: json.dumps(list(items)).encode()}, elicitation, one_question().tables["grace_questions"])


def names(found: SourceTables) -> set[str]:
    """The rules that noticed something."""
    return {issue.rule for issue in found.issues}


def errors(found: SourceTables) -> set[str]:
    return {issue.rule for issue in found.issues if issue.severity == "error"}


def messages(found: SourceTables, rule: str) -> list[str]:
    return [issue.message for issue in found.issues if issue.rule == rule]


def rows(found: SourceTables, table: str, columns: Iterable[str]) -> list[tuple[Any, ...]]:
    return found.tables[table].select(*columns).rows()
