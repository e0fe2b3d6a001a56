"""Items that were given twice: more items with the same responses than chance makes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.stats import poisson

from transforms.irt.blas import one_blas_thread
from transforms.irt.data import Bools, Floats

_SAMPLE: Final = 1000
_CHANCE: Final = 0.001
# A model that fits badly underestimates chance.
_LEAST_RATIO: Final = 4.0


@dataclass(frozen=True, slots=True)
class Repeated:
    """Positions of items that have another's responses throughout, how many a fit expects by chance, of how many."""

    items: npt.NDArray[np.intp]
    expected: float
    n_items: int

    @property
    def suspicious(self) -> bool:
        """Whether many more are equal than expected, or many fewer are not: with few models most are equal by chance.

        Either happens less than once in a thousand times. Equal items come in pairs or more, so pairs are counted.
        """
        n = len(self.items)
        many = bool(poisson.sf(n / 2.0 - 1.0, self.expected / 2.0) < _CHANCE)
        single, expected_single = self.n_items - n, self.n_items - self.expected
        few_single = bool(poisson.cdf(single, expected_single) < _CHANCE)
        return (many and n > _LEAST_RATIO * self.expected) or (few_single and _LEAST_RATIO * single < expected_single)


def repeated_items(responses: Floats, probabilities: Floats) -> Repeated:
    """Return the items that have the responses of another (models x items, NaN not answered), of a fit's probabilities.

    With few models many items are equal by chance. An item's expected number of others that are, of those which the
    same models answered, is the sum of the probabilities of its responses under their parameters.
    """
    seen = ~np.isnan(responses)
    columns = [(a.tobytes(), b.tobytes()) for a, b in zip(seen.T, (responses == 1.0).T, strict=True)]
    times = Counter(columns)
    items = np.array([i for i, column in enumerate(columns) if times[column] > 1], dtype=np.intp)
    expected = _expected(responses, seen, probabilities) if len(items) else 0.0
    return Repeated(items, expected, len(columns))


def _expected(responses: Floats, seen: Bools, probabilities: Floats) -> float:
    """Return how many items have the responses of another by chance."""
    found = 0.0
    _, group, sizes = np.unique(np.packbits(seen, axis=0), axis=1, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    with one_blas_thread():
        for items in np.split(order, np.cumsum(sizes)[:-1]):
            if len(items) > 1:
                models = seen[:, items[0]]
                found += _expected_of(responses[np.ix_(models, items)], probabilities[np.ix_(models, items)])
    return found


def _expected_of(responses: Floats, probabilities: Floats) -> float:
    """Return the same for items that the same models answered, from a sample of evenly spaced ones."""
    n = responses.shape[1]
    sample = np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.intp))
    p = np.clip(probabilities, 1e-12, 1.0 - 1e-12)
    chances = np.exp(responses[:, sample].T @ np.log(p) + (1.0 - responses[:, sample].T) @ np.log1p(-p))
    chances[np.arange(len(sample)), sample] = 0.0
    return float(-np.expm1(-chances.sum(axis=1)).sum() * n / len(sample))
