"""Small sound records of a cell, to be spoiled by tests, and short ways to read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from transforms.sra.layout import CellKey
from warehouse.contracts import Issue

Record = dict[str, Any]
CELL = CellKey("Qwen3-32B", "champ", "llm_select")
DIRECT = CellKey("Qwen3-32B", "champ", "direct")
ANSWERS = ("239", "239", "240", "239", "x", "239", "240", "239", "7")
MINI = Path(__file__).resolve().parents[3] / ".." / "shared" / "bundles" / "mini"


def rollout(sample: int, **changes: object) -> Record:
    """One rollout of a sampling line."""
    return {
        "sample": sample,
        "text": f"so it is {ANSWERS[sample]}. ANSWER: {ANSWERS[sample]}",
        "answer": ANSWERS[sample],
        "correct": ANSWERS[sample] == "239",
        "n_tokens": 160 + sample,
        "finish_reason": "stop",
        "meta": {"presence_penalty": 0.0, "cap_repair": False},
    } | changes


def question(number: int = 1, cell: CellKey = CELL, **changes: object) -> Record:
    """One sampling line whose agreement is what its answers give."""
    return {
        "instance_id": f"champ_{number:05d}",
        **cell.columns,
        "native_answer": "239",
        "agreement": 5 / 9,
        "skill_id": None if cell == DIRECT else "champ_012",
        "rollouts": [rollout(sample) for sample in range(9)],
    } | changes


def sha(answer: str) -> str:
    """The SHA-256 of an answer."""
    return hashlib.sha256(answer.encode()).hexdigest()


HASHES = [sha(answer) for answer in ANSWERS]


def encoded(records: Iterable[object]) -> bytes:
    """Records as JSON lines, NaN as the bare token."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def noticed(issues: Iterable[Issue]) -> list[str]:
    """The rules that noticed something, in order."""
    return [issue.rule for issue in issues]


def places(issues: Iterable[Issue]) -> list[tuple[str, int | None, int | None]]:
    """Rule, line and sample of every finding."""
    return [(issue.rule, issue.line, issue.sample) for issue in issues]


def sampled(n_questions: int = 2) -> pl.DataFrame:
    """The sampled rollouts that the records above are about."""
    ids = [f"champ_{number:05d}" for number in range(1, n_questions + 1)]
    return pl.DataFrame(
        [(i, sample, ANSWERS[sample]) for i in ids for sample in range(9)],
        schema={"instance_id": pl.String, "sample": pl.Int32, "answer": pl.String},
        orient="row",
    )
