"""How much an item tells about ability, and which items to ask."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from transforms.irt.data import Floats
from transforms.irt.posterior import logistic


def item_information(slopes: Floats, intercepts: Floats, abilities: npt.ArrayLike) -> Floats:
    """Return Fisher's information of each item about ability (abilities x items).

    `abilities` are values along dimension 1 with the others at zero; in several dimensions that is the direction in
    which the items together discriminate most. Information = slope² p (1 - p), in units of 1 / ability².
    """
    at = np.asarray(abilities, dtype=np.float64)
    first = slopes[:, 0]
    p = logistic(np.outer(at, first) + intercepts)
    return np.asarray(first**2 * p * (1.0 - p))


def most_informative(slopes: Floats, intercepts: Floats, ability: float, n: int) -> npt.NDArray[np.intp]:
    """Return the `n` items that tell most about a model of that ability, the best first, ties by position."""
    information = item_information(slopes, intercepts, [ability])[0]
    return np.argsort(-information, kind="stable")[:n]
