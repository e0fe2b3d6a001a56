"""From observations to cells: what is usable, what is refused, what order rows come in."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from tests.unit.statistics.observations import cell, one_model
from transforms.statistics.cells import KEYS, datasets_of
from transforms.statistics.rows import Rows


def test_a_probability_outside_0_to_1_is_ranked_and_not_calibrated() -> None:
    confidence = [1.5, -0.1, 0.0, 1.0, 0.4, math.nan, math.inf]  # B16, B18
    (dataset,) = datasets_of(cell("ab", confidence, [0, 1, 1, 1, 0, 1, 1], range(7)))
    (found,) = dataset.cells
    assert found.usable.confidence.tolist() == [0.0, 0.4, 1.0]
    assert found.ranked.confidence.tolist() == [-0.1, 0.0, 0.4, 1.0, 1.5, math.inf]
    assert (found.usable.n_questions, found.ranked.n_questions) == (3, 6)


def test_a_score_that_is_no_probability_is_usable_at_any_size() -> None:
    (dataset,) = datasets_of(cell("entropy_whole", [-3.0, -0.2, math.nan], [1, 0, 1], range(3), is_probability=False))
    (found,) = dataset.cells
    assert found.usable is found.ranked
    assert found.usable.confidence.tolist() == [-3.0, -0.2]


def test_a_null_takes_its_question_along_and_no_other() -> None:
    frame = cell("ab", [0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], [0, 0, 1, 2])  # B42
    frame = frame.with_columns(
        confidence=pl.when(pl.col("question_id") == "q0001").then(None).otherwise("confidence"),
        correct=pl.when(pl.col("question_id") == "q0002").then(None).otherwise("correct"),
    )
    (dataset,) = datasets_of(frame)
    rows = dataset.cells[0].usable
    assert [dataset.question_ids[q] for q in rows.question] == ["q0000", "q0000"]
    assert rows.correct.tolist() == [0, 1]


def test_cells_and_questions_do_not_depend_on_row_order() -> None:
    frame = one_model(questions=12)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    for a, b in zip(datasets_of(frame), datasets_of(shuffled), strict=True):
        assert (a.name, a.question_ids) == (b.name, b.question_ids)
        assert (a.hashes == b.hashes).all()
        for x, y in zip(a.cells, b.cells, strict=True):
            assert x.key == y.key
            for name in ("confidence", "correct", "question"):
                assert getattr(x.usable, name).tobytes() == getattr(y.usable, name).tobytes()


def test_minus_zero_is_zero() -> None:
    assert not np.signbit(Rows.of([-0.0, 0.0], [1, 0]).confidence).any()


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2, 1 and 2 elements"):
        Rows.of([0.1, 0.2], [1])


@pytest.mark.parametrize("name", [*KEYS, "question_id", "confidence", "is_probability", "correct"])
def test_a_missing_column_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"no column {name}; found "):
        datasets_of(one_model(questions=3).drop(name))


@pytest.mark.parametrize("name", [*KEYS, "question_id", "is_probability"])
def test_a_null_key_is_refused(name: str) -> None:
    frame = one_model(questions=3)
    first = pl.int_range(pl.len()) == 0
    with pytest.raises(ValueError, match=f"1 observations have no {name}"):
        datasets_of(frame.with_columns(pl.when(first).then(None).otherwise(pl.col(name)).alias(name)))


@pytest.mark.parametrize("name", ["source", "model"])
def test_one_source_and_model_at_a_time(name: str) -> None:
    frame = one_model(questions=3)
    other = frame.with_columns(pl.lit("other").alias(name))
    with pytest.raises(ValueError, match=f"more than one {name}"):
        datasets_of(pl.concat([frame, other]))


def test_a_signal_is_a_probability_or_not() -> None:
    mixed = pl.concat([cell("ab", [0.1], [1], [0]), cell("ab", [0.2], [1], [1], is_probability=False)])
    with pytest.raises(ValueError, match="sra / M / champ / direct / ab mixes"):
        datasets_of(mixed)


def test_nothing_gives_nothing() -> None:
    assert datasets_of(one_model(questions=3).clear()) == []
