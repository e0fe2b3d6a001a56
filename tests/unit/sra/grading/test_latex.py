"""LaTeX arithmetic: what has a number, what is a list, what has neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.sra.grading.expressions import OverBudgetError
from transforms.sra.grading.latex import read_latex


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("2.0", 2),
        ("-2.50", -2.5),
        (".5", 0.5),
        ("11,760.00", 11760),
        ("1,2345", 1234 * 5),
        ("1.2E3", 1200),
        ("1.2E-1", 0.12),
        ("\\frac{54}{3}", 18.0),
        ("\\dfrac{1}{2} + \\tfrac{1}{4}", 0.75),
        ("-\\frac{1}{2}", -0.5),
        ("2 \\cdot 3 \\times 4", 24),
        ("9 \\div 2", 4.5),
        ("9:2", 4.5),
        ("2^{10}", 1024),
        ("2^10", 1024),
        ("2^3^2", 64),
        ("-2^2", -4),
        ("10^{-3}", 0.001),
        ("1/2(4)", 0.125),
        ("2(3)[4]{5}", 120),
        ("\\left( 1 + 2 \\right)", 3),
        ("\\bigl(1\\bigr)\\,2", 2),
        ("3~\\quad4", 12),
        ("\\binom{5}{2}", 10),
        ("[2]", 2),
        ("[0, 5]", (0, 5)),
        ("\\{1.5; -2\\}", (1.5, -2)),
        ("{1, 2}", (1, 2)),
        ("1, 2, 3", (1, 2, 3)),
    ],
)
def test_what_has_a_value(text: str, value: float | tuple[float, ...]) -> None:
    found = read_latex(text)
    assert (found, str(found)) == (value, str(value))


@pytest.mark.parametrize(
    "text",
    [
    "", "x", "3e2", "1.", "1..2", "(0, 5)", "(1", "[1)", "\\frac{1}", "\\frac12", "\\frac{1}{0}", "10^-3", "2**3", "5!",
     "[1, ]", "[,1]", "1,", "[]", "\\sqrt{4}", "\\fracx{1}{2}", "5\\%", "|3|", "\\boxed{5}", "1 2]", "inf", "True",
     "\\binom{2}{5}", "\\binom{2.5}{1}", "\\binom{2000}{3}", "(-8)^{1/3}", "1E400/3", "1 + ", "5 \\text{cm}",
     "[1, 2], 3",
    ],
)  # fmt: skip
def test_what_has_none(text: str) -> None:
    assert read_latex(text) is None


def test_a_numeral_too_large_for_a_float_is_none() -> None:
    assert read_latex("9" * 350 + ".5") is None
    assert read_latex("9" * 350 + ".0") == int("9" * 350)


@pytest.mark.parametrize("text", ["9^{9^{9}}", "1E401", "1E-99999999", "1" * 401, "{" * 41 + "1", "1+" * 200 + "1"])
def test_what_is_too_much(text: str) -> None:
    with pytest.raises(OverBudgetError):
        read_latex(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimal_numerals_are_the_floats_they_spell(value: float) -> None:
    text = f"{value:.6f}"
    if len(text) <= 60:
        assert read_latex(text) == float(text)
