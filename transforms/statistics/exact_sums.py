"""Weighted sums of doubles whose bits do not depend on the order of the additions, and so on no thread or library."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from transforms.statistics.rows import FloatArray, IntArray
from transforms.statistics.weights import WeightArray, in_chunks, total_weights


def weighted_sums(weights: WeightArray, group: IntArray, column: IntArray, values: FloatArray) -> FloatArray:
    """Return, per column and replicate, the sum of weights[group, replicate] * value over the column's elements.

    `weights` has shape (groups, replicates); `group`, `column` (codes from 0) and `values` (finite) have an element
    each; the result has shape (columns, replicates). A column is summed in whole numbers of its own unit, the smallest
    power of two whose sums fit 62 bits: for 10,000 confidences 2^-48, less than double precision loses on the way.
    """
    shape = (int(column.max()) + 1, len(weights))
    heaviest = float(total_weights(weights, np.bincount(group, minlength=shape[1])).max())
    peaks = np.zeros(shape[0])
    np.maximum.at(peaks, column, np.abs(values))
    exponents = np.where(peaks > 0, 62 - np.frexp(np.maximum(peaks * heaviest, 1e-300))[1], 0)
    whole = np.rint(np.ldexp(values, exponents[column])).astype(np.int64)
    by_group = csc_array((whole, (column, group)), shape=shape)
    summed = np.concatenate([np.asarray(by_group @ chunk) for chunk in in_chunks(weights)], axis=1)
    return np.asarray(np.ldexp(summed.astype(np.float64), -exponents[:, None]))
