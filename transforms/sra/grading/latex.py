"""Reading LaTeX arithmetic as TheoremQA does: a number, or a list of numbers, or nothing.

Letters, functions, roots and factorials have no value there, so an expression that holds any is not read at all.
"""

from __future__ import annotations

import math
import operator
import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from transforms.sra.grading.evaluation import OPERATORS, UndefinedError, arithmetic
from transforms.sra.grading.expressions import NotAnExpressionError, OverBudgetError, Parser, Program, Token, tokenize

_TOKEN: Final = re.compile(
    r"\s*+(?:"
    r"(?P<number>(?:(?:[0-9]++(?:,[0-9]{3})*+)?+\.[0-9]++|[0-9]++(?:,[0-9]{3})*+)(?:E[-+]?+[0-9]++)?+)"
    r"|(?P<name>\\(?:[dt]?frac|binom)(?![A-Za-z]))"
    r"|(?P<sign>\\(?:cdot|times|div)(?![A-Za-z])|\\[{}]|[-+*/:^()\[\]{},;])"
    r"|\\(?:left|right|bigl|bigr|displaystyle|qquad|quad)(?![A-Za-z])|\\,|~)"
)
_SAME: Final = {r"\cdot": "*", r"\times": "*", r"\div": "/", ":": "/", r"\{": "{", r"\}": "}"}
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_SEPARATORS: Final = (",", ";")
_MAX_NUMERAL: Final = 400
_MAX_CHOICE: Final = 1_000


class _LatexParser(Parser):
    """LaTeX's differences: three kinds of brackets, `\\frac{}{}`, exponents that are one number or braces.

    What is multiplied by standing side by side binds tighter than a division sign: `1/2(3)` is a sixth.
    """

    def starts_a_factor(self) -> bool:
        """Tell whether the token to come starts a factor."""
        return self.next.kind in ("number", "name") or (self.next.kind == "sign" and self.next.text in _CLOSERS)

    def power(self) -> None:
        """Read factors that stand side by side."""
        self._raised()
        while self.starts_a_factor():
            self._raised()
            self.emit("product")

    def _raised(self) -> None:
        self.factor()
        while self.accept("^"):
            if self.next.kind != "number" and self.next != Token("sign", "{"):
                raise NotAnExpressionError("a number or braces expected")
            self.factor()
            self.emit("^")

    def factor(self) -> None:
        """Read a number, a fraction, a binomial coefficient or a bracketed expression."""
        token = self.take()
        if token.kind == "number":
            self.emit("number", token.text)
        elif token.kind == "name":
            self._bracketed("{")
            self._bracketed("{")
            self.emit("choose" if token.text == r"\binom" else "/")
        elif token.kind == "sign" and token.text in _CLOSERS:
            self.sum()
            self.expect(_CLOSERS[token.text])
        else:
            raise NotAnExpressionError("a number or a bracket expected")

    def _bracketed(self, sign: str) -> None:
        self.expect(sign)
        self.sum()
        self.expect(_CLOSERS[sign])


@lru_cache(maxsize=8_192)
def read_latex(text: str) -> float | tuple[float, ...] | None:
    """Return the number, or the list of numbers, that LaTeX arithmetic comes to; None where it is none.

    The items of a list stand in brackets, braces or nothing; in parentheses they are not read. Raises OverBudgetError.
    """
    try:
        programs = _programs([Token(kind, _SAME.get(sign, sign)) for kind, sign in tokenize(text, _TOKEN)])
        values = tuple(arithmetic(program, _numeral, _OPERATORS) for program in programs)
    except (NotAnExpressionError, UndefinedError):
        return None
    return values[0] if len(values) == 1 else values


def _programs(tokens: list[Token]) -> list[Program]:
    if not any(token.text in _SEPARATORS for token in tokens):
        return [_LatexParser(tokens).whole()]
    if tokens[0].text in ("[", "{") and tokens[-1].text == _CLOSERS[tokens[0].text]:
        tokens = tokens[1:-1]
    if not tokens or tokens[-1].text in _SEPARATORS:
        raise NotAnExpressionError("an item expected")
    return _LatexParser(tokens).listed(*_SEPARATORS)


def _numeral(text: str) -> float:
    digits, _, exponent = text.replace(",", "").partition("E")
    if len(digits) > _MAX_NUMERAL or len(exponent) > 4 or abs(int(exponent or "0")) > _MAX_NUMERAL:
        raise OverBudgetError(f"a numeral of {len(text)} characters")
    exact = Fraction(digits) * Fraction(10) ** int(exponent or "0")
    try:
        return exact.numerator if exact.denominator == 1 else exact.numerator / exact.denominator
    except OverflowError as error:
        raise UndefinedError from error


def _choose(n: float, k: float) -> float:
    if not (isinstance(n, int) and isinstance(k, int) and 0 <= k <= n <= _MAX_CHOICE):
        raise UndefinedError("not a number of choices")
    return math.comb(n, k)


_OPERATORS: Final = OPERATORS | {"product": operator.mul, "choose": _choose}
