"""What a picture is made of. Every mark carries the row it stands for, so that a page can be checked against SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Data = Mapping[str, object]
"""Columns of the row a mark stands for, and their values: `data-*` attributes on the page."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One row, drawn: a dot, a whisker or another stroke, a bar; `label` is what a pointer resting on it reads."""

    data: Data
    label: str
    dot: tuple[float, float] | None = None
    stroke: str = ""
    bar: tuple[float, float, float, float] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Many rows of one series, drawn as one path: `columns` names what each tuple of `values` holds."""

    picture: str
    columns: Sequence[str]
    values: Sequence[Sequence[float]]
    path: str
    style: str = "line"


@dataclass(frozen=True, slots=True)
class Layer:
    """The marks of one series, which is told by colour, by the shape of its dots and by the dashes of its lines."""

    series: int
    data: Data
    marks: Sequence[Mark] = ()
    curves: Sequence[Curve] = ()
    classes: str = ""


@dataclass(frozen=True, slots=True)
class Axes:
    """Frame, grid, ticks and names of the two axes; pictures that share one draw it once."""

    width: float
    height: float
    box: tuple[float, float, float, float]
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    x_name: str
    y_name: str
    guide: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture with two axes. `label` is the text a person who does not see it gets."""

    axes: Axes
    layers: Sequence[Layer]
    label: str
    data: Data = field(default_factory=dict)
    note: tuple[float, float, str] | None = None


def polyline(points: Sequence[tuple[float, float]]) -> str:
    """Return a path through pixels; points that fall on the one before are left out."""
    kept = [point for n, point in enumerate(points) if n == 0 or point != points[n - 1]]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in kept) if kept else ""


def whisker(x: float, low: float, high: float) -> str:
    """Return an upright interval with caps."""
    return f"M{x:g} {low:g}V{high:g}M{x - 2:g} {low:g}h4M{x - 2:g} {high:g}h4"


def lying_whisker(y: float, left: float, right: float) -> str:
    """Return a lying interval with caps."""
    return f"M{left:g} {y:g}H{right:g}M{left:g} {y - 2.5:g}v5M{right:g} {y - 2.5:g}v5"
