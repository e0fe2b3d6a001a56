"""What each column of a response table may be, by its name and by what the caller says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transforms.benchmirt import rules
from transforms.benchmirt.cells import RawTable
from transforms.benchmirt.hints import ITEM_COLUMN, MODEL_COLUMN, Hints
from transforms.benchmirt.names import (
    ITEM_NAMES,
    MODEL_NAMES,
    PREFIX,
    SCORE_NAMES,
    WEAK_NAME,
    is_index,
    is_written_index,
    key,
)
from transforms.benchmirt.scores import are_scores
from transforms.issue_log import IssueLog, shown, shown_all


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns by position. `read`: all that are not ignored; `item` and `models`: whose names or the caller say that
    their cells name items and models; `scores`: that they hold scores; `prefixed`: a model of the release;
    `weak`: `id` in front; `index`: without a name, in front.
    """

    read: list[int]
    item: int | None
    models: list[int]
    scores: list[int]
    stated_scores: list[int]
    prefixed: list[int]
    weak: int | None
    index: int | None


def find_roles(names: Sequence[str], hints: Hints) -> Roles:
    """Return what the columns may be."""
    read = [i for i, name in enumerate(names) if name not in hints.ignored_columns]
    stated_scores = [i for i in read if names[i] in hints.score_columns]
    others = [i for i in read if names[i] not in hints.score_columns]
    item = _named(names, others, hints.item_column, ITEM_NAMES)
    models = _named(names, others, hints.model_column, MODEL_NAMES)
    scores = [] if stated_scores else [i for i in others if key(names[i]) in SCORE_NAMES]
    in_front = [i for i in others if not is_index(names[i])][:1]
    index = [i for i in others if is_written_index(names[i])] + [i for i in others[:1] if is_index(names[i])]
    return Roles(
        read=read,
        item=item[0] if item else None,
        models=models,
        scores=stated_scores or [i for i in scores if i not in {*item, *models}],
        stated_scores=stated_scores,
        prefixed=[i for i in others if names[i].startswith(PREFIX) and i not in {*item, *models}],
        weak=next((i for i in in_front if key(names[i]) == WEAK_NAME and i not in {*item, *models}), None),
        index=index[0] if index else None,
    )


def _named(names: Sequence[str], columns: Sequence[int], stated: str | None, known: Sequence[str]) -> list[int]:
    """Return the columns of a stated name, else those of a known name, the first of the known first."""
    if stated is not None:
        return [i for i in columns if names[i] == stated]
    found = [i for i in columns if key(names[i]) in known]
    return sorted(found, key=lambda i: known.index(key(names[i])))


def check_hints(cells: RawTable, hints: Hints, log: IssueLog) -> bool:
    """Tell whether every column that the caller names is there, once, and is said to be one thing."""
    stated = hints.stated()
    times = Counter(name for _, name in stated)
    sound = True
    for option, name in stated:
        n = cells.names.count(name)
        if n != 1:
            rule = rules.REPEATED_COLUMN if n else rules.NO_SUCH_COLUMN
            message = (
                f"{option} names {shown(name)}, and {n} columns have that name. Columns: {shown_all(cells.names)}."
            )
            log.add(rule, message, line=cells.header_line, value=str(n))
            sound = False
    for name in sorted(name for name, n in times.items() if n > 1):
        options = " and ".join(option for option, found in stated if found == name)
        message = f"{shown(name)} is named by {options}; expected one of them."
        log.add(rules.AMBIGUOUS_COLUMN, message, line=cells.header_line)
        sound = False
    return sound


def has_header(cells: RawTable, hints: Hints, log: IssueLog) -> bool:
    """Tell whether names stand where names belong; scores in the place of all but the first are a row of scores."""
    first, rest = cells.names[0], cells.names[1:]
    known = {*ITEM_NAMES, *MODEL_NAMES, WEAK_NAME}
    if hints.stated() or key(first) in known or not rest or cells.dialect is None:
        return True
    scores = are_scores(rest)
    if not scores.any() or any(name.strip() for name, is_one in zip(rest, scores, strict=True) if not is_one):
        return True
    # Pandas numbers columns that have no names.
    if is_index(first) and any(rest == [str(i + n) for i in range(len(rest))] for n in (0, 1)):
        return True
    log.add(
        rules.NO_HEADER,
        f"The table has no header: line {cells.header_line} holds scores where {len(rest)} columns have their names. "
        "Put a header in front: question_id and the models' names, or model and the items' names. Where these are "
        f"names, say what the first column holds: {ITEM_COLUMN} NAME or {MODEL_COLUMN} NAME.",
        line=cells.header_line,
        value=str(len(rest)),
    )
    return False


def refuse_several(cells: RawTable, columns: Iterable[int], what: str, option: str, log: IssueLog) -> None:
    """Note that several columns have one role, and how to say which has it."""
    found = [cells.names[i] for i in columns]
    log.add(
        rules.AMBIGUOUS_COLUMN,
        f"{len(found)} columns may {what}: {shown_all(found)}. Say which does, as in {option} {shown(found[0])}.",
        line=cells.header_line,
        value=str(len(found)),
    )


def refuse_nameless(cells: RawTable, log: IssueLog) -> None:
    """Note that no column says what the rows are."""
    log.add(
        rules.NO_ID_COLUMN,
        f"No column names the items or the models. Say which does: {ITEM_COLUMN} NAME where a row is an item, "
        f"{MODEL_COLUMN} NAME where a row is a model; or call it question_id or model. "
        f"Columns: {shown_all(cells.names)}.",
        line=cells.header_line,
    )
