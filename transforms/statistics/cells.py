"""From the observations of one model to cells: usable rows, questions as codes, signals as they may be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from transforms.statistics.rows import Rows
from transforms.statistics.weights import HashArray, question_hashes

KEYS: Final = ("source", "model", "dataset", "condition", "signal")
_COLUMNS: Final = (*KEYS, "question_id", "confidence", "is_probability", "correct")


@dataclass(frozen=True, slots=True)
class Cell:
    """One signal of one model on one data set under one condition.

    `usable` rows have a grade and, where the signal is a probability, a confidence in [0, 1]; `ranked` rows may have
    any finite or infinite confidence. Codes of questions are positions in the data set's `question_ids`.
    """

    source: str
    model: str
    dataset: str
    condition: str
    signal: str
    is_probability: bool
    usable: Rows
    ranked: Rows

    @property
    def key(self) -> dict[str, str]:
        """The cell's key columns."""
        return {name: getattr(self, name) for name in KEYS}


@dataclass(frozen=True, slots=True)
class Dataset:
    """The cells of one data set, and its questions over all of them in order of name, each with its hash."""

    name: str
    question_ids: tuple[str, ...]
    hashes: HashArray
    cells: tuple[Cell, ...]


def datasets_of(observations: pl.DataFrame) -> list[Dataset]:
    """Split observations of one source and model into data sets and cells, in order of their names.

    Raises ValueError where a column is missing, a key or question is null, there is more than one source or model, or
    a cell mixes probabilities with other scores.
    """
    _check_columns(observations)
    frame = observations.select(_COLUMNS).with_columns(pl.col("confidence").cast(pl.Float64))
    _check_keys(frame)
    parts = frame.partition_by("dataset", maintain_order=True)
    return sorted((_dataset(part) for part in parts), key=lambda dataset: dataset.name)


def _check_columns(observations: pl.DataFrame) -> None:
    missing = [name for name in _COLUMNS if name not in observations.columns]
    if missing:
        raise ValueError(
            f"the observations have no column {', '.join(missing)}; found {', '.join(observations.columns)}"
        )


def _check_keys(frame: pl.DataFrame) -> None:
    for name in (*KEYS, "question_id", "is_probability"):
        if n := frame[name].null_count():
            raise ValueError(f"{n} observations have no {name}: give every row one, every figure is kept under it")
    for name in ("source", "model"):
        if frame[name].n_unique() > 1:
            found = ", ".join(frame[name].unique().sort())
            raise ValueError(f"the observations are of more than one {name} ({found}): give one at a time")


def _dataset(frame: pl.DataFrame) -> Dataset:
    question_ids = frame["question_id"].unique().sort()
    codes = pl.DataFrame({"question_id": question_ids}).with_row_index("question")
    coded = frame.join(codes, on="question_id", maintain_order="left")
    cells = [_cell(part) for part in coded.partition_by("condition", "signal", maintain_order=True)]
    name = str(frame["dataset"][0])
    return Dataset(
        name=name,
        question_ids=tuple(question_ids),
        hashes=question_hashes(name, question_ids.to_list()),
        cells=tuple(sorted(cells, key=lambda cell: (cell.condition, cell.signal))),
    )


def _cell(frame: pl.DataFrame) -> Cell:
    key = {name: str(frame[name][0]) for name in KEYS}
    if frame["is_probability"].n_unique() > 1:
        raise ValueError(f"{' / '.join(key.values())} mixes probabilities with other scores: make it two signals")
    is_probability = bool(frame["is_probability"][0])
    present = frame.drop_nulls(["confidence", "correct"])
    present = present.filter(pl.col("confidence").is_not_nan())
    ranked = Rows.of(present["confidence"].to_numpy(), present["correct"].cast(pl.Int64), present["question"])
    in_range = (ranked.confidence >= 0.0) & (ranked.confidence <= 1.0)
    usable = ranked if not is_probability or np.all(in_range) else ranked.where(in_range)
    return Cell(**key, is_probability=is_probability, usable=usable, ranked=ranked)
