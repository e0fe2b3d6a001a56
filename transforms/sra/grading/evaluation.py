"""Running the programs of `expressions`: with Python's numbers, or exactly at chosen values of the symbols.

Numbers stay below a fixed size and every instruction counts against the program's length, so no program takes longer
than its text allows.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, TypeAlias, TypeGuard

from transforms.sra.grading.expressions import NotAnExpressionError, OverBudgetError, Program

MAX_BITS: Final = 4_096
_EXACT_BITS: Final = 1_024
_MAX_NUMERAL: Final = 400
_SMALL_BITS: Final = 64
_LARGEST_CHOICE: Final = 40
_LARGEST_FACTORIAL: Final = 170

Exact: TypeAlias = Fraction
Value: TypeAlias = Fraction | complex


class UndefinedError(ArithmeticError):
    """The expression has no value there: a pole, an overflow, a function outside its domain."""


# --- with Python's numbers ------------------------------------------------------------------------------------------


def read_numeral(text: str) -> float:
    """Return the number of a numeral as Python reads it: an `int` without point and exponent, else a float."""
    if len(text) > _MAX_NUMERAL:
        raise OverBudgetError(f"a numeral of {len(text)} characters")
    return int(text) if text.isdigit() else float(text)


def arithmetic(
    program: Program, numeral: Callable[[str], float], operators: Mapping[str, Callable[[float, float], float]]
) -> float:
    """Return what Python would compute: whole numbers stay whole, `/` gives a float.

    `numeral` reads a number; `operators` are those that count, `OPERATORS` or more. Raises NotAnExpressionError where
    there is more than these, signs and square roots, UndefinedError where there is no real value, OverBudgetError
    where a number grows too large.
    """
    stack: list[float] = []
    for kind, text in program:
        if kind == "number":
            stack.append(numeral(text))
        elif kind == "negative":
            stack[-1] = -stack[-1]
        elif kind == "call" and text == "sqrt":
            stack[-1] = _bounded(_python_power, stack[-1], 0.5)
        elif kind in operators:
            right = stack.pop()
            stack[-1] = _bounded(operators[kind], stack[-1], right)
        else:
            raise NotAnExpressionError("more than arithmetic")
    return stack.pop()


def _bounded(operation: Callable[[float, float], float], left: float, right: float) -> float:
    try:
        value = operation(left, right)
    except (ZeroDivisionError, OverflowError) as error:
        raise UndefinedError from error
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise OverBudgetError(f"a number of {value.bit_length()} bits")
    return value


def _python_power(base: float, exponent: float) -> float:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * exponent > MAX_BITS:
        raise OverBudgetError(f"a power of some {base.bit_length() * exponent} bits")
    value = base**exponent
    if isinstance(value, complex):
        raise UndefinedError("a complex number")
    return float(value) if isinstance(value, float) else value


OPERATORS: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": _python_power,
}


# --- exactly, at chosen values of the symbols -----------------------------------------------------------------------


def algebra(program: Program, symbols: Mapping[str, Exact]) -> Value:
    """Return an expression's value: a fraction as long as that is possible and small, else a complex float.

    Roots and powers take the principal branch. Raises UndefinedError, or OverBudgetError.
    """
    stack: list[Value] = []
    try:
        for kind, text in program:
            if kind == "number":
                stack.append(_exact_numeral(text))
            elif kind == "symbol":
                stack.append(symbols[text] if text in symbols else CONSTANTS[text])
            elif kind == "negative":
                stack[-1] = -stack[-1]
            elif kind == "call" and text in _ONE_ARGUMENT:
                stack[-1] = _settled(_ONE_ARGUMENT[text](stack[-1]))
            else:
                right = stack.pop()
                stack[-1] = _settled(_TWO_ARGUMENTS[kind if kind != "call" else text](stack[-1], right))
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise UndefinedError from error
    return stack.pop()


CONSTANTS: Final[dict[str, complex]] = {"pi": complex(math.pi), "E": complex(math.e), "I": 1j}


def _exact_numeral(text: str) -> Exact:
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > _MAX_NUMERAL or len(exponent) > 4 or abs(int(exponent or "0")) > _MAX_NUMERAL:
        raise OverBudgetError(f"a numeral of {len(text)} characters")
    return Fraction(text)


def _is_whole(value: Value) -> TypeGuard[Exact]:
    return isinstance(value, Fraction) and value.denominator == 1


def _bits(value: Exact) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _settled(value: Value) -> Value:
    """Give up exactness where a fraction grows too large; keep real values clear of the branch cut's lower side."""
    if isinstance(value, Fraction):
        if _bits(value) <= _EXACT_BITS:
            return value
        value = complex(value)
    if not cmath.isfinite(value):
        raise UndefinedError("not finite")
    return complex(value.real, value.imag + 0.0)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(base, Fraction) and _is_whole(exponent) and _bits(base) * abs(exponent) <= _EXACT_BITS:
        return base**exponent.numerator
    return complex(base) ** complex(exponent)


def _real(value: Value) -> float:
    if isinstance(value, complex) and value.imag != 0:
        raise UndefinedError("a real number is needed")
    return float(value.real)


def _floor(value: Value) -> Value:
    if isinstance(value, Fraction):
        return Fraction(math.floor(value))
    number = _real(value)
    if abs(number - round(number)) < 1e-9 * max(1.0, abs(number)):
        raise UndefinedError("too near a whole number to tell")
    return Fraction(math.floor(number))


def _ceiling(value: Value) -> Value:
    return -_floor(-value)


def _magnitude(value: Value) -> Value:
    return abs(value) if isinstance(value, Fraction) else complex(abs(value))


def _factorial(value: Value) -> Value:
    if _is_whole(value) and 0 <= value <= _LARGEST_FACTORIAL:
        return Fraction(math.factorial(value.numerator))
    return complex(math.gamma(_real(value) + 1.0))


def _choose(n: Value, k: Value) -> Value:
    if isinstance(n, Fraction) and _bits(n) <= _SMALL_BITS and _is_whole(k) and 0 <= k <= _LARGEST_CHOICE:
        chosen = Fraction(1)
        for i in range(k.numerator):
            chosen = chosen * (n - i) / (i + 1)
        return chosen
    return _factorial(n) / (_factorial(k) * _factorial(n - k))


_ONE_ARGUMENT: Final[dict[str, Callable[[Value], Value]]] = {
    "abs": _magnitude,
    "Abs": _magnitude,
    "ceil": _ceiling,
    "ceiling": _ceiling,
    "cos": cmath.cos,
    "exp": cmath.exp,
    "factorial": _factorial,
    "floor": _floor,
    "ln": cmath.log,
    "log": cmath.log,
    "sin": cmath.sin,
    "sqrt": cmath.sqrt,
    "tan": cmath.tan,
}
_TWO_ARGUMENTS: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "product": operator.mul,
    "^": _power,
    "C": _choose,
    "binomial": _choose,
}
