"""The question the data set was made for: does confidence move with accuracy when a skill is supplied?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import polars as pl

from pipelines.report.drawing.marks import Axes, Layer, Mark, Panel, lying_whisker, polyline, whisker
from pipelines.report.drawing.numbers import shown
from pipelines.report.drawing.scale import Scale, domain
from pipelines.report.drawing.strips import Column
from pipelines.report.model import Card, Figure, Section, Switch
from pipelines.report.names import SIGNALS, in_order, signal_name
from pipelines.report.reading import Row, Rows
from pipelines.report.sections.forest import Forest, forest

_FOREST: Final = Forest(
    [
        Column("d_accuracy", "change in accuracy", 0.0),
        Column("d_confidence", "change in confidence", 0.0),
        Column("d_bias", "change in bias", 0.0),
    ],
    name="model", group="dataset", extras=("n_pairs",), shared=True,
)  # fmt: skip
_ENTROPY: Final = Forest(
    [Column("d_confidence", "change in minus the mean entropy [nats]", 0.0)],
    name="dataset", group="model", details=("contrast",), series="signal",
    series_of={"entropy_whole": 3, "entropy_answer": 4, "entropy_numeric": 5}, extras=("n_pairs",), own_axes=True,
)  # fmt: skip
_CHANGES: Final = [f"d_{name}{end}" for name in ("accuracy", "confidence") for end in ("", "_lo", "_hi")]
_LEAD: Final = (
    "Every question that was asked with and without a skill is a pair. A model that knows what it knows grows surer by "
    "as much as it gets better: change in confidence equals change in accuracy, and bias stays."
)


def effect_section(rows: Rows) -> Section | None:
    """Return what a skill changes, as a forest plot and as dots; None where nothing was asked both ways."""
    frame = rows.frame("skill_effect")
    if frame.is_empty():
        return None
    signals = in_order(frame["signal"], SIGNALS)
    switches = [
        Switch("signal", "Signal", signals, shown=[signal_name(signal) for signal in signals]),
        Switch("contrast", "Contrast", in_order(frame["contrast"], ("llm_select - direct",))),
    ]
    figures = [
        Figure(("skill_effect",), strips=forest(frame, _FOREST, switches)),
        Figure(("skill_effect_dots",), cards=_dots(rows.frame("skill_effect_dots"), switches),
               notes=("Numbers beside the dots are the models, in the order of the names below each card.",)),
    ]  # fmt: skip
    return Section(
        "sra-effect", "SRA: does confidence move with accuracy when a skill is supplied?", _LEAD, figures, switches
    )


def entropy_effect(rows: Rows) -> Figure | None:
    """Return the change in entropy, each model on axes of its own; None where there are no entropies."""
    frame = rows.frame("skill_effect_entropy")
    return None if frame.is_empty() else Figure(("skill_effect_entropy",), strips=forest(frame, _ENTROPY))


def _dots(frame: pl.DataFrame, switches: Sequence[Switch]) -> list[Card]:
    """Return a card a data set, signal and contrast: accuracy change across, confidence change up, a dot a model.

    Cards of one signal and contrast, which are seen together, share their axes.
    """
    models = in_order(frame["model"])
    cards = []
    for seen in frame.partition_by("signal", "contrast", maintain_order=True):
        span = domain([value for column in _CHANGES for value in seen[column]], include=0.0)
        cards += [
            _dots_card(part, models, span, switches) for part in seen.partition_by("dataset", maintain_order=True)
        ]
    return cards


def _dots_card(
    part: pl.DataFrame, models: Sequence[str], span: tuple[float, float], switches: Sequence[Switch]
) -> Card:
    keys = part.select("dataset", "signal", "contrast").row(0, named=True)
    place = f"{signal_name(keys['signal'])} · {keys['contrast']}"
    layers = []
    for row in part.iter_rows(named=True):
        number = models.index(row["model"])
        layers.append(Layer(series_of(number, models), {"model": row["model"]}, [_dot(row, number + 1, span)]))
    names = ", ".join(f"{models.index(model) + 1} {model}" for model in part["model"])
    label = f"Change in confidence against change in accuracy on {keys['dataset']}, {place}."
    classes = f"{switches[0].classes(keys['signal'])} {switches[1].classes(keys['contrast'])}"
    return Card(keys["dataset"], place, keys, classes, Panel(_axes(span), layers, label), foot=names)


def series_of(number: int, models: Sequence[str]) -> int:
    """Return a model's series: its own where there are as many series as models, else the first for all."""
    return number if len(models) <= 6 else 0


def _axes(span: tuple[float, float]) -> Axes:
    (lo, hi), (x, y) = span, _scales(span)
    guide = polyline([(x.at(lo), y.at(lo)), (x.at(hi), y.at(hi))])
    box = (44.0, 8.0, 226.0, 204.0)
    return Axes(280, 250, box, x.ticks(), y.ticks(), "change in accuracy", "change in confidence", guide)


def _scales(span: tuple[float, float]) -> tuple[Scale, Scale]:
    return Scale(*span, 44, 270), Scale(*span, 212, 8)


def _dot(row: Row, number: int, span: tuple[float, float]) -> Mark:
    across, up = _scales(span)
    data: dict[str, Any] = {column: row[column] for column in _CHANGES}
    if row["d_accuracy"] is None or row["d_confidence"] is None:
        return Mark(data, "")
    x, y = across.at(row["d_accuracy"]), up.at(row["d_confidence"])
    stroke = ""
    if row["d_accuracy_lo"] is not None:
        stroke += lying_whisker(y, across.at(row["d_accuracy_lo"]), across.at(row["d_accuracy_hi"]))
    if row["d_confidence_lo"] is not None:
        stroke += whisker(x, up.at(row["d_confidence_lo"]), up.at(row["d_confidence_hi"]))
    words = f"{row['model']}: accuracy {shown(row['d_accuracy'])}, confidence {shown(row['d_confidence'])}"
    return Mark(data, words, dot=(x, y), stroke=stroke, text=str(number))
