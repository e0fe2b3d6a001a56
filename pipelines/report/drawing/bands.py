"""Lines over a common axis, with a band where they have an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipelines.report.drawing.marks import Axes, Curve, Layer, Panel, polyline
from pipelines.report.drawing.scale import Scale, domain

BOX: Final = (44.0, 8.0, 316.0, 204.0)
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its series and keys, the rows in order of x, and the columns of y and of the band's ends."""

    series: int
    data: Mapping[str, object]
    rows: Rows
    y: str
    ends: tuple[str, str] | None = None


def lines_panel(picture: str, lines: Sequence[Line], x: str, names: tuple[str, str], label: str) -> Panel:
    """Return a panel of lines with one pair of axes that holds all of them; `names` are those of the axes."""
    ys = [row[c] for line in lines for row in line.rows for c in (line.y, *(line.ends or ()))]
    xs = [row[x] for line in lines for row in line.rows]
    across = Scale(*domain(xs), BOX[0], BOX[0] + BOX[2])
    up = Scale(*domain(ys, include=0.0), BOX[1] + BOX[3], BOX[1])
    axes = Axes(370, 250, BOX, across.ticks(), up.ticks(), *names)
    return Panel(axes, [_layer(picture, line, x, across, up) for line in lines], label)


def _layer(picture: str, line: Line, x: str, across: Scale, up: Scale) -> Layer:
    def curve(columns: Sequence[str], path: str, style: str) -> Curve:
        kept = [row for row in line.rows if all(row[column] is not None for column in columns)]
        return Curve(picture, columns, [[row[column] for column in columns] for row in kept], path, style)

    def points(column: str) -> list[tuple[float, float]]:
        return [(across.at(row[x]), up.at(row[column])) for row in line.rows if row[column] is not None]

    drawn = [curve([x, line.y], polyline(points(line.y)), "line")]
    if line.ends and points(line.ends[0]):
        band = polyline([*points(line.ends[0]), *reversed(points(line.ends[1]))])
        drawn.insert(0, curve([x, *line.ends], f"{band}Z", "band"))
    return Layer(line.series, line.data, curves=drawn)
