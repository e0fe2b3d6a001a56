"""The parser and both ways to run its programs, against Python's own arithmetic and known identities."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.sra.grading.equality import MIN_POINTS, SIGNS, same_value
from transforms.sra.grading.evaluation import (
    MAX_BITS,
    OPERATORS,
    UndefinedError,
    algebra,
    arithmetic,
    read_numeral,
)
from transforms.sra.grading.expressions import (
    MAX_CHARS,
    MAX_DEPTH,
    MAX_TOKENS,
    NotAnExpressionError,
    OverBudgetError,
    Program,
    parser,
)


def _program(text: str) -> Program:
    return parser(text).whole()


def _same(left: str, right: str) -> bool:
    return same_value(_program(left), _program(right))


numerals = st.sampled_from(["0", "1", "2", "3", "7", "12", "0.5", "2.25", ".5", "1e2", "10"])
sums = st.recursive(
    numerals,
    lambda inner: (
        st.builds("{}{}{}".format, inner, st.sampled_from(["+", "-", "*", "/", " - ", "**2*", "+-"]), inner)
        | st.builds("({})".format, inner)
        | st.builds("-{}".format, inner)
    ),
    max_leaves=8,
)


@given(sums)
def test_arithmetic_is_pythons(text: str) -> None:
    try:
        expected = eval(text)
    except (ZeroDivisionError, OverflowError):
        with pytest.raises(UndefinedError):
            arithmetic(_program(text), read_numeral, OPERATORS)
        return
    found = arithmetic(_program(text), read_numeral, OPERATORS)
    assert (type(found), repr(found)) == (type(expected), repr(expected))


@given(sums)
def test_algebra_is_exact(text: str) -> None:
    try:
        expected = eval("".join(_exactly(text)), {"F": Fraction})
    except ZeroDivisionError:
        with pytest.raises(UndefinedError):
            algebra(_program(text), {})
        return
    assert algebra(_program(text), {}) == expected


def _exactly(text: str) -> list[str]:
    """Write every numeral as a fraction, but for the exponent."""
    pieces: list[str] = []
    number = ""
    for character in text + " ":
        if character.isdigit() or character in ".e":
            number += character
            continue
        if number:
            pieces.append(number if number == "2" and pieces[-2:] == ["*", "*"] else f"F('{number}')")
            number = ""
        pieces.append(character)
    return pieces


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("2^(n-1)", "2^n/2"),
        ("n!", "n(n-1)!"),
        ("C(n, k)", "n!/(k!(n-k)!)"),
        ("binomial(n+1, 2)", "n(n+1)/2"),
        ("C", "1*C"),
        ("(-1)^(n+1)", "-(-1)^n"),
        ("sqrt(2)*sqrt(8)", "4"),
        ("ln(x)", "log(x)"),
        ("exp(x)", "E^x"),
        ("sin(x)^2 + cos(x)^2", "1"),
        ("tan(x)", "sin(x)/cos(x)"),
        ("I^2", "-1"),
        ("2 pi r", "2*r*pi"),
        ("a_1 b", "b a_1"),
        ("theta/2", "0.5theta"),
        ("floor(n/2)", "-ceil(-n/2)"),
        ("ceiling(x)", "floor(x)+1"),
        ("floor(sqrt(5))", "2"),
        ("abs(x)", "Abs(-x)"),
        ("factorial(5)", "5!"),
        ("-2^2", "0-4"),
        ("2^3^2", "512"),
        ("2^-1", "1/2"),
        ("--2", "+2"),
        ("1/2n", "n/2"),
        ("C(41.5, 2)", "41.5*40.5/2"),
        ("2^500", "4^250"),
        ("(20*10^15-2)/17", "1176470588235294"),
    ],
)
def test_the_same_expression(left: str, right: str) -> None:
    assert _same(left, right)
    assert _same(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sqrt(x^2)", "x"),
        ("(x*y)^a", "x^a*y^a"),
        ("n", "N"),
        ("2n!", "2(n!)"),
        ("n^2", "2^n"),
        ("87", "87.0001"),
        ("1176470588235294", "1176470588235295"),
        ("x+y", "x+z"),
        ("1/(x-x)", "1/(x-x)"),
        ("1/0", "1/0"),
        ("0^-1", "0^-1"),
        ("log(0)", "log(0)"),
        ("exp(700)*exp(700)", "exp(700)*exp(700)"),
        ("(-1)!", "(-1)!"),
        ("10^400*1.5^n", "10^400*1.5^n"),
        ("floor(sqrt(4))", "2"),
        ("I!", "I!"),
    ],
)
def test_not_the_same_expression_or_no_value(left: str, right: str) -> None:
    assert not _same(left, right)


@pytest.mark.parametrize(
    "text",
    ["", "(", ")", "1+", "*1", "1,2", "C(1)", "C(1,2,3)", "sqrt", "sqrt 3", "sqrt(1", "sqrt()", "x = 1", "[1]", "$1$",
     "\\frac{1}{2}", "increasing", "1 and 3", "±1", "−1", "n²", "x(…)", "!", "%"],
)  # fmt: skip
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(NotAnExpressionError):
        _program(text)


@pytest.mark.parametrize(
    "text", ["n" * (MAX_CHARS + 1), "+1" * (MAX_TOKENS // 2 + 1), "(" * (MAX_DEPTH + 1) + "1", "2^" * 50 + "2"]
)
def test_what_is_too_much_to_read(text: str) -> None:
    with pytest.raises(OverBudgetError):
        _program(text)


def test_what_is_just_not_too_much() -> None:
    assert len(_program("n" + "+n" * (MAX_TOKENS // 2 - 1))) < 2 * MAX_TOKENS
    assert _same("(" * (MAX_DEPTH - 1) + "1" + ")" * (MAX_DEPTH - 1), "1")


@pytest.mark.parametrize("text", ["9**9**9**9", "2^4097", "(2^2000)^3", "2^2000*2^2000*2^200"])
def test_what_is_too_much_to_compute(text: str) -> None:
    with pytest.raises(OverBudgetError):
        arithmetic(_program(text), read_numeral, OPERATORS)


def test_a_numeral_too_long() -> None:
    with pytest.raises(OverBudgetError):
        read_numeral("1" * 401)
    assert read_numeral("1" * 400) == int("1" * 400)


@pytest.mark.parametrize("text", ["1/0", "0^-1", "(-8)^(1/3)", "sqrt(-1)", "10.0^400", "2^2000/3", "sqrt(2^2000)"])
def test_what_has_no_number(text: str) -> None:
    with pytest.raises(UndefinedError):
        arithmetic(_program(text), read_numeral, OPERATORS)


@pytest.mark.parametrize("text", ["n", "2(3)", "3!", "C(5, 2)", "sin(1)", "pi"])
def test_what_is_more_than_arithmetic(text: str) -> None:
    with pytest.raises(NotAnExpressionError):
        arithmetic(_program(text), read_numeral, OPERATORS)


@given(st.text(alphabet="0123456789+-*/^()n!, .eCsqrt", max_size=60))
def test_numbers_stay_small_and_programs_short(text: str) -> None:
    try:
        program = _program(text)
        value = arithmetic(program, read_numeral, OPERATORS)
    except (NotAnExpressionError, OverBudgetError, UndefinedError):
        return
    assert len(program) < 2 * MAX_TOKENS
    assert not isinstance(value, int) or value.bit_length() <= MAX_BITS


def test_numerals_too_long_for_exact_values() -> None:
    for text in ("1e401", "1e-99999", "1e99999999999"):
        with pytest.raises(OverBudgetError):
            algebra(_program(text), {})
    assert algebra(_program("1e400/1e399"), {}) == pytest.approx(10)


def test_few_points_are_enough_only_if_they_have_values(monkeypatch: pytest.MonkeyPatch) -> None:
    program, seen = _program("n"), []

    def counted(_program: Program, point: dict[str, Fraction]) -> Fraction:
        seen.append(point)
        if len(seen) > 2 * (MIN_POINTS - 1):
            raise UndefinedError
        return Fraction(1)

    monkeypatch.setattr("transforms.sra.grading.equality.algebra", counted)
    assert not same_value(program, program)
    assert len(seen) <= 2 * len(SIGNS)


def test_points_are_distinct_and_never_whole() -> None:
    seen: list[dict[str, Fraction]] = []

    def record(_program: Program, point: dict[str, Fraction]) -> Fraction:
        seen.append(point)
        return Fraction(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("transforms.sra.grading.equality.algebra", record)
        assert same_value(_program("a+b+c+d"), _program("a"))
    points = seen[::2]
    assert len(points) == len(SIGNS)
    assert len({tuple(point.values()) for point in points}) == len(SIGNS)
    assert all(len(set(point.values())) == 4 for point in points)
    assert all(value.denominator > 1 for point in points for value in point.values())
    assert any(math.prod(point.values()) < 0 for point in points)
