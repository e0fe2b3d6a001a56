"""Forest plots from the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pipelines.report.drawing.scale import Scale
from pipelines.report.drawing.strips import Column, Entry, scale_of, strip
from pipelines.report.model import Strip, StripAxis, StripGroup, StripRow, Switch
from pipelines.report.names import CONDITIONS, SIGNALS, in_order
from pipelines.report.reading import Row

_KNOWN = (*CONDITIONS, *SIGNALS, "whole", "answer", "numeric", "all", "without_cap_repair", "human", "model")


@dataclass(frozen=True, slots=True)
class Forest:
    """How the rows of a query become a forest plot.

    `group` heads a block of rows, `name` and `details` say whose a row is, `series` tells entries inside a row apart.
    With `own_axes` every block has its own scale; with `shared` all columns have one.
    """

    columns: Sequence[Column]
    name: str
    group: str | None = None
    details: Sequence[str] = ()
    series: str | None = None
    series_of: Mapping[str, int] = field(default_factory=dict)
    extras: Sequence[str] = ()
    own_axes: bool = False
    shared: bool = False
    keep_order: bool = False


def forest(frame: pl.DataFrame, spec: Forest, switches: Sequence[Switch] = ()) -> list[StripGroup]:
    """Return the blocks of a forest plot, every row of the query in one of them."""
    rows = frame.to_dicts()
    scales = _scales(rows, spec)
    groups = in_order(str(row[spec.group]) for row in rows) if spec.group else [""]
    found = []
    for group in groups:
        own = [row for row in rows if spec.group is None or str(row[spec.group]) == group]
        used = _scales(own, spec) if spec.own_axes else scales
        axes = [StripAxis(c.name, s.ticks(4), _reference(c, s)) for c, s in zip(spec.columns, used, strict=True)]
        data = {spec.group: group} if spec.group else {}
        found.append(StripGroup(group, axes, _rows(own, spec, used, switches), data))
    return found


def _scales(rows: Sequence[Row], spec: Forest) -> list[Scale]:
    if spec.shared:
        return [scale_of(rows, spec.columns)] * len(spec.columns)
    return [scale_of(rows, [column]) for column in spec.columns]


def _reference(column: Column, scale: Scale) -> float | None:
    return None if column.reference is None else scale.at(column.reference)


def _rows(rows: Sequence[Row], spec: Forest, scales: Sequence[Scale], switches: Sequence[Switch]) -> list[StripRow]:
    keys = [spec.name, *spec.details, *[switch.name for switch in switches if not switch.many]]
    parts: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        parts.setdefault(tuple(str(row[key]) for key in keys), []).append(row)
    ordered = list(parts) if spec.keep_order else sorted(parts, key=lambda part: [_rank(value) for value in part])
    return [_row(dict(zip(keys, part, strict=True)), parts[part], spec, scales, switches) for part in ordered]


def _rank(value: str) -> tuple[int, str]:
    return (_KNOWN.index(value), "") if value in _KNOWN else (len(_KNOWN), value)


def _row(
    keys: Mapping[str, str], rows: Sequence[Row], spec: Forest, scales: Sequence[Scale], switches: Sequence[Switch]
) -> StripRow:
    entries = [_entry(row, spec) for row in sorted(rows, key=lambda row: _rank(str(row[spec.series or spec.name])))]
    pairs = enumerate(zip(spec.columns, scales, strict=True))
    strips = [Strip(*strip(entries, c, s, first=n == 0)) for n, (c, s) in pairs]
    classes = " ".join(switch.classes(keys[switch.name]) for switch in switches if switch.name in keys)
    detail = " · ".join(keys[name] for name in spec.details)
    return StripRow(keys[spec.name], detail, keys, strips, classes)


def _entry(row: Row, spec: Forest) -> Entry:
    if spec.series is None:
        return Entry(0, {}, row, spec.extras)
    series = spec.series_of.get(str(row[spec.series]), 0)
    return Entry(series, {spec.series: row[spec.series]}, row, spec.extras, coloured=True)
