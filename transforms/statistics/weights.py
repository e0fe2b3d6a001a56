"""Random numbers that depend on a question's name alone: bootstrap weights and folds.

Replicate r of a question is output r (from 0) of SplitMix64 (Steele, Lea and Flood, 2014) started from the question's
hash XOR a scrambled seed, turned into a Poisson(1) count by inversion. So every signal, condition and model gives a
question the same weight, differences are paired, and neither the order of rows nor the presence of others matters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from math import factorial
from typing import Final

import numpy as np
import numpy.typing as npt

from transforms.statistics.rows import IntArray

HashArray = npt.NDArray[np.uint64]
WeightArray = npt.NDArray[np.int8]

_GAMMA: Final = 0x9E3779B97F4A7C15
_AT_ONCE: Final = 64  # replicates: keeps working arrays in cache and memory small


def question_hashes(dataset: str, question_ids: Sequence[str]) -> HashArray:
    """Return the first eight bytes, little-endian, of SHA-256 of `dataset`, U+001F, `question_id` in UTF-8."""
    texts = (f"{dataset}\x1f{question_id}".encode("utf-8", "surrogatepass") for question_id in question_ids)
    return np.array([int.from_bytes(hashlib.sha256(text).digest()[:8], "little") for text in texts], dtype=np.uint64)


def splitmix64(states: HashArray, outputs: range) -> HashArray:
    """Return the outputs of SplitMix64 from each state, numbered from 0, shape (states, outputs)."""
    steps = np.arange(outputs.start + 1, outputs.stop + 1, dtype=np.uint64) * np.uint64(_GAMMA)
    return _scramble(states[:, None] + steps)


def _scramble(z: HashArray) -> HashArray:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _poisson_thresholds() -> list[int]:
    """Return floor(2^64 P(X <= k)) for k = 0, 1, … while below 2^64 - 1, X Poisson with mean 1."""
    with localcontext() as context:
        context.prec = 60
        inverse_e, total, found = Decimal(-1).exp(), Decimal(0), []
        for k in range(40):
            total += inverse_e / factorial(k)
            found.append(int(total * 2**64))
    return [threshold for threshold in found if threshold < 2**64 - 1]


_THRESHOLDS: Final = np.array(_poisson_thresholds(), dtype=np.uint64)


def poisson_weights(hashes: HashArray, replicates: int, seed: int) -> WeightArray:
    """Return Poisson(1) weights, shape (questions, replicates)."""
    weights = np.empty((len(hashes), replicates), dtype=np.int8)
    states = hashes ^ _scramble(np.array([seed], dtype=np.uint64))
    for start in range(0, replicates, _AT_ONCE):
        outputs = range(start, min(start + _AT_ONCE, replicates))
        bits = splitmix64(states, outputs)
        weights[:, outputs.start : outputs.stop] = np.searchsorted(_THRESHOLDS, bits, side="right")
    return weights


def sample_itself(questions: int) -> WeightArray:
    """Return the weights under which a replicate is the sample: one column of ones."""
    return np.ones((questions, 1), dtype=np.int8)


def in_chunks(weights: WeightArray) -> Iterator[IntArray]:
    """Yield the columns a few at a time, ready for sums."""
    for start in range(0, weights.shape[1], _AT_ONCE):
        yield np.ascontiguousarray(weights[:, start : start + _AT_ONCE], dtype=np.int64)


def total_weights(weights: WeightArray, rows_of_question: npt.NDArray[np.integer]) -> IntArray:
    """Return each replicate's weight of all rows."""
    return np.concatenate([np.einsum("q,qr->r", rows_of_question, chunk) for chunk in in_chunks(weights)])


def question_folds(hashes: HashArray, folds: int) -> IntArray:
    """Deal questions out over at most `folds` folds of equal size, give or take one, in order of their hashes."""
    fold = np.empty(len(hashes), dtype=np.int64)
    fold[np.argsort(hashes, kind="stable")] = np.arange(len(hashes)) % max(1, min(folds, len(hashes)))
    return fold
