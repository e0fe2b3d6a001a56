"""The item and model metadata: what the publishers say of the rows and columns of the response table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.cells import RawTable, open_file, read_cells, show_rows
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.names import ITEM_NUMBERS, ITEM_TEXTS, MODEL_TEXTS
from transforms.issue_log import IssueLog, shown, shown_all
from warehouse.contracts import Issue, Rule
from warehouse.contracts.benchmirt import SOURCE

_GROUPINGS: Final = ("benchmark", "category", "domain_superset", "subcategory_one", "question_type")


@dataclass(frozen=True, slots=True)
class Metadata:
    """A row an item or model: its name, the known columns, and `unknown_fields` as JSON. None where unreadable.

    `reading` says how the file is written.
    """

    frame: pl.DataFrame | None
    issues: list[Issue]
    reading: dict[str, str | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Kind:
    key: str
    spellings: tuple[str, ...]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    groupings: tuple[str, ...]
    repeated: Rule
    derived: Callable[[str], bool]


_ITEMS: Final = _Kind(
    "item_id", ("question_id", "item_id"), ITEM_TEXTS, ITEM_NUMBERS, _GROUPINGS, rules.REPEATED_ITEM, lambda _: False
)
_MODELS: Final = _Kind(
    "model", ("Model", "model"), MODEL_TEXTS, (), MODEL_TEXTS, rules.REPEATED_MODEL, lambda c: c.endswith("_average")
)


def read_item_metadata(data: bytes, name: str, limits: Limits | None = None) -> Metadata:
    """Read `question_metadata.csv`: a row an item, keyed by `question_id`. Empty text becomes null."""
    return _read(data, name, _ITEMS, limits or Limits())


def read_model_metadata(data: bytes, name: str, limits: Limits | None = None) -> Metadata:
    """Read the model CSV: a row a model, keyed by `Model` (or `model`, in the derived one)."""
    return _read(data, name, _MODELS, limits or Limits())


def _read(data: bytes, name: str, kind: _Kind, limits: Limits) -> Metadata:
    log = IssueLog(path=name, source=SOURCE)
    opened = open_file(data, log, limits)
    cells = None if opened is None else read_cells(opened, log, limits)
    frame = None if cells is None else _frame(cells, kind, log)
    return Metadata(frame, log.issues, {} if cells is None else cells.written)


def _frame(cells: RawTable, kind: _Kind, log: IssueLog) -> pl.DataFrame | None:
    key = next((name for name in kind.spellings if name in cells.names), None)
    if key is None:
        log.add(
            rules.NO_ID_COLUMN,
            f"No column is named {' or '.join(kind.spellings)}. Columns: {shown_all(cells.names)}.",
            line=1,
        )
        return None
    if not _check_names(cells, kind, key, log):
        return None
    ids = cells.column(cells.names.index(key)).cast(pl.String)
    if not _check_ids(cells, ids, kind, log):
        return None
    columns = {name: _text(cells, name) for name in kind.texts}
    columns |= {name: _number(cells, name, log) for name in kind.numbers}
    unknown = _unknown(cells, kind, key, log)
    return pl.DataFrame({kind.key: ids, **columns, "unknown_fields": _as_json(cells, unknown)}).sort(kind.key)


def _check_names(cells: RawTable, kind: _Kind, key: str, log: IssueLog) -> bool:
    known = {key, *kind.texts, *kind.numbers}
    repeated = sorted(name for name in set(cells.names) if name in known and cells.names.count(name) > 1)
    for name in repeated:
        message = f"The column {shown(name)} occurs more than once; which one counts cannot be guessed."
        log.add(rules.REPEATED_COLUMN, message, line=1)
    absent = [name for name in kind.groupings if name not in cells.names]
    if absent:
        message = f"These columns are not there, and are null: {shown_all(absent)}. Columns: {shown_all(cells.names)}."
        log.add(rules.ABSENT_COLUMN, message, line=1)
    return not repeated


def _check_ids(cells: RawTable, ids: pl.Series, kind: _Kind, log: IssueLog) -> bool:
    text = ids.fill_null("").to_list()
    empty = [i for i, value in enumerate(text) if not value]
    if empty:
        message = f"{len(empty)} rows have no name: {show_rows(cells, empty, text)}."
        log.add(rules.EMPTY_ID, message, line=cells.lines(empty[:1]).get(empty[0]), value=str(len(empty)))
    filled = pl.Series(text)
    rows = np.flatnonzero((filled.is_duplicated() & (filled != "")).to_numpy()).tolist()
    if rows:
        n = len({text[i] for i in rows})
        message = f"{n} names have more than one row; expected one: {show_rows(cells, rows, text)}."
        log.add(kind.repeated, message, line=cells.lines(rows[:1]).get(rows[0]), value=str(n))
    return not (empty or rows)


def _text(cells: RawTable, name: str) -> pl.Series:
    if name not in cells.names:
        return pl.Series([None] * cells.frame.height, dtype=pl.String)
    return cells.column(cells.names.index(name)).cast(pl.String).replace("", None)


def _number(cells: RawTable, name: str, log: IssueLog) -> pl.Series:
    text = _text(cells, name).str.strip_chars().replace("", None)
    found = text.cast(pl.Float64, strict=False)
    bad = np.flatnonzero((text.is_not_null() & (found.is_null() | found.is_infinite())).to_numpy()).tolist()
    if bad:
        lines = cells.lines(bad[:1])
        message = f"{len(bad)} values of {name} are not numbers; they are null. The first is in row {bad[0] + 1}."
        log.add(rules.BAD_STATISTIC, message, line=lines.get(bad[0]), value=str(len(bad)))
    return found.fill_nan(None).replace([np.inf, -np.inf], None)


def _unknown(cells: RawTable, kind: _Kind, key: str, log: IssueLog) -> list[int]:
    known = {key, *kind.texts, *kind.numbers}
    others = [i for i, name in enumerate(cells.names) if name not in known and name.strip()]
    derived = [cells.names[i] for i in others if kind.derived(cells.names[i])]
    if derived:
        message = f"{len(derived)} columns of averages are left out, for views compute them: {shown_all(derived)}."
        log.add(rules.DERIVED_COLUMNS, message, line=1, value=str(len(derived)))
    unknown = [i for i in others if not kind.derived(cells.names[i])]
    if unknown:
        names = shown_all(cells.names[i] for i in unknown)
        log.add(rules.UNKNOWN_COLUMN, f"Columns that no contract knows are kept as unknown_fields: {names}.", line=1)
    return unknown


def _as_json(cells: RawTable, columns: Sequence[int]) -> pl.Series:
    if not columns:
        return pl.Series([None] * cells.frame.height, dtype=pl.String)
    names = [cells.names[i] for i in columns]
    rows = cells.frame.select(pl.nth(columns).cast(pl.String)).rows()
    return pl.Series([_object(dict(zip(names, row, strict=True))) for row in rows], dtype=pl.String)


def _object(row: Mapping[str, str | None]) -> str | None:
    filled = {name: value for name, value in row.items() if value}
    return json.dumps(filled, ensure_ascii=False, sort_keys=True) if filled else None
