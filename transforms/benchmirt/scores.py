"""RawTable as scores: numbers, and the words that people write for a truth value or for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.missing import note_missing
from transforms.issue_log import IssueLog, shown

Flags = npt.NDArray[np.bool_]
# The words that R, pandas and SQL write for a value that is not there. NaN is a number and keeps its own meaning.
MISSING: Final = ("na", "n/a", "#n/a", "<na>", "null", "none")
TRUTH: Final = {"true": 1.0, "t": 1.0, "false": 0.0, "f": 0.0}
_DECIMAL_COMMA: Final = r"^[+-]?\d*,\d+$"
_BATCH: Final = 1 << 22
_LISTED: Final = 20


@dataclass(slots=True)
class Tally:
    """How scores are written: counts of cells, and of each word."""

    cells: int = 0
    whole: int = 0
    binary: int = 0
    fractions: int = 0
    empty: int = 0
    nan: int = 0
    decimal_commas: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    truth: Counter[str] = field(default_factory=Counter)

    @property
    def words(self) -> dict[str, object]:
        """Which words and marks were read as something, for the lake's record."""
        found = {
            "missing_words": dict(sorted(self.missing.items())),
            "truth_words": dict(sorted(self.truth.items())),
            "decimal_commas": self.decimal_commas,
        }
        return {name: value for name, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Parsed:
    """Scores, null where a cell is missing; which cells hold no number; which hold one below 0 or above 1."""

    values: pl.Series
    bad: Flags
    outside: Flags


def are_scores(names: Sequence[str]) -> Flags:
    """Tell which texts read as scores rather than as names."""
    found = parse(pl.Series(names, dtype=pl.String), Tally())
    return (found.values.is_not_null() & found.values.is_not_nan()).to_numpy() & ~found.outside


def parse_all(columns: Sequence[pl.Series], tally: Tally) -> Iterator[tuple[int, int, Parsed]]:
    """Yield start and end of a run of columns of one type, and their scores behind one another.

    Columns are read together, for a table may have a hundred thousand of them, and not all at once, for memory.
    """
    start = 0
    while start < len(columns):
        end, size = start + 1, len(columns[start])
        while end < len(columns) and columns[end].dtype == columns[start].dtype and size < _BATCH:
            size += len(columns[end])
            end += 1
        yield start, end, parse(pl.concat(columns[start:end], rechunk=True), tally)
        start = end


def parse(column: pl.Series, tally: Tally) -> Parsed:
    """Return a column's scores and count how they are written."""
    values, bad = _text(column, tally) if column.dtype == pl.String else _typed(column, tally)
    outside = ((values < 0.0) | (values > 1.0)) & values.is_not_nan()
    tally.cells += len(values)
    tally.nan += int(values.is_nan().sum())
    tally.empty += values.null_count() - int(bad.sum())
    tally.fractions += int(((values > 0.0) & (values < 1.0)).sum())
    tally.binary += int(((values == 0.0) | (values == 1.0)).sum())
    return Parsed(values, bad, outside.fill_null(value=False).to_numpy())


def _text(column: pl.Series, tally: Tally) -> tuple[pl.Series, Flags]:
    text = column.str.strip_chars().fill_null("")
    values = text.str.to_lowercase().cast(pl.Float64, strict=False)
    tally.whole += int(text.is_in(["0", "1"]).sum())
    odd = values.is_null() & (text != "")
    if not odd.any():
        return values, np.zeros(len(text), dtype=np.bool_)
    where = odd.arg_true()
    words, bad = _words(text.gather(where), tally)
    is_bad = np.zeros(len(text), dtype=np.bool_)
    is_bad[where.to_numpy()] = bad
    return values.scatter(where, words), is_bad


def _words(text: pl.Series, tally: Tally) -> tuple[pl.Series, Flags]:
    """Return what texts that are no numbers mean, null where nothing, and which mean neither."""
    low = text.str.to_lowercase()
    truth = low.is_in(list(TRUTH))
    missing = low.is_in(list(MISSING))
    comma = low.str.contains(_DECIMAL_COMMA)
    numbers = low.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    values = low.replace_strict(TRUTH, default=None, return_dtype=pl.Float64)
    for counter, mask in ((tally.truth, truth), (tally.missing, missing)):
        found = text.filter(mask).value_counts()
        counter.update(dict(zip(found.to_series(0).to_list(), found.to_series(1).to_list(), strict=True)))
    tally.decimal_commas += int(comma.sum())
    return numbers.zip_with(comma, values), (~(truth | missing | comma)).to_numpy()


def _typed(column: pl.Series, tally: Tally) -> tuple[pl.Series, Flags]:
    """Return the scores of a Parquet file's column that is no text."""
    if not (column.dtype.is_numeric() or column.dtype in {pl.Boolean, pl.Null}):
        return pl.Series([None] * len(column), dtype=pl.Float64), column.is_not_null().to_numpy()
    present = len(column) - column.null_count()
    if column.dtype == pl.Boolean:
        tally.truth += Counter({"true": int(column.sum() or 0), "false": present - int(column.sum() or 0)})
    tally.whole += present if column.dtype.is_integer() else 0
    return column.cast(pl.Float64), np.zeros(len(column), dtype=np.bool_)


def note_tally(tally: Tally, log: IssueLog) -> None:
    """Note how the scores are written, each kind once."""
    n_words = sum(tally.truth.values())
    log.add(
        rules.SCORE_FORMATS,
        f"Of {tally.cells} cells {tally.whole} are written 0 or 1, {tally.binary - tally.whole - n_words} as decimals "
        f"(0.0, 1.0), {n_words} as truth values, {tally.fractions} are fractions, {tally.empty} are missing and "
        f"{tally.nan} say NaN.",
    )
    for rule, words, meaning in (
        (rules.TRUTH_WORD, tally.truth, "1 where true and 0 where false"),
        (rules.MISSING_WORD, tally.missing, "missing, as null"),
    ):
        if words:
            listed = ", ".join(f"{shown(word)} ({n})" for word, n in sorted(words.items())[:_LISTED])
            log.add(rule, f"These words are read as {meaning}: {listed}.", value=str(sum(words.values())))
    if tally.decimal_commas:
        message = f"{tally.decimal_commas} scores have a decimal comma (0,5); read like a point."
        log.add(rules.DECIMAL_COMMA, message, value=str(tally.decimal_commas))
    note_missing(tally.empty, tally.nan, tally.fractions, log)
