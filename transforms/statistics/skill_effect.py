"""What a skill changes, paired by question: accuracy, confidence, bias, and whether the first two move together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.statistics.rows import FloatArray, IntArray, Rows, sums
from transforms.statistics.significance import (
    Correlation,
    McNemar,
    TTest,
    mcnemar,
    mean_test,
    pearson,
    sign_test,
    spearman,
)
from transforms.statistics.undefined import Undefined


@dataclass(frozen=True, slots=True)
class Means:
    """Per question code: rows, right rows, and mean confidence (NaN without rows)."""

    n: FloatArray
    correct: FloatArray
    confidence: FloatArray

    @classmethod
    def of(cls, rows: Rows, n_questions: int) -> Means:
        """Average the rows of each of `n_questions` codes."""
        n = sums(rows.question, np.ones(rows.n), n_questions)
        mean = sums(rows.question, rows.confidence, n_questions) / np.where(n > 0, n, np.nan)
        return cls(n, sums(rows.question, rows.correct, n_questions), mean)


@dataclass(frozen=True, slots=True)
class Pairs:
    """A value a question that has rows under both conditions, and how many questions have rows under one alone.

    Changes are skill minus direct. `native` holds right (1) or wrong (0) under each, where one row a question is all
    there is. `confidence_scale` is the largest mean confidence in magnitude: what rounding is relative to.
    """

    d_accuracy: FloatArray
    d_confidence: FloatArray
    confidence_scale: float
    native: tuple[IntArray, IntArray] | None
    n_direct_only: int
    n_skill_only: int

    @property
    def n(self) -> int:
        """Number of pairs."""
        return len(self.d_accuracy)


def pair(direct: Rows, skill: Rows, keep: npt.NDArray[np.bool_]) -> Pairs:
    """Pair the questions that `keep`, an element a question code, marks and that have rows under both conditions."""
    a, b = Means.of(direct, len(keep)), Means.of(skill, len(keep))
    in_a, in_b = keep & (a.n > 0), keep & (b.n > 0)
    both = in_a & in_b
    n_a, n_b, right_a, right_b = a.n[both], b.n[both], a.correct[both], b.correct[both]
    confidence_a, confidence_b = a.confidence[both], b.confidence[both]
    is_native = bool((n_a == 1).all() and (n_b == 1).all())
    with np.errstate(invalid="ignore"):  # infinite scores: the tests say so
        d_confidence = confidence_b - confidence_a
    return Pairs(
        # One division of whole numbers, so that equal changes are equal doubles and tie.
        d_accuracy=(right_b * n_a - right_a * n_b) / (n_a * n_b),
        d_confidence=d_confidence,
        confidence_scale=float(np.abs(np.concatenate([confidence_a, confidence_b])).max(initial=0.0)),
        native=(right_a.astype(np.int64), right_b.astype(np.int64)) if is_native else None,
        n_direct_only=int((in_a & ~in_b).sum()),
        n_skill_only=int((in_b & ~in_a).sum()),
    )


@dataclass(frozen=True, slots=True)
class SkillEffect:
    """The tests of one contrast; each is `Undefined` where it cannot be made."""

    accuracy: TTest | Undefined
    confidence: TTest | Undefined
    bias: TTest | Undefined
    n_same_sign: int
    n_opposite_sign: int
    sign_p: float | Undefined
    pearson: Correlation | Undefined
    spearman: Correlation | Undefined
    mcnemar: McNemar | Undefined

    @property
    def sign_agreement(self) -> float:
        """Share of the pairs that change in both whose changes have the same sign; needs one."""
        return self.n_same_sign / (self.n_same_sign + self.n_opposite_sign)


def skill_effect(pairs: Pairs, is_probability: bool, is_native: bool) -> SkillEffect:
    """Test a contrast. `is_native`: a row is a question's native answer, which McNemar's test needs."""
    d_accuracy, d_confidence, scale = pairs.d_accuracy, pairs.d_confidence, pairs.confidence_scale
    ordered = _without_rounding(d_confidence, scale)
    product = np.sign(d_accuracy) * np.sign(ordered)
    same, opposite = int((product > 0).sum()), int((product < 0).sum())
    return SkillEffect(
        accuracy=mean_test(d_accuracy, 1.0),
        confidence=mean_test(d_confidence, scale),
        bias=mean_test(d_confidence - d_accuracy, 1.0) if is_probability else Undefined("not_a_probability"),
        n_same_sign=same,
        n_opposite_sign=opposite,
        sign_p=sign_test(same, same + opposite) if same + opposite else Undefined("no_change"),
        pearson=pearson(d_accuracy, d_confidence, scale=(1.0, scale)),
        spearman=spearman(d_accuracy, ordered),
        mcnemar=_mcnemar(pairs) if is_native else Undefined("no_native_answers"),
    )


def _without_rounding(d_confidence: FloatArray, scale: float) -> FloatArray:
    """Round differences to 2^-40 of their scale: 7/9 - 5/9 and 3/9 - 1/9 are one change and must tie."""
    if not 0 < scale < np.inf:
        return d_confidence
    step = 2.0 ** (np.frexp(scale)[1] - 40)
    return np.asarray(np.rint(d_confidence / step) * step)


def _mcnemar(pairs: Pairs) -> McNemar | Undefined:
    if not pairs.n:
        return Undefined("too_few_pairs")
    return mcnemar(*pairs.native) if pairs.native else Undefined("no_native_answers")
