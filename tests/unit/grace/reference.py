"""GRACE's two metrics for one question of a run file, written from their definition and from nothing of the project."""

from __future__ import annotations

import math
from typing import Any

# The worked example: MCE .45 and 0, CalScore .775 and .5, and a model without runs.
WORKED_EXAMPLE: dict[str, Any] = {
    "tossup_index": "exh-2",
    "position": [{"12": "[H9, +]"}, {"30": "[M1, -]"}, {"44": "[H10, -]"}, {"71": "[H3, +]"}],
    "M1": [
        {"correctness": False, "conf": -0.6931471805599453, "position_items": {"H9": "+"}},
        {"correctness": True, "conf": -0.6931471805599453, "position_items": {"M1": "-", "H10": "-"}},
        {"correctness": True, "conf": -0.2231435513142097, "position_items": {"H3": "+"}},
        {"correctness": True, "conf": -0.10536051565782628},
    ],
    "M2": [
        {"correctness": True, "conf": 0.0, "position_items": {"H9": "+"}},
        {"correctness": True, "conf": 0.0, "position_items": {"M1": "-", "H10": "-"}},
        {"correctness": True, "conf": 0.0, "position_items": {"H3": "+"}},
        {"correctness": True, "conf": 0.0},
    ],
    "M3": [],
}


def verbalized(item: dict[str, Any]) -> dict[str, Any]:
    """The same question with probabilities in place of log-probabilities."""
    return {
        key: [{**run, "conf": math.exp(run["conf"])} for run in value] if key.startswith("M") else value
        for key, value in item.items()
    }


def human_buzzers(position: list[dict[str, Any]] | dict[str, Any]) -> int:
    parts = position if isinstance(position, list) else [position]
    marks = [
        mark for part in parts for value in part.values() for mark in (value if isinstance(value, list) else [value])
    ]
    return sum(mark.startswith("[H") for mark in marks)


def scores(item: dict[str, Any], model: str, elicitation: str) -> tuple[float, float] | None:
    """(MCE, CalScore) of a model on a question; None where it has no runs."""
    runs = item[model]
    if not runs:
        return None
    last: dict[str, str] = {}
    plain = adjusted = 0.0
    n_buzzers = human_buzzers(item["position"])
    for run in runs:
        last |= run.get("position_items") or run.get("position") or {}
        right = sum(sign == "+" for team, sign in last.items() if team.startswith("H"))
        h = right / n_buzzers if n_buzzers else 0.0
        c = math.exp(run["conf"]) if elicitation == "logit" else run["conf"]
        plain += run["correctness"] * c
        adjusted += (1 - h) * run["correctness"] * c
    return 1 - plain / len(runs), 1 - adjusted / len(runs)
