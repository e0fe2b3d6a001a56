"""The tokens of a cell in memory: flat arrays, cut by rollout.

A sound entropy is finite and above zero. As bits of a float16 these are 0x0001 to 0x7BFF, and the order of the bits is
the order of the numbers, so checks and sorting work on 16-bit integers and only what is served is widened.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

Layout = Literal["blocked", "interleaved"]
Cut: TypeAlias = tuple[int, tuple[int, int]]
"""A block's byte offset in the file, and where its tokens begin and end in the flat arrays."""

_INTERLEAVED: Final = np.dtype([("entropy", "<u2"), ("token_id", "<i4")])
_ALL_BITS: Final = np.arange(2**16, dtype=np.uint16)
with np.errstate(invalid="ignore"):
    FLOAT32_OF: Final = _ALL_BITS.view(np.float16).astype(np.float32)
    FLOAT64_OF: Final = _ALL_BITS.view(np.float16).astype(np.float64)


@dataclass(frozen=True, eq=False)
class TokenBlocks:
    """The tokens of r rollouts, t in all, rollouts sorted by (instance_id, sample).

    Shapes: `instance_ids` String[r]; `samples` int32[r]; `starts` int64[r + 1] into the two that follow; `entropy_bits`
    uint16[t], the entropies in nats as float16 bits; `token_ids` int32[t].
    """

    instance_ids: pl.Series
    samples: NDArray[np.int32]
    starts: NDArray[np.int64]
    entropy_bits: NDArray[np.uint16]
    token_ids: NDArray[np.int32]

    @property
    def n_rollouts(self) -> int:
        """Number of rollouts, r."""
        return len(self.samples)

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all rollouts, t."""
        return len(self.token_ids)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[r]: each rollout's number of tokens."""
        return np.diff(self.starts)

    @property
    def entropies(self) -> NDArray[np.float32]:
        """float32[t]: the entropies in nats, widened exactly; made anew at each access."""
        return FLOAT32_OF[self.entropy_bits]

    @cached_property
    def sums(self) -> NDArray[np.float64]:
        """float64[r]: each rollout's sum of entropies in nats."""
        return segment_sums(self.entropy_bits, self.starts)

    @property
    def maxima(self) -> NDArray[np.float64]:
        """float64[r]: each rollout's largest entropy in nats, NaN for one of no tokens."""
        maxima = np.full(self.n_rollouts, np.nan)
        filled = np.flatnonzero(self.lengths)
        if len(filled):
            maxima[filled] = FLOAT64_OF[np.maximum.reduceat(self.entropy_bits, self.starts[filled])]
        return maxima

    def part(self, first: int, last: int) -> TokenBlocks:
        """Return the rollouts from `first` to before `last`, without copying a token."""
        tokens = slice(self.starts[first], self.starts[last])
        return TokenBlocks(
            self.instance_ids[first:last],
            self.samples[first:last],
            self.starts[first : last + 1] - self.starts[first],
            self.entropy_bits[tokens],
            self.token_ids[tokens],
        )

    def cuts(self, tokens: int) -> list[tuple[int, int]]:
        """Cut the rollouts into runs of about that many tokens; no rollout is cut."""
        steps = np.arange(tokens, self.n_tokens, tokens)
        edges = np.unique([0, *np.searchsorted(self.starts, steps), self.n_rollouts]).tolist()
        return list(pairwise(edges))

    def rollout_of(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rollout that each flat token position belongs to."""
        return np.searchsorted(self.starts, positions, side="right") - 1


def segment_sums(bits: NDArray[np.uint16], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum float16 bits in double over the segments that `starts` (int64[r + 1]) cuts; 0 for an empty one.

    Float16 numbers are multiples of 2^-24, so a double holds every partial sum below 2^29 nats exactly: the result does
    not depend on the order of summation.
    """
    sums = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        with np.errstate(invalid="ignore"):
            sums[filled] = np.add.reduceat(FLOAT64_OF[bits], starts[filled])
    return sums


def gather(data: bytes | memoryview, placed: pl.DataFrame, layout: Layout) -> TokenBlocks:
    """Cut the file's bytes into the blocks that `placed` (rows of the index that lie in the file, in order) names."""
    lengths = placed["n_tokens"].to_numpy()
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    bits, token_ids = np.empty(starts[-1], "<u2"), np.empty(starts[-1], "<i4")
    copy = _copy_blocked if layout == "blocked" else _copy_interleaved
    copy(data, list(zip(placed["offset"].to_list(), pairwise(starts.tolist()), strict=True)), bits, token_ids)
    return TokenBlocks(
        instance_ids=placed["instance_id"],
        samples=placed["sample"].fill_null(-1).to_numpy().astype(np.int32),
        starts=starts,
        entropy_bits=bits,
        token_ids=token_ids,
    )


def _copy_blocked(
    data: bytes | memoryview, cuts: list[Cut], bits: NDArray[np.uint16], token_ids: NDArray[np.int32]
) -> None:
    """Copy blocks of all entropies, then all token ids; as bytes, because offsets need not be aligned."""
    source = np.frombuffer(data, np.uint8)
    bit_bytes, id_bytes = bits.view(np.uint8), token_ids.view(np.uint8)
    for offset, (start, stop) in cuts:
        split = offset + 2 * (stop - start)
        bit_bytes[2 * start : 2 * stop] = source[offset:split]
        id_bytes[4 * start : 4 * stop] = source[split : split + 4 * (stop - start)]


def _copy_interleaved(
    data: bytes | memoryview, cuts: list[Cut], bits: NDArray[np.uint16], token_ids: NDArray[np.int32]
) -> None:
    """Copy blocks of one entropy and one token id after the other."""
    for offset, (start, stop) in cuts:
        pairs = np.frombuffer(data, _INTERLEAVED, count=stop - start, offset=offset)
        bits[start:stop], token_ids[start:stop] = pairs["entropy"], pairs["token_id"]
