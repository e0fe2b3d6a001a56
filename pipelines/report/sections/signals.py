"""What stands behind SRA's signals: entropy by span, the order of the A/B probe, and cap-repaired rollouts."""

from __future__ import annotations

from typing import Final

from pipelines.report.drawing.strips import Column
from pipelines.report.model import Figure, Key, Section, Switch
from pipelines.report.names import CONDITIONS, SIGNALS, in_order, signal_name
from pipelines.report.reading import Rows
from pipelines.report.sections.effect import entropy_effect
from pipelines.report.sections.forest import Forest, forest

_SPANS: Final = {"whole": 3, "answer": 4, "numeric": 5}
_SPAN_NAMES: Final = {"whole": "whole generation", "answer": "answer", "numeric": "digits of the answer"}
_BY_SPAN: Final = Forest(
    [Column("auroc_mean", "AUROC of minus the mean entropy", 0.5)],
    name="dataset", group="model", details=("condition",), series="span", series_of=_SPANS, extras=("n",),
)  # fmt: skip
_POSITION: Final = Forest(
    [Column("position_bias", "p(correct), order AB less order BA", 0.0), Column("share_flipped", "share flipped")],
    name="model", group="dataset", details=("condition",), extras=("n",),
)  # fmt: skip
_CAP: Final = Forest(
    [Column("accuracy", "accuracy"), Column("auroc", "AUROC", 0.5)],
    name="model", group="dataset", series="rows_used", series_of={"all": 0, "without_cap_repair": 1},
    extras=("n", "n_cap_repair"),
)  # fmt: skip


def signals_section(rows: Rows) -> Section | None:
    """Return the section; None where the version has none of the three."""
    figures = [figure for figure in (_entropy(rows), entropy_effect(rows), _position(rows)) if figure]
    lead = "Where SRA's signals come from, and what could be wrong with them."
    return Section("sra-signals", "SRA: what stands behind the signals", lead, figures) if figures else None


def cap_section(rows: Rows) -> Section | None:
    """Return the figures with and without cap-repaired rollouts; None where there are none."""
    frame = rows.frame("cap_repair")
    if frame.is_empty():
        return None
    signals = in_order(frame["signal"], SIGNALS)
    switches = [
        Switch("signal", "Signal", signals, shown=[signal_name(signal) for signal in signals]),
        Switch("condition", "Condition", in_order(frame["condition"], CONDITIONS)),
    ]
    legend = [Key(0, "all rows"), Key(1, "without cap-repaired rollouts")]
    figure = Figure(("cap_repair",), strips=forest(frame, _CAP, switches), legend=legend)
    lead = "Rollouts that hit the length cap were drawn again with a presence penalty. Do the figures hang on them?"
    return Section("sra-cap", "SRA: do the repaired rollouts matter?", lead, [figure], switches)


def _entropy(rows: Rows) -> Figure | None:
    frame = rows.frame("entropy_by_span")
    if frame.is_empty():
        return None
    legend = [Key(series, _SPAN_NAMES[span]) for span, series in _SPANS.items()]
    return Figure(("entropy_by_span",), strips=forest(frame, _BY_SPAN), legend=legend)


def _position(rows: Rows) -> Figure | None:
    frame = rows.frame("ab_position_bias")
    return None if frame.is_empty() else Figure(("ab_position_bias",), strips=forest(frame, _POSITION))
