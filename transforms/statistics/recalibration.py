"""Recalibration judged on questions it was not fitted on, and the CORP decomposition of the Brier score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit

from transforms.statistics.isotonic import fit_isotonic
from transforms.statistics.logistic import fit_slope, fit_temperature
from transforms.statistics.rows import FloatArray, IntArray, Levels, Rows, logit
from transforms.statistics.scores import (
    expected_calibration_error,
    log_losses,
    penalty_is_clipped,
    squared_errors,
)
from transforms.statistics.undefined import Undefined


class Recalibrator(NamedTuple):
    """A fitted map from confidence to probability, and whether one of its parameters stands at a bound."""

    predict: Callable[[FloatArray], FloatArray]
    at_bound: bool = False


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """A probability for each row from a map fitted on the folds the row's question is not in."""

    probability: FloatArray
    n_folds: int
    n_folds_at_bound: int


class Scores(NamedTuple):
    """Scores of a probability; `n_clipped` rows of log_loss are decided by eps. log_loss in nats."""

    n_clipped: int
    ece: float
    brier: float
    log_loss: float


class CorpParts(NamedTuple):
    """Brier = miscalibration - discrimination + uncertainty."""

    miscalibration: float
    discrimination: float
    uncertainty: float


def _platt(levels: Levels) -> Recalibrator | Undefined:
    fit = fit_slope(levels)
    if isinstance(fit, Undefined):
        return fit
    return Recalibrator(lambda confidence: np.asarray(expit(fit.intercept + fit.slope * logit(confidence))))


def _temperature(levels: Levels) -> Recalibrator | Undefined:
    fit = fit_temperature(levels)
    if isinstance(fit, Undefined):
        return fit
    return Recalibrator(lambda confidence: np.asarray(expit(logit(confidence) / fit.value)), fit.at_bound)


def _isotonic(levels: Levels) -> Recalibrator | Undefined:
    return Recalibrator(fit_isotonic(levels).predict)


METHODS: Final[dict[str, Callable[[Levels], Recalibrator | Undefined]]] = {
    "platt": _platt,
    "temperature": _temperature,
    "isotonic": _isotonic,
}


def cross_fit(rows: Rows, fold_of_row: IntArray, method: str) -> CrossFitted | Undefined:
    """Fit `method` on all folds but one and apply it to that one, for each fold in turn.

    `fold_of_row` has whole numbers from 0; all rows of a question share a fold.
    """
    if not rows.n:
        return Undefined("empty")
    folds = np.unique(fold_of_row)
    if len(folds) < 2:
        return Undefined("one_question")
    probability, at_bound = np.empty(rows.n), 0
    for fold in folds:
        held_out = fold_of_row == fold
        fitted = METHODS[method](rows.where(~held_out).levels)
        if isinstance(fitted, Undefined):
            return Undefined("fold_without_fit")
        probability[held_out] = fitted.predict(rows.confidence[held_out])
        at_bound += fitted.at_bound
    return CrossFitted(probability, len(folds), at_bound)


def score(probability: FloatArray, correct: IntArray, ece_bins: int) -> Scores:
    """Score probabilities in [0, 1] against outcomes; needs a row."""
    return Scores(
        n_clipped=int(penalty_is_clipped(probability, correct).sum()),
        ece=expected_calibration_error(probability, correct, ece_bins),
        brier=float(squared_errors(probability, correct).mean()),
        log_loss=float(log_losses(probability, correct).mean()),
    )


def corp(rows: Rows, recalibrated: FloatArray) -> CorpParts:
    """Decompose the Brier score with the given recalibration of each row; needs a row."""
    served = float(squared_errors(rows.confidence, rows.correct).mean())
    calibrated = float(squared_errors(recalibrated, rows.correct).mean())
    accuracy = rows.n_correct / rows.n
    uncertainty = accuracy * (1 - accuracy)
    return CorpParts(served - calibrated, uncertainty - calibrated, uncertainty)


def corp_in_sample(rows: Rows) -> CorpParts:
    """Decompose with the isotonic fit of the same rows, whose parts are never negative but for rounding."""
    parts = corp(rows, fit_isotonic(rows.levels).fitted[rows.levels.of_row])
    return CorpParts(max(0.0, parts.miscalibration), max(0.0, parts.discrimination), parts.uncertainty)
