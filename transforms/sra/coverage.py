"""Which signal is there of which cell, and why the rest is not: a row for every combination."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import polars as pl

from transforms.sra.layout import CELL_FILES, CellKey, expectation, standing_note
from warehouse.contracts import TABLES
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION, SIGNALS

_ROLLOUT_COLUMNS: Final = {
    "ab": "ab_p_correct",
    "tf": "tf_p_correct",
    "entropy_whole": "entropy_mean",
    "entropy_answer": "answer_entropy_mean",
    "entropy_numeric": "numeric_entropy_mean",
}
_SPANS: Final = ("entropy_answer", "entropy_numeric")
_KINDS: Final = {"agreement": "sampling", "ab": "ab", "tf": "tf"} | dict.fromkeys(
    ("entropy_whole", *_SPANS), "entropy_bin"
)
_FILE_NAMES: Final = {kind: name for name, kind in CELL_FILES.items()}
_NO_CELL: Final = "The bundle has no such cell."
_LEFT_OUT: Final = "The cell was left out: something in its files is an error."
_NO_TOKENIZER: Final = (
    "The bundle has no tokenizer.json of this model, so token ids cannot be turned into text and spans are not known."
)


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """What one cell has: how many values of each signal, and how many are not there for which reason (a phrase)."""

    n_question_conditions: int
    n_rollouts: int
    kinds: frozenset[str]
    n_present: Mapping[str, int]
    lacking: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    has_tokenizer: bool = True


def observe_cell(
    kinds: Iterable[str],
    question_conditions: pl.DataFrame,
    rollouts: pl.DataFrame,
    tf_verdicts: pl.DataFrame | None = None,
    *,
    has_tokenizer: bool = True,
) -> CellCoverage:
    """Count the values of one cell's published tables. `kinds` are the kinds of file it has (`kind_of`).

    Null and NaN are not values, nor is a verdict that was not joined.
    """
    tables = {signal: rollouts[column] for signal, column in _ROLLOUT_COLUMNS.items()}
    tables["agreement"] = question_conditions["agreement"]
    present = {signal: _n_values(values) for signal, values in tables.items()}
    return CellCoverage(
        question_conditions.height,
        rollouts.height,
        frozenset(kinds),
        present,
        {"tf": _lacking_tf(rollouts["tf_p_correct"], tf_verdicts)},
        has_tokenizer,
    )


def _n_values(values: pl.Series) -> int:
    return int((values.is_not_null() & values.is_not_nan()).sum())


def _lacking_tf(values: pl.Series, verdicts: pl.DataFrame | None) -> dict[str, int]:
    """Count the rollouts without a T/F value, by reason."""
    statuses = pl.Series([], dtype=pl.String) if verdicts is None else verdicts["join_status"]
    stale = int((statuses == "stale_positional_join").sum())
    nan = int(values.is_nan().sum())
    reasons = {
        "left out because the positional join is stale": stale,
        "NaN": nan,
        "null because the probe failed": int((statuses == "joined").sum()) - _n_values(values) - nan,
    }
    return {reason: n for reason, n in reasons.items() if n}


def coverage_frame(
    models: Iterable[str],
    datasets: Iterable[str],
    conditions: Iterable[str],
    observed: Mapping[CellKey, CellCoverage],
    left_out: Mapping[CellKey, Collection[str]] | None = None,
) -> pl.DataFrame:
    """Return `signal_coverage`: a row for every combination of the names given and the six signals, sorted by key.

    `observed` has the cells that were read, `left_out` the kinds of file of those that a partial build leaves out. Of a
    cell that is not there as many values are expected as its data set's largest cell has; of a signal that does not
    apply or is withheld by design, none. A span that no generation of a cell has does not apply: nothing was lost.
    """
    unsound = left_out or {}
    questions: dict[str, int] = {}
    for cell, seen in observed.items():
        questions[cell.dataset] = max(questions.get(cell.dataset, 0), seen.n_question_conditions)
    table = TABLES["signal_coverage"]
    rows = [
        (*key, signal, *_row(CellKey(*key), signal, observed.get(CellKey(*key)), questions, unsound))
        for key in product(sorted(set(models)), sorted(set(datasets)), sorted(set(conditions)))
        for signal in SIGNALS
    ]
    return pl.DataFrame(rows, schema=table.polars_schema, orient="row").sort(table.key)


def _row(
    cell: CellKey,
    signal: str,
    seen: CellCoverage | None,
    questions: Mapping[str, int],
    unsound: Mapping[CellKey, Collection[str]],
) -> tuple[str, int, int, str | None]:
    """Return status, values expected, values present and reason."""
    is_there = _KINDS[signal] in (seen.kinds if seen is not None else unsound.get(cell, ()))
    known = expectation(cell, signal)
    if known.status == "not_applicable" or (known.status == "withheld" and not is_there):
        return known.status, 0, 0, known.reason
    if seen is None:
        n = questions.get(cell.dataset, 0) * (1 if signal == "agreement" else ROLLOUTS_PER_QUESTION)
        return "missing", n, 0, _LEFT_OUT if cell in unsound else _NO_CELL
    if signal in _SPANS and is_there and seen.has_tokenizer and not seen.n_present.get(signal, 0):
        return "not_applicable", 0, 0, f"None of the {seen.n_rollouts} values can be: all are {_WHY[signal]}."
    n_expected = seen.n_question_conditions if signal == "agreement" else seen.n_rollouts
    n_present = seen.n_present.get(signal, 0) if is_there else 0
    status = "missing" if n_present == 0 else "present" if n_present == n_expected else "partial"
    return status, n_expected, n_present, _reason(cell, signal, seen, n_expected - n_present)


def _reason(cell: CellKey, signal: str, seen: CellCoverage, n_lacking: int) -> str | None:
    note = standing_note(cell, signal) if _KINDS[signal] in seen.kinds else None
    sentences = [_why_lacking(signal, seen, n_lacking) if n_lacking else None, note]
    return " ".join(sentence for sentence in sentences if sentence) or None


def _why_lacking(signal: str, seen: CellCoverage, n_lacking: int) -> str:
    if _KINDS[signal] not in seen.kinds:
        return f"The cell has no {_FILE_NAMES[_KINDS[signal]]}."
    if signal in _SPANS and not seen.has_tokenizer:
        return _NO_TOKENIZER
    counted = seen.lacking.get(signal) or {_WHY[signal]: n_lacking}
    return "Not there: " + ", ".join(f"{n} {reason}" for reason, n in counted.items()) + "."


_WHY: Final = {
    "agreement": "that the bundle does not state",
    "ab": "null because the probe failed",
    "tf": "null because the probe failed",
    "entropy_whole": "of generations without a token",
    "entropy_answer": "of generations without 'ANSWER:' or '\\boxed{'",
    "entropy_numeric": "of generations without a digit in an answer span",
}
