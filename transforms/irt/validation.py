"""Cross-validation over cells: every response predicted by a fit that had not seen it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from transforms.irt.data import Floats
from transforms.irt.fitting import Fit, fit
from transforms.irt.settings import IrtInputError, Model, Settings

DEFAULT_FOLDS: Final = 10
DEFAULT_SEED: Final = 42
Folds = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Shapes (models, items): the fold each response was held out in, -1 where there is none, and its prediction.

    `predicted` is NaN where there is no response, and where the other folds hold none of the model or of the item.
    """

    folds: Folds
    predicted: Floats
    n_folds: int
    seed: int


def assign_folds(responses: Floats, n_folds: int = DEFAULT_FOLDS, seed: int = DEFAULT_SEED) -> Folds:
    """Return a fold from 0 for every response (models x items, NaN none), of equal size within one; -1 elsewhere.

    Raises IrtInputError for fewer than two folds or fewer responses than folds.
    """
    rows, columns = np.nonzero(~np.isnan(responses))
    if n_folds < 2 or len(rows) < n_folds:
        raise IrtInputError(
            f"{len(rows)} responses cannot be cut into {n_folds} folds; expected 2 or more, none empty."
        )
    found = np.full(responses.shape, -1, dtype=np.int16)
    found[rows, columns] = np.random.default_rng(seed).permutation(len(rows)) % n_folds
    return found


def cross_validate(
    responses: npt.ArrayLike,
    model: Model = "2pl",
    dims: int = 1,
    settings: Settings | None = None,
    *,
    n_folds: int = DEFAULT_FOLDS,
    seed: int = DEFAULT_SEED,
) -> CrossValidation:
    """Return a prediction for every response from a fit to the other folds. Raises IrtInputError as `fit` does."""
    scores = np.asarray(responses, dtype=np.float64)
    folds = assign_folds(scores, n_folds, seed)
    predicted = np.full(scores.shape, np.nan)
    chosen = replace(settings or Settings(), standard_errors=False)
    for k in range(n_folds):
        training = np.where(folds == k, np.nan, scores)
        known = np.asarray(~np.isnan(training), dtype=np.bool_)
        usable = (folds == k) & known.any(axis=1, keepdims=True) & known.any(axis=0, keepdims=True)
        predicted[usable] = _without_fold(training, k, model, dims, chosen).predict()[usable]
    return CrossValidation(folds, predicted, n_folds, seed)


def _without_fold(training: Floats, fold: int, model: Model, dims: int, settings: Settings) -> Fit:
    try:
        return fit(training, model, dims, settings)
    except IrtInputError as problem:
        raise IrtInputError(
            f"Fold {fold} of the responses cannot be predicted from the others: {problem} A fit with 0 folds can be."
        ) from problem
