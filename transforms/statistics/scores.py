"""Scores of a probability that are means over rows or bins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from transforms.statistics.rows import EPS, FloatArray, IntArray


def equal_width_bin(confidence: FloatArray, n_bins: int) -> IntArray:
    """Return each confidence's bin, from 0: bins are (lo, hi] with edges the doubles k/n, the first closed at 0."""
    upper_edges = np.arange(1, n_bins + 1) / n_bins
    return np.searchsorted(upper_edges, confidence, side="left").astype(np.int64)


def equal_mass_bin(confidence: FloatArray, n_bins: int) -> IntArray:
    """Return each confidence's bin between quantiles (linear interpolation): right-closed, equal edges merged."""
    inner_edges = np.unique(np.quantile(confidence, np.arange(1, n_bins) / n_bins))
    return np.searchsorted(inner_edges, confidence, side="left").astype(np.int64)


def expected_calibration_error(confidence: FloatArray, correct: IntArray, n_bins: int) -> float:
    """Return the rows' mean over bins of |mean confidence - accuracy|, equal-width bins; needs a row."""
    gaps = np.bincount(equal_width_bin(confidence, n_bins), weights=confidence - correct)
    return float(np.abs(gaps).sum() / len(confidence))


def squared_errors(confidence: FloatArray, correct: IntArray) -> FloatArray:
    """Return each row's part of the Brier score."""
    return np.asarray((confidence - correct) ** 2)


def log_losses(confidence: FloatArray, correct: IntArray) -> FloatArray:
    """Return each row's negative log-likelihood in nats, the confidence moved into [eps, 1 - eps]."""
    inside = np.clip(confidence, EPS, 1.0 - EPS)
    return np.asarray(-np.where(correct == 1, np.log(inside), np.log1p(-inside)))


def penalty_is_clipped(confidence: FloatArray, correct: IntArray) -> npt.NDArray[np.bool_]:
    """Tell which rows' log loss is decided by eps: the side that is penalised was moved."""
    return np.where(correct == 1, confidence < EPS, confidence > 1.0 - EPS)
