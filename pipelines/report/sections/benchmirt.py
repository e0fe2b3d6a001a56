"""BenchMIRT: how hard is an item, how able a model?"""

from __future__ import annotations

from typing import Final

from pipelines.report.drawing.bands import Line, lines_panel
from pipelines.report.drawing.marks import Axes, Layer, Mark, Panel
from pipelines.report.drawing.scale import Scale, domain
from pipelines.report.drawing.strips import Column
from pipelines.report.model import Card, Figure, Key, Section
from pipelines.report.reading import Row, Rows
from pipelines.report.sections.forest import Forest, forest
from pipelines.report.sections.tables import table

_ALIGNMENT: Final = Forest(
    [
        Column("model_rest_correlation", "correlation with all other models"),
        Column("main_group_correlation", "tetrachoric correlation with group 1"),
    ],
    name="model", details=("membership",), extras=("n_items",), shared=True, keep_order=True,
)  # fmt: skip
_LEGEND: Final = (Key(0, "probability of a score of 1", line=True), Key(1, "information", line=True))
_ABILITY: Final = Forest(
    [Column("ability", "ability [standard deviations]", 0.0, ("ability_less_se", "ability_plus_se"))],
    name="model", details=("fit_id",), extras=("ability_se",), keep_order=True,
)  # fmt: skip


def benchmirt_section(rows: Rows) -> Section | None:
    """Return BenchMIRT's pictures; None where the version holds neither an audit nor a fit."""
    found = (_alignment(rows), _fits(rows), _information(rows), _curves(rows), _abilities(rows), _items(rows))
    figures = [figure for figure in found if figure]
    lead = "An item response model explains each right answer by a model's ability and an item's difficulty."
    return Section("benchmirt", "BenchMIRT: how hard is an item, how able a model?", lead, figures) if figures else None


def _alignment(rows: Rows) -> Figure | None:
    frame = rows.frame("benchmirt_alignment")
    if frame.is_empty():
        return None
    return Figure(("benchmirt_alignment",), strips=forest(frame, _ALIGNMENT))


def _fits(rows: Rows) -> Figure | None:
    frame = rows.frame("irt_fit")
    if frame.is_empty():
        return None
    headings = {
        "fit_id": "fit", "n_models": "models", "n_items": "items", "n_responses": "responses",
        "log_likelihood": "log-likelihood", "bic": "BIC", "converged": "converged",
    }  # fmt: skip
    return Figure(("irt_fit",), table=table(frame, headings))


def _information(rows: Rows) -> Figure | None:
    frame = rows.frame("irt_information")
    if frame.is_empty():
        return None
    data = {"fit_id": frame["fit_id"][0]}
    cards = []
    for column, name in (("information", "information"), ("ability_se", "standard error of ability")):
        line = Line(0, data, frame.to_dicts(), column)
        panel = lines_panel("irt_information", [line], "ability", ("ability", name), f"{name} by ability.")
        cards.append(Card(name, str(data["fit_id"]), {}, panel=panel))
    return Figure(("irt_information",), cards=cards)


def _curves(rows: Rows) -> Figure | None:
    frame = rows.frame("irt_curves")
    if frame.is_empty():
        return None
    cards = []
    for (item,), part in frame.partition_by("item_id", as_dict=True, maintain_order=True).items():
        rows_of = part.to_dicts()
        data = {"fit_id": rows_of[0]["fit_id"], "item_id": item}
        lines = [Line(0, data, rows_of, "probability"), Line(1, data, rows_of, "information")]
        names = ("ability", "probability; information")
        panel = lines_panel("irt_curves", lines, "ability", names, f"Characteristic and information curve of {item}.")
        cards.append(Card(str(item), "", {}, panel=panel))
    return Figure(
        ("irt_curves",),
        cards=cards,
        legend=_LEGEND,
    )


def _abilities(rows: Rows) -> Figure | None:
    frame = rows.frame("irt_abilities")
    return None if frame.is_empty() else Figure(("irt_abilities",), strips=forest(frame, _ABILITY))


def _items(rows: Rows) -> Figure | None:
    frame = rows.frame("irt_items")
    if frame.is_empty():
        return None
    across = Scale(*domain(frame["difficulty"]), 44, 360)
    up = Scale(*domain(frame["discrimination"], include=0.0), 212, 8)
    axes = Axes(370, 250, (44, 8, 316, 204), across.ticks(), up.ticks(), "difficulty", "discrimination")
    marks = [_item(row, across, up) for row in frame.to_dicts()]
    label = f"Discrimination against difficulty of {len(marks)} items."
    panel = Panel(axes, [Layer(0, {"fit_id": frame["fit_id"][0]}, marks, classes="faint")], label)
    return Figure(("irt_items",), cards=[Card("Items", str(frame["fit_id"][0]), {}, panel=panel)])


def _item(row: Row, across: Scale, up: Scale) -> Mark:
    data = {name: row[name] for name in ("item_id", "difficulty", "discrimination")}
    return Mark(data, str(row["item_id"]), dot=(across.at(row["difficulty"]), up.at(row["discrimination"])))
