"""Forest plots: intervals on short axes, whose names and numbers are text beside them and so wrap and never overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipelines.report.drawing.marks import Layer, Mark, lying_whisker
from pipelines.report.drawing.numbers import interval, shown
from pipelines.report.drawing.scale import Scale, domain

LEFT: Final = 8.0
RIGHT: Final = 232.0
STEP: Final = 15.0


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of a forest plot: the column of its value, of its interval's ends, and the value to read it against."""

    figure: str
    name: str
    reference: float | None = None
    ends: tuple[str, str] | None = None

    @property
    def lo(self) -> str:
        """The column of the lower end."""
        return self.ends[0] if self.ends else f"{self.figure}_lo"

    @property
    def hi(self) -> str:
        """The column of the upper end."""
        return self.ends[1] if self.ends else f"{self.figure}_hi"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a query inside a row of a forest plot: its series, and what the page says it is of."""

    series: int
    data: Mapping[str, object]
    row: Mapping[str, Any]
    extras: Sequence[str] = ()
    coloured: bool = False


def scale_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> Scale:
    """Return the scale that holds every value and interval of some columns."""
    names = [name for column in columns for name in (column.figure, column.lo, column.hi)]
    values = [row.get(name) for row in rows for name in names]
    known = [value for value in values if value is not None]
    references = [column.reference for column in columns if column.reference is not None]
    lo, hi = domain([*known, *references], count=12)
    return Scale(lo, hi, LEFT, RIGHT)


def strip(
    entries: Sequence[Entry], column: Column, scale: Scale, *, first: bool
) -> tuple[list[Layer], list[tuple[int | None, str]], float]:
    """Return one cell of a forest plot: a layer an entry, one below the other, their texts, and the height.

    What else the page says of a row stands in its `first` cell alone.
    """
    layers, texts = [], []
    for place, entry in enumerate(entries):
        y = STEP * place + STEP / 2
        layers.append(Layer(entry.series, entry.data, [_mark(entry, column, scale, y, first=first)]))
        text = _text(entry.row, column)
        texts.append((entry.series if entry.coloured else None, text))
    return layers, texts, STEP * len(entries)


def _text(row: Mapping[str, Any], column: Column) -> str:
    ends = interval(row.get(column.lo), row.get(column.hi))
    return f"{shown(row[column.figure])} ({ends})" if ends else shown(row[column.figure])


def _mark(entry: Entry, column: Column, scale: Scale, y: float, *, first: bool) -> Mark:
    row = entry.row
    names = [name for name in (column.figure, column.lo, column.hi, *(entry.extras if first else ())) if name in row]
    value, lo, hi = (row.get(name) for name in (column.figure, column.lo, column.hi))
    return Mark(
        {name: row[name] for name in names},
        "",
        dot=None if value is None else (scale.at(value), y),
        stroke="" if lo is None or hi is None else lying_whisker(y, scale.at(lo), scale.at(hi)),
    )
