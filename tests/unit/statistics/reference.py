"""Slow, plain versions of the figures in exact fractions, written apart from the project, and data for both."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

D10_CONFIDENCE = [0.1, 0.4, 0.35, 0.8, 0.8, 0.8, 1.0, 0.0, 0.55, 0.55]
D10_CORRECT = [0, 0, 1, 1, 0, 1, 1, 0, 1, 0]

Row = tuple[float, int, int]  # confidence, correct, question


def auroc(rows: list[Row]) -> float | None:
    """Share of (right, wrong) pairs ranked right, ties one half."""
    right = [c for c, y, _ in rows if y]
    wrong = [c for c, y, _ in rows if not y]
    if not right or not wrong:
        return None
    points = sum(Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0) for a in right for b in wrong)
    return float(points / (len(right) * len(wrong)))


def _expected_errors(rows: list[Row]) -> list[Fraction]:
    """Expected errors among the k most confident, k = 1 … N, ties in random order."""
    found, errors = [], Fraction(0)
    for level in sorted({c for c, _, _ in rows}, reverse=True):
        block = [y for c, y, _ in rows if c == level]
        for _ in block:
            errors += Fraction(block.count(0), len(block))
            found.append(errors)
    return found


def aurc(rows: list[Row]) -> float:
    """Mean over k of the expected error rate of the k most confident rows."""
    return float(sum(e / k for k, e in enumerate(_expected_errors(rows), 1)) / len(rows))


def best_aurc(rows: list[Row]) -> float:
    """AURC of the same outcomes ranked perfectly."""
    return aurc([(float(y), y, q) for _, y, q in rows])


def augrc(rows: list[Row]) -> float:
    """Area by trapezoids under errors / N against coverage, one point a block of ties."""
    n, area, before, covered = len(rows), Fraction(0), Fraction(0), 0
    for level in sorted({c for c, _, _ in rows}, reverse=True):
        block = [y for c, y, _ in rows if c == level]
        after = before + block.count(0)
        area += Fraction(len(block), n) * (before + after) / (2 * n)
        before, covered = after, covered + len(block)
    assert covered == n
    return float(area)


def prr(rows: list[Row]) -> float | None:
    """Share of the way from random to perfect rejection."""
    error = sum(1 - y for _, y, _ in rows) / len(rows)
    if error in {0, 1}:
        return None
    return (error - aurc(rows)) / (error - best_aurc(rows))


def ece(rows: list[Row], n_bins: int) -> float:
    """Equal-width ECE, bins (lo, hi], a linear search for the bin and exact sums."""
    gaps = [Fraction(0)] * n_bins
    for c, y, _ in rows:
        at = next(k for k in range(n_bins) if c <= (k + 1) / n_bins)
        gaps[at] += Fraction(c) - y
    return float(sum(abs(gap) for gap in gaps) / len(rows))


def brier(rows: list[Row]) -> float:
    """Exact mean squared error."""
    return float(sum((Fraction(c) - y) ** 2 for c, y, _ in rows) / len(rows))


def repeated(rows: list[Row], weight_of_question: dict[int, int]) -> list[Row]:
    """The rows a replicate stands for, each as often as its question was drawn."""
    return [row for row in rows for _ in range(weight_of_question[row[2]])]


_TIED = st.integers(0, 9).map(lambda j: j / 9)
_ANY = st.floats(0, 1, allow_subnormal=False)


@st.composite
def row_lists(draw: st.DrawFn, max_questions: int = 5, per_question: int = 9, min_questions: int = 1) -> list[Row]:
    """Rows with ties or without, constant signals, one class, one question, up to nine rows a question."""
    confidence = draw(st.sampled_from([_TIED, _ANY, st.just(draw(_ANY))]))
    correct = draw(st.sampled_from([st.integers(0, 1), st.just(0), st.just(1)]))
    questions = draw(st.integers(min_questions, max_questions))
    return [
        (draw(confidence), draw(correct), question)
        for question in range(questions)
        for _ in range(draw(st.integers(1, per_question)))
    ]


def simulated(seed: int, questions: int = 120, per_question: int = 9, decimals: int | None = None) -> list[Row]:
    """Nine correlated rollouts a question, over-confident; rounded to `decimals` where given."""
    rng = np.random.default_rng(seed)
    ability = np.repeat(rng.normal(0.3, 1.0, questions), per_question)
    correct = rng.random(len(ability)) < 1 / (1 + np.exp(-ability))
    confidence = 1 / (1 + np.exp(-(2 * ability + rng.normal(0.5, 1.0, len(ability)))))
    if decimals is not None:
        confidence = confidence.round(decimals)
    question = np.repeat(np.arange(questions), per_question)
    return [(float(c), int(y), int(q)) for c, y, q in zip(confidence, correct, question, strict=True)]
