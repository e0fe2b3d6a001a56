"""Reliability diagrams and risk-coverage curves: a card a model, data set and condition of every source with cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from pipelines.report.drawing.curves import reliability_panel, risk_panel
from pipelines.report.drawing.marks import Panel
from pipelines.report.drawing.numbers import narrow, shown
from pipelines.report.model import CaptionRow, Card, Cell, Figure, Key, Section, Switch
from pipelines.report.names import CONDITIONS, SERIES, SIGNALS, SOURCES, in_order, signal_name
from pipelines.report.reading import Rows

Place = tuple[str, str, str]
"""(model, dataset, condition)."""

Parts = dict[Place, dict[str, pl.DataFrame]]
"""Rows by place and then by signal."""

LEAD: Final = (
    "Each card is one model on one data set under one condition. A colour, with its own dot and dash, is one signal. "
    "Nothing is pooled over cards."
)
THINNED: Final = (
    "Curves are thinned for the page: points are left out, none is moved, and the area below each curve stays the same "
    "within 0.0001. The dotted lines are the oracle's (rising) and the random order's (level)."
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the two figures: what draws a card, from which pictures, and what its caption says."""

    pictures: tuple[str, str, str]
    draw: Callable[[Mapping[str, pl.DataFrame], Mapping[str, pl.DataFrame], Mapping[str, int], Sequence[str]], Panel]
    head: tuple[str, ...]
    columns: tuple[tuple[str, bool], ...]
    notes: tuple[str, ...] = ()


_RELIABILITY: Final = _Kind(
    ("reliability", "corp", "calibration"), reliability_panel, ("ECE", "smooth", "Brier", "AUROC"),
    (("ece", True), ("smooth_ece", False), ("brier", True), ("auroc", True)),
    ("ECE: ten bins of equal width; smooth: smooth ECE; n: usable rows. Below each figure stands its 95 % interval.",),
)  # fmt: skip
_RISK: Final = _Kind(
    ("risk_coverage", "risk_coverage_lines", "risk_figures"), risk_panel, ("AURC", "above the oracle"),
    (("aurc", True), ("e_aurc", True)), (THINNED,),
)  # fmt: skip


def sources_with_cells(rows: Rows) -> list[str]:
    """Return the sources that have a cell, in the order of the page."""
    return in_order(rows.frame("risk_figures")["source"], SOURCES)


def calibration_section(rows: Rows, source: str) -> Section:
    """Return the reliability diagrams and the risk-coverage curves of one source, which has cells."""
    cells = rows.frame("risk_figures").filter(pl.col("source") == source)
    switches = _switches(cells)
    figures = [_figure(rows, source, cells, switches, kind) for kind in (_RELIABILITY, _RISK)]
    title = f"{SOURCES.get(source, source)}: does confidence mean what it says?"
    return Section(f"{source}-calibration", title, LEAD, figures, switches)


def _switches(cells: pl.DataFrame) -> list[Switch]:
    datasets, conditions = in_order(cells["dataset"]), in_order(cells["condition"], CONDITIONS)
    signals = in_order(cells["signal"], SIGNALS)
    return [
        Switch("dataset", "Data set", datasets, any_of=len(datasets) > 1),
        Switch("condition", "Condition", conditions, any_of=len(conditions) > 1),
        Switch("signal", "Signals", signals, many=True, shown=[signal_name(signal) for signal in signals]),
    ]


def _figure(rows: Rows, source: str, cells: pl.DataFrame, switches: Sequence[Switch], kind: _Kind) -> Figure:
    main, lines, captions = (_parts(rows.frame(name), source) for name in kind.pictures)
    cards = []
    for place in _places(cells, switches):
        caption = [_caption_row(signal, frame, switches[2], kind) for signal, frame in captions.get(place, {}).items()]
        drawn = main.get(place)
        panel = kind.draw(drawn, lines.get(place, {}), SERIES, switches[2].options) if drawn else None
        cards.append(_card(source, place, switches, panel, caption, kind))
    legend = [Key(SERIES.get(signal, 0), signal_name(signal), line=True) for signal in switches[2].options]
    return Figure(kind.pictures, cards=cards, legend=legend, notes=kind.notes)


def _places(cells: pl.DataFrame, switches: Sequence[Switch]) -> list[Place]:
    """Return every combination of the models, data sets and conditions that occur, with or without a cell."""
    datasets, conditions = switches[0].options, switches[1].options
    return [(m, d, c) for d in datasets for c in conditions for m in in_order(cells["model"])]


def _parts(frame: pl.DataFrame, source: str) -> Parts:
    found: Parts = {}
    keys = ("model", "dataset", "condition", "signal")
    chosen = frame.filter(pl.col("source") == source)
    signals = in_order(chosen["signal"].unique(), SIGNALS)
    parts = chosen.partition_by(*keys, as_dict=True, maintain_order=True)
    for model, dataset, condition, signal in sorted(parts, key=lambda key: signals.index(str(key[3]))):
        part = parts[model, dataset, condition, signal]
        found.setdefault((str(model), str(dataset), str(condition)), {})[str(signal)] = part
    return found


def _caption_row(signal: str, frame: pl.DataFrame, switch: Switch, kind: _Kind) -> CaptionRow:
    row = frame.row(0, named=True)
    cells = [_caption_cell(row, column, spread) for column, spread in kind.columns]
    data = {"signal": signal, "n": row["n"]}
    return CaptionRow(
        SERIES.get(signal, 0), signal_name(signal), f"n {row['n']:,}", cells, data, switch.classes(signal)
    )


def _caption_cell(row: Mapping[str, Any], column: str, spread: bool) -> Cell:
    lo, hi = (row[f"{column}{end}"] if spread else None for end in ("_lo", "_hi"))
    values = {column: row[column], f"{column}_lo": lo, f"{column}_hi": hi}
    data = {name: value for name, value in values.items() if value is not None}
    return Cell(shown(row[column]), data, narrow(lo, hi))


def _card(
    source: str,
    place: Place,
    switches: Sequence[Switch],
    panel: Panel | None,
    caption: Sequence[CaptionRow],
    kind: _Kind,
) -> Card:
    model, dataset, condition = place
    numbers = [list(switch.options).index(name) for switch, name in zip(switches, place[1:], strict=False)]
    return Card(
        title=model,
        subtitle=f"{dataset} · {condition}",
        data={"source": source, "model": model, "dataset": dataset, "condition": condition},
        classes=f"dataset dataset{numbers[0]} condition condition{numbers[1]}",
        panel=panel,
        absent="No signal here is a probability." if caption else "This version holds no confidence here.",
        head=kind.head,
        caption=caption,
        caption_picture=kind.pictures[2],
    )
