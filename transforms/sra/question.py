"""A question of SRA-Bench: what is read, what is graded, and what both agree on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `answer_kind` says how the gold answer is compared; the calculator and limits are MedCalc's."""

    dataset: str
    instance_id: str
    question: str
    gold_answer: str
    answer_kind: str
    calculator_id: int | None
    lower_limit: str | None
    upper_limit: str | None
    skill_ids: tuple[str, ...]
