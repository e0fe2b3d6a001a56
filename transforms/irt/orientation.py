"""One orientation for a fit of several dimensions, and proof that it says the same."""

from __future__ import annotations

import numpy as np

from transforms.irt.data import Floats


def canonical_rotation(slopes: Floats, abilities: Floats, accuracy: Floats) -> Floats:
    """Return the orthogonal matrix R (dims x dims) that turns slopes and abilities into the canonical orientation.

    `slopes @ R` and `abilities @ R` have the same logits. The axes are the principal axes of the slopes: dimension 1
    is the direction in which the items together discriminate most (the reference composite), and the slopes of two
    dimensions are orthogonal. Each axis points to where models of higher accuracy are, or, where that does not
    decide, to where the slopes sum to more than nothing. `accuracy` is a model's share of right answers; NaN is left
    out.
    """
    _, vectors = np.linalg.eigh(slopes.T @ slopes)
    rotation = vectors[:, ::-1]
    return np.asarray(rotation * _signs(slopes @ rotation, abilities @ rotation, accuracy))


def _signs(slopes: Floats, abilities: Floats, accuracy: Floats) -> Floats:
    known = ~np.isnan(accuracy)
    centred = accuracy[known] - accuracy[known].mean()
    towards = centred @ (abilities[known] - abilities[known].mean(axis=0))
    size = np.sqrt((centred**2).sum()) * abilities[known].std(axis=0) * np.sqrt(known.sum())
    decided = np.abs(towards) > 1e-6 * np.maximum(size, 1e-300)
    signs = np.sign(np.where(decided, towards, slopes.sum(axis=0)))
    return np.where(signs == 0.0, 1.0, signs)
