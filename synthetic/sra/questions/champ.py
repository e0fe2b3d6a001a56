"""Competition mathematics with short text answers: numbers, fractions, expressions, yes or no, pairs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, isqrt
from typing import Final

from synthetic.sra.questions.base import Draft, whole
from synthetic.sra.streams import Generator


def _draft(text: str, kind: str, right: tuple[str, ...], wrong: tuple[str, ...]) -> Draft:
    return Draft(text, kind, right, wrong, {"answer": right[0]})


def _committee(rng: Generator) -> Draft:
    n, k = int(rng.integers(7, 16)), int(rng.integers(2, 6))
    text = f"A club has {n} members. In how many ways can a committee of {k} of them be formed?"
    return _draft(text, "number", *whole(comb(n, k)))


def _odd_sum(rng: Generator) -> Draft:
    n = int(rng.integers(11, 90))
    return _draft(f"What is the sum of the first {n} odd positive integers?", "number", *whole(n * n))


def _power_remainder(rng: Generator) -> Draft:
    base, exponent = (int(x) for x in rng.integers((3, 20), (20, 90)))
    modulus = (23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)[int(rng.integers(12))]
    text = f"Find the remainder when {base}^{exponent} is divided by {modulus}."
    return _draft(text, "number", *whole(pow(base, exponent, modulus)))


def _divisors(rng: Generator) -> Draft:
    n = int(rng.integers(100, 2000))
    count = sum((2 if d * d < n else 1) for d in range(1, isqrt(n) + 1) if n % d == 0)
    return _draft(f"How many positive divisors does {n} have?", "number", *whole(count))


def _telescope(rng: Generator) -> Draft:
    n = int(rng.integers(8, 99))
    value = Fraction(n, n + 1)
    text = f"Evaluate 1/(1·2) + 1/(2·3) + … + 1/({n}·{n + 1}) as a fraction."
    wrong = (f"{n}/{2 * n + 1}", f"1/{n + 1}", f"{n + 1}/{3 * n}")
    return _draft(text, "number", (str(value),), wrong)


def _closed_form(rng: Generator) -> Draft:
    a, b = int(rng.integers(2, 13)), int(rng.integers(1, 9))
    text = f"Give a closed form for the sum of ({a}k + {b}) over k from 1 to n."
    right = (f"{a}n(n+1)/2+{b}n",)
    return _draft(text, "text", right, (f"{a}n(n-1)/2+{b}", f"{a + 1}n(n+1)/2", f"{a}n^2+{b}n"))


def _two_squares(rng: Generator) -> Draft:
    n = int(rng.integers(10, 400))
    yes = any(isqrt(n - a * a) ** 2 == n - a * a for a in range(isqrt(n) + 1))
    text = f"Can {n} be written as the sum of the squares of two integers?"
    return _draft(text, "yesno", ("Yes" if yes else "No",), ("No" if yes else "Yes",))


def _diagonal(rng: Generator) -> Draft:
    a = int(rng.integers(2, 60))
    text = f"How long is the diagonal of a square whose side is {a}?"
    return _draft(text, "text", (f"{a}*sqrt(2)",), (f"{a}*sqrt(3)", f"{2 * a}*sqrt(2)", f"{a + 1}"))


def _system(rng: Generator) -> Draft:
    x, y = int(rng.integers(-20, 40)), int(rng.integers(1, 30))
    text = f"Solve x + y = {x + y} and x − y = {x - y} over the integers."
    return _draft(
        text, "text", (f"x={x}, y={y}",), (f"x={y + 50}, y={x}", f"x={x + 1}, y={y - 1}", f"x={x}, y={y + 2}")
    )


TEMPLATES: Final[tuple[Callable[[Generator], Draft], ...]] = (
    _committee, _two_squares, _closed_form, _telescope, _power_remainder, _odd_sum, _divisors, _diagonal, _system,
)  # fmt: skip


def draft(rng: Generator, rank: int) -> Draft:
    """Make the question at place `rank`."""
    return TEMPLATES[rank % len(TEMPLATES)](rng)
