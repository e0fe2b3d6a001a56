"""Columns beside the one that names the rows: which hold scores, and which describe the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.cells import RawTable
from transforms.benchmirt.hints import IGNORED_COLUMN, SCORE_COLUMN, Side
from transforms.benchmirt.names import PREFIX, ROW_TEXTS, counts_rows, describes, is_index
from transforms.issue_log import IssueLog, shown, shown_all


@dataclass(slots=True)
class Sorted:
    """Columns by what they are. `scored`: by position; `texts`: the items' text columns, by name; `unread`: names
    of the rest, which is noted.
    """

    scored: list[int] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    describing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def sort_columns(
    cells: RawTable,
    columns: Sequence[int],
    stated: Sequence[int],
    models_in: Side | None,
    log: IssueLog,
    prefixed: Sequence[int] = (),
) -> Sorted:
    """Return what columns are; `stated` and `prefixed` ones hold scores. Without a side none is said to describe."""
    found, sure = Sorted(), {*stated, *prefixed}
    for i in columns:
        name = cells.names[i]
        if i in sure and (i in stated or name.strip()):
            found.scored.append(i)
        elif _is_named(cells, i, log):
            _sort(found, i, name, models_in, bool(prefixed))
        else:
            found.unread.append(name)
    found.unread += [*found.unknown, *found.describing]
    _note(cells, found, log)
    return found


def _sort(found: Sorted, column: int, name: str, models_in: Side | None, is_release: bool) -> None:
    if models_in == "columns" and name in ROW_TEXTS:
        found.texts[name] = column
    elif is_release:
        found.unknown.append(name)
    elif models_in is not None and describes(name):
        found.describing.append(name)
    else:
        found.scored.append(column)


def _is_named(cells: RawTable, column: int, log: IssueLog) -> bool:
    """Tell whether a column has a name; one that numbers the rows, or is empty, is noted and not read."""
    name, values = cells.names[column], cells.column(column)
    if is_index(name) and (name.strip() or column == 0) and counts_rows(values):
        message = f"Column {column + 1} ({shown(name)}) numbers the rows, as pandas and R write it; it is not read."
        log.add(rules.INDEX_COLUMN, message, line=cells.header_line)
        return False
    if name.strip():
        return True
    n = len(values) - values.null_count() - (int((values == "").sum()) if values.dtype == pl.String else 0)
    rule = rules.UNNAMED_COLUMN if n else rules.EMPTY_COLUMN
    log.add(
        rule, f"Column {column + 1} has no name and {n} values; it is not read.", line=cells.header_line, value=str(n)
    )
    return False


def _note(cells: RawTable, found: Sorted, log: IssueLog) -> None:
    if found.unknown:
        message = (
            f"These columns are not read, for models' columns start with {PREFIX} here: {shown_all(found.unknown)}."
        )
        log.add(rules.UNKNOWN_COLUMN, message, line=cells.header_line, value=str(len(found.unknown)))
    if found.describing:
        log.add(
            rules.NO_SCORES,
            f"These columns are not read as scores, for their names say that they describe the rows: "
            f"{shown_all(found.describing)}. Say {SCORE_COLUMN} NAME of one that holds scores, {IGNORED_COLUMN} NAME "
            "of one that does not.",
            line=cells.header_line,
            value=str(len(found.describing)),
        )
