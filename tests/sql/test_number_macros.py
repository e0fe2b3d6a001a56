"""Distributions and sums that SQL lacks, against scipy and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from tests.sql.database import Connection, one, put
from tests.sql.made import (
    CLOSE,
    UNHURRIED,
)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 8, 30, 222, 999, 1000, 1001, 2829, 20_000])
def test_students_t(db: Connection, degrees: int) -> None:
    found = one(db, f"SELECT t_q975({degrees}) AS q, student_p(2.1, {degrees}) AS p, student_p(-0.3, {degrees}) AS far")
    assert found["q"] == pytest.approx(float(stats.t.ppf(0.975, degrees)), abs=CLOSE)
    assert found["p"] == pytest.approx(2 * float(stats.t.sf(2.1, degrees)), abs=CLOSE)
    assert found["far"] == pytest.approx(2 * float(stats.t.sf(0.3, degrees)), abs=CLOSE)
    assert one(db, "SELECT t_q975(0) AS q, student_p(1, 0) AS p, student_p(NULL, 3) AS n") == dict.fromkeys("qpn")


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 10, 25])
@pytest.mark.parametrize("x", [0.0, 0.3, 2.0, 11.5, 80.0])
def test_chi_squared(db: Connection, degrees: int, x: float) -> None:
    found = one(db, f"SELECT chi_squared_p({x}, {degrees}) AS p")["p"]
    assert found == pytest.approx(float(stats.chi2.sf(x, degrees)), abs=CLOSE)


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.4, 1.0, 1.999, 2.0, 3.5, 6.0, 20.0])
def test_the_normal_tail(db: Connection, x: float) -> None:
    assert one(db, f"SELECT erfc({x}) AS p")["p"] == pytest.approx(float(special.erfc(x)), rel=1e-12)
    assert one(db, f"SELECT normal_p(-{x}) AS p")["p"] == pytest.approx(2 * float(stats.norm.sf(x)), rel=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (0, 1), (3, 12), (6, 12), (5, 11), (1, 400), (1300, 2830), (2830, 2830)])
def test_the_sign_test(db: Connection, k: int, n: int) -> None:
    right = float(stats.binomtest(k, n, 0.5).pvalue) if n else 1.0
    assert one(db, f"SELECT sign_test_p({k}, {n}) AS p")["p"] == pytest.approx(right, abs=CLOSE)


@UNHURRIED
@given(values=st.lists(st.floats(-30, 30), min_size=1, max_size=50))
def test_sums_are_exact(db: Connection, values: list[float]) -> None:
    frame: dict[str, Any] = {"x": values}
    put(db, "numbers", pl.DataFrame(frame))
    found = one(db, "SELECT exact_sum(x) AS exact, ordered_sum(x) AS ordered, ordered_mean(x) AS mean FROM numbers")
    total = float(sum(Fraction(v) for v in values))
    assert found["exact"] == pytest.approx(total, abs=1e-27 * len(values), rel=2e-16)
    assert found["ordered"] == pytest.approx(total, abs=1e-12)
    assert found["mean"] == pytest.approx(total / len(values), abs=CLOSE)
