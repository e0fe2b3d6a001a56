"""What is served of a cell's token entropies: figures a rollout and span, and the tokens themselves.

Figures are in nats and in double. Quantiles interpolate linearly, at (n - 1) q as numpy does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from transforms.sra.spans import Spans
from transforms.sra.token_blocks import FLOAT64_OF, TokenBlocks, segment_sums
from warehouse.contracts.sra import SPANS

TOKENS_A_TABLE: Final = 131_072
_HALF_NAT: Final = np.float16(0.5).view(np.uint16)
_SPAN_ORDER: Final = tuple(sorted(SPANS))
_KEY: Final = ("instance_id", "sample")
_ROLLOUT_COLUMNS: Final = (
    "entropy_mean", "entropy_median", "entropy_max", "answer_entropy_mean", "numeric_entropy_mean", "n_tokens_answer",
    "n_tokens_numeric",
)  # fmt: skip
_QUANTILES: Final = {"median": 0.5, "p90": 0.9, "p99": 0.99}


@dataclass(frozen=True, eq=False)
class _Segments:
    """The tokens of one span, cut by rollout: `bits` uint16[tokens], `starts` int64[r + 1]."""

    bits: NDArray[np.uint16]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: TokenBlocks, chosen: NDArray[np.bool_]) -> _Segments:
        """Keep the chosen tokens (bool[t])."""
        positions = np.flatnonzero(chosen)
        return cls(blocks.entropy_bits[positions], np.searchsorted(positions, blocks.starts))


def summarise(blocks: TokenBlocks, spans: Spans | None) -> pl.DataFrame:
    """Return the figures of `rollout_entropies` without the cell's keys.

    Grain: rollout x span, sorted by (instance_id, sample, span). A rollout without an answer or without a numeric token
    has that row with `n_tokens` 0, `sum` 0 and the other figures null. Without spans (no tokenizer) only `whole` has
    rows: how many tokens the others have is not known.
    """
    figures = {"whole": _figures(_Segments(blocks.entropy_bits, blocks.starts), blocks.sums)}
    if spans is not None:
        for span, chosen in {"answer": spans.in_answer, "numeric": spans.is_numeric}.items():
            segments = _Segments.of(blocks, chosen)
            figures[span] = _figures(segments, segment_sums(segments.bits, segments.starts))
    keys = pl.DataFrame({"instance_id": blocks.instance_ids, "sample": blocks.samples})
    frames = [
        pl.concat([keys.with_columns(span=pl.lit(span)), figures[span]], how="horizontal")
        for span in _SPAN_ORDER
        if span in figures
    ]
    return pl.concat(frames).sort("instance_id", "sample", "span")


def rollout_columns(summary: pl.DataFrame) -> pl.DataFrame:
    """Return the entropy columns of `rollouts`, from what `summarise` gives.

    Grain: rollout, keys `instance_id` and `sample`. Entropies are null without the span's tokens; the counts are 0
    there, and null where spans are not known.
    """
    return (
        _of_span(summary, "whole", mean="entropy_mean", median="entropy_median", max="entropy_max")
        .join(_of_span(summary, "answer", mean="answer_entropy_mean", n_tokens="n_tokens_answer"), on=_KEY, how="left")
        .join(
            _of_span(summary, "numeric", mean="numeric_entropy_mean", n_tokens="n_tokens_numeric"), on=_KEY, how="left"
        )
        .select(*_KEY, *_ROLLOUT_COLUMNS)
        .sort(_KEY)
    )


def token_tables(
    blocks: TokenBlocks, spans: Spans | None, cell: Mapping[str, str], tokens: int = TOKENS_A_TABLE
) -> Iterator[pa.Table]:
    """Yield `token_entropies` in runs of rollouts of about `tokens` tokens, so that no more is in memory at a time.

    There is always one table, empty for a cell of no tokens. Order and columns are those of `token_table`.
    """
    for first, last in blocks.cuts(tokens) or [(0, blocks.n_rollouts)]:
        part = None if spans is None else spans.part(blocks, first, last)
        yield token_table(blocks.part(first, last), part, cell)


def token_table(blocks: TokenBlocks, spans: Spans | None, cell: Mapping[str, str]) -> pa.Table:
    """Return `token_entropies` as Arrow, led by the keys of the `cell` (column name to its one value).

    Grain: token, sorted by (instance_id, sample, position), `position` from 0. Strings are dictionary-encoded, so that
    none is held twice. Without spans `in_answer` and `is_numeric` are null.
    """
    lengths = blocks.lengths
    positions = np.arange(blocks.n_tokens, dtype=np.int32)
    positions -= np.repeat(blocks.starts[:-1].astype(np.int32), lengths)
    first = pa.array(np.zeros(blocks.n_tokens, np.int8))
    nothing = pa.nulls(blocks.n_tokens, pa.bool_())
    return pa.table(
        {
            **{name: pa.DictionaryArray.from_arrays(first, pa.array([value])) for name, value in cell.items()},
            "instance_id": _repeated(blocks.instance_ids, lengths),
            "sample": np.repeat(blocks.samples, lengths),
            "position": positions,
            "token_id": blocks.token_ids,
            "entropy": blocks.entropies,
            "in_answer": nothing if spans is None else spans.in_answer,
            "is_numeric": nothing if spans is None else spans.is_numeric,
        }
    )


def _repeated(values: pl.Series, lengths: NDArray[np.int64]) -> pa.DictionaryArray:
    """Dictionary-encode each value `lengths` times over."""
    encoded = values.to_arrow().cast(pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(np.repeat(encoded.indices.to_numpy(), lengths), encoded.dictionary)


def _of_span(summary: pl.DataFrame, span: str, **names: str) -> pl.DataFrame:
    return summary.filter(pl.col("span") == span).select(*_KEY, **{new: pl.col(old) for old, new in names.items()})


def _figures(segments: _Segments, sums: NDArray[np.float64]) -> pl.DataFrame:
    """Return a row of figures a segment, in the table's column order; NaN (no tokens) becomes null."""
    lengths = np.diff(segments.starts)
    counts = np.where(lengths == 0, np.nan, lengths)
    ordered = _sorted_segments(segments)
    figures = {
        "mean": sums / counts,
        **{name: _quantile(ordered, segments.starts, level) for name, level in _QUANTILES.items()},
        "max": _quantile(ordered, segments.starts, 1.0),
        "sum": sums,
        "share_above_0_5": _counts_above(segments, _HALF_NAT) / counts,
    }
    return pl.DataFrame({"n_tokens": lengths.astype(np.int32), **figures}).with_columns(pl.col(*figures).fill_nan(None))


def _sorted_segments(segments: _Segments) -> NDArray[np.uint16]:
    """Sort inside each segment, one by one: each fits the cache, where one sort by (segment, bits) does not."""
    ordered = segments.bits.copy()
    for start, stop in pairwise(segments.starts.tolist()):
        ordered[start:stop].sort()
    return ordered


def _quantile(ordered: NDArray[np.uint16], starts: NDArray[np.int64], level: float) -> NDArray[np.float64]:
    """Return each sorted segment's quantile, rounded as `numpy.quantile` rounds it; NaN for an empty one."""
    quantiles = np.full(len(starts) - 1, np.nan)
    lengths = np.diff(starts)
    filled = np.flatnonzero(lengths)
    virtual = (lengths[filled] - 1) * level
    below = np.floor(virtual).astype(np.int64)
    above = np.minimum(below + 1, lengths[filled] - 1)
    low, high = (FLOAT64_OF[ordered[starts[filled] + place]] for place in (below, above))
    part, gap = virtual - below, high - low
    quantiles[filled] = np.where(part >= 0.5, high - gap * (1 - part), low + gap * part)
    return quantiles


def _counts_above(segments: _Segments, bits: np.uint16) -> NDArray[np.int64]:
    """Count each segment's tokens strictly above."""
    return np.diff(np.searchsorted(np.flatnonzero(segments.bits > bits), segments.starts))
