"""Synthetic rows of `confidence_observations` for one model, and the publisher's small bundle as the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

CONDITIONS = ("direct", "llm_select", "gold_skill")
SHARED = Path(__file__).resolve().parents[4] / "shared"


def cell(
    signal: str,
    confidence: object,
    correct: object,
    question: object,
    *,
    condition: str = "direct",
    dataset: str = "champ",
    is_probability: bool = True,
    model: str = "M",
    source: str = "sra",
) -> pl.DataFrame:
    """One cell's observations; `question` holds numbers, from which the ids are made."""
    questions = [f"q{int(q):04d}" for q in np.asarray(question)]
    return pl.DataFrame(
        {
            "cell": [f"{model}/{dataset}/{condition}/{signal}"] * len(questions),
            "source": source,
            "model": model,
            "dataset": dataset,
            "condition": condition,
            "signal": signal,
            "unit": "question_condition" if signal == "agreement" else "rollout",
            "unit_id": [f"{q}/{at}" for at, q in enumerate(questions)],
            "question_id": questions,
            "confidence": np.asarray(confidence, dtype=np.float64),
            "is_probability": is_probability,
            "correct": np.asarray(correct, dtype=bool),
            "cap_repair": False,
        },
        schema_overrides={"cell": pl.String, "unit_id": pl.String, "question_id": pl.String},
    )


def one_model(questions: int = 30, seed: int = 0) -> pl.DataFrame:
    """Two data sets, three conditions; agreement, A/B, rounded T/F and an entropy (gold_skill lacks the last two)."""
    rng = np.random.default_rng(seed)
    parts = []
    for dataset in ("champ", "theoremqa"):
        ability = rng.normal(0.3, 1, questions)
        for at, condition in enumerate(CONDITIONS):
            p = 1 / (1 + np.exp(-(ability + 0.3 * at + rng.normal(0, 0.5, questions))))
            q = np.repeat(np.arange(questions), 9)
            correct = rng.random(9 * questions) < p[q]
            score = 2 * np.log(p / (1 - p))[q] + rng.normal(0.4, 1, 9 * questions) + (correct - 0.5)
            where: dict[str, Any] = {"condition": condition, "dataset": dataset}
            native = rng.random(questions) < p
            parts.append(cell("agreement", rng.binomial(9, p) / 9, native, np.arange(questions), **where))
            parts.append(cell("ab", 1 / (1 + np.exp(-score)), correct, q, **where))
            if condition != "gold_skill":
                parts.append(cell("tf", (1 / (1 + np.exp(-score))).round(2), correct, q, **where))
                entropy = -np.exp(-score / 3 + rng.normal(0, 1, len(q)))
                parts.append(cell("entropy_whole", entropy, correct, q, is_probability=False, **where))
    return pl.concat(parts)
