"""Where each rollout's block lies in a token-entropy file, as the index says, and what is wrong with it.

An index record places `n_tokens` tokens of 6 bytes at byte `offset`. Blocks may lie in any order and at any alignment;
they do not overlap and together cover the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transforms.issue_log import shown
from transforms.sra.entropy_index import INDEX_SCHEMA
from warehouse.contracts.issues import Issue, Rule, Severity
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION

Row: TypeAlias = dict[str, Any]

BYTES_PER_TOKEN: Final = 6
KEY: Final = ("instance_id", "sample")

ABSENT = Rule(
    "entropy_index.absent_value", Severity.ERROR, "An index line lacks its question, sample, offset or count."
)
BAD_SAMPLE = Rule("entropy_index.bad_sample", Severity.ERROR, "An index line's sample is not one of 0 to 8.")
REPEATED = Rule("entropy_index.repeated_rollout", Severity.ERROR, "Two index lines are about the same rollout.")
NEGATIVE = Rule("entropy_index.negative_value", Severity.ERROR, "An index line's offset or token count is negative.")
PAST_END = Rule("entropy_index.past_end", Severity.ERROR, "An index line's block runs past the end of the file.")
OVERLAP = Rule("entropy_index.overlap", Severity.ERROR, "The blocks of two index lines overlap.")
UNCOVERED = Rule("entropy_index.uncovered_bytes", Severity.ERROR, "Bytes of the file belong to no index line.")
NO_LINE = Rule("entropy_index.missing_rollout", Severity.ERROR, "A sampled rollout has no index line.")
NO_ROLLOUT = Rule("entropy_index.unknown_rollout", Severity.ERROR, "An index line is about no sampled rollout.")
RULES: Final = (ABSENT, BAD_SAMPLE, REPEATED, NEGATIVE, PAST_END, OVERLAP, UNCOVERED, NO_LINE, NO_ROLLOUT)

_REQUIRED: Final = ("instance_id", "sample", "offset", "n_tokens")
_ADVICE: Final = "Fetch both files again, or ask the publisher."


def place_blocks(index: pl.DataFrame, size: int, path: str, index_path: str) -> tuple[pl.DataFrame, list[Issue]]:
    """Check an index (INDEX_SCHEMA) against its file `path` of `size` bytes.

    Returns the rows whose blocks can be read, sorted by (instance_id, sample), and an error for all that is wrong. The
    rows returned are disjoint, so however damaged the index is, they ask for no more tokens than the file has. Raises
    ValueError for a frame of another schema.
    """
    rows = index.select(*INDEX_SCHEMA)
    if dict(rows.schema) != INDEX_SCHEMA:
        raise ValueError(f"expected an index with {INDEX_SCHEMA}, found {dict(rows.schema)}")
    issues = [*_absent(rows, index_path), *_bad_samples(rows, index_path), *_repeats(rows, index_path)]
    issues += [*_negatives(rows, index_path), *_past_end(rows, size, path, index_path)]
    placed = rows.filter(_inside(size)).sort("offset", "n_tokens", "line").with_row_index("row")
    filled = placed.filter(pl.col("n_tokens") > 0)
    reach = _Reach.of(filled)
    overlapping, found = _overlaps(filled, reach, path, index_path)
    issues += [*found, *_uncovered(filled, reach, size, path, index_path)]
    readable = placed.filter(~pl.col("row").is_in(overlapping["row"].implode())).drop("row")
    return readable.sort(*KEY, "line"), issues


def match_rollouts(index: pl.DataFrame, rollouts: pl.DataFrame, index_path: str) -> list[Issue]:
    """Compare an index with the sampled rollouts (columns `instance_id`, `sample`): both must hold the same."""
    keys = rollouts.select(pl.col("instance_id").cast(pl.String), pl.col("sample").cast(pl.Int64)).unique()
    lines = index.select(*KEY, "line").drop_nulls()
    missing = keys.join(lines, on=KEY, how="anti").sort(KEY).with_columns(line=pl.lit(None, pl.Int64))
    unknown = lines.join(keys, on=KEY, how="anti").sort("line")
    return [
        *_each(
            NO_LINE, missing, index_path, lambda row: f"{index_path} has no line for {who(row)}, which was sampled."
        ),
        *_each(NO_ROLLOUT, unknown, index_path, lambda row: f"{_at(index_path, row)} was never sampled."),
    ]


def who(row: Row) -> str:
    """Name a rollout in a sentence."""
    question = "a question without a name" if row["instance_id"] is None else shown(row["instance_id"])
    return f"{question}, sample {row['sample']}"


def _at(index_path: str, row: Row) -> str:
    return f"{index_path}, line {row['line']}: {who(row)},"


def _each(
    rule: Rule, rows: pl.DataFrame, path: str, message: Callable[[Row], str], value: str | None = None
) -> Iterator[Issue]:
    """Yield an issue a row; `value` names the column that holds the offending value."""
    for row in rows.iter_rows(named=True):
        found = None if value is None else str(row[value])
        where = {"line": row["line"], "instance_id": row["instance_id"], "sample": row["sample"]}
        yield rule.issue(message(row), path=path, value=found, **where)


def _absent(rows: pl.DataFrame, index_path: str) -> Iterator[Issue]:
    lacking = rows.filter(pl.any_horizontal(pl.col(_REQUIRED).is_null()))

    def message(row: Row) -> str:
        names = ", ".join(name for name in _REQUIRED if row[name] is None)
        return f"{_at(index_path, row)} has no usable {names}; each line needs {', '.join(_REQUIRED)}. {_ADVICE}"

    return _each(ABSENT, lacking, index_path, message)


def _bad_samples(rows: pl.DataFrame, index_path: str) -> Iterator[Issue]:
    last = ROLLOUTS_PER_QUESTION - 1

    def message(row: Row) -> str:
        return f"{_at(index_path, row)} is none of the samples 0 to {last}. {_ADVICE}"

    return _each(BAD_SAMPLE, rows.filter(~pl.col("sample").is_between(0, last)), index_path, message, "sample")


def _repeats(rows: pl.DataFrame, index_path: str) -> Iterator[Issue]:
    again = (
        rows.drop_nulls(KEY).with_columns(first=pl.col("line").min().over(KEY)).filter(pl.col("line") > pl.col("first"))
    )

    def message(row: Row) -> str:
        return f"{_at(index_path, row)} was already on line {row['first']}; each rollout has one line. {_ADVICE}"

    return _each(REPEATED, again.sort("line"), index_path, message)


def _negatives(rows: pl.DataFrame, index_path: str) -> Iterator[Issue]:
    for name in ("offset", "n_tokens"):

        def message(row: Row, name: str = name) -> str:
            return f"{_at(index_path, row)} has {name} {row[name]}; expected a number from 0 on. {_ADVICE}"

        yield from _each(NEGATIVE, rows.filter(pl.col(name) < 0), index_path, message, name)


def _not_negative() -> pl.Expr:
    return (pl.col("offset") >= 0) & (pl.col("n_tokens") >= 0)


def _inside(size: int) -> pl.Expr:
    """Tell whether a block lies in the file; both numbers are bounded too, because their sum can wrap around."""
    offset, n_tokens = pl.col("offset"), pl.col("n_tokens")
    bounded = (offset <= size) & (n_tokens <= size // BYTES_PER_TOKEN)
    return _not_negative() & bounded & (offset + n_tokens * BYTES_PER_TOKEN <= size)


def _past_end(rows: pl.DataFrame, size: int, path: str, index_path: str) -> Iterator[Issue]:
    def message(row: Row) -> str:
        end = row["offset"] + row["n_tokens"] * BYTES_PER_TOKEN
        return (
            f"{_at(index_path, row)} places {row['n_tokens']:,} tokens at byte {row['offset']:,}, so to byte {end:,}, "
            f"but {path} has {size:,} bytes. {_ADVICE}"
        )

    return _each(PAST_END, rows.filter(_not_negative() & ~_inside(size)), index_path, message, "offset")


@dataclass(frozen=True)
class _Reach:
    """Per block in file order: its first byte, the end of the furthest block up to it, and which block that is."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    holder: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: pl.DataFrame) -> _Reach:
        start = blocks["offset"].to_numpy()
        own_end = start + blocks["n_tokens"].to_numpy() * BYTES_PER_TOKEN
        end = np.maximum.accumulate(own_end)
        places = np.arange(len(blocks))
        return cls(start, end, np.maximum.accumulate(np.where(own_end == end, places, 0)))


def _overlaps(blocks: pl.DataFrame, reach: _Reach, path: str, index_path: str) -> tuple[pl.DataFrame, list[Issue]]:
    """Return the blocks that begin inside an earlier one, and their errors; a line given twice has its own rule."""
    inner = np.flatnonzero(reach.start[1:] < reach.end[:-1]) + 1
    outer = blocks[reach.holder[inner - 1]].select(pl.all().name.prefix("outer_"))
    pairs = pl.concat([blocks[inner], outer], how="horizontal")
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"outer_{name}")) for name in _REQUIRED)

    def message(row: Row) -> str:
        outer_end = row["outer_offset"] + row["outer_n_tokens"] * BYTES_PER_TOKEN
        return (
            f"{_at(index_path, row)} begins at byte {row['offset']:,} of {path}, inside the block of line "
            f"{row['outer_line']}, which ends at byte {outer_end:,}; blocks may not overlap. {_ADVICE}"
        )

    return pairs, list(_each(OVERLAP, pairs.filter(~same), index_path, message, "offset"))


def _uncovered(blocks: pl.DataFrame, reach: _Reach, size: int, path: str, index_path: str) -> Iterator[Issue]:
    before = np.concatenate([np.zeros(1, np.int64), reach.end])
    after = np.concatenate([reach.start, np.full(1, size, np.int64)])
    lines = [None, *blocks["line"].to_list()]
    for gap in np.flatnonzero(after > before).tolist():
        start, end = int(before[gap]), int(after[gap])
        line = lines[1 + int(reach.holder[gap - 1])] if gap else None
        place = "at the start of the file" if line is None else f"after the block of line {line} of {index_path}"
        message = (
            f"{path}: bytes {start:,} to {end - 1:,} ({end - start:,} bytes, {place}) belong to no line of the index."
        )
        yield UNCOVERED.issue(f"{message} {_ADVICE}", path=path, line=line, value=f"{start}-{end - 1}")
