"""University questions whose answers have a type: integer, float, bool, lists of both, or an option."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from synthetic.sra.questions.base import Draft, decimal, whole
from synthetic.sra.streams import Generator


def _typed(text: str, answer_type: str, right: tuple[str, ...], wrong: tuple[str, ...]) -> Draft:
    return Draft(text, answer_type, right, wrong, {"answer": right[0], "answer_type": answer_type})


def _growth(rng: Generator) -> Draft:
    rate, years = int(rng.integers(2, 13)), int(rng.integers(3, 21))
    text = f"By what factor does a sum grow in {years} years at {rate} % interest, compounded continuously?"
    return _typed(text, "float", *decimal(round(math.exp(rate * years / 100), 3), 3))


def _capacity(rng: Generator) -> Draft:
    p = int(rng.integers(5, 40)) / 100
    value = 1 + p * math.log2(p) + (1 - p) * math.log2(1 - p)
    text = f"What is the capacity, in bits, of a binary symmetric channel with crossover probability {p}?"
    return _typed(text, "float", *decimal(round(value, 4), 4))


def _derangements(rng: Generator) -> Draft:
    n = int(rng.integers(4, 10))
    value = round(math.factorial(n) / math.e)
    return _typed(f"In how many ways can {n} letters all go into the wrong envelopes?", "integer", *whole(value))


def _determinant(rng: Generator) -> Draft:
    a, b, c, d = (int(x) for x in rng.integers((1, -9, -9, -9), 10))
    d += a * d == b * c  # never singular
    text = f"What is the determinant of the matrix [[{a}, {b}], [{c}, {d}]]?"
    return _typed(text, "integer", *whole(a * d - b * c))


def _converges(rng: Generator) -> Draft:
    power = int(rng.integers(2, 40)) / 10
    right = "True" if power > 1 else "False"
    text = f"Does the series of 1/n^{power} over n ≥ 1 converge?"
    return _typed(text, "bool", (right,), ("False" if power > 1 else "True",))


def _gradient(rng: Generator) -> Draft:
    a, b, x, y = (int(v) for v in rng.integers(2, 12, 4))
    text = f"What is the gradient of f(x, y) = {a}x^2 + {b}y^2 at ({x}, {y})?"
    dx, dy = 2 * a * x, 2 * b * y
    return _typed(text, "list of integer", (f"[{dx}, {dy}]",), (f"[{dx + 9 + dx // 4}, {dy}]", f"[{dx}, {2 * dy + 5}]"))


def _stationary(rng: Generator) -> Draft:
    a, b = int(rng.integers(2, 9)), int(rng.integers(11, 19))
    first = round(b / (a + b), 4)
    text = f"A two-state chain leaves state 1 at rate {a} and state 2 at rate {b}. Give its stationary distribution."
    second = round(1 - first, 4)
    return _typed(
        text, "list of float", (f"[{first}, {second}]",), (f"[{round(first / 2, 4)}, {round(1 - first / 2, 4)}]",)
    )


def _option(rng: Generator) -> Draft:
    gold = int(rng.integers(0, 4))
    growths = ["log n", "n", "n log n", "n^2"]
    options = " ".join(f"({letter}) {growth}" for letter, growth in zip("abcd", growths, strict=True))
    text = f"Which of these is the tight order of a sum of 1 … over {growths[gold]} unit steps? {options}"
    letters = [f"({letter})" for letter in "abcd"]
    return _typed(text, "option", (letters.pop(gold),), tuple(letters))


FIRST: Final[tuple[Callable[[Generator], Draft], ...]] = (
    _growth, _determinant, _converges, _gradient, _option, _stationary,
)  # fmt: skip
TEMPLATES: Final = (_growth, _capacity, _derangements, _determinant, _converges, _gradient, _option, _stationary)
WEIGHTS: Final = (0.24, 0.24, 0.13, 0.14, 0.15, 0.07, 0.02, 0.01)


def draft(rng: Generator, rank: int) -> Draft:
    """Make the question at place `rank`: the first six have one answer type each, the rest the usual proportions."""
    template = FIRST[rank] if rank < len(FIRST) else TEMPLATES[int(rng.choice(len(TEMPLATES), p=WEIGHTS))]
    return template(rng)
