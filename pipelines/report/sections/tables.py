"""Plain tables from the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from pipelines.report.drawing.numbers import shown
from pipelines.report.model import Cell, Table
from pipelines.report.reading import Row


def table(frame: pl.DataFrame, headings: Mapping[str, str], rows: Sequence[Row] | None = None) -> Table:
    """Return a table of the columns that have a heading; `rows` where another order is wanted than the query's."""
    numeric = {name for name, dtype in frame.schema.items() if dtype.is_numeric()}
    head = [(heading, name, name in numeric) for name, heading in headings.items()]
    found = frame.to_dicts() if rows is None else rows
    return Table(head, [[_cell(row[name], name) for name in headings] for row in found])


def _cell(value: object, name: str) -> Cell:
    """Return a value as text, and exactly beside it where the text is rounded or written for eyes."""
    if isinstance(value, bool):
        return Cell("yes" if value else "no", {name: value})
    if isinstance(value, float):
        return Cell(shown(value), {name: value})
    if isinstance(value, int):
        return Cell(f"{value:,}".replace("-", "−"), {name: value})
    return Cell("–" if value is None else str(value))
