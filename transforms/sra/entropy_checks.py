"""What can be wrong with the values of a token-entropy file whose blocks are in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transforms.sra.entropy_blocks import who
from transforms.sra.token_blocks import FLOAT32_OF, TokenBlocks
from transforms.sra.tokenizers import Vocabulary
from warehouse.contracts.issues import Issue, Rule, Severity

RELATIVE_TOLERANCE: Final = 1e-3
"""How far a stored mean or maximum may be from the recomputed one, relative to the recomputed one."""

ZERO = Rule(
    "entropy.zero", Severity.ERROR, "A token's entropy is exactly zero, which an entropy over a vocabulary never is."
)
NEGATIVE = Rule("entropy.negative", Severity.ERROR, "A token's entropy is negative (or minus zero).")
NOT_A_NUMBER = Rule("entropy.nan", Severity.ERROR, "A token's entropy is not a number.")
INFINITE = Rule("entropy.infinite", Severity.ERROR, "A token's entropy is infinite.")
NEGATIVE_ID = Rule("entropy.negative_token_id", Severity.ERROR, "A token id is negative.")
UNKNOWN_ID = Rule("entropy.unknown_token_id", Severity.ERROR, "A token id is not one of the model's tokenizer.")
MEAN_DIFFERS = Rule("entropy.stored_mean_differs", Severity.WARNING, "The stored mean is not that of the tokens.")
MAX_DIFFERS = Rule("entropy.stored_max_differs", Severity.WARNING, "The stored maximum is not that of the tokens.")
NOT_STORED = Rule("entropy.summary_not_stored", Severity.INFO, "Index lines hold no mean or maximum to compare.")
RULES: Final = (
    ZERO, NEGATIVE, NOT_A_NUMBER, INFINITE, NEGATIVE_ID, UNKNOWN_ID, MEAN_DIFFERS, MAX_DIFFERS, NOT_STORED,
)  # fmt: skip

_INFINITY: Final = np.uint16(0x7C00)
_MAGNITUDE: Final = np.uint16(0x7FFF)
_ONE: Final = np.uint16(1)
_ADVICE: Final = "Fetch the file again, or ask the publisher."


def check_values(
    blocks: TokenBlocks, placed: pl.DataFrame, vocabulary: Vocabulary | None, path: str, index_path: str
) -> list[Issue]:
    """Check every entropy, every token id and the stored summaries of `blocks`, whose rows of the index are `placed`.

    One issue a rollout and rule, which counts the tokens and names the first.
    """
    report = _Reporter(blocks, placed, path, index_path)
    damaged = np.flatnonzero((blocks.entropy_bits - _ONE) >= _INFINITY - _ONE)
    return [
        *_damaged_entropies(report, damaged),
        *_damaged_ids(report, vocabulary),
        *_stored_summaries(report, np.unique(blocks.rollout_of(damaged))),
    ]


class _Reporter:
    """Turns flat token positions into one issue a rollout."""

    def __init__(self, blocks: TokenBlocks, placed: pl.DataFrame, path: str, index_path: str) -> None:
        self.blocks = blocks
        self.placed = placed
        self.path = path
        self.index_path = index_path

    def tokens(
        self, rule: Rule, positions: NDArray[np.int64], value: Callable[[int], str], expected: str
    ) -> Iterator[Issue]:
        """Yield an issue a rollout for its tokens among `positions` (ascending), with the first one's value."""
        rollouts, firsts, counts = np.unique(self.blocks.rollout_of(positions), return_index=True, return_counts=True)
        for rollout, first, count in zip(rollouts.tolist(), positions[firsts].tolist(), counts.tolist(), strict=True):
            row = self.placed.row(rollout, named=True)
            token = first - int(self.blocks.starts[rollout])
            others = "" if count == 1 else f" (the first of {count:,} such tokens of this rollout)"
            message = (
                f"{self.path}: token {token:,} of {row['n_tokens']:,} of {who(row)} (line {row['line']} of "
                f"{self.index_path}) has {value(first)}{others}; expected {expected}. {_ADVICE}"
            )
            yield self._issue(rule, rollout, message, self.path, value(first))

    def rollout(self, rule: Rule, rollout: int, stored: float, found: float | None, figure: str) -> Issue:
        """Return an issue about a stored figure of one rollout."""
        row = self.placed.row(rollout, named=True)
        expected = "there are no tokens to have one" if found is None else f"its tokens give {found!r}"
        message = (
            f"{self.index_path}, line {row['line']}: {who(row)} is stored with {figure} {stored!r}, but {expected}; "
            "the recomputed figure is served."
        )
        return self._issue(rule, rollout, message, self.index_path, repr(stored))

    def _issue(self, rule: Rule, rollout: int, message: str, path: str, value: str) -> Issue:
        row = self.placed.row(rollout, named=True)
        where = {"line": row["line"], "instance_id": row["instance_id"], "sample": row["sample"]}
        return rule.issue(message, path=path, value=value, **where)


def _damaged_entropies(report: _Reporter, damaged: NDArray[np.int64]) -> Iterator[Issue]:
    bits = report.blocks.entropy_bits[damaged]
    magnitude = bits & _MAGNITUDE
    kinds = {
        ZERO: bits == 0,
        NOT_A_NUMBER: magnitude > _INFINITY,
        INFINITE: magnitude == _INFINITY,
        NEGATIVE: (bits > _MAGNITUDE) & (magnitude < _INFINITY),
    }
    for rule, found in kinds.items():
        yield from report.tokens(
            rule,
            damaged[found],
            lambda position: f"entropy {FLOAT32_OF[report.blocks.entropy_bits[position]]!s}",
            "a finite number above zero",
        )


def _damaged_ids(report: _Reporter, vocabulary: Vocabulary | None) -> Iterator[Issue]:
    ids = report.blocks.token_ids

    def value(position: int) -> str:
        return f"token id {ids[position]}"

    yield from report.tokens(NEGATIVE_ID, np.flatnonzero(ids < 0), value, "an id from 0 on")
    if vocabulary is not None:
        expected = f"an id of the model's tokenizer, whose largest is {vocabulary.size - 1:,}"
        yield from report.tokens(UNKNOWN_ID, _unknown(ids, vocabulary), value, expected)


def _unknown(ids: NDArray[np.int32], vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Return the positions of ids from 0 on that the vocabulary lacks; only one with holes needs a look-up a token."""
    beyond = ids >= vocabulary.size
    if not vocabulary.known.all():
        beyond |= (ids >= 0) & ~vocabulary.known[np.where(beyond, 0, ids)]
    return np.flatnonzero(beyond)


def _stored_summaries(report: _Reporter, damaged: NDArray[np.int64]) -> Iterator[Issue]:
    """Compare what the index stores with the tokens, but for rollouts whose tokens are damaged."""
    blocks, lengths = report.blocks, report.blocks.lengths
    sound = np.ones(blocks.n_rollouts, np.bool_)
    sound[damaged] = False
    with np.errstate(invalid="ignore"):
        means = blocks.sums / np.where(lengths == 0, np.nan, lengths)
    figures = {
        "mean_entropy": (MEAN_DIFFERS, means),
        "max_entropy": (MAX_DIFFERS, blocks.maxima),
    }
    for name, (rule, recomputed) in figures.items():
        stored = report.placed[name].to_numpy()
        given = report.placed[name].is_not_null().to_numpy()
        for rollout in np.flatnonzero(sound & given & _differ(stored, recomputed)).tolist():
            found = None if lengths[rollout] == 0 else float(recomputed[rollout])
            yield report.rollout(rule, rollout, float(stored[rollout]), found, name)
    yield from _not_stored(report)


def _differ(stored: NDArray[np.float64], recomputed: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which stored figures are not close; for no tokens (NaN) a stored NaN or 0 is as good as none."""
    with np.errstate(invalid="ignore"):
        close = np.abs(stored - recomputed) <= RELATIVE_TOLERANCE * recomputed
    nothing = np.isnan(recomputed) & (np.isnan(stored) | (stored == 0.0))
    differs: NDArray[np.bool_] = ~(close | nothing)
    return differs


def _not_stored(report: _Reporter) -> Iterator[Issue]:
    for name in ("mean_entropy", "max_entropy"):
        lines = report.placed.filter(pl.col(name).is_null() & (pl.col("n_tokens") > 0))["line"].sort().to_list()
        if lines:
            message = (
                f"{report.index_path}: {len(lines):,} of {report.placed.height:,} lines hold no {name}, so there is "
                f"nothing to compare the tokens with; the first is line {lines[0]}. The recomputed figure is served."
            )
            yield NOT_STORED.issue(message, path=report.index_path, line=lines[0], value=name)
