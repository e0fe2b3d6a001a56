"""Small files in the shapes the release comes in."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

from transforms.benchmirt import Hints, Responses, SourceTables, read_benchmirt, read_responses
from warehouse.contracts import Issue, Severity

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "benchmirt" / "chembench_irt_binary_matrix.csv"
needs_real_matrix = pytest.mark.skipif(not REAL.is_file(), reason=f"the real response matrix is not at {REAL}")

WIDE = b"""question_id,question,subset,acc_norm_org__a,acc_norm_org__b
bbh__boolean_expressions_0,"{'input': 'not, and'}",bbh_boolean_expressions,1.0,0.0
mmlu_pro__72,,mmlu_pro,0.0,1.0
trustllm_jailbreaktrigger__['bad words']_12,,x,1.0,
"""
ITEMS = b"""question_id,benchmark,category,subcategory_one,question_type,domain_superset,average_score
bbh__boolean_expressions_0,bbh,General Reasoning,boolean_expressions,multiple choice logprobs,puzzle,0.5
mmlu_pro__72,mmlu-pro,General Reasoning,math,multiple choice logprobs,math,0.5
trustllm_jailbreaktrigger__['bad words']_12,trustllm_jailbreaktrigger,Safety,bad words,generation - safety,jailbreak,1.0
"""
MODELS = b"""Model,family,size,reasoning,date
org__a,a,7,False,2024-01-01
org__b,b,70,True,2024-02-01
"""


MODELS_IN_COLUMNS = Hints(models_in="columns")
MODELS_IN_ROWS = Hints(models_in="rows")


def read(data: bytes, hints: Hints | None = None) -> Responses:
    return read_responses(data, "responses.csv", hints=hints)


def whole(responses: bytes = WIDE, items: bytes | None = ITEMS, models: bytes | None = MODELS) -> SourceTables:
    return read_benchmirt(
        ("responses.csv", responses),
        None if items is None else ("items.csv", items),
        None if models is None else ("models.csv", models),
    )


def scores(found: Responses) -> dict[tuple[str, str], float | None]:
    return {(model, item): score for model, item, score in found.responses.rows()}


def rules_of(found: Responses | SourceTables) -> list[str]:
    return [issue.rule for issue in found.issues]


def bare(columns: Mapping[str, Sequence[object]], *, index: str = "") -> bytes:
    """A bare matrix: an index, then a column a model."""
    n = len(next(iter(columns.values())))
    frame = pl.DataFrame({index: [str(i) for i in range(n)], **columns}, strict=False)
    return frame.write_csv().encode()


def parquet(frame: pl.DataFrame) -> bytes:
    target = io.BytesIO()
    frame.write_parquet(target)
    return target.getvalue()


BY_MODEL = {("gpt", "q1"): 1.0, ("gpt", "q2"): 0.0, ("llama", "q1"): 0.0, ("llama", "q2"): 1.0}


def lines(text: str) -> bytes:
    """A file whose lines are separated by ` / `, as the cases are written here."""
    return text.replace(" / ", "\n").encode()


def one(found: Responses, rule: str) -> Issue:
    (issue,) = [issue for issue in found.issues if issue.rule == f"benchmirt.{rule}"]
    return issue


def errors(found: Responses) -> list[str]:
    return [issue.rule.removeprefix("benchmirt.") for issue in found.issues if issue.severity is Severity.ERROR]
