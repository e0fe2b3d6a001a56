"""Which form a response table has, which column is what, and which side the models are on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from transforms.benchmirt import rules
from transforms.benchmirt.cells import RawTable
from transforms.benchmirt.columns import sort_columns
from transforms.benchmirt.hints import MODEL_COLUMN, MODELS_IN, SCORE_COLUMN, Hints, Side
from transforms.benchmirt.names import PREFIX
from transforms.benchmirt.roles import Roles, check_hints, find_roles, has_header, refuse_nameless, refuse_several
from transforms.issue_log import IssueLog, shown, shown_all

_EXAMPLES = 3


class Key(NamedTuple):
    """The column that names the rows of a wide table, the side the models are on, and what decided that."""

    column: int
    models_in: Side
    decided_by: str


@dataclass(frozen=True, slots=True)
class Wide:
    """A row an item and a column a model, or the other way round. `scored`: name by column; `texts`: column by
    name; `unread`: names of columns that are not read.
    """

    key: Key
    scored: dict[int, str]
    texts: dict[str, int]
    unread: list[str]


@dataclass(frozen=True, slots=True)
class Long:
    """A row a response: the columns that name the item and the model, and the one that holds the score."""

    item: int
    model: int
    score: int
    unread: list[str]


def find_layout(cells: RawTable, hints: Hints, log: IssueLog) -> Wide | Long | None:
    """Return how a table is laid out, or None with the reasons why that is not known."""
    if not check_hints(cells, hints, log) or not has_header(cells, hints, log):
        return None
    roles = find_roles(cells.names, hints)
    if roles.item is not None and not roles.prefixed:
        models = roles.models or [i for i in (roles.weak,) if i is not None and roles.scores]
        if models and roles.scores:
            return _long(cells, roles, roles.item, models, hints, log)
        if models and hints.models_in is None:
            _refuse_half_long(cells, roles.item, models[0], log)
            return None
    found = _key(cells, roles, hints, log)
    return None if found is None else _wide(cells, roles, found, hints, log)


def _long(cells: RawTable, roles: Roles, item: int, models: list[int], hints: Hints, log: IssueLog) -> Long | None:
    for columns, what, option in (
        (models, "name the models", MODEL_COLUMN),
        (roles.scores, "hold the scores", SCORE_COLUMN),
    ):
        if len(columns) > 1:
            refuse_several(cells, columns, what, option, log)
    if len(models) > 1 or len(roles.scores) > 1:
        return None
    if hints.models_in is not None:
        message = f"{MODELS_IN} says nothing of a table with a row a response; it is not used."
        log.add(rules.UNUSED_OPTION, message, line=cells.header_line)
    taken = (item, models[0], roles.scores[0])
    rest = sort_columns(cells, [i for i in roles.read if i not in taken], [], None, log)
    left = [cells.names[i] for i in rest.scored]
    if left:
        message = f"These columns are not read: {shown_all(left)}."
        log.add(rules.UNKNOWN_COLUMN, message, line=cells.header_line, value=str(len(left)))
    repeated = _note_repeated(cells, Counter(), [cells.names[i] for i in taken], log)
    return None if repeated else Long(*taken, [*hints.ignored_columns, *rest.unread, *left])


def _refuse_half_long(cells: RawTable, item: int, model: int, log: IssueLog) -> None:
    log.add(
        rules.NO_SCORE_COLUMN,
        f"{shown(cells.names[item])} names items and {shown(cells.names[model])} models, as in a table with a row a "
        f"response, and no column is called score. Say which is: {SCORE_COLUMN} NAME. Or, where the other columns are "
        f"models, say {MODELS_IN} columns; where they are items, {MODELS_IN} rows. Columns: {shown_all(cells.names)}.",
        line=cells.header_line,
    )


def _key(cells: RawTable, roles: Roles, hints: Hints, log: IssueLog) -> Key | None:
    """Return the column that names the rows, and the side of the models."""
    found = _named_key(cells, roles, hints)
    if found is not None:
        return found if hints.models_in is None else Key(found.column, hints.models_in, MODELS_IN)
    if roles.index is None:
        refuse_nameless(cells, log)
        return None
    if hints.models_in is not None:
        return Key(roles.index, hints.models_in, MODELS_IN)
    side = _side_by_metadata(cells, roles.index, hints)
    if side is not None:
        return Key(roles.index, side, "the metadata")
    _refuse_unnamed(cells, roles.index, log)
    return None


def _named_key(cells: RawTable, roles: Roles, hints: Hints) -> Key | None:
    """Return the key that names decide: of the release's models, of the items, of the models."""
    names = cells.names
    if roles.prefixed and hints.model_column is None:
        column = next((i for i in (roles.item, roles.weak, roles.index) if i is not None), None)
        return None if column is None else Key(column, "columns", f"the prefix {PREFIX}")
    by_option = hints.item_column is None and hints.model_column is not None
    if roles.item is not None and not (roles.models and (by_option or hints.models_in == "rows")):
        return Key(roles.item, "columns", f"the name of the column {shown(names[roles.item])}")
    if roles.models:
        return Key(roles.models[0], "rows", f"the name of the column {shown(names[roles.models[0]])}")
    if roles.weak is None:
        return None
    side = _side_by_metadata(cells, roles.weak, hints)
    if side is not None:
        return Key(roles.weak, side, "the metadata")
    return Key(roles.weak, "rows", f"the name of the column {shown(names[roles.weak])}")


def _side_by_metadata(cells: RawTable, column: int, hints: Hints) -> Side | None:
    """Return the side where the metadata knows models, or opposite which it knows items; None for both or none."""
    names = [name.removeprefix(PREFIX) for i, name in enumerate(cells.names) if i != column]
    rows = cells.text(column)
    in_columns = not hints.known_models.isdisjoint(names) or rows.is_in(list(hints.known_items)).any()
    in_rows = not hints.known_items.isdisjoint(names) or rows.is_in(list(hints.known_models)).any()
    return None if in_columns == in_rows else "columns" if in_columns else "rows"


def _refuse_unnamed(cells: RawTable, column: int, log: IssueLog) -> None:
    columns = [name for i, name in enumerate(cells.names) if i != column]
    rows = cells.text(column)
    across, down = _examples(columns), _examples(rows.head(_EXAMPLES + 1).to_list())
    log.add(
        rules.UNKNOWN_SIDE,
        f"Column {column + 1} has no name that says what it holds, so the table can be read two ways: {len(columns)} "
        f"models in columns ({across}) and {len(rows)} items in rows ({down}), or {len(rows)} models in rows and "
        f"{len(columns)} items in columns. Say which: {MODELS_IN} columns or {MODELS_IN} rows. Or name the column: "
        "question_id where its cells are items, model where they are models.",
        line=cells.header_line,
    )


def _examples(names: list[str]) -> str:
    return ", ".join(map(shown, names[:_EXAMPLES])) + (", …" if len(names) > _EXAMPLES else "")


def _wide(cells: RawTable, roles: Roles, found: Key, hints: Hints, log: IssueLog) -> Wide | None:
    rest = [i for i in roles.read if i != found.column]
    prefixed = roles.prefixed if found.models_in == "columns" else []
    kept = sort_columns(cells, rest, roles.stated_scores, found.models_in, log, prefixed)
    names = {i: cells.names[i] for i in kept.scored}
    names |= {i: names[i].removeprefix(PREFIX) for i in prefixed}
    others = [cells.names[found.column], *kept.texts]
    unread = [*hints.ignored_columns, *kept.unread]
    repeated = _note_repeated(cells, Counter(names.values()), others, log)
    nameless = _note_nameless(cells, names, log)
    if not names:
        what = "a model's" if found.models_in == "columns" else "an item's"
        message = f"No column holds {what} scores. Columns: {shown_all(cells.names)}."
        log.add(rules.NO_MODEL_COLUMN, message, line=cells.header_line)
    return None if repeated or nameless or not names else Wide(found, names, kept.texts, unread)


def _note_repeated(cells: RawTable, scored: Counter[str], others: list[str], log: IssueLog) -> bool:
    repeated = {name for name, n in scored.items() if n > 1} | {name for name in others if cells.names.count(name) > 1}
    for name in sorted(repeated):
        log.add(
            rules.REPEATED_COLUMN,
            f"The name {shown(name)} stands for more than one column; which one counts cannot be guessed.",
            line=cells.header_line,
            model=name if name in scored else None,
        )
    return bool(repeated)


def _note_nameless(cells: RawTable, names: dict[int, str], log: IssueLog) -> bool:
    """Note columns whose name is nothing but the release's prefix."""
    found = [cells.names[i] for i, name in names.items() if not name.strip()]
    if found:
        message = f"These columns name no model behind {PREFIX}: {shown_all(found)}. Give each a name."
        log.add(rules.UNNAMED_MODEL, message, line=cells.header_line, value=str(len(found)))
    return bool(found)
