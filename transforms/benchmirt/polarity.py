"""What a score of 1 means. It depends on the benchmark: in the safety ones it is mostly not a right answer."""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.contracts.benchmirt import POLARITIES

# Benchmarks of the release whose items all have one meaning, for metadata without a category.
_CORRECT: Final = ("bbh", "gpqa", "ifeval", "math", "mmlu-pro", "mmlu_pro", "musr", "bbq")
_REFUSAL: Final = (
    "do_anything_now", "harmbench", "strongreject", "toxigen", "trustllm_jailbreaktrigger", "wildguardtest",
)  # fmt: skip
_NEVER_PARSED: Final = "multiple choice logprobs"


def polarity() -> pl.Expr:
    """Return what a score of 1 means, from `benchmark, category, domain_superset, question_type`; null if unknown.

    General Reasoning and bbq score a right answer, wmdp a wrong one, requests that are harmless (question type
    'generation - benign', domain 'overrefusal') score compliance, all other safety items a refused or harmless
    response.
    """
    benchmark = pl.col("benchmark").str.to_lowercase()
    category = pl.col("category").str.to_lowercase()
    harmless = pl.col("question_type").str.ends_with("benign").fill_null(value=False) | (
        pl.col("domain_superset").str.to_lowercase() == "overrefusal"
    ).fill_null(value=False)
    correct, incorrect, refusal, compliance = POLARITIES
    return (
        pl.when(benchmark == "wmdp").then(pl.lit(incorrect))
        .when((category == "general reasoning") | benchmark.is_in(_CORRECT)).then(pl.lit(correct))
        .when(harmless).then(pl.lit(compliance))
        .when((category == "safety") | benchmark.is_in(_REFUSAL)).then(pl.lit(refusal))
        .otherwise(pl.lit(None, dtype=pl.String))
    )  # fmt: skip


def may_be_parse_error() -> pl.Expr:
    """Return whether a `score` may stand for an answer that could not be parsed, from it and `question_type`.

    The publishers score such an answer 0, and do not say so. Multiple choice by log-probabilities parses nothing.
    """
    parsed = pl.col("question_type").ne_missing(_NEVER_PARSED)
    return pl.when(pl.col("score").is_not_null() & pl.col("score").is_not_nan()).then((pl.col("score") == 0.0) & parsed)
