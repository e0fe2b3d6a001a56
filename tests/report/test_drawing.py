"""Where marks stand, what ticks say, and what thinning keeps."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.report.drawing.curves import X, Y, reliability_panel
from pipelines.report.drawing.marks import polyline
from pipelines.report.drawing.numbers import exact, interval, narrow, shown
from pipelines.report.drawing.scale import Scale, domain
from pipelines.report.drawing.strips import Column, Entry, scale_of, strip
from pipelines.report.drawing.thinning import DEVIATION, TOLERANCE, kept_points

FINITE = st.floats(-1e6, 1e6)


def test_a_scale_maps_its_ends_and_keeps_what_is_outside_at_the_edge() -> None:
    scale = Scale(-1, 1, 0, 200)
    assert [scale.at(value) for value in (-1, 0, 0.5, 1, 7, -7)] == [0, 100, 150, 200, 200, 0]
    assert Scale(0, 1, 100, 0).at(0.25) == 75


def test_ticks_are_round_and_have_a_true_minus() -> None:
    assert [label for _x, label in Scale(-0.2, 0.4, 0, 100).ticks(3)] == ["−0.2", "0", "0.2", "0.4"]
    assert [label for _x, label in Scale(0, 1, 0, 100).ticks()] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]


@given(st.lists(FINITE | st.none(), max_size=20))
def test_a_domain_holds_every_value(values: list[float | None]) -> None:
    lo, hi = domain(values)
    assert lo < hi
    span = hi - lo
    assert all(lo - 1e-6 * span <= value <= hi + 1e-6 * span for value in values if value is not None)
    assert Scale(lo, hi, 0, 100).ticks()


def test_numbers_for_eyes() -> None:
    assert shown(None) == shown(math.nan) == "–"
    assert shown(-0.00001) == "0.000"
    assert shown(-1.5) == "−1.500"
    assert interval(-0.1, 0.2) == "−0.100 to 0.200"
    assert interval(None, 0.2) == narrow(0.1, None) == ""
    assert narrow(0.123, 0.456) == "0.12–0.46"
    assert narrow(-0.123, 0.456) == "−0.12 to 0.46"


@given(st.floats(-1e9, 1e9))
def test_numbers_to_compare_with(value: float) -> None:
    assert math.isclose(float(exact(value)), value, rel_tol=0, abs_tol=1e-10)


def test_values_that_are_no_numbers() -> None:
    assert [exact(value) for value in (True, False, 12, "x")] == ["true", "false", "12", "x"]


def test_dots_whiskers_and_bars_stand_where_the_row_says() -> None:
    row = {"bin": 3, "n": 40, "mean_confidence": 0.25, "accuracy": 0.5, "accuracy_lo": 0.4, "accuracy_hi": 0.75}
    frame = pl.DataFrame([row, row | {"bin": 9, "n": 10, "accuracy_lo": None, "accuracy_hi": None}])
    panel = reliability_panel({"tf": frame}, {}, {"tf": 2}, ["tf"])
    first, second = panel.layers[0].marks
    assert first.data == row
    assert first.dot == (X.at(0.25), Y.at(0.5))
    assert f"{Y.at(0.4):g}V{Y.at(0.75):g}" in first.stroke
    assert second.stroke == ""
    assert first.bar
    assert second.bar
    assert math.isclose(first.bar[3], 4 * second.bar[3])
    assert X.at(0.2) <= first.bar[0] <= X.at(0.3)


def test_a_strip_has_a_line_an_entry() -> None:
    column = Column("auroc", "AUROC", 0.5)
    rows: list[dict[str, float | None]] = [
        {"auroc": 0.7, "auroc_lo": 0.6, "auroc_hi": 0.8, "n": 5},
        {"auroc": None, "auroc_lo": None, "auroc_hi": None, "n": 0},
    ]
    scale = scale_of(rows, [column])
    entries = [Entry(number, {"span": str(number)}, row, ("n",), coloured=True) for number, row in enumerate(rows)]
    layers, texts, height = strip(entries, column, scale, first=True)
    assert scale.lo <= 0.5
    assert scale.hi >= 0.8
    assert [text for _series, text in texts] == ["0.700 (0.600 to 0.800)", "–"]
    assert layers[0].marks[0].dot == (scale.at(0.7), height / 4)
    assert layers[1].marks[0].dot is None
    assert layers[0].marks[0].data == rows[0]
    assert "n" not in strip(entries, column, scale, first=False)[0][0].marks[0].data


def test_a_line_does_not_stand_still() -> None:
    assert polyline([(0, 0), (0, 0), (1, 2.5)]) == "M0 0L1 2.5"
    assert polyline([]) == ""


@given(st.integers(1, 400), st.integers(0, 2**32 - 1))
def test_thinning_keeps_ends_area_and_shape(size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    wrong = random.random(size) < random.random()
    x = np.arange(1, size + 1) / size
    y = np.cumsum(wrong) / np.arange(1, size + 1)
    kept = kept_points(x, y)
    assert {0, size - 1} <= set(kept.tolist())
    area = float(np.trapezoid(y[kept], x[kept])) - float(np.trapezoid(y, x))
    assert abs(area) <= TOLERANCE + 1e-12
    assert float(np.abs(np.interp(x, x[kept], y[kept]) - y).max()) <= DEVIATION + 1e-12


def test_thinning_leaves_out_most_of_a_long_curve() -> None:
    x = np.linspace(0, 1, 10_000)
    assert len(kept_points(x, x**2)) < 60
    assert kept_points(x, np.full(10_000, 0.5)).tolist() == [0, 9_999]
    assert kept_points(np.array([0.5]), np.array([0.1])).tolist() == [0]


@pytest.mark.parametrize("count", [2, 3])
def test_few_points_are_all_kept_where_they_matter(count: int) -> None:
    x = np.linspace(0, 1, count)
    y = np.array([0.0, 1.0, 0.0])[:count]
    assert len(kept_points(x, y)) == count
