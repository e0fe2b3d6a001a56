from __future__ import annotations

import io
import math
import struct
from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.entropy_cases import BIN, INDEX, Generation, vocabulary, write
from transforms.sra.entropy import read_blocks
from transforms.sra.entropy_summary import rollout_columns, summarise, token_table, token_tables
from transforms.sra.spans import Spans, find_spans
from transforms.sra.token_blocks import TokenBlocks
from warehouse.contracts.sra import RolloutEntropies, Rollouts, TokenEntropies

KNOWN = vocabulary([b"x", b"ANSWER:", b" 1", b""])
X, ANSWER, ONE, END = range(4)
CELL = {"model": "m", "dataset": "champ", "condition": "direct"}
FIGURES = ["mean", "median", "p90", "p99", "max", "share_above_0_5"]


def cell(*generations: Generation) -> tuple[TokenBlocks, Spans]:
    blocks, issues = read_blocks(*write(generations), BIN, INDEX, vocabulary=KNOWN)
    assert issues == []
    assert blocks is not None
    return blocks, find_spans(blocks, KNOWN)


def row(summary: pl.DataFrame, sample: int, span: str) -> dict[str, float]:
    return summary.row(by_predicate=(pl.col("sample") == sample) & (pl.col("span") == span), named=True)


HALVES = st.integers(1, 0x7BFF).map(lambda bits: struct.unpack("<e", struct.pack("<H", bits))[0])
LIKELY = st.sampled_from([2.0**-24, 1.2e-4, 0.49975586, 0.5, 0.50048828, 3.28])
TOKENS = st.lists(st.tuples(st.one_of(HALVES, LIKELY), st.integers(0, 3)), max_size=40)


@settings(max_examples=200, deadline=None)
@given(st.lists(TOKENS, max_size=9))
def test_figures_are_numpys_on_each_span(rollouts: list[list[tuple[float, int]]]) -> None:
    generations = [Generation("q", j, [e for e, _ in one], [i for _, i in one]) for j, one in enumerate(rollouts)]
    summary = summarise(*cell(*generations))
    assert summary.height == 3 * len(rollouts)
    for sample, one in enumerate(rollouts):
        ids = [token_id for _, token_id in one]
        start = len(ids) - 1 - ids[::-1].index(ANSWER) if ANSWER in ids else len(ids)
        spans = {"whole": one, "answer": one[start:], "numeric": [token for token in one[start:] if token[1] == ONE]}
        for span, tokens in spans.items():
            values = np.array([entropy for entropy, _ in tokens], np.float16).astype(np.float64)
            found = row(summary, sample, span)
            assert found["n_tokens"] == len(values)
            assert found["sum"] == math.fsum(values)
            if not len(values):
                assert [found[name] for name in FIGURES] == [None] * len(FIGURES)
                continue
            assert found["mean"] == math.fsum(values) / len(values)
            assert found["median"] == np.median(values)
            assert [found["p90"], found["p99"]] == np.quantile(values, [0.9, 0.99]).tolist()
            assert found["max"] == values.max()
            assert found["share_above_0_5"] == np.mean(values > 0.5)


def test_sums_do_not_depend_on_the_order_of_the_tokens() -> None:
    rng = np.random.default_rng(3)
    values = np.exp(rng.normal(-7, 4, 30_000)).clip(1e-7, 12).astype(np.float16)
    exact = float(sum((Fraction(float(value)) for value in values), Fraction()))
    shuffled = rng.permutation(values)
    summary = summarise(*cell(Generation("q", 0, values.tolist()), Generation("q", 1, shuffled.tolist())))
    assert row(summary, 0, "whole")["sum"] == row(summary, 1, "whole")["sum"] == exact


def test_half_a_nat_is_not_above_half_a_nat() -> None:
    summary = summarise(*cell(Generation("q", 0, [0.5, 0.50048828, 0.49975586, 4.0])))
    assert row(summary, 0, "whole")["share_above_0_5"] == 0.5


def test_rows_are_sorted_by_the_tables_key_and_keep_its_contract() -> None:
    blocks, spans = cell(
        Generation("b", 0, [0.5, 1.0, 2.0], [X, ANSWER, ONE]), Generation("a", 8, [0.5]), Generation("a", 2, [])
    )
    summary = summarise(blocks, spans)
    keys = [("a", 2), ("a", 8), ("b", 0)]
    expected = [(*key, span) for key in keys for span in ("answer", "numeric", "whole")]
    assert summary.select("instance_id", "sample", "span").rows() == expected
    names = list(RolloutEntropies.columns())
    assert summary.columns == [name for name in names if name not in CELL]
    table = summary.with_columns(**{name: pl.lit(value) for name, value in CELL.items()}).select(names)
    assert RolloutEntropies.validate(table).height == 9


def test_without_a_tokenizer_only_the_whole_generation_has_rows() -> None:
    blocks, spans = cell(Generation("q", 0, [0.5, 1.0], [ANSWER, ONE]))
    summary = summarise(blocks, None)
    assert summary["span"].to_list() == ["whole"]
    assert summary.equals(summarise(blocks, spans).filter(pl.col("span") == "whole"))


def test_an_empty_cell_has_empty_tables_of_the_right_types() -> None:
    blocks, spans = cell()
    full_blocks, full_spans = cell(Generation("q", 0))
    for empty, full in (
        (summarise(blocks, spans), summarise(full_blocks, full_spans)),
        (rollout_columns(summarise(blocks, None)), rollout_columns(summarise(full_blocks, full_spans))),
    ):
        assert empty.height == 0
        assert empty.schema == full.schema
    assert token_table(blocks, spans, CELL).schema == token_table(full_blocks, full_spans, CELL).schema


def test_a_rollouts_columns_are_its_spans_figures() -> None:
    generations = [
        Generation("q", 0, [0.5, 1.0, 2.0, 0.25], [X, ANSWER, ONE, END]),
        Generation("q", 1, [0.5, 1.0], [ONE, ANSWER]),
        Generation("q", 2, [4.0], [ONE]),
        Generation("q", 3, []),
    ]
    blocks, spans = cell(*generations)
    found = rollout_columns(summarise(blocks, spans))
    assert found.drop("instance_id").rows() == [
        (0, 0.9375, 0.75, 2.0, 3.25 / 3, 2.0, 3, 1),
        (1, 0.75, 0.75, 1.0, 1.0, None, 1, 0),
        (2, 4.0, 4.0, 4.0, None, None, 0, 0),
        (3, None, None, None, None, None, 0, 0),
    ]
    contract = {name: column.dtype for name, column in Rollouts.columns().items()}
    assert all(dtype == contract[name] for name, dtype in found.schema.items())
    assert set(found.columns) < set(contract)


def test_without_a_tokenizer_the_spans_columns_are_null_and_not_zero() -> None:
    blocks, _ = cell(Generation("q", 0, [0.5, 1.0], [ANSWER, ONE]))
    assert rollout_columns(summarise(blocks, None)).rows() == [("q", 0, 0.75, 0.75, 1.0, None, None, None, None)]


def test_the_token_table_has_every_token_in_key_order() -> None:
    table = token_table(
        *cell(
            Generation("b", 1, [0.5, 1.0, 2.0], [X, ANSWER, ONE]),
            Generation("a", 3, [0.25], [ONE]),
            Generation("a", 0, []),
        ),
        CELL,
    )
    assert table.column_names == list(TokenEntropies.columns())
    key = tuple(CELL.values())
    assert list(zip(*table.to_pydict().values(), strict=True)) == [
        (*key, "a", 3, 0, ONE, 0.25, False, False),
        (*key, "b", 1, 0, X, 0.5, False, False),
        (*key, "b", 1, 1, ANSWER, 1.0, True, False),
        (*key, "b", 1, 2, ONE, 2.0, True, True),
    ]


@pytest.mark.parametrize("known", [True, False])
def test_the_token_table_keeps_its_contract_through_parquet(known: bool) -> None:
    blocks, spans = cell(*(Generation(f"q{place // 9}", place % 9, [0.5] * 7, [ANSWER] * 7) for place in range(40)))
    file = io.BytesIO()
    table = token_table(blocks, spans if known else None, CELL)
    assert pa.types.is_dictionary(table.schema.field("instance_id").type)
    pq.write_table(table, file, store_schema=False)
    found = TokenEntropies.validate(pl.read_parquet(io.BytesIO(file.getvalue())))
    assert found.height == 280
    assert found["in_answer"].null_count() == (0 if known else 280)
    assert found["is_numeric"].null_count() == (0 if known else 280)


@pytest.mark.parametrize("tokens", [1, 7, 50, 10_000])
@pytest.mark.parametrize("known", [True, False])
def test_tables_one_after_the_other_are_the_whole_table(tokens: int, known: bool) -> None:
    generations = [Generation(f"q{n // 9}", n % 9, [0.5] * (n % 5), [ANSWER, ONE, X, X][: n % 5]) for n in range(40)]
    blocks, spans = cell(*generations)
    parts = list(token_tables(blocks, spans if known else None, CELL, tokens))
    assert pa.concat_tables(parts, promote_options="default").to_pydict() == (
        token_table(blocks, spans if known else None, CELL).to_pydict()
    )
    assert all(part.num_rows >= min(tokens, blocks.n_tokens) - 4 for part in parts[:-1])


def test_a_cell_without_tokens_has_one_empty_table() -> None:
    (part,) = token_tables(*cell(Generation("q", 0, [])), CELL)
    assert part.num_rows == 0
