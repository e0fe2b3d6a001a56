"""What a page says its marks stand for, and whether the queries say the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Final

import numpy as np
import polars as pl

from pipelines.terminal import printable

Said = dict[str, str]
"""Columns and values that a mark carries, `picture` among them."""

THINNED: Final = {"risk_coverage": "selective_risk", "risk_coverage_lines": None}
CLOSE: Final = 1e-9
_VOID: Final = {"meta", "input", "link", "br"}


class _Page(HTMLParser):
    """Collects the marks of a page: what they and everything around them carry, and the cells of plain tables."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, Said]] = []
        self.marks: list[Said] = []
        self.curves: list[Said] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.queries: list[str] = []
        self._columns: list[str] = []
        self._row: list[tuple[Said, list[str]]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= given.keys()
        data = {name[5:]: value for name, value in given.items() if name.startswith("data-")}
        if tag == "thead":
            self._columns = []
        if "data-column" in given:
            self._columns.append(data.pop("column"))
        if tag not in _VOID:
            self.open.append((tag, data))
        if "columns" in data:
            self.curves.append(self._carried())
        elif "m" in given.get("class", "").split():
            self.marks.append(self._carried())
            self._row = [] if tag == "tr" else None
        elif self._row is not None and tag == "td":
            self._row.append((data, []))

    def _carried(self) -> Said:
        return {name: value for _tag, own in self.open for name, value in own.items()}

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._row and self.open[-1][0] == "td":
            self._row[-1][1].append(data)
        elif [tag for tag, _data in self.open[-2:]] == ["pre", "code"]:
            self.queries.append(data)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag
        if tag == "tr" and self._row is not None:
            for number, (data, text) in enumerate(self._row):
                said = "".join(text)
                named = {} if data or not self._columns or said == "–" else {self._columns[number]: said}
                self.marks[-1] |= data | named
            self._row = None


def read_page(text: str) -> _Page:
    """Return what a page carries. Fails where an element is not closed in order."""
    page = _Page()
    page.feed(text)
    assert page.open == []
    return page


def expand(curves: Sequence[Said]) -> Iterator[Said]:
    """Return what each point of each curve stands for."""
    for curve in curves:
        keys = {name: value for name, value in curve.items() if name not in {"columns", "values"}}
        columns = curve["columns"].split()
        for point in curve["values"].split(";"):
            yield keys | dict(zip(columns, point.split(), strict=True))


def disagreements(said: Sequence[Said], frames: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return where a page and the queries differ: a mark that no row equals, a row that no mark shows."""
    found = []
    by_picture: dict[str, list[Said]] = {}
    for mark in said:
        by_picture.setdefault(mark["picture"], []).append(mark)
    for name, marks in sorted(by_picture.items()):
        index = _Index(frames[name])
        matched: set[int] = set()
        for mark in marks:
            equal = index.rows_of(mark)
            if not equal:
                found.append(f"{name}: no row equals {mark}")
            matched |= equal
        if name not in THINNED and len(matched) < frames[name].height:
            found.append(f"{name}: {frames[name].height - len(matched)} of {frames[name].height} rows are not shown")
    return found


class _Index:
    """The rows of a query by the text that a mark carries and, coarsely, by its first number."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.rows = frame.to_dicts()
        self.texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        self.numbers = [name for name, dtype in frame.schema.items() if dtype.is_numeric()]
        self.known: dict[tuple[str, ...], dict[tuple[object, ...], list[int]]] = {}

    def rows_of(self, mark: Said) -> set[int]:
        """Return the positions of the rows that are equal in every column that a mark carries."""
        texts = [name for name in self.texts if name in mark]
        number = next((name for name in self.numbers if name in mark), None)
        columns = (*texts, number or "")
        if columns not in self.known:
            self.known[columns] = self._by(texts, number)
        steps = [0] if number is None else [round(float(mark[number]) * 1e6) + step for step in (-1, 0, 1)]
        keys = [(*(mark[name] for name in texts), step) for step in steps]
        near = [place for key in keys for place in self.known[columns].get(key, [])]
        return {place for place in near if _equal(mark, self.rows[place])}

    def _by(self, texts: Sequence[str], number: str | None) -> dict[tuple[object, ...], list[int]]:
        found: dict[tuple[object, ...], list[int]] = {}
        for place, row in enumerate(self.rows):
            value = 0 if number is None else row[number]
            if value is not None:
                key = (*(printable(str(row[name])) for name in texts), round(value * 1e6))
                found.setdefault(key, []).append(place)
        return found


def _equal(mark: Said, row: Mapping[str, Any]) -> bool:
    """Tell whether every column that a mark carries has the row's value; text was compared already."""
    return all(_same(value, row[name]) for name, value in mark.items() if name in row)


def _same(said: str, value: object) -> bool:
    if isinstance(value, bool):
        return said == str(value).lower()
    if isinstance(value, int | float):
        return math.isclose(float(said), value, rel_tol=0, abs_tol=CLOSE)
    return said == printable(str(value))


def areas(said: Sequence[Said], picture: str, value: str) -> dict[tuple[str, ...], float]:
    """Return the area below each thinned curve of a page, by its keys."""
    points: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for mark in said:
        if mark["picture"] == picture and value in mark:
            key = tuple(mark[name] for name in ("source", "model", "dataset", "condition", "signal"))
            points.setdefault(key, []).append((float(mark["coverage"]), float(mark[value])))
    return {key: _area(sorted(found)) for key, found in points.items()}


def areas_of(frame: pl.DataFrame, value: str) -> dict[tuple[str, ...], float]:
    """Return the area below each curve of a query, by its keys."""
    keys = ["source", "model", "dataset", "condition", "signal"]
    parts = frame.partition_by(keys, as_dict=True)
    return {
        tuple(printable(str(name)) for name in key): _area(sorted(part.select("coverage", value).iter_rows()))
        for key, part in parts.items()
    }


def _area(points: Sequence[tuple[float, float]]) -> float:
    x, y = np.array(points).T
    return float(np.trapezoid(y, x))
