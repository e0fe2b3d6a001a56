"""The entropy steps on the mini bundle, against figures its program computed from memory."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from tests.unit.sra.entropy_cases import SHARED
from transforms.sra.entropy import read_blocks
from transforms.sra.entropy_blocks import match_rollouts
from transforms.sra.entropy_index import INDEX_SCHEMA
from transforms.sra.entropy_summary import rollout_columns, summarise
from transforms.sra.spans import Spans, find_spans
from transforms.sra.token_blocks import TokenBlocks
from transforms.sra.tokenizers import Vocabulary, parse_tokenizer

BUNDLE = SHARED / "bundles" / "mini"
CELLS = sorted(
    str(path.parent.relative_to(BUNDLE / "models")) for path in BUNDLE.glob("models/*/*/*/token_entropy9.bin")
)

pytestmark = pytest.mark.skipif(
    not BUNDLE.is_dir(), reason="the shared folder with the mini bundle is not beside the checkout"
)


@cache
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SHARED / "bundles" / "mini.truth.json").read_text())["partitions"]
    return found


@cache
def rollout_truth() -> pl.DataFrame:
    return pl.read_parquet(SHARED / "bundles" / "mini.truth.parquet")


@cache
def vocabulary_of(model: str) -> Vocabulary:
    path = BUNDLE / "tokenizers" / model / "tokenizer.json"
    vocabulary, issues = parse_tokenizer(path.read_bytes(), path.name)
    assert issues == [] and vocabulary is not None
    return vocabulary


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def read(cell: str) -> tuple[TokenBlocks, Spans, pl.DataFrame]:
    folder = BUNDLE / "models" / cell
    rows = [
        {**row, "line": line} for line, row in enumerate(lines_of(folder / "token_entropy9.index.jsonl.gz"), start=1)
    ]
    index = pl.DataFrame(rows, schema=INDEX_SCHEMA)
    vocabulary = vocabulary_of(cell.partition("/")[0])
    data = (folder / "token_entropy9.bin").read_bytes()
    blocks, issues = read_blocks(data, index, "token_entropy9.bin", "index", vocabulary=vocabulary)
    assert issues == [] and blocks is not None
    return blocks, find_spans(blocks, vocabulary), index


def auroc_of(rollouts: pl.DataFrame, column: str) -> float | None:
    """Return the AUROC of minus the column against correctness, over the rollouts that have it; None for one class."""
    usable = rollouts.drop_nulls(column)
    if usable["correct"].n_unique() < 2:
        return None
    return float(roc_auc_score(usable["correct"].to_numpy(), -usable[column].to_numpy()))


def test_the_truth_has_entropies_for_exactly_these_cells() -> None:
    assert sorted(cell for cell, figures in truth().items() if "entropy" in figures) == CELLS


@pytest.mark.parametrize("cell", CELLS)
def test_a_cells_figures_are_the_truths(cell: str) -> None:
    blocks, spans, _ = read(cell)
    summary = rollout_columns(summarise(blocks, spans))
    model, dataset, condition = cell.split("/")
    in_cell = (pl.col("model") == model) & (pl.col("dataset") == dataset) & (pl.col("condition") == condition)
    expected = (
        rollout_truth()
        .filter(in_cell)
        .select("instance_id", pl.col("sample").cast(pl.Int32), "correct", "whole", "answer", "numeric")
    )
    joined = summary.join(expected, on=["instance_id", "sample"], how="full", coalesce=True)
    assert joined.height == summary.height == expected.height

    spans_of = {"entropy_mean": "whole", "answer_entropy_mean": "answer", "numeric_entropy_mean": "numeric"}
    for mine, theirs in spans_of.items():
        found = joined[mine].fill_null(float("nan")).to_numpy()
        np.testing.assert_allclose(found, joined[theirs].to_numpy(), rtol=1e-12)

    stated = truth()[cell]["entropy"]
    values = blocks.entropies.astype(np.float64)
    assert blocks.n_tokens == stated["tokens"]
    assert int((spans.answer_start >= 0).sum()) == stated["span_rollouts"]
    assert int(spans.in_answer.sum()) == summary["n_tokens_answer"].sum() == stated["span_tokens"]
    assert int(spans.is_numeric.sum()) == summary["n_tokens_numeric"].sum() == stated["numeric_tokens"]
    assert int((summary["n_tokens_numeric"] > 0).sum()) == stated["numeric_rollouts"]
    assert values.mean() == pytest.approx(stated["mean"], rel=1e-12)
    assert np.median(values) == stated["median"]
    assert values.max() == stated["max"] == summary["entropy_max"].max()
    for mine, theirs in spans_of.items():
        auroc, expected_auroc = auroc_of(joined, mine), stated[f"auroc_{theirs}"]
        assert (auroc is None) == (expected_auroc is None)
        assert auroc is None or auroc == pytest.approx(expected_auroc, abs=1e-12)


@pytest.mark.parametrize("cell", CELLS[:2])
def test_a_cells_index_has_the_sampled_rollouts(cell: str) -> None:
    _, _, index = read(cell)
    sampled = [
        {"instance_id": row["instance_id"], "sample": rollout["sample"]}
        for row in lines_of(BUNDLE / "models" / cell / "sampling9.jsonl.gz")
        for rollout in row["rollouts"]
    ]
    assert match_rollouts(index, pl.DataFrame(sampled), "index") == []
