"""Responses with known answers: the Law School Admission Test's two sections, and matrices drawn from a model."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Floats = npt.NDArray[np.float64]

# Bock and Lieberman (1970): how many of 1,000 people gave each pattern of answers, from 00000 to 11111.
_SECTION_6: Final = (
    3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15, 10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298,
)  # fmt: skip
_SECTION_7: Final = (
    12, 19, 1, 7, 3, 19, 3, 17, 10, 5, 3, 7, 7, 23, 8, 28, 7, 39, 11, 34, 14, 51, 15, 90, 6, 25, 7, 35, 18, 136, 32,
    308,
)  # fmt: skip


def _people(counts: tuple[int, ...]) -> Floats:
    patterns = [[float(digit) for digit in format(i, "05b")] for i in range(32)]
    return np.repeat(np.array(patterns), counts, axis=0)


LSAT6: Final = _people(_SECTION_6)
LSAT7: Final = _people(_SECTION_7)


class Simulated(NamedTuple):
    """Responses, the probabilities they were drawn with, abilities (models x dims), slopes and intercepts."""

    responses: Floats
    probabilities: Floats
    abilities: Floats
    slopes: Floats
    intercepts: Floats


def simulated(n_models: int, n_items: int, dims: int = 1, seed: int = 0) -> Simulated:
    """Draw responses: ability N(0, 1), difficulty N(0, 1.2), slope LogN(0, 0.4)."""
    random = np.random.default_rng(seed)
    abilities = random.standard_normal((n_models, dims))
    difficulties = random.normal(0.0, 1.2, n_items)
    slopes = np.exp(random.normal(0.0, 0.4, (n_items, dims)))
    if dims > 1:
        slopes *= random.random((n_items, dims)) < 0.6
    intercepts = -difficulties * (slopes[:, 0] if dims == 1 else 1.0)
    probabilities = expit(abilities @ slopes.T + intercepts)
    responses = (random.random(probabilities.shape) < probabilities).astype(np.float64)
    return Simulated(responses, probabilities, abilities, slopes, intercepts)


def root_mean_square(values: Floats) -> float:
    return float(np.sqrt((values**2).mean()))
