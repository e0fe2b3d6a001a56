"""Bootstrap weights and folds depend on a question's name alone."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import stats

from transforms.statistics import weights
from transforms.statistics.weights import (
    in_chunks,
    poisson_weights,
    question_folds,
    question_hashes,
    sample_itself,
    splitmix64,
    total_weights,
)


def test_splitmix64_gives_the_published_sequence() -> None:
    # The reference implementation's first outputs from the state 1234567.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert splitmix64(np.array([1234567], dtype=np.uint64), range(4)).tolist() == [expected]
    assert splitmix64(np.array([1234567], dtype=np.uint64), range(2, 4)).tolist() == [expected[2:]]


def test_a_hash_is_the_start_of_sha256_of_data_set_and_question() -> None:
    expected = int.from_bytes(hashlib.sha256(b"champ\x1fq\xc3\xa9").digest()[:8], "little")
    assert question_hashes("champ", ["qé"]).tolist() == [expected]
    assert question_hashes("champ", ["q1"]) != question_hashes("theoremqa", ["q1"])


def test_thresholds_are_the_poisson_distribution() -> None:
    found = weights._THRESHOLDS.astype(np.float64) / 2**64
    np.testing.assert_allclose(found, stats.poisson(1).cdf(np.arange(len(found))), rtol=0, atol=1e-15)
    assert len(found) > 18


def test_weights_are_poisson_of_mean_one() -> None:
    drawn = poisson_weights(question_hashes("d", [f"q{i}" for i in range(400)]), 1_000, seed=1)
    counts = np.bincount(drawn.ravel(), minlength=8)[:7]
    expected = stats.poisson(1).pmf(np.arange(7)) * drawn.size
    assert stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-3
    # Questions do not move together: a sum over them has the variance of independent draws.
    assert abs(drawn.sum(axis=0).var() / 400 - 1) < 0.2
    assert abs(drawn.sum(axis=1).var() / 1_000 - 1) < 0.3


def test_weights_of_a_question_do_not_depend_on_the_others() -> None:
    all_of_them = poisson_weights(question_hashes("d", ["a", "b", "c"]), 50, seed=3)
    alone = poisson_weights(question_hashes("d", ["b"]), 50, seed=3)
    assert (all_of_them[1] == alone[0]).all()
    assert (poisson_weights(question_hashes("d", ["b"]), 50, seed=4) != alone).any()


def test_weights_do_not_change_between_versions() -> None:
    found = poisson_weights(question_hashes("champ", ["champ_00001"]), 130, seed=20_240_229)
    assert found.shape == (1, 130), "more than two chunks"
    assert found[0].tolist() == [int(x) for x in _by_hand("champ", "champ_00001", 130, 20_240_229)]


def _by_hand(dataset: str, question: str, replicates: int, seed: int) -> list[int]:
    """The same in Python integers, written from the description."""
    mask = (1 << 64) - 1

    def scramble(z: int) -> int:
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    digest = hashlib.sha256(f"{dataset}\x1f{question}".encode()).digest()
    state = int.from_bytes(digest[:8], "little") ^ scramble(seed)
    bits = [scramble((state + (r + 1) * 0x9E3779B97F4A7C15) & mask) for r in range(replicates)]
    return [int(stats.poisson(1).ppf((b + 0.5) / 2**64)) for b in bits]


def test_chunks_are_the_whole_and_totals_are_sums() -> None:
    drawn = poisson_weights(question_hashes("d", ["a", "b", "c"]), 150, seed=3)
    assert (np.concatenate(list(in_chunks(drawn)), axis=1) == drawn).all()
    assert (total_weights(drawn, np.array([9, 0, 2])) == 9 * drawn[0].astype(int) + 2 * drawn[2]).all()
    assert sample_itself(2).tolist() == [[1], [1]]


def test_folds_are_even_and_follow_the_hash() -> None:
    hashes = question_hashes("d", [f"q{i}" for i in range(23)])
    fold = question_folds(hashes, 5)
    assert sorted(np.bincount(fold)) == [4, 4, 5, 5, 5]
    order = np.random.default_rng(0).permutation(23)
    assert (question_folds(hashes[order], 5) == fold[order]).all()
    assert question_folds(hashes[:2], 5).tolist() in ([0, 1], [1, 0])
    assert question_folds(hashes[:0], 5).tolist() == []
