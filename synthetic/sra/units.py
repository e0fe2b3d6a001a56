"""Units: the pieces of text that generations are put together from, each with its tokens and its bytes.

A generation is a sequence of units. Tokens and text of any number of generations come from two gathers over it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from synthetic.sra.spec import Scale
from synthetic.sra.streams import Generator, stream
from synthetic.sra.vocabulary import MARKS, Family, Vocabulary, vocabulary
from synthetic.sra.words import COMMON, PHRASES, WIDE

Ints = npt.NDArray[np.int64]
Unit = tuple[tuple[int, ...], bytes]
Scalar = TypeVar("Scalar", bound=np.generic)

EMPTY: Final[Unit] = ((), b"")
TABLE_SIZE: Final = 65_536


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of unequal length in one flat array: row k is `flat[starts[k] : starts[k] + lengths[k]]`."""

    flat: npt.NDArray[Any]
    starts: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]

    @classmethod
    def of(cls, flat: npt.NDArray[Any], lengths: Iterable[int]) -> Ragged:
        """Split `flat` into rows of the given lengths."""
        sizes = np.fromiter(lengths, dtype=np.int32)
        return cls(flat, (np.cumsum(sizes) - sizes).astype(np.int32), sizes)

    def append(self, other: Ragged) -> Ragged:
        """Put the rows of `other` behind these."""
        return Ragged(
            np.concatenate([self.flat, other.flat]),
            np.concatenate([self.starts, other.starts + np.int32(len(self.flat))]),
            np.concatenate([self.lengths, other.lengths]),
        )

    def gather(self, rows: Ints) -> npt.NDArray[Any]:
        """Return the named rows one behind the other."""
        lengths = self.lengths[rows]
        ends = np.cumsum(lengths, dtype=np.int32)
        total = int(ends[-1]) if len(ends) else 0
        index = np.repeat(self.starts[rows] - (ends - lengths), lengths)
        index += np.arange(total, dtype=np.int32)
        gathered: npt.NDArray[Any] = self.flat[index]
        return gathered


@dataclass(frozen=True, slots=True)
class Units:
    """Tokens and bytes of a list of units."""

    tokens: Ragged
    text: Ragged

    @classmethod
    def of(cls, units: list[Unit]) -> Units:
        """Lay a list of units out."""
        ids = np.fromiter((k for tokens, _ in units for k in tokens), dtype=np.int32)
        data = np.frombuffer(b"".join(text for _, text in units), dtype=np.uint8)
        return cls(Ragged.of(ids, (len(t) for t, _ in units)), Ragged.of(data, (len(b) for _, b in units)))

    def append(self, other: Units) -> Units:
        """Put the units of `other` behind these."""
        return Units(self.tokens.append(other.tokens), self.text.append(other.text))

    def __len__(self) -> int:
        return len(self.tokens.starts)


@dataclass(frozen=True, slots=True)
class Filler:
    """What reasoning is made of: unit 0 is empty; `draw` holds units as often as they are to be drawn."""

    units: Units
    draw: npt.NDArray[np.int32]


def encoded(vocab: Vocabulary, text: str, longest: int = 24) -> Unit:
    """Return the unit of a text."""
    return vocab.encode(text, longest), text.encode()


def _by_rank(ranks: int, slots: int) -> Ints:
    """Give each of `slots` slots a rank, the first ranks often and the last hardly ever, as words occur in text."""
    weight = np.cumsum((np.arange(ranks) + 12.0) ** -1.3)
    return np.asarray(np.searchsorted(weight, (np.arange(slots) + 0.5) / slots * weight[-1]), dtype=np.int64)


def _words(vocab: Vocabulary) -> list[Unit]:
    """Whole words that are one piece, the common ones first."""
    first = [f" {word}".encode() for word in COMMON]
    known = {*first, *(mark.encode() for mark in MARKS)}
    rest = [p for p in vocab.pieces if len(p) > 5 and p[:1] == b" " and p[1:].isalpha() and p not in known]
    return [((vocab.by_bytes[p],), p) for p in [*first, *rest] if p.lower() == p]


def _numbers(vocab: Vocabulary, rng: Generator) -> list[Unit]:
    texts = [f" {k}" for k in rng.integers(0, 400, 150).tolist()]
    texts += [f" {x:.2f}" for x in rng.gamma(1.5, 20.0, 150).tolist()]
    return [encoded(vocab, text, int(longest)) for text, longest in zip(texts, rng.integers(1, 5, 300), strict=True)]


def _wide(vocab: Vocabulary, rng: Generator) -> list[Unit]:
    """Characters of several bytes, most of them split over tokens, alone and inside words."""
    words = [f" {a}{c}{b}" for c in WIDE for a, b in (("", ""), ("pre", "lo"), ("", "mor"))]
    return [
        encoded(vocab, word, int(longest)) for word, longest in zip(words, rng.integers(1, 8, len(words)), strict=True)
    ]


def _split_words(vocab: Vocabulary) -> list[Unit]:
    return [encoded(vocab, f" {word}", longest) for word in COMMON if len(word) > 4 for longest in (2, 3)]


@lru_cache(maxsize=4)
def filler(family: Family, scale: Scale, seed: int) -> Filler:
    """Return the reasoning units of a vocabulary family and the table they are drawn from."""
    vocab, rng = vocabulary(family, scale, seed), stream(seed, "filler", family)
    ends = [encoded(vocab, text) for text in (". The", ".\n", ",", ". We", ".\n\n", ";", ":")]
    phrases = [encoded(vocab, text) for text in PHRASES]
    groups = [_words(vocab), ends, _numbers(vocab, rng), _split_words(vocab), _wide(vocab, rng), phrases]
    shares = (0.84, 0.07, 0.045, 0.025, 0.012, 0.008)
    slots, offset = [], 1
    for group, share in zip(groups, shares, strict=True):
        size = round(share * TABLE_SIZE)
        slots.append(offset + (_by_rank(len(group), size) if group is groups[0] else np.arange(size) % len(group)))
        offset += len(group)
    table = np.resize(np.concatenate(slots), TABLE_SIZE).astype(np.int32)
    return Filler(Units.of([EMPTY, *(unit for group in groups for unit in group)]), table)
