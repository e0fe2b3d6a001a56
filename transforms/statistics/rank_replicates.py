"""Bootstrap replicates of AUROC, AURC and their kin, in whole numbers up to the last division.

A replicate gives each row the whole-number weight of its question, as if the row stood there so many times. Rows
descend by confidence and are pooled into segments: a block of ties that are partly right (`tied`), or else some right
rows followed by some wrong ones. With p and w a segment's right and wrong weight, P and W the same up to and with it,
k = P + W, and S(k) the sum of the first k harmonic numbers H(0), H(1), …

    pairs ranked right     untied  w P             tied  w (P - p / 2)
    AURC times N  =  W_all H(N)  -  the sum over segments of
                           untied  S(k) - S(k - w)     tied  w / (p + w) (S(k) - S(k - p - w))

since a wrong row in place i of N adds H(N) - H(i - 1), and each place of a block of ties is equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from transforms.statistics.mean_replicates import divide
from transforms.statistics.rows import FloatArray, IntArray, Rows
from transforms.statistics.weights import WeightArray, in_chunks, total_weights

BoolArray = npt.NDArray[np.bool_]

_RECIPROCAL_BITS: Final = 58  # harmonic numbers stay below 2^5 for any count of rows there can be


@dataclass(frozen=True, slots=True)
class Segments:
    """Right and wrong rows of each question in each segment, (segments x questions), and which segments are ties."""

    right: csr_array
    wrong: csr_array
    tied: BoolArray

    @classmethod
    def of(cls, rows: Rows, n_questions: int) -> Segments:
        """Pool rows; needs one. A segment ends before a tied one, after one, and where right follows wrong."""
        correct, question = rows.correct[::-1], rows.question[::-1]
        levels = rows.levels
        block_n, block_k = levels.n[::-1].astype(np.int64), levels.k[::-1].astype(np.int64)
        tied = (block_k > 0) & (block_k < block_n)
        is_right = block_k == block_n
        starts = np.ones(len(tied), dtype=bool)
        starts[1:] = tied[1:] | tied[:-1] | (is_right[1:] & ~is_right[:-1])
        segment = np.repeat(np.cumsum(starts) - 1, block_n)
        shape = (int(starts.sum()), n_questions)
        return cls(
            right=_counts(segment[correct == 1], question[correct == 1], shape),
            wrong=_counts(segment[correct == 0], question[correct == 0], shape),
            tied=tied[starts],
        )


def _counts(segment: IntArray, question: IntArray, shape: tuple[int, int]) -> csr_array:
    return csr_array((np.ones(len(segment), dtype=np.int64), (segment, question)), shape=shape)


@dataclass(frozen=True, slots=True)
class HarmonicSums:
    """H(k) and S(k) = H(0) + … + H(k - 1) for k up to the given count, as whole numbers in units of `unit`."""

    h: IntArray
    s: IntArray
    unit: float

    @classmethod
    def up_to(cls, count: int) -> HarmonicSums:
        """Choose the smallest unit, a power of two, with which count * H(count) fits 62 bits."""
        k = np.arange(1, count + 1)
        h = np.concatenate([[0], np.cumsum(((1 << _RECIPROCAL_BITS) + k // 2) // k)])
        spare = max(0, int(np.ceil(np.log2(max(1, count)))) - (62 - _RECIPROCAL_BITS - 5))
        h = (h + (1 << spare >> 1)) >> spare
        return cls(h, np.concatenate([[0], np.cumsum(h)]), 2.0 ** (spare - _RECIPROCAL_BITS))


@dataclass(frozen=True, slots=True)
class RankSums:
    """For each replicate: weight of all rows and of wrong rows, twice the pairs ranked right, N times the AURC."""

    n: IntArray
    wrong: IntArray
    twice_pairs: IntArray
    aurc_times_n: FloatArray


def rank_sums(rows: Rows, weights: WeightArray) -> RankSums:
    """Return the sums under each column of `weights` (question codes x replicates); needs a row of data."""
    segments = Segments.of(rows, len(weights))
    totals = total_weights(weights, np.bincount(rows.question, minlength=len(weights)))
    harmonic = HarmonicSums.up_to(int(totals.max()))
    chunks = [_chunk_sums(segments, chunk, harmonic) for chunk in in_chunks(weights)]
    return RankSums(*(np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in RankSums.__slots__))


def _chunk_sums(segments: Segments, weights: IntArray, harmonic: HarmonicSums) -> RankSums:
    p, w = segments.right @ weights, segments.wrong @ weights
    up_to_p, k = np.cumsum(p, axis=0), np.cumsum(w, axis=0)
    wrong = k[-1].copy()
    k += up_to_p
    n = k[-1].copy()
    twice_pairs = 2 * np.einsum("sr,sr->r", w, up_to_p)
    tied = segments.tied
    twice_pairs -= np.einsum("sr,sr->r", w[tied], p[tied])
    tied_sums = _tied_sums(p[tied], w[tied], k[tied], harmonic)
    w[tied] = 0
    sums = np.take(harmonic.s, k).sum(axis=0) - np.take(harmonic.s, np.subtract(k, w, out=k)).sum(axis=0)
    aurc = ((wrong * harmonic.h[n] - sums).astype(np.float64) - tied_sums) * harmonic.unit
    return RankSums(n, wrong, twice_pairs, aurc)


def _tied_sums(p: IntArray, w: IntArray, k: IntArray, harmonic: HarmonicSums) -> FloatArray:
    m = p + w
    block = np.take(harmonic.s, k) - np.take(harmonic.s, k - m)
    return np.asarray(np.einsum("sr,sr->r", w / np.maximum(m, 1), block.astype(np.float64)))


def rank_replicates(rows: Rows, weights: WeightArray) -> dict[str, FloatArray]:
    """Return auroc, aurc, e_aurc, augrc and prr under each column of `weights`; NaN where a figure is undefined."""
    found = rank_sums(rows, weights)
    n, wrong = found.n.astype(np.float64), found.wrong.astype(np.float64)
    twice_all_pairs = 2.0 * (n - wrong) * wrong
    auroc = divide(found.twice_pairs.astype(np.float64), twice_all_pairs)
    aurc = divide(found.aurc_times_n, n)
    best = divide(_best_aurc_times_n(found.n, found.wrong), n)
    augrc = divide(twice_all_pairs - found.twice_pairs + wrong**2, 2.0 * n**2)
    error = divide(wrong, n)
    prr = np.where(twice_all_pairs > 0, divide(error - aurc, error - best), np.nan)
    return {"auroc": auroc, "aurc": aurc, "e_aurc": aurc - best, "augrc": augrc, "prr": prr}


def _best_aurc_times_n(n: IntArray, wrong: IntArray) -> FloatArray:
    """Return N times the AURC of a ranking that puts every right row first: sum over k > N - M of (k - (N - M)) / k."""
    harmonic = HarmonicSums.up_to(int(n.max()))
    return np.asarray(wrong - (n - wrong) * (harmonic.h[n] - harmonic.h[n - wrong]) * harmonic.unit)
