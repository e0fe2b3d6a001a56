"""The response table, in each shape it comes in, as one long table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.assemble import LONG, note_look_alikes, read_long, read_wide
from transforms.benchmirt.cells import RawTable, open_file, read_cells
from transforms.benchmirt.hints import MODELS_IN, Hints
from transforms.benchmirt.layout import Long, Wide, find_layout
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.names import ROW_TEXTS
from transforms.benchmirt.pyirt import read_subjects
from transforms.benchmirt.scores import Tally, note_tally
from transforms.issue_log import IssueLog, shown
from warehouse.contracts import Issue, has_errors
from warehouse.contracts.benchmirt import SOURCE

__all__ = ["LONG", "Responses", "read_responses"]

ITEM_EXTRAS: Final = {"item_id": pl.String, "subset": pl.String, "question": pl.String}
_LISTED: Final = 100
_START: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*")
_ARRAY: Final = re.compile(rb"\[\s*[\[{\]]")
_SPREAD_OBJECT: Final = re.compile(rb"\{[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class Responses:
    """What a response table holds. `responses`: a row a cell, sorted by model and item; `items`: subset and question
    text where the table has them, a row an item. Both are empty where an error is among the issues. `reading`: what was
    decided about form, side, columns, delimiter and words.
    """

    responses: pl.DataFrame
    items: pl.DataFrame
    issues: list[Issue]
    reading: Mapping[str, object] = field(default_factory=dict)


def read_responses(data: bytes, name: str, limits: Limits | None = None, hints: Hints | None = None) -> Responses:
    """Read a wide or a long table (text or Parquet) or py-irt JSON lines, gzipped or not, told apart by content.

    A score is a number in [0, 1] or a truth value; a missing one becomes null and a NaN stays one. Ids are opaque text.
    What the table does not say, `hints` must. Everything that is wrong or was decided is listed in `issues`, with its
    line where there is one.
    """
    bounds, said = limits or Limits(), hints or Hints()
    log = IssueLog(path=name, source=SOURCE)
    opened = open_file(data, log, bounds)
    if opened is None or _note_document(opened, log):
        return _nothing(log, {})
    if _begins(opened, b"{"):
        return _read_subjects(opened, log, bounds, said)
    cells = read_cells(opened, log, bounds)
    return _nothing(log, {}) if cells is None else _read_table(cells, log, bounds, said)


def _begins(data: bytes, with_: bytes | re.Pattern[bytes]) -> bool:
    """Tell whether a text begins with something, behind blanks and a byte order mark."""
    found = _START.match(data)
    start = 0 if found is None else found.end()
    return data.startswith(with_, start) if isinstance(with_, bytes) else with_.match(data, start) is not None


def _note_document(data: bytes, log: IssueLog) -> bool:
    """Note a JSON document that is not JSON lines, and tell whether the file is one."""
    is_array = _begins(data, _ARRAY)
    if not is_array and not _begins(data, _SPREAD_OBJECT):
        return False
    found, fix = ("array", "jq -c '.[]'") if is_array else ("object over several lines", "jq -c .")
    log.add(
        rules.JSON_DOCUMENT,
        f"The file is a JSON {found}; expected JSON lines, one object a line, with subject_id and responses. "
        f"`{fix}` writes one object a line.",
        line=1,
        value=found,
    )
    return True


def _nothing(log: IssueLog, reading: Mapping[str, object]) -> Responses:
    return Responses(pl.DataFrame(schema=LONG), pl.DataFrame(schema=ITEM_EXTRAS), log.issues, reading)


def _read_subjects(data: bytes, log: IssueLog, limits: Limits, hints: Hints) -> Responses:
    reading: dict[str, object] = {"format": "json lines", "form": "py-irt"}
    if hints.stated() or hints.models_in:
        options = ", ".join(
            dict.fromkeys([MODELS_IN] * bool(hints.models_in) + [option for option, _ in hints.stated()])
        )
        log.add(rules.UNUSED_OPTION, f"JSON lines name models and items themselves; not used: {options}.")
    found = read_subjects(data, log, limits)
    if found is None:
        return _nothing(log, reading)
    n_models = found["model"].n_unique()
    log.add(rules.FORM, f"Read as py-irt JSON lines: {n_models} models, a line each.", value="py-irt")
    _note_look_alikes(found["model"], found["item_id"], log)
    return Responses(found, pl.DataFrame(schema=ITEM_EXTRAS), log.issues, reading)


def _note_look_alikes(models: Iterable[str], items: Iterable[str], log: IssueLog) -> None:
    note_look_alikes(models, "models", log)
    note_look_alikes(items, "items", log)


def _read_table(cells: RawTable, log: IssueLog, limits: Limits, hints: Hints) -> Responses:
    layout, tally = find_layout(cells, hints, log), Tally()
    if layout is None:
        return _nothing(log, cells.written)
    reading = {**cells.written, **_note_form(cells, layout, log)}
    if isinstance(layout, Wide):
        found = read_wide(cells, layout, tally, log)
    else:
        found = read_long(cells, layout, tally, limits, log)
    note_tally(tally, log)
    reading |= tally.words
    if found is None or has_errors(log.issues):
        return _nothing(log, reading)
    _note_look_alikes(*_names(cells, layout), log)
    return Responses(found, _items(cells, layout), log.issues, reading)


def _names(cells: RawTable, layout: Wide | Long) -> tuple[Iterable[str], Iterable[str]]:
    """Return the names of models and of items; of a wide table without looking at every cell."""
    if isinstance(layout, Long):
        return cells.text(layout.model), cells.text(layout.item)
    across, down = layout.scored.values(), cells.text(layout.key.column)
    return (across, down) if layout.key.models_in == "columns" else (down, across)


def _note_form(cells: RawTable, layout: Wide | Long, log: IssueLog) -> dict[str, object]:
    """Note which form a table is taken for, and return that for the lake's record."""
    names, n = cells.names, cells.frame.height
    if isinstance(layout, Long):
        facts: dict[str, object] = {
            "form": "long", "item_column": names[layout.item], "model_column": names[layout.model],
            "score_column": names[layout.score],
        }  # fmt: skip
        text = (
            f"Read as a long table of {n} responses: {shown(names[layout.model])} names the model, "
            f"{shown(names[layout.item])} the item, and {shown(names[layout.score])} holds the score."
        )
        log.add(rules.FORM, text, line=cells.header_line, value="long")
        return facts | _unread(layout)
    key = layout.key
    across, down = ("models", "items") if key.models_in == "columns" else ("items", "models")
    text = (
        f"Read as a wide table: {len(layout.scored)} {across} in columns and {n} {down} in rows, which column "
        f"{key.column + 1} ({shown(names[key.column])}) names. The side is decided by {key.decided_by}."
    )
    log.add(rules.FORM, text, line=cells.header_line, value=f"models in {key.models_in}")
    facts = {"form": "wide", "models_in": key.models_in, "decided_by": key.decided_by}
    facts |= {f"{down[:-1]}_column": names[key.column]}
    facts |= {"text_columns": sorted(layout.texts)} if layout.texts else {}
    return facts | _unread(layout)


def _unread(layout: Wide | Long) -> dict[str, object]:
    """Return the columns that are not read, the first of them and their number where they are many."""
    shown_names: dict[str, object] = {"unread_columns": layout.unread[:_LISTED]} if layout.unread else {}
    return shown_names | ({"n_unread_columns": len(layout.unread)} if len(layout.unread) > _LISTED else {})


def _items(cells: RawTable, layout: Wide | Long) -> pl.DataFrame:
    """Return the items' own columns, where a row is an item."""
    if isinstance(layout, Long) or layout.key.models_in == "rows":
        return pl.DataFrame(schema=ITEM_EXTRAS)
    absent = pl.Series([None] * cells.frame.height, dtype=pl.String)
    texts = {name: cells.text(i).replace("", None) for name, i in layout.texts.items()}
    columns = {name: texts.get(name, absent) for name in ROW_TEXTS}
    return pl.DataFrame({"item_id": cells.text(layout.key.column), **columns}).sort("item_id")
