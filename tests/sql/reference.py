"""Figures by the definition, slowly: plain loops and exact fractions that share nothing with the SQL."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

EPS = 2.0**-52
Scores = Sequence[float]
Outcomes = Sequence[bool]


def equal_width(confidence: Scores, n_bins: int) -> list[int]:
    """Bin k holds what is above edge k - 1 and not above edge k, edges being the doubles k / n; 0 is in bin 1."""
    return [next(k for k in range(1, n_bins + 1) if c <= k / n_bins) for c in confidence]


def equal_mass(confidence: Scores, n_bins: int) -> list[int]:
    """Bins between the quantiles, linear interpolation, equal edges merged, right-closed."""
    ordered = sorted(Fraction(c) for c in confidence)
    edges = sorted({_quantile(ordered, k / n_bins) for k in range(1, n_bins)})
    return [sum(edge < Fraction(c) for edge in edges) for c in confidence]


def _quantile(ordered: list[Fraction], share: float) -> Fraction:
    """The place between two rows is a double, as numpy's and DuckDB's; the value there is exact."""
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * Fraction(place - low)


def bins(confidence: Scores, correct: Outcomes, of: Sequence[int]) -> list[tuple[Fraction, Fraction, int]]:
    """Each bin's exact mean confidence, accuracy and number of rows."""
    held: dict[int, list[int]] = defaultdict(list)
    for row, k in enumerate(of):
        held[k].append(row)
    return [
        (
            sum((Fraction(confidence[i]) for i in rows), Fraction(0)) / len(rows),
            Fraction(sum(correct[i] for i in rows), len(rows)),
            len(rows),
        )
        for _, rows in sorted(held.items())
    ]


def binned_figures(confidence: Scores, correct: Outcomes, of: Sequence[int]) -> dict[str, float]:
    found, n = bins(confidence, correct, of), len(confidence)
    gaps = [(abs(p - o), p - o, o, m) for p, o, m in found]
    debiased = sum(Fraction(m, n) * (gap * gap - o * (1 - o) / (m - 1)) for gap, _, o, m in gaps if m > 1)
    accuracy = Fraction(sum(correct), n)
    within = [
        (Fraction(c), y, found[sorted(set(of)).index(k)]) for c, y, k in zip(confidence, correct, of, strict=True)
    ]
    return {
        "ece": float(sum(Fraction(m, n) * gap for gap, _, _, m in gaps)),
        "mce": float(max(gap for gap, *_ in gaps)),
        "mean_gap": float(sum(gap for gap, *_ in gaps) / len(gaps)),
        "rmsce": math.sqrt(sum(Fraction(m, n) * gap * gap for gap, _, _, m in gaps)),
        "rmsce_debiased": math.sqrt(max(0, debiased)),
        "overconfidence": float(sum(Fraction(m, n) * max(Fraction(0), signed) for _, signed, _, m in gaps)),
        "underconfidence": float(sum(Fraction(m, n) * max(Fraction(0), -signed) for _, signed, _, m in gaps)),
        "reliability": float(sum(Fraction(m, n) * gap * gap for gap, _, _, m in gaps)),
        "resolution": float(sum(Fraction(m, n) * (o - accuracy) ** 2 for _, _, o, m in gaps)),
        "uncertainty": float(accuracy * (1 - accuracy)),
        "within_bin_variance": float(sum((c - p) ** 2 for c, _, (p, _, _) in within) / n),
        "within_bin_covariance": float(2 * sum((y - o) * (c - p) for c, y, (p, o, _) in within) / n),
    }


def brier(confidence: Scores, correct: Outcomes) -> float:
    return float(sum((Fraction(c) - y) ** 2 for c, y in zip(confidence, correct, strict=True)) / len(confidence))


def log_loss(confidence: Scores, correct: Outcomes) -> float:
    inside = [min(max(c, EPS), 1 - EPS) for c in confidence]
    return math.fsum(-math.log(c if y else 1 - c) for c, y in zip(inside, correct, strict=True)) / len(inside)


def spiegelhalter(confidence: Scores, correct: Outcomes) -> float | None:
    exact = [(Fraction(c), y) for c, y in zip(confidence, correct, strict=True)]
    variance = sum((1 - 2 * c) ** 2 * c * (1 - c) for c, _ in exact)
    score = sum((y - c) * (1 - 2 * c) for c, y in exact)
    return None if variance == 0 else float(score) / math.sqrt(variance)


def cumulative(confidence: Scores, correct: Outcomes) -> tuple[float, float]:
    """KS and Kuiper: the walk of outcome less confidence, seen at the end of every block of ties."""
    walk, points = Fraction(0), [Fraction(0)]
    for level in sorted(set(confidence)):
        walk += sum(y - Fraction(c) for c, y in zip(confidence, correct, strict=True) if c == level)
        points.append(walk / len(confidence))
    return float(max(abs(p) for p in points[1:])), float(max(points) - min(points))


def expected_risks(confidence: Scores, correct: Outcomes) -> list[Fraction]:
    """Expected share of wrong rows among the k surest, k = 1 to n, tied rows in random order."""
    risks, above, wrong_above = [], 0, Fraction(0)
    for level in sorted(set(confidence), reverse=True):
        block = [y for c, y in zip(confidence, correct, strict=True) if c == level]
        wrong = len(block) - sum(block)
        risks += [(wrong_above + Fraction(wrong * j, len(block))) / (above + j) for j in range(1, len(block) + 1)]
        above, wrong_above = above + len(block), wrong_above + wrong
    return risks


def selective(confidence: Scores, correct: Outcomes, max_rejection: Fraction = Fraction(1)) -> dict[str, float | None]:
    n, risks = len(confidence), expected_risks(confidence, correct)
    best = expected_risks([float(y) for y in correct], correct)
    last = math.floor(n * max_rejection)
    error = 1 - Fraction(sum(correct), n)
    mine, optimum = (sum(part[n - last :], Fraction(0)) / last if last else None for part in (risks, best))
    defined = mine is not None and optimum is not None and error != optimum
    return {
        "aurc": float(sum(risks) / n),
        "aurc_optimal": float(sum(best) / n),
        "e_aurc": float((sum(risks) - sum(best)) / n),
        "augrc": float(generalized_area(confidence, correct)),
        "prr": float((error - mine) / (error - optimum)) if defined else None,  # type: ignore[operator]
    }


def generalized_area(confidence: Scores, correct: Outcomes) -> Fraction:
    """Trapezoids under (coverage, share accepted and wrong), one corner a distinct confidence."""
    n, corners = len(confidence), [(Fraction(0), Fraction(0))]
    for level in sorted(set(confidence), reverse=True):
        accepted = [y for c, y in zip(confidence, correct, strict=True) if c >= level]
        corners.append((Fraction(len(accepted), n), Fraction(len(accepted) - sum(accepted), n)))
    return sum(((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairwise(corners)), Fraction(0))


def obuchowski(confidence: Scores, correct: Outcomes, question: Sequence[object]) -> float | None:
    """Obuchowski (1997) from the matrix of all pairs of a right and a wrong row."""
    right = [i for i, y in enumerate(correct) if y]
    wrong = [i for i, y in enumerate(correct) if not y]
    names = sorted({str(q) for q in question})
    if not right or not wrong or len(names) < 2:
        return None
    c = np.array(confidence, dtype=float)
    kernel = (c[right][:, None] > c[wrong][None, :]) + 0.5 * (c[right][:, None] == c[wrong][None, :])
    auc = kernel.mean()
    of = np.array([names.index(str(q)) for q in question])
    x, y = kernel.mean(axis=1), kernel.mean(axis=0)
    by_right = np.array([(x - auc)[of[right] == g].sum() for g in range(len(names))])
    by_wrong = np.array([(y - auc)[of[wrong] == g].sum() for g in range(len(names))])
    n_right, n_wrong = len(set(of[right])), len(set(of[wrong]))
    if min(n_right, n_wrong) < 2:
        return None
    m, k, g = len(right), len(wrong), len(names)
    variance = (
        n_right / (n_right - 1) * (by_right**2).sum() / m**2
        + n_wrong / (n_wrong - 1) * (by_wrong**2).sum() / k**2
        + 2 * g / (g - 1) * (by_right * by_wrong).sum() / (m * k)
    )
    return float(np.sqrt(variance)) if variance >= 0 else None


def delong(confidence: Scores, correct: Outcomes) -> float:
    """DeLong (1988): sample variances of the placements, by numpy."""
    c, y = np.array(confidence, dtype=float), np.array(correct, dtype=bool)
    kernel = (c[y][:, None] > c[~y][None, :]) + 0.5 * (c[y][:, None] == c[~y][None, :])
    right, wrong = kernel.mean(axis=1), kernel.mean(axis=0)
    return float(np.sqrt(right.var(ddof=1) / len(right) + wrong.var(ddof=1) / len(wrong)))


def bootstrap(
    question: Sequence[str], replicates: int, seed: int, figure: Callable[[np.ndarray], float | None]
) -> list[float | None]:
    """Apply `figure` to the repetition of every row in each replicate: SHA-256, SplitMix64, Poisson by inversion."""
    return [figure(np.array([_weight(q, r, seed) for q in question])) for r in range(1, replicates + 1)]


def _mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def _weight(question: str, replicate: int, seed: int) -> int:
    start = int.from_bytes(hashlib.sha256(question.encode()).digest()[:8], "little")
    bits = _mix(((start ^ _mix(seed)) + replicate * 0x9E3779B97F4A7C15) % 2**64)
    count, term, below = 0, math.exp(-1), math.exp(-1)
    while bits / 2**64 >= below and count < 20:
        count += 1
        term /= count
        below += term
    return count
