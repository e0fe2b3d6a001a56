"""Where the answer stands in a generation, found from its token ids.

The answer span begins at the token that holds the first byte of the last `ANSWER:` or `\\boxed{` of the decoded
generation and runs to its last token, special ones included. Numeric tokens are those of the span whose bytes hold an
ASCII digit.

A generation is not decoded to find this. The first byte of either marker occurs nowhere else in them, so where a token
ends at most one marker can be under way, and what the next token does to it depends on that token alone. Both are
worked out once for the vocabulary; a generation is then followed only from the few tokens that hold a marker or end in
the beginning of one. Tokens without bytes may stand anywhere inside a marker and are stepped over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.sra.token_blocks import TokenBlocks
from transforms.sra.tokenizers import Vocabulary

MARKERS: Final = (b"ANSWER:", b"\\boxed{")

_EMPTY: Final = -1
_NONE: Final = 0
_FOUND: Final = 1
_BEGINNINGS: Final = tuple((marker[:cut], marker[cut:]) for marker in MARKERS for cut in range(1, len(marker)))
"""What was seen of a marker and what is to come; state 2 is the first of these."""
_STATE_OF: Final = {seen: state for state, (seen, _) in enumerate(_BEGINNINGS, start=2)}


@dataclass(frozen=True, eq=False)
class Spans:
    """The spans of r rollouts and their t tokens.

    Shapes: `answer_start` int64[r], the flat position of the span's first token, -1 without a span; `in_answer` and
    `is_numeric` bool[t].
    """

    answer_start: NDArray[np.int64]
    in_answer: NDArray[np.bool_]
    is_numeric: NDArray[np.bool_]

    def part(self, blocks: TokenBlocks, first: int, last: int) -> Spans:
        """Return the spans of the rollouts from `first` to before `last` of their blocks."""
        tokens = slice(blocks.starts[first], blocks.starts[last])
        starts = self.answer_start[first:last]
        return Spans(
            np.where(starts < 0, -1, starts - blocks.starts[first]), self.in_answer[tokens], self.is_numeric[tokens]
        )


@dataclass(frozen=True, eq=False)
class _Automaton:
    """What each of n tokens does. `begins` int8[n]: the state it leaves by itself, `_EMPTY` for one without bytes.

    `follows` int8[states, n]: the state a token with bytes leaves when it is read in a state.
    """

    begins: NDArray[np.int8]
    follows: NDArray[np.int8]


def find_spans(blocks: TokenBlocks, vocabulary: Vocabulary) -> Spans:
    """Find every rollout's answer span and its numeric tokens.

    Raises ValueError for token ids outside the vocabulary, which `read_blocks` reports when it is given it.
    """
    if blocks.n_tokens and int(blocks.token_ids.view(np.uint32).max()) >= vocabulary.size:
        raise ValueError(f"the blocks hold token ids outside the vocabulary of {vocabulary.size:,} ids")
    answer_start = _answer_starts(blocks, _automaton(vocabulary))
    in_answer = _from_starts(blocks, answer_start)
    is_numeric = np.zeros(blocks.n_tokens, np.bool_)
    inside = np.flatnonzero(in_answer)
    is_numeric[inside] = vocabulary.has_digit[blocks.token_ids[inside]]
    return Spans(answer_start, in_answer, is_numeric)


def _answer_starts(blocks: TokenBlocks, automaton: _Automaton) -> NDArray[np.int64]:
    """Return int64[r]: the position of the token that holds the last marker's first byte, or -1."""
    begun = automaton.begins[blocks.token_ids]
    candidates = np.flatnonzero(begun > _NONE)
    rollouts = blocks.rollout_of(candidates)
    complete = _completed(blocks, automaton, begun, candidates, blocks.starts[rollouts + 1])
    rollouts, candidates = rollouts[complete], candidates[complete]
    last = np.flatnonzero(np.diff(rollouts, append=blocks.n_rollouts))
    starts = np.full(blocks.n_rollouts, -1, np.int64)
    starts[rollouts[last]] = candidates[last]
    return starts


def _completed(
    blocks: TokenBlocks,
    automaton: _Automaton,
    begun: NDArray[np.int8],
    candidates: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Tell which candidates' markers are completed before their rollouts end; a marker's bytes bound the rounds."""
    states = begun[candidates]
    after = _Skipper.over(np.flatnonzero(begun == _EMPTY))
    live, positions = np.flatnonzero(states > _FOUND), candidates[states > _FOUND] + 1
    while len(live):
        positions = after.skip(positions)
        within = positions < ends[live]
        states[live[~within]] = _NONE
        live, positions = live[within], positions[within]
        states[live] = automaton.follows[states[live], blocks.token_ids[positions]]
        waiting = states[live] > _FOUND
        live, positions = live[waiting], positions[waiting] + 1
    complete: NDArray[np.bool_] = states == _FOUND
    return complete


@dataclass(frozen=True)
class _Skipper:
    """Steps over runs of tokens without bytes: their positions, and where the run of each ends."""

    empty: NDArray[np.int64]
    run_end: NDArray[np.int64]

    @classmethod
    def over(cls, empty: NDArray[np.int64]) -> _Skipper:
        last_of_run = np.flatnonzero(np.diff(empty, append=-1) != 1)
        return cls(empty, empty[last_of_run[np.searchsorted(last_of_run, np.arange(len(empty)))]] + 1)

    def skip(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first position from each on that holds a token with bytes."""
        if not len(self.empty):
            return positions
        nearest = np.minimum(np.searchsorted(self.empty, positions), len(self.empty) - 1)
        return np.where(self.empty[nearest] == positions, self.run_end[nearest], positions)


def _from_starts(blocks: TokenBlocks, answer_start: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return bool[t]: true from each rollout's answer start to its end."""
    ends = blocks.starts[1:]
    split = np.where(answer_start < 0, ends, answer_start)
    runs = np.stack([split - blocks.starts[:-1], ends - split], axis=1).ravel()
    return np.repeat(np.tile(np.array([False, True]), blocks.n_rollouts), runs)


@lru_cache(maxsize=8)
def _automaton(vocabulary: Vocabulary) -> _Automaton:
    follows = np.zeros((2 + len(_BEGINNINGS), vocabulary.size), np.int8)
    for (seen, rest), state in zip(_BEGINNINGS, _STATE_OF.values(), strict=True):
        _fill_follows(follows[state], seen, rest, vocabulary)
    return _Automaton(_begins(vocabulary), follows)


def _fill_follows(row: NDArray[np.int8], seen: bytes, rest: bytes, vocabulary: Vocabulary) -> None:
    """Write what each token leaves after `seen`: the marker, more of it, or (as the row comes) nothing."""
    lengths = np.diff(vocabulary.offsets)
    tokens = np.flatnonzero(lengths)
    for place, byte in enumerate(rest):
        tokens = tokens[vocabulary.blob[vocabulary.offsets[tokens] + place] == byte]
        ended = lengths[tokens] == place + 1
        if place + 1 == len(rest):
            row[tokens] = _FOUND
            return
        row[tokens[ended]] = _STATE_OF[seen + rest[: place + 1]]
        tokens = tokens[~ended]


def _begins(vocabulary: Vocabulary) -> NDArray[np.int8]:
    """Return what each token leaves by itself; one that holds a marker needs no other, whatever it ends in."""
    lengths = np.diff(vocabulary.offsets)
    begins = np.where(lengths == 0, np.int8(_EMPTY), np.int8(_NONE))
    for seen, state in _STATE_OF.items():
        tokens = np.flatnonzero(lengths >= len(seen))
        for back, byte in enumerate(reversed(seen), start=1):
            tokens = tokens[vocabulary.blob[vocabulary.offsets[tokens + 1] - back] == byte]
        begins[tokens] = state
    for marker in MARKERS:
        begins[_holding(marker, vocabulary)] = _FOUND
    return begins


def _holding(marker: bytes, vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Return the tokens that hold the whole marker."""
    found = re.finditer(re.escape(marker), vocabulary.blob.tobytes())
    starts = np.array([match.start() for match in found], np.int64)
    tokens = np.searchsorted(vocabulary.offsets, starts, side="right") - 1
    return tokens[starts + len(marker) <= vocabulary.offsets[tokens + 1]]
