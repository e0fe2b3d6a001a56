"""Cutting models in two by which items they find hard: principal components, and the two closest clusters of angles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from transforms.benchmirt.agreement import Bools, Floats, Indices, Rows

_ITERATIONS: Final = 15
_DIRECTIONS: Final = 4


def larger_half(rows: Rows, group: Bools, items: Bools) -> Bools:
    """Return the larger of the two halves of a group by these items; of two as large, the one with the first model.

    Models of one group lie on a ray from the origin of the plane of the two largest principal components, and models
    of two groups on two rays, whichever way the plane is turned. So models are cut by their angle.
    """
    plane = _plane(rows, group, items)
    plane[:, 0] *= np.sign(plane[:, 0].sum()) or 1.0
    middle = np.arctan2(plane[:, 1].sum(), plane[:, 0].sum())
    angles = np.angle(np.exp(1j * (np.arctan2(plane[:, 1], plane[:, 0]) - middle)))
    half = angles <= _threshold(angles)
    if (half.sum(), half[0]) < (len(half) - half.sum(), not half[0]):
        half = ~half
    found = np.zeros_like(group)
    found[np.flatnonzero(group)[half]] = True
    return found


def _threshold(values: Floats) -> float:
    """Return the largest value of the lower of the two clusters with the least sum of squares within."""
    ordered = np.sort(values)
    n = np.arange(1, len(ordered))
    lower = np.cumsum(ordered)[:-1]
    upper = ordered.sum() - lower
    return float(ordered[int(np.argmax(lower**2 / n + upper**2 / (len(ordered) - n)))])


def _plane(rows: Rows, group: Bools, items: Bools) -> Floats:
    """Return the models' coordinates on the two largest principal components (models x 2), by subspace iteration."""
    chosen = np.flatnonzero(group)
    # The start is drawn for models, which come in order of their names: the order of items changes nothing.
    coordinates = np.random.default_rng(0).standard_normal((len(chosen), min(_DIRECTIONS, len(chosen))))
    for _ in range(_ITERATIONS):
        directions = np.zeros((rows.scores.shape[1], coordinates.shape[1]))
        for at, part in _standardised(rows, group, items):
            directions += part.T @ coordinates[at]
        directions = np.linalg.qr(directions)[0]
        for at, part in _standardised(rows, group, items):
            coordinates[at] = part @ directions
    left, sizes, _ = np.linalg.svd(coordinates, full_matrices=False)
    return np.asarray(left[:, :2] * sizes[:2])


def _standardised(rows: Rows, group: Bools, items: Bools) -> Iterator[tuple[Indices, Floats]]:
    """Yield a few models at a time: positions in the group, and residuals of length 1 (models x items)."""
    chosen = np.flatnonzero(group)
    for block in rows.blocks(group):
        part = np.where(items, block.residuals, 0.0)
        size = np.sqrt((part**2).sum(axis=1))
        part /= np.where(size > 0.0, size, 1.0)[:, None]
        yield np.searchsorted(chosen, block.models), part
