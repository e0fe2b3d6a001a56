"""One small picture that stands alone: for the front page of the project, and beside the asset in Dagster.

`python -m pipelines.report.cover LAKE FILE` writes it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl

from pipelines.report.drawing.curves import RELIABILITY_AXES, reliability_panel
from pipelines.report.drawing.marks import Panel
from pipelines.report.model import Key
from pipelines.report.names import CONDITIONS, SERIES, SIGNALS, SOURCES, in_order, signal_name
from pipelines.report.page import SHAPES, TEMPLATES, environment
from pipelines.report.reading import Rows, read_lake
from warehouse.storage.layout import Lake

MOST: Final = 4
"""Models in the picture."""

_STEP: Final = RELIABILITY_AXES.width + 10
_NAME: Final = 34
"""Characters of a model's name that fit above its panel."""


@dataclass(frozen=True, slots=True)
class _Tile:
    x: float
    name: str
    panel: Panel


def cover(rows: Rows) -> str:
    """Return an SVG picture: the reliability diagrams of the first models on the first data set that has any.

    Without one, the picture says so.
    """
    frame = _first(rows.frame("reliability"))
    tiles = _tiles(frame)
    signals = in_order(frame["signal"], SIGNALS) if tiles else []
    legend = [Key(SERIES.get(signal, 0), signal_name(signal), line=True) for signal in signals]
    style = (TEMPLATES / "cover.css").read_text(encoding="utf-8")
    return environment().get_template("cover.svg.j2").render(
        title=_title(frame), tiles=tiles, legend=legend, style=style, shapes=SHAPES,
        width=max(_STEP * len(tiles), 2 * _STEP), height=RELIABILITY_AXES.height + 76, axes=RELIABILITY_AXES,
    )  # fmt: skip


def _first(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the first source, data set and condition."""
    for column, known in (("source", SOURCES), ("condition", CONDITIONS), ("dataset", ())):
        if frame.height:
            frame = frame.filter(pl.col(column) == in_order(frame[column], known)[0])
    return frame


def _tiles(frame: pl.DataFrame) -> list[_Tile]:
    tiles = []
    for number, model in enumerate(in_order(frame["model"])[:MOST]):
        own = frame.filter(pl.col("model") == model)
        signals = in_order(own["signal"], SIGNALS)
        drawn = reliability_panel({s: own.filter(pl.col("signal") == s) for s in signals}, {}, SERIES, signals)
        name = model if len(model) <= _NAME else f"{model[: _NAME - 1]}…"
        tiles.append(_Tile(number * _STEP, name, _bare(drawn)))
    return tiles


def _bare(panel: Panel) -> Panel:
    """Return a panel without the rows behind its marks, which only the page carries."""
    layers = [
        replace(layer, data={}, classes="", marks=[replace(mark, data={}, label="") for mark in layer.marks])
        for layer in panel.layers
    ]
    return replace(panel, layers=layers)


def _title(frame: pl.DataFrame) -> str:
    if frame.is_empty():
        return "This version holds no confidence that is a probability."
    source, dataset, condition = frame.select("source", "dataset", "condition").row(0)
    place = f"{SOURCES.get(source, source)}, {dataset}, {condition}"
    return f"{place}: how often is a model right when it says how sure it is?"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(cover(read_lake(Lake.at(sys.argv[1]))), encoding="utf-8", newline="\n")
