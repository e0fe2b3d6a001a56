"""A small made-up BenchMIRT release in the publishers' own formats, drawn from a known two-dimensional model."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class _Benchmark(NamedTuple):
    """What items of a benchmark look like. `reasoning` and `safety` are the mean slopes of the two abilities."""

    prefix: str
    name: str
    category: str
    domain: str
    question_type: str
    subcategory: str
    reasoning: float
    safety: float


_REASONING: Final = "General Reasoning"
_SAFETY: Final = "Safety"
_LOGPROBS: Final = "multiple choice logprobs"
_REFUSE: Final = "generation - safety"
_COMPLY: Final = "generation - benign"
# wmdp scores what a model does not know and xstest's harmless requests what it does not refuse: negative slopes.
BENCHMARKS: Final = (
    _Benchmark("bbh__boolean_expressions_", "bbh", _REASONING, "puzzle", _LOGPROBS, "boolean_expressions", 1.2, 0.0),
    _Benchmark("mmlu_pro__", "mmlu-pro", _REASONING, "math", _LOGPROBS, "math", 1.0, 0.0),
    _Benchmark("ifeval__", "ifeval", _REASONING, "instruction", "generation", "x", 0.8, 0.1),
    _Benchmark("harmbench__contextual_", "harmbench", _SAFETY, "safety", _REFUSE, "contextual", 0.0, 1.2),
    _Benchmark("trustllm_jailbreaktrigger__['bad words']_", "trustllm_jailbreaktrigger", _SAFETY, "jailbreak", _REFUSE,
               "bad words", 0.1, 1.0),
    _Benchmark("xstest__homonyms_", "xstest", _SAFETY, "overrefusal", _COMPLY, "homonyms", 0.2, -0.6),
    _Benchmark("bbq__Age_", "bbq", _SAFETY, "bias", "multiple choice generation", "ambig", 0.6, 0.4),
    _Benchmark("wmdp__wmdp-bio_", "wmdp", _SAFETY, "biology", "multiple choice generation", "wmdp-bio", -0.9, 0.1),
)  # fmt: skip
_FAMILIES: Final = ("alder", "birch", "cedar", "damson")
_SIZES: Final = ("1B", "7B", "32B", "70B")
_ITEM_COLUMNS: Final = (
    "question_id", "benchmark", "category", "subcategory_one", "subcategory_two", "subcategory_three", "question_text",
    "average_score", "standard_deviation", "question_type", "domain_superset", "correlation", "correlation_subset",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Release:
    """The three files as bytes, and what they were drawn from: `probabilities` and `scores` are models x items, scores
    NaN where a cell is empty; `abilities` is models x (reasoning, safety).
    """

    responses_csv: bytes
    items_csv: bytes
    models_csv: bytes
    models: list[str]
    items: list[str]
    abilities: Floats
    probabilities: Floats
    scores: Floats


def make_release(n_models: int = 24, items_a_benchmark: int = 40, seed: int = 0, missing: float = 0.01) -> Release:
    """Return a release of `n_models` models and eight benchmarks. The same arguments give the same bytes.

    A share `missing` of the cells is empty, as an outer merge leaves it.
    """
    random = np.random.default_rng(seed)
    abilities = random.standard_normal((n_models, 2))
    kinds = [benchmark for benchmark in BENCHMARKS for _ in range(items_a_benchmark)]
    items = [f"{benchmark.prefix}{i}" for benchmark in BENCHMARKS for i in range(items_a_benchmark)]
    means = np.array([[kind.reasoning, kind.safety] for kind in kinds])
    slopes = means * np.exp(random.normal(0.0, 0.3, (len(items), 1)))
    logits = abilities @ slopes.T + random.normal(0.3, 1.3, len(items))
    probabilities = 1.0 / (1.0 + np.exp(-logits))
    scores = (random.random(logits.shape) < probabilities).astype(np.float64)
    scores[random.random(logits.shape) < missing] = np.nan
    models = [
        f"org-{_FAMILIES[i % 4]}__{_FAMILIES[i % 4]}-{_SIZES[i // 4 % 4]}-v{i // 16 + 1}" for i in range(n_models)
    ]
    return Release(
        _responses_csv(models, items, kinds, scores),
        _items_csv(items, kinds, scores),
        _models_csv(models),
        models,
        items,
        abilities,
        probabilities,
        scores,
    )


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def _text(item: str, kind: _Benchmark) -> str:
    return f'Made-up question {item}, of {kind.name}:\nwhat does "{kind.subcategory}" mean, and why?'


def _responses_csv(models: Sequence[str], items: Sequence[str], kinds: Sequence[_Benchmark], scores: Floats) -> bytes:
    header = ["question_id", "question", "subset", *(f"acc_norm_{model}" for model in models)]
    rows = (
        [item, repr({"input": _text(item, kind)}), f"{kind.name}_{kind.subcategory}", *map(_score, scores[:, i])]
        for i, (item, kind) in enumerate(zip(items, kinds, strict=True))
    )
    return _csv(header, rows)


def _score(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.1f}"


def _items_csv(items: Sequence[str], kinds: Sequence[_Benchmark], scores: Floats) -> bytes:
    totals = np.nanmean(scores, axis=1)
    of_benchmark = np.array([kind.name for kind in kinds])
    rows = []
    for i, (item, kind) in enumerate(zip(items, kinds, strict=True)):
        subset = np.nanmean(scores[:, of_benchmark == kind.name], axis=1)
        column = scores[:, i]
        known = ~np.isnan(column)
        correlations = [_correlation(column[known], total[known]) for total in (totals, subset)]
        figures = [column[known].mean(), column[known].std(ddof=1)]
        row = [item, kind.name, kind.category, kind.subcategory, "", "", _text(item, kind), *map(_number, figures)]
        rows.append([*row, kind.question_type, kind.domain, *map(_number, correlations)])
    return _csv(_ITEM_COLUMNS, rows)


def _number(value: float) -> str:
    """Return a number as pandas writes it."""
    return repr(float(value))


def _correlation(x: Floats, y: Floats) -> float:
    """Return Pearson's correlation, 0 where it is undefined, as the publishers write it."""
    if x.min() == x.max() or y.min() == y.max():
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _models_csv(models: Sequence[str]) -> bytes:
    rows = (
        [model, _FAMILIES[i % 4], _SIZES[i // 4 % 4], i % 8 == 7, f"2024-{i % 12 + 1:02d}-01"]
        for i, model in enumerate(models)
    )
    return _csv(["Model", "family", "size", "reasoning", "date"], rows)
