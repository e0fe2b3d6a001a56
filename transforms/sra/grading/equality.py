"""Deciding whether two expressions are the same one, by their values at fixed points.

Two different expressions of the length read here agree at all of the points with a probability that does not matter;
two that are the same agree at every point. Nothing is simplified, so nothing can run away.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from transforms.sra.grading.evaluation import CONSTANTS, Exact, UndefinedError, Value, algebra
from transforms.sra.grading.expressions import Program

MIN_POINTS: Final = 3
_TOLERANCE: Final = 1e-9
# The signs of the symbols at each point, over and over.
SIGNS: Final = ("+", "+", "+", "+", "-", "-+", "+-", "--+")
# Values without pattern, none of them whole: whole ones satisfy identities that do not hold in general.
_VALUES: Final = [
    Fraction(numerator, denominator)
    for numerator, denominator in zip(
        (17, 29, 41, 53, 37, 67, 19, 83, 71, 43, 97), (11, 7, 19, 31, 23, 13, 29, 37, 17, 41, 43), strict=True
    )
]


def same_value(left: Program, right: Program) -> bool:
    """Tell whether two expressions agree wherever both have a value, at three points or more (one without symbols).

    Raises OverBudgetError where a numeral is too long to be read.
    """
    symbols = sorted({text for kind, text in (*left, *right) if kind == "symbol" and text not in CONSTANTS})
    compared = 0
    for point in _points(symbols):
        try:
            agree = _agree(algebra(left, point), algebra(right, point))
        except UndefinedError:
            continue
        if not agree:
            return False
        compared += 1
    return compared >= (MIN_POINTS if symbols else 1)


def _points(symbols: list[str]) -> Iterator[dict[str, Exact]]:
    """Yield a value for each symbol: positive ones at the first half of the points, then of either sign.

    Negative values tell `sqrt(x^2)` from `x`, and two of them `(xy)^a` from `x^a y^a`; positive ones are where
    factorials and roots always have a value.
    """
    for point, signs in enumerate(SIGNS if symbols else SIGNS[:1]):
        yield {
            symbol: int(signs[i % len(signs)] + "1") * (_VALUES[(3 * point + 5 * i) % len(_VALUES)] + i)
            for i, symbol in enumerate(symbols)
        }


def _agree(left: Value, right: Value) -> bool:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    try:
        left, right = complex(left), complex(right)
        return abs(left - right) <= _TOLERANCE * max(abs(left), abs(right))
    except OverflowError as error:
        raise UndefinedError("too large to be compared") from error
