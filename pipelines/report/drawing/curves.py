"""Reliability diagrams and risk-coverage curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from pipelines.report.drawing.marks import Axes, Curve, Layer, Mark, Panel, polyline, whisker
from pipelines.report.drawing.numbers import shown
from pipelines.report.drawing.scale import Scale
from pipelines.report.drawing.thinning import kept_points

Frames = Mapping[str, pl.DataFrame]
"""Rows by signal."""

WIDTH: Final = 280.0
LEFT, RIGHT, TOP, FLOOR = 36.0, 270.0, 8.0, 212.0
BARS: Final = (218.0, 250.0)
X: Final = Scale(0, 1, LEFT, RIGHT)
Y: Final = Scale(0, 1, FLOOR, TOP)
UNIT_BOX: Final = (LEFT, TOP, RIGHT - LEFT, FLOOR - TOP)
BAR_ROOM: Final = 0.8
"""Share of a bin's width that its bars take."""

RELIABILITY_AXES: Final = Axes(
    WIDTH, 284, UNIT_BOX, [(x, label) for x, label in Scale(0, 1, LEFT, RIGHT).ticks()],
    Y.ticks(), "confidence, and rows a bin", "share right", polyline([(LEFT, FLOOR), (RIGHT, TOP)]),
)  # fmt: skip
RISK_AXES: Final = Axes(WIDTH, 250, UNIT_BOX, X.ticks(), Y.ticks(), "coverage: share answered", "share wrong")


def reliability_panel(bins: Frames, corp: Frames, series: Mapping[str, int], signals: Sequence[str]) -> Panel:
    """Return the diagram of one cell's signals: dots with whiskers, bars that count rows, and the CORP line."""
    most = max(row["n"] for frame in bins.values() for row in frame.select("n").iter_rows(named=True))
    layers = []
    for place, (signal, frame) in enumerate(bins.items()):
        width = 23.4 * BAR_ROOM / len(bins)
        marks = [_bin(row, most, place, width) for row in frame.iter_rows(named=True)]
        curves = [_corp(corp[signal])] if signal in corp else []
        layers.append(layer(signal, series, signals, marks=marks, curves=curves))
    note = (LEFT - 3, BARS[0] + 8, f"{most:,}")
    return Panel(
        RELIABILITY_AXES, layers, f"Reliability diagram of {_listed(bins)}: share right by confidence.", note=note
    )


def layer(signal: str, series: Mapping[str, int], signals: Sequence[str], **drawn: Any) -> Layer:  # noqa: ANN401
    """Return the marks of one signal, which its switch hides."""
    classes = f"signal signal{list(signals).index(signal)}"
    return Layer(series.get(signal, 0), {"signal": signal}, classes=classes, **drawn)


def _listed(frames: Frames) -> str:
    return ", ".join(frames)


def _bin(row: Mapping[str, Any], most: int, place: int, width: float) -> Mark:
    x, y = X.at(row["mean_confidence"]), Y.at(row["accuracy"])
    lo, hi = row["accuracy_lo"], row["accuracy_hi"]
    height = max(0.6, round((BARS[1] - BARS[0]) * row["n"] / most, 1))
    left = round(LEFT + 23.4 * (row["bin"] - 1 + (1 - BAR_ROOM) / 2) + place * width, 1)
    columns = ("bin", "n", "mean_confidence", "accuracy", "accuracy_lo", "accuracy_hi")
    return Mark(
        {name: row[name] for name in columns},
        f"n {row['n']:,}: sure {shown(row['mean_confidence'])}, right {shown(row['accuracy'])}",
        dot=(x, y),
        stroke="" if lo is None else whisker(x, Y.at(lo), Y.at(hi)),
        bar=(left, round(BARS[1] - height, 1), round(width, 1), height),
    )


def _corp(frame: pl.DataFrame) -> Curve:
    columns = ("confidence_lo", "confidence_hi", "fitted")
    values = list(frame.select(columns).iter_rows())
    points = [(X.at(x), Y.at(fitted)) for lo, hi, fitted in values for x in (lo, hi)]
    return Curve("corp", columns, values, polyline(points), "corp")


def risk_panel(curves: Frames, lines: Frames, series: Mapping[str, int], signals: Sequence[str]) -> Panel:
    """Return the risk-coverage curves of one cell's signals, with the oracle and the random line of each."""
    layers = []
    for signal, frame in curves.items():
        drawn = [_risk(frame)]
        if signal in lines:
            drawn += _references(lines[signal])
        layers.append(layer(signal, series, signals, curves=drawn))
    return Panel(RISK_AXES, layers, f"Risk-coverage curves of {_listed(curves)}: share wrong by share answered.")


def _risk(frame: pl.DataFrame) -> Curve:
    x, y = frame["coverage"].to_numpy(), frame["selective_risk"].to_numpy()
    kept = kept_points(x, y)
    values = np.column_stack([x[kept], y[kept]]).tolist()
    return Curve("risk_coverage", ("coverage", "selective_risk"), values, _path(values))


def _references(frame: pl.DataFrame) -> list[Curve]:
    x = frame["coverage"].to_numpy()
    found = []
    for column, style in (("oracle_risk", "oracle"), ("random_risk", "random")):
        y = frame[column].to_numpy()
        kept = kept_points(x, y)
        values = np.column_stack([x[kept], y[kept]]).tolist()
        found.append(Curve("risk_coverage_lines", ("coverage", column), values, _path(values), style))
    return found


def _path(values: Sequence[Sequence[float]]) -> str:
    return polyline([(X.at(x), Y.at(y)) for x, y in values])
