"""The response table, in each shape it comes in, as one long table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.cells import Cells, open_file, read_cells, show_rows
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.missing import note_missing
from transforms.benchmirt.pyirt import read_subjects
from transforms.issue_log import IssueLog, shown, shown_all
from warehouse.contracts import Issue, has_errors
from warehouse.contracts.benchmirt import SOURCE

PREFIX: Final = "acc_norm_"
LONG: Final = {"model": pl.String, "item_id": pl.String, "score": pl.Float64}
ITEM_EXTRAS: Final = {"item_id": pl.String, "subset": pl.String, "question": pl.String}
_ID_NAMES: Final = ("question_id", "item_id")
_INDEX_NAMES: Final = ("", "index", "Unnamed: 0", "__index_level_0__")
_EXTRAS: Final = ("subset", "question")
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Responses:
    """What a response table holds. `responses`: a row a cell, sorted by model and item; `items`: subset and question
    text where the table has them, a row an item. Both are empty where an error is among the issues.
    """

    responses: pl.DataFrame
    items: pl.DataFrame
    issues: list[Issue]


def read_responses(data: bytes, name: str, limits: Limits | None = None) -> Responses:
    """Read a wide table (CSV, gzipped CSV, Parquet), a bare matrix or py-irt JSON lines, told apart by content.

    A score is a number in [0, 1]; an empty cell becomes null and a NaN stays one. Ids are opaque text. Everything
    that is wrong is listed in `issues`, with its line where there is one.
    """
    bounds = limits or Limits()
    log = IssueLog(path=name, source=SOURCE)
    opened = open_file(data, log, bounds)
    if opened is None:
        return _nothing(log)
    if opened.removeprefix(_BOM).lstrip()[:1] == b"{":
        found = read_subjects(opened, log, bounds)
        return _nothing(log) if found is None else Responses(found, pl.DataFrame(schema=ITEM_EXTRAS), log.issues)
    cells = read_cells(opened, log, bounds)
    return _nothing(log) if cells is None else _read_wide(cells, log)


def _nothing(log: IssueLog) -> Responses:
    return Responses(pl.DataFrame(schema=LONG), pl.DataFrame(schema=ITEM_EXTRAS), log.issues)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column is what, by position."""

    item_id: int
    models: dict[int, str]
    extras: dict[str, int]


def _read_wide(cells: Cells, log: IssueLog) -> Responses:
    layout = _layout(cells, log)
    if layout is None:
        return _nothing(log)
    ids = cells.column(layout.item_id).cast(pl.String)
    sound = _check_ids(cells, ids, log)
    responses = _long(cells, ids, layout, log)
    if responses is None or not sound or has_errors(log.issues):
        return _nothing(log)
    extras = [cells.column(i).cast(pl.String).replace("", None).alias(name) for name, i in layout.extras.items()]
    items = pl.DataFrame([ids.alias("item_id"), *extras])
    absent = [pl.lit(None, dtype=pl.String).alias(name) for name in _EXTRAS if name not in layout.extras]
    return Responses(responses, items.with_columns(absent).select(list(ITEM_EXTRAS)).sort("item_id"), log.issues)


def _layout(cells: Cells, log: IssueLog) -> _Layout | None:
    names = cells.names
    item_id = _id_column(names)
    if item_id is None:
        log.add(
            rules.NO_ID_COLUMN,
            f"No column names the items; expected question_id, or an index without a name first. Columns: "
            f"{shown_all(names)}.",
            line=1,
        )
        return None
    rest = _named(cells, [i for i in range(len(names)) if i != item_id], log)
    prefixed = [i for i in rest if names[i].startswith(PREFIX)]
    # In a bare matrix every column is a model, whatever its name.
    is_bare = names[item_id] not in _ID_NAMES and not prefixed
    extras = {} if is_bare else {names[i]: i for i in rest if names[i] in _EXTRAS}
    candidates = [i for i in rest if i not in extras.values()]
    unknown = [names[i] for i in candidates if prefixed and i not in prefixed]
    if unknown:
        log.add(
            rules.UNKNOWN_COLUMN,
            f"These columns are not read, for models' columns start with {PREFIX} here: {shown_all(unknown)}.",
            line=1,
            value=str(len(unknown)),
        )
    models = {i: names[i].removeprefix(PREFIX) for i in prefixed or candidates}
    return _checked(_Layout(item_id, models, extras), names, log)


def _id_column(names: Sequence[str]) -> int | None:
    for name in _ID_NAMES:
        if name in names:
            return names.index(name)
    found = [i for i, name in enumerate(names) if name == "__index_level_0__"]
    return found[0] if found else 0 if names[0] in _INDEX_NAMES else None


def _named(cells: Cells, columns: Sequence[int], log: IssueLog) -> list[int]:
    """Return the columns that have a name; one without a name and without a value is what a spreadsheet leaves."""
    named = []
    for i in columns:
        if cells.names[i].strip():
            named.append(i)
            continue
        values = cells.column(i)
        n = len(values) - values.null_count() - (int((values == "").sum()) if values.dtype == pl.String else 0)
        rule = rules.UNNAMED_COLUMN if n else rules.EMPTY_COLUMN
        log.add(rule, f"Column {i + 1} has no name and {n} values; it is not read.", line=1, value=str(n))
    return named


def _checked(layout: _Layout, names: Sequence[str], log: IssueLog) -> _Layout | None:
    repeated = [name for name, n in Counter(layout.models.values()).items() if n > 1]
    repeated += [name for name in {names[layout.item_id], *layout.extras} if names.count(name) > 1]
    for name in sorted(repeated):
        log.add(
            rules.REPEATED_COLUMN,
            f"The name {shown(name)} stands for more than one column; which one counts cannot be guessed.",
            line=1,
            model=name if name in layout.models.values() else None,
        )
    if not layout.models:
        log.add(rules.NO_MODEL_COLUMN, f"No column holds a model's scores. Columns: {shown_all(names)}.", line=1)
    return None if repeated or not layout.models else layout


def _check_ids(cells: Cells, ids: pl.Series, log: IssueLog) -> bool:
    empty = np.flatnonzero((ids.is_null() | (ids == "")).to_numpy())
    if len(empty):
        lines = cells.lines(empty[:20].tolist())
        where = ", ".join(f"line {lines[i]}" if i in lines else f"row {i + 1}" for i in empty[:20].tolist())
        log.add(rules.EMPTY_ID, f"{len(empty)} rows name no item: {where}.", value=str(len(empty)))
    rows = np.flatnonzero((ids.is_duplicated() & ids.is_not_null() & (ids != "")).to_numpy()).tolist()
    if rows:
        text = ids.to_list()
        log.add(
            rules.REPEATED_ITEM,
            f"{len({text[i] for i in rows})} items have more than one row; expected one: "
            f"{show_rows(cells, rows, text)}.",
            line=cells.lines(rows[:1]).get(rows[0]),
            instance_id=text[rows[0]],
            value=str(len(rows)),
        )
    return not (len(empty) or rows)


def _long(cells: Cells, ids: pl.Series, layout: _Layout, log: IssueLog) -> pl.DataFrame | None:
    """Return a row a cell, sorted by model and item, or None where a cell holds no score."""
    columns = sorted(layout.models, key=lambda i: layout.models[i].encode())
    order = ids.arg_sort()
    n = len(ids)
    parsed = [_scores(cells.column(i)) for i in columns]
    bad = [i for i, found in zip(columns, parsed, strict=True) if _note_bad(cells, ids, layout.models[i], found, log)]
    _note_kinds(parsed, log)
    if bad:
        return None
    models = pl.Series("model", [layout.models[i] for i in columns])
    return pl.DataFrame(
        [
            models.gather(np.repeat(np.arange(len(columns), dtype=np.uint32), n)),
            ids.gather(order).gather(np.tile(np.arange(n, dtype=np.uint32), len(columns))).alias("item_id"),
            pl.concat([found.values.gather(order) for found in parsed]).alias("score"),
        ]
    )


@dataclass(frozen=True, slots=True)
class _Scores:
    """A column's scores, which of its cells are no number, and how many are written as whole numbers."""

    values: pl.Series
    bad: npt.NDArray[np.bool_]
    n_whole: int


def _scores(column: pl.Series) -> _Scores:
    if column.dtype == pl.String:
        text = column.str.strip_chars().fill_null("")
        values = text.str.to_lowercase().cast(pl.Float64, strict=False)
        bad = (values.is_null() & (text != "")).to_numpy()
        return _Scores(values, bad, int(text.is_in(["0", "1"]).sum()))
    if column.dtype.is_numeric() or column.dtype in {pl.Boolean, pl.Null}:
        whole = column.dtype.is_integer() or column.dtype == pl.Boolean
        n_whole = len(column) - column.null_count() if whole else 0
        return _Scores(column.cast(pl.Float64), np.zeros(len(column), dtype=np.bool_), n_whole)
    return _Scores(pl.Series([None] * len(column), dtype=pl.Float64), column.is_not_null().to_numpy(), 0)


def _note_bad(cells: Cells, ids: pl.Series, model: str, found: _Scores, log: IssueLog) -> bool:
    """Note a column's cells that hold no score, and tell whether there are any."""
    outside = ((found.values < 0.0) | (found.values > 1.0)) & found.values.is_not_nan()
    any_bad = False
    for rule, mask, what in (
        (rules.NOT_A_NUMBER, found.bad, "neither a number, nor empty, nor NaN"),
        (rules.SCORE_OUT_OF_RANGE, outside.fill_null(value=False).to_numpy(), "outside 0 to 1"),
    ):
        rows = np.flatnonzero(mask).tolist()
        if rows:
            where = show_rows(cells, rows, ids.fill_null("").to_list())
            line = cells.lines(rows[:1]).get(rows[0])
            message = f"{len(rows)} scores of model {shown(model)} are {what}: {where}."
            log.add(rule, message, model=model, line=line, instance_id=ids[rows[0]], value=str(len(rows)))
            any_bad = True
    return any_bad


def _note_kinds(parsed: Sequence[_Scores], log: IssueLog) -> None:
    values = pl.concat([found.values for found in parsed])
    n_nan = int(values.is_nan().sum())
    n_empty = values.null_count() - sum(int(found.bad.sum()) for found in parsed)
    n_fraction = int(((values > 0.0) & (values < 1.0)).sum())
    n_whole = sum(found.n_whole for found in parsed)
    n_binary = int(((values == 0.0) | (values == 1.0)).sum())
    log.add(
        rules.SCORE_FORMATS,
        f"Of {len(values)} cells {n_whole} are written 0 or 1, {n_binary - n_whole} as decimals (0.0, 1.0), "
        f"{n_fraction} are fractions, {n_empty} are empty and {n_nan} say NaN.",
    )
    note_missing(n_empty, n_nan, n_fraction, log)
