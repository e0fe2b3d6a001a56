"""Matrices of models that answered the same items, and what is done to them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from synthetic.benchmirt import BENCHMARKS, make_release
from tests.unit.irt.data import simulated
from transforms.benchmirt import Matrix, audit_alignment

SOUND_KINDS = ("rasch", "2pl", "two abilities")


def sound(kind: str, n_models: int, n_items: int, seed: int) -> Matrix:
    """Responses to the same items: one ability, items of different slopes, or two abilities that do not correlate."""
    if kind == "rasch":
        return matrix(n_models, n_items, seed)
    if kind == "two abilities":
        release = make_release(n_models, n_items // len(BENCHMARKS), seed, missing=0.0)
        return Matrix([f"m{i:02d}" for i in range(n_models)], release.items, release.scores)
    scores = simulated(n_models, n_items, seed=seed).responses
    return Matrix([f"m{i:02d}" for i in range(n_models)], [f"i{i:04d}" for i in range(n_items)], scores)


def kept(found: Matrix, coverage: float, seed: int) -> Matrix:
    """Each response is kept with this probability."""
    found.scores[np.random.default_rng(1000 + seed).random(found.scores.shape) >= coverage] = np.nan
    return found


def matrix(n_models: int, n_items: int, seed: int = 0) -> Matrix:
    random = np.random.default_rng(seed)
    ability = random.normal(size=n_models)
    scores = random.random((n_models, n_items)) < expit(ability[:, None] - random.normal(0, 1.2, n_items))
    return Matrix([f"m{i:02d}" for i in range(n_models)], [f"i{i:04d}" for i in range(n_items)], scores.astype(float))


def shuffled(found: Matrix, rows: list[int], seed: int = 1) -> Matrix:
    """Join these models' rows to other items: one permutation for all of them."""
    order = np.random.default_rng(seed).permutation(len(found.items))
    found.scores[rows] = found.scores[rows][:, order]
    return found


def suspects(found: Matrix, benchmarks: list[str | None] | None = None) -> set[tuple[str, str]]:
    table = audit_alignment(found, benchmarks).table.filter("alignment_suspect")
    return set(table.select("benchmark", "model").rows())
