"""GRACE: who knows when they know?"""

from __future__ import annotations

from typing import Final

from pipelines.report.drawing.bands import Line, lines_panel
from pipelines.report.drawing.strips import Column
from pipelines.report.model import Card, Figure, Key, Section
from pipelines.report.reading import Rows
from pipelines.report.sections.forest import Forest, forest

_KINDS: Final = {"human": 0, "model": 1}
_HUMAN_MODEL: Final = Forest(
    [
        Column("accuracy", "share of buzzes that are right"),
        Column("earliness", "share of the question not yet heard"),
        Column("buzz_rate", "buzzes a question and team"),
    ],
    name="category_group", series="team_kind", series_of=_KINDS, extras=("n",),
)  # fmt: skip
_SCORES: Final = Forest(
    [Column("cal_score", "CalScore: lower is better"), Column("grace_mce", "MCE: 0 is best")],
    name="model", details=("elicitation",), extras=("n_questions",), shared=True,
)  # fmt: skip


def grace_section(rows: Rows) -> Section | None:
    """Return GRACE's pictures; None where the version holds no buzz and no run."""
    figures = [figure for figure in (_curves(rows), _sides(rows), _scores(rows)) if figure]
    lead = "People and models heard the same questions, word by word, and could buzz at any of them."
    return Section("grace", "GRACE: who knows when they know?", lead, figures) if figures else None


def _curves(rows: Rows) -> Figure | None:
    frame = rows.frame("grace_buzz_curve")
    if frame.is_empty():
        return None
    cards = []
    for word in ("correct", "wrong"):
        rate = f"{word}_rate"
        lines = [
            Line(_KINDS.get(str(kind), 2), {"team_kind": kind}, part.to_dicts(), rate, (f"{rate}_lo", f"{rate}_hi"))
            for (kind,), part in frame.partition_by("team_kind", as_dict=True, maintain_order=True).items()
        ]
        names = ("percent of the question heard", f"{word} buzzes a question and team")
        panel = lines_panel("grace_buzz_curve", lines, "percent_heard", names, f"{names[1]} by {names[0]}.")
        cards.append(Card(f"{word} buzzes", "", {}, panel=panel))
    return Figure(("grace_buzz_curve",), cards=cards, legend=_legend(line=True))


def _legend(*, line: bool = False) -> list[Key]:
    return [Key(series, f"{kind}s", line=line) for kind, series in _KINDS.items()]


def _sides(rows: Rows) -> Figure | None:
    frame = rows.frame("grace_human_model")
    if frame.is_empty():
        return None
    return Figure(("grace_human_model",), strips=forest(frame, _HUMAN_MODEL), legend=_legend())


def _scores(rows: Rows) -> Figure | None:
    frame = rows.frame("grace_calscore")
    return None if frame.is_empty() else Figure(("grace_calscore",), strips=forest(frame, _SCORES))
