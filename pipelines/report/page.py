"""The page: HTML from sections, with a policy that allows nothing but the one style inside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from pipelines.report.drawing.marks import Axes
from pipelines.report.drawing.numbers import exact
from pipelines.report.model import Section
from pipelines.report.picture import load_comparisons, load_pictures
from pipelines.report.switches import switch_rules
from pipelines.terminal import printable

TEMPLATES: Final = Path(__file__).parent / "templates"
SHAPES: Final = (
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0Z",
    "M-3.3 -3.3h6.6v6.6h-6.6Z",
    "M0 -4.4L4.2 3.2H-4.2Z",
    "M0 -4.7L4.7 0L0 4.7L-4.7 0Z",
    "M-1.4 -4.2h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8v-2.8h2.8Z",
    "M0 4.4L4.2 -3.2H-4.2Z",
)
"""The dot of each series: circle, square, triangle, diamond, cross, inverted triangle."""


def page(title: str, lead: str, foot: str, sections: Sequence[Section]) -> str:
    """Return one self-contained page; the same sections give the same bytes."""
    templates = environment()
    axes = {axes_id(found): found for section in sections for found in _axes_of(section)}
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8") + switch_rules(sections)
    return templates.get_template("page.html.j2").render(
        title=title, lead=lead, foot=foot, sections=sections, shapes=SHAPES,
        pictures={**load_pictures(), **load_comparisons()},
        page_axes=sorted(axes.items()), policy=policy(style), style=Markup(style),
    )  # fmt: skip


def policy(style: str) -> str:
    """Return a content security policy under which nothing loads or runs but this one style."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def axes_id(axes: Axes) -> str:
    """Return the name under which axes stand on the page once for all panels that share them."""
    return f"axes-{hashlib.sha256(repr(axes).encode()).hexdigest()[:10]}"


def _axes_of(section: Section) -> Iterator[Axes]:
    for figure in section.figures:
        yield from (card.panel.axes for card in figure.cards if card.panel)


def environment() -> jinja2.Environment:
    """Return what fills templates: every value is escaped, and text that a terminal or a page obeys is written out."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    found.filters |= {
        "exact": lambda value: printable(exact(value)),
        "text": lambda value: printable(str(value)),
        "px": lambda value: f"{value:g}",
        "points": lambda values: ";".join(" ".join(map(exact, row)) for row in values),
        "axes_id": axes_id,
    }
    return found
