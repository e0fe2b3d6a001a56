"""From replicates to intervals: mean, bias, standard error and percentiles, and differences paired by the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from transforms.statistics.cells import Cell
from transforms.statistics.mean_replicates import accuracy_replicates, calibration_replicates
from transforms.statistics.rank_replicates import rank_replicates
from transforms.statistics.rows import FloatArray
from transforms.statistics.undefined import Undefined
from transforms.statistics.weights import WeightArray, sample_itself
from warehouse.contracts.statistics import BOOTSTRAP_STATISTICS, CALIBRATION_STATISTICS, RANK_STATISTICS


class Interval(NamedTuple):
    """Summary of the replicates in which a figure is defined; percentiles 2.5 and 97.5, linear interpolation."""

    bootstrap_mean: float
    bootstrap_bias: float
    se: float
    lo: float
    hi: float


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """A figure: rows and questions it is of, the figure itself, and each replicate of it (NaN where undefined)."""

    n: int
    n_questions: int
    estimate: float | Undefined
    replicates: FloatArray

    @property
    def defined(self) -> FloatArray:
        """The replicates in which the figure is defined."""
        return self.replicates[~np.isnan(self.replicates)]


def bootstrap_cell(cell: Cell, weights: WeightArray, ece_bins: int) -> dict[str, Bootstrapped]:
    """Return every figure of a cell: of the sample itself, and under each column of `weights`.

    The two are computed apart, so that a figure does not depend, in its last bit, on what was drawn.
    """
    sample = _replicates(cell, sample_itself(len(weights)), ece_bins)
    drawn = _replicates(cell, weights, ece_bins)
    undefined = np.full(weights.shape[1], np.nan)
    return {
        name: _bootstrapped(cell, name, sample.get(name, undefined)[0], drawn.get(name, undefined))
        for name in BOOTSTRAP_STATISTICS
    }


def _replicates(cell: Cell, weights: WeightArray, ece_bins: int) -> dict[str, FloatArray]:
    found: dict[str, FloatArray] = {}
    if cell.usable.n and cell.is_probability:
        found |= calibration_replicates(cell.usable, weights, ece_bins)
    elif cell.usable.n:
        found |= accuracy_replicates(cell.usable, weights)
    if cell.ranked.n:
        found |= rank_replicates(cell.ranked, weights)
    return found


def _bootstrapped(cell: Cell, name: str, sample: float, drawn: FloatArray) -> Bootstrapped:
    if name in CALIBRATION_STATISTICS and not cell.is_probability:
        return Bootstrapped(0, 0, Undefined("not_a_probability"), drawn)
    rows = cell.ranked if name in RANK_STATISTICS else cell.usable
    estimate: float | Undefined = float(sample)
    if np.isnan(sample):
        estimate = Undefined("one_class" if rows.n else "empty")
    return Bootstrapped(rows.n, rows.n_questions, estimate, drawn)


def difference(other: Bootstrapped, base: Bootstrapped) -> Bootstrapped:
    """Return `other` - `base`, replicate by replicate; undefined where either is, questions the lesser number."""
    estimate: float | Undefined
    if isinstance(base.estimate, Undefined):
        estimate = base.estimate
    elif isinstance(other.estimate, Undefined):
        estimate = other.estimate
    else:
        estimate = other.estimate - base.estimate
    return Bootstrapped(
        n=base.n + other.n,
        n_questions=min(base.n_questions, other.n_questions),
        estimate=estimate,
        replicates=other.replicates - base.replicates,
    )


def interval(of: Bootstrapped) -> Interval | Undefined:
    """Summarise the replicates of a figure that exists and has more than one question to resample."""
    if isinstance(of.estimate, Undefined):
        return of.estimate
    if of.n_questions < 2:
        return Undefined("one_question")
    if len(of.defined) < 2:
        return Undefined("too_few_replicates")
    mean = float(of.defined.mean())
    lo, hi = np.quantile(of.defined, [0.025, 0.975])
    return Interval(mean, mean - of.estimate, float(of.defined.std(ddof=1)), float(lo), float(hi))
