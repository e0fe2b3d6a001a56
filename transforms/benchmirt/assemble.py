"""A response table's cells as a row a response, sorted by model and item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.cells import RawTable, show_rows
from transforms.benchmirt.hints import ITEM_COLUMN, MODEL_COLUMN
from transforms.benchmirt.layout import Long, Wide
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.names import look_alikes
from transforms.benchmirt.scores import Flags, Parsed, Tally, parse, parse_all
from transforms.issue_log import IssueLog, shown

LONG: Final = {"model": pl.String, "item_id": pl.String, "score": pl.Float64}
_LISTED: Final = 20
_ALIKE: Final = 4
_BATCH: Final = 1 << 22


class _Bad(NamedTuple):
    """The rows of a column whose cells are no scores."""

    column: int
    words: list[int]
    outside: list[int]


def read_wide(cells: RawTable, layout: Wide, tally: Tally, log: IssueLog) -> pl.DataFrame | None:
    """Return a row a cell (`LONG`), or None with an error for rows without name, with one name, or without a score."""
    ids = cells.text(layout.key.column)
    of_models = layout.key.models_in == "rows"
    sound = _check_ids(cells, ids, of_models, log)
    columns = sorted(layout.scored, key=lambda i: layout.scored[i].encode())
    order = ids.arg_sort()
    parts: list[pl.Series] = []
    bad: list[_Bad] = []
    for start, end, found in parse_all([cells.column(i) for i in columns], tally):
        bad += _bad(columns[start:end], len(ids), found, len(bad))
        parts.append(found.values if of_models else _in_order(found.values, order))
    _note_bad(cells, ids, layout, bad, log)
    if bad or not sound:
        return None
    names = pl.Series([layout.scored[i] for i in columns], dtype=pl.String)
    values = pl.concat(parts)
    if of_models:
        return _frame(ids.gather(order), names, _across(values, order, len(columns)))
    return _frame(names, ids.gather(order), values)


def _in_order(values: pl.Series, order: pl.Series) -> pl.Series:
    """Return columns that stand behind one another, the rows of each in an order."""
    rows = order.to_numpy()
    starts = np.arange(0, len(values), len(rows), dtype=np.uint32)
    return values.gather((starts[:, None] + rows[None, :]).ravel())


def _across(values: pl.Series, order: pl.Series, width: int) -> pl.Series:
    """Return columns that stand behind one another row by row, the rows in an order."""
    rows = order.to_numpy()
    starts = np.arange(width, dtype=np.uint32) * np.uint32(len(rows))
    step = max(1, _BATCH // width)
    pieces = (rows[i : i + step] for i in range(0, len(rows), step))
    return pl.concat([values.gather((piece[:, None] + starts[None, :]).ravel()) for piece in pieces])


def _frame(models: pl.Series, items: pl.Series, scores: pl.Series) -> pl.DataFrame:
    """Return a row a response of every model to every item, both in order."""
    n, m = len(models), len(items)
    return pl.DataFrame(
        [
            models.gather(np.repeat(np.arange(n, dtype=np.uint32), m)).alias("model"),
            items.gather(np.tile(np.arange(m, dtype=np.uint32), n)).alias("item_id"),
            scores.alias("score"),
        ]
    )


def _bad(columns: Sequence[int], height: int, found: Parsed, n_found: int) -> list[_Bad]:
    """Return the columns of a run that hold cells which are no scores; rows only of those that will be listed."""
    words, outside = (mask.reshape(len(columns), height) for mask in (found.bad, found.outside))
    places = np.flatnonzero((words | outside).any(axis=1)).tolist()
    room = max(0, _LISTED - n_found)
    listed = [_Bad(columns[i], _rows(words[i]), _rows(outside[i])) for i in places[:room]]
    return [*listed, *(_Bad(columns[i], [], []) for i in places[room:])]


def _rows(mask: Flags) -> list[int]:
    return [int(row) for row in np.flatnonzero(mask)]


def _note_bad(cells: RawTable, ids: pl.Series, layout: Wide, bad: list[_Bad], log: IssueLog) -> None:
    """Note the cells that hold no score, a sentence a column for the first of them."""
    of_models = layout.key.models_in == "rows"
    what, field = ("item", "instance_id") if of_models else ("model", "model")
    text = ids.to_list() if bad else []
    for found in bad[:_LISTED]:
        name = layout.scored[found.column]
        for kind in ("words", "outside"):
            rows = getattr(found, kind)
            if rows:
                where = {field: name, "model" if of_models else "instance_id": text[rows[0]]}
                note_no_scores(cells, rows, text, kind, f" of {what} {shown(name)}", log, **where)
    if len(bad) > _LISTED:
        message = f"{len(bad)} columns in all hold cells that are no scores; the first {_LISTED} are listed."
        log.add(rules.NOT_A_NUMBER, message, value=str(len(bad)))


def note_no_scores(
    cells: RawTable, rows: list[int], ids: list[str], kind: str, of: str, log: IssueLog, **where: str | None
) -> None:
    """Note rows whose cell is no number (`words`), or one below 0 or above 1 (`outside`)."""
    rule = rules.NOT_A_NUMBER if kind == "words" else rules.SCORE_OUT_OF_RANGE
    meaning = "neither a number, nor a truth value, nor missing" if kind == "words" else "outside 0 to 1"
    message = f"{len(rows)} scores{of} are {meaning}: {show_rows(cells, rows, ids)}."
    log.add(rule, message, line=cells.lines(rows[:1]).get(rows[0]), value=str(len(rows)), **where)


def _check_ids(cells: RawTable, ids: pl.Series, of_models: bool, log: IssueLog) -> bool:
    """Tell whether every row has a name, and none that another has."""
    what, rule = ("models", rules.REPEATED_MODEL) if of_models else ("items", rules.REPEATED_ITEM)
    blank = ids.str.strip_chars() == ""
    _note_blank(cells, blank, what[:-1], log)
    rows = _rows((ids.is_duplicated() & ~blank).to_numpy())
    if rows:
        text = ids.to_list()
        other = f"{ITEM_COLUMN} NAME" if of_models else f"{MODEL_COLUMN} NAME"
        log.add(
            rule,
            f"{len({text[i] for i in rows})} {what} have more than one row; expected one: "
            f"{show_rows(cells, rows, text)}. If a row is a response, say which column names the other side: {other}.",
            line=cells.lines(rows[:1]).get(rows[0]),
            value=str(len(rows)),
            **{"model" if of_models else "instance_id": text[rows[0]]},
        )
    return not (blank.any() or rows)


def _note_blank(cells: RawTable, blank: pl.Series, what: str, log: IssueLog) -> None:
    rows = _rows(blank.to_numpy())
    if rows:
        lines = cells.lines(rows[:_LISTED])
        where = ", ".join(f"line {lines[i]}" if i in lines else f"row {i + 1}" for i in rows[:_LISTED])
        message = f"{len(rows)} rows name no {what}: {where}."
        log.add(rules.EMPTY_ID, message, line=lines.get(rows[0]), value=str(len(rows)))


def read_long(cells: RawTable, layout: Long, tally: Tally, limits: Limits, log: IssueLog) -> pl.DataFrame | None:
    """Return the rows of a table that has a row a response (`LONG`), or None with an error for what is unsound."""
    models, items = cells.text(layout.model), cells.text(layout.item)
    found = parse(cells.column(layout.score), tally)
    frame = pl.DataFrame([models.alias("model"), items.alias("item_id"), found.values.alias("score")])
    blank = {"model": models.str.strip_chars() == "", "item": items.str.strip_chars() == ""}
    for what, mask in blank.items():
        _note_blank(cells, mask, what, log)
    is_blank = (blank["model"] | blank["item"]).to_numpy()
    repeated = _rows(frame.select("model", "item_id").is_duplicated().to_numpy() & ~is_blank)
    for rows, kind in ((_rows(found.bad), "words"), (_rows(found.outside), "outside")):
        if rows:
            where = {"model": models[rows[0]], "instance_id": items[rows[0]]}
            note_no_scores(cells, rows, items.to_list(), kind, "", log, **where)
    _note_repeated(cells, frame, repeated, log)
    size = models.n_unique() * items.n_unique()
    if size > limits.cells:
        message = f"{models.n_unique()} models and {items.n_unique()} items make more cells than {limits.cells}."
        log.add(rules.TOO_LARGE, message, value=str(size))
    unsound = is_blank.any() or repeated or found.bad.any() or found.outside.any() or size > limits.cells
    return None if unsound else frame.sort("model", "item_id")


def _note_repeated(cells: RawTable, frame: pl.DataFrame, rows: list[int], log: IssueLog) -> None:
    if not rows:
        return
    model, item, _ = frame.row(rows[0])
    log.add(
        rules.REPEATED_RESPONSE,
        f"{len(rows)} rows are responses of a model to an item that has another; expected one: "
        f"{show_rows(cells, rows, frame['item_id'].to_list())}. The first is of model {shown(model)}.",
        line=cells.lines(rows[:1]).get(rows[0]),
        model=model,
        instance_id=item,
        value=str(len(rows)),
    )


def note_look_alikes(names: Iterable[str], what: str, log: IssueLog) -> None:
    """Note names that differ only in blanks, case or Unicode form. They stay different."""
    groups = look_alikes(names)
    if groups:
        listed = "; ".join(" and ".join(map(shown, group[:_ALIKE])) for group in groups[:_ALIKE])
        log.add(
            rules.SIMILAR_NAMES,
            f"{len(groups)} groups of {what} differ only in blanks, case or Unicode form, and are read as different: "
            f"{listed}{', …' if len(groups) > _ALIKE else ''}.",
            value=str(len(groups)),
        )
