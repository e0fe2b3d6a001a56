"""The usable rows of a cell, in an order that does not depend on the order they came in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
EPS = 2.0**-52


@dataclass(frozen=True)
class Rows:
    """Three aligned arrays, one element a row: finite confidence, right (1) or wrong (0), code of the question.

    Rows stand in order of (confidence, question, correct), so equal multisets of rows give equal bits everywhere.
    """

    confidence: FloatArray
    correct: IntArray
    question: IntArray

    @classmethod
    def of(cls, confidence: npt.ArrayLike, correct: npt.ArrayLike, question: npt.ArrayLike | None = None) -> Rows:
        """Sort rows of any order; without `question` every row is its own question."""
        c = np.asarray(confidence, dtype=np.float64) + 0.0
        y = np.asarray(correct, dtype=np.int64)
        q = np.arange(len(c)) if question is None else np.asarray(question, dtype=np.int64)
        if not len(c) == len(y) == len(q):
            raise ValueError(f"confidence, correct and question have {len(c)}, {len(y)} and {len(q)} elements")
        order = np.lexsort((y, q, c))
        return cls(c[order], y[order], q[order])

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.confidence)

    @cached_property
    def n_questions(self) -> int:
        """Number of distinct questions, which are the clusters."""
        return int(np.count_nonzero(np.bincount(self.question))) if self.n else 0

    @property
    def n_correct(self) -> int:
        """Number of right rows."""
        return int(self.correct.sum())

    @property
    def one_class(self) -> bool:
        """Whether all rows are right or all are wrong."""
        return self.n_correct in {0, self.n}

    def where(self, mask: npt.NDArray[np.bool_]) -> Rows:
        """Return the rows of a mask, order kept."""
        return Rows(self.confidence[mask], self.correct[mask], self.question[mask])

    @cached_property
    def levels(self) -> Levels:
        """The distinct confidences with their counts: ties are pooled here, once, and never split after."""
        value, inverse, n = np.unique(self.confidence, return_inverse=True, return_counts=True)
        k = sums(inverse, self.correct, len(value))
        return Levels(value, n.astype(np.float64), k, inverse.astype(np.int64))


@dataclass(frozen=True, slots=True)
class Levels:
    """Distinct confidences, rising; rows and right rows at each (whole numbers in double); level of each row."""

    value: FloatArray
    n: FloatArray
    k: FloatArray
    of_row: IntArray


def logit(confidence: FloatArray) -> FloatArray:
    """Return the log-odds after moving the confidence into [eps, 1 - eps], eps = 2.220446e-16."""
    inside = np.clip(confidence, EPS, 1.0 - EPS)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def is_clipped(confidence: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell which confidences `logit` moves."""
    return (confidence < EPS) | (confidence > 1.0 - EPS)


def sums_by_question(rows: Rows, values: FloatArray) -> FloatArray:
    """Sum `values` over the rows of each question code, in row order."""
    return sums(rows.question, values)


def sums(group: npt.NDArray[np.integer], values: npt.NDArray[np.number], groups: int = 0) -> FloatArray:
    """Sum `values` by `group` (codes from 0, at least `groups` of them), one after the other in the order given."""
    return np.asarray(np.bincount(group, weights=values, minlength=groups), dtype=np.float64)
