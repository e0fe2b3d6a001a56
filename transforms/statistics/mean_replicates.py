"""Bootstrap replicates of the figures that are means over rows, or over bins with fixed edges."""

from __future__ import annotations

import numpy as np

from transforms.statistics.exact_sums import weighted_sums
from transforms.statistics.rows import FloatArray, Rows
from transforms.statistics.scores import equal_width_bin, log_losses, squared_errors
from transforms.statistics.weights import WeightArray, total_weights


def accuracy_replicates(rows: Rows, weights: WeightArray) -> dict[str, FloatArray]:
    """Return accuracy under each column of `weights` (question codes x replicates); NaN where no row has weight."""
    n = total_weights(weights, np.bincount(rows.question, minlength=len(weights)))
    correct = total_weights(weights, np.bincount(rows.question[rows.correct == 1], minlength=len(weights)))
    return {"accuracy": divide(correct.astype(np.float64), n.astype(np.float64))}


def calibration_replicates(rows: Rows, weights: WeightArray, ece_bins: int) -> dict[str, FloatArray]:
    """Return accuracy, mean_confidence, bias, ece, brier and log_loss under each column of `weights`; NaN as above."""
    c, y = rows.confidence, rows.correct
    values = np.concatenate([np.ones(rows.n), y, squared_errors(c, y), log_losses(c, y), c - y])
    columns = [np.full(rows.n, kind) for kind in range(4)] + [4 + equal_width_bin(c, ece_bins)]
    summed = weighted_sums(weights, np.tile(rows.question, 5), np.concatenate(columns), values)
    n, correct, squares, losses = summed[:4]
    gaps = summed[4:]
    return {
        "accuracy": divide(correct, n),
        "mean_confidence": divide(correct + gaps.sum(axis=0), n),
        "bias": divide(gaps.sum(axis=0), n),
        "ece": divide(np.abs(gaps).sum(axis=0), n),
        "brier": divide(squares, n),
        "log_loss": divide(losses, n),
    }


def divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide where the denominator is above 0; NaN elsewhere."""
    quotient = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
