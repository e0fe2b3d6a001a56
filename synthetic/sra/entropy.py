"""Token entropies: heavy-tailed float16 values, looked up by chance in tables made once a model.

Most tokens are nearly certain (median about 1.2e-4 nats), a few fork (up to 3.3), none is exactly 0. A rollout's unease
raises the share of forking tokens. Tokens with a digit are nearly certain whatever comes of them (about 0.002).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from synthetic.sra.latent import Floats
from synthetic.sra.spec import MODELS
from synthetic.sra.streams import Generator

Halves = npt.NDArray[np.float16]

LEVELS: Final = 16
SIZE: Final = 65_536
DIGIT_SIZE: Final = 4096
LARGEST: Final = 3.28
SMALLEST: Final = 1e-7
# Levels differ between models and mean nothing across them; Gemma's logits are squashed.
SCALE: Final = dict(zip(MODELS, (1.0, 1.2, 0.5, 0.85, 0.45), strict=True))


def _quantiles(count: int) -> Floats:
    return (np.arange(count) + 0.5) / count


def _half(values: Floats) -> Halves:
    return np.clip(values, SMALLEST, LARGEST).astype(np.float16)


def _table(unease: float, scale: float) -> Halves:
    forking = round(SIZE * (0.065 + 0.22 * unease))
    certain = 4.8e-5 * np.exp(2.2 * ndtri(_quantiles(SIZE - forking)))
    forks = scale * 3.3 * (1.0 - (1.0 - _quantiles(forking)) ** 0.25)
    return _half(np.concatenate([certain, forks]))


@lru_cache(maxsize=8)
def _tables(scale: float) -> tuple[Halves, Halves]:
    levels = _quantiles(LEVELS)
    general = np.concatenate([_table(u, scale) for u in levels.tolist()])
    digit = 1.2e-3 * np.exp(ndtri(_quantiles(DIGIT_SIZE)))
    return general, _half(np.concatenate([digit * (0.8 + 0.4 * u) for u in levels.tolist()]))


def entropies(
    rng: Generator, model: str, unease: Floats, n_tokens: npt.NDArray[np.int64], is_digit: npt.NDArray[np.bool_]
) -> Halves:
    """Draw the entropies of consecutive rollouts, a value a token. `unease` and `n_tokens`: a value a rollout."""
    general, digits = _tables(SCALE[model])
    level = np.repeat(np.minimum((unease * LEVELS).astype(np.int32), LEVELS - 1), n_tokens)
    chance = rng.integers(0, SIZE, len(level), dtype=np.uint16)
    values = general[level * SIZE + chance]
    at = np.flatnonzero(is_digit)
    values[at] = digits[level[at] * DIGIT_SIZE + chance[at] // (SIZE // DIGIT_SIZE)]
    return values
