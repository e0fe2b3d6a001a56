"""Databases that several tests read."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from tests.sql.database import Connection, database, derive
from tests.sql.synthetic import coverage_of, lake_tables
from tests.sql.views import CELL, COLUMNS


@pytest.fixture(scope="session")
def db() -> Iterator[Connection]:
    """Macros and views over empty tables; a test makes its own relations in it."""
    with database() as connection:
        yield connection


@pytest.fixture(scope="session")
def lake() -> Iterator[Connection]:
    """A small made-up lake with everything derived; nobody changes it."""
    questions = {"champ": 7, "theoremqa": 12, "medcalcbench": 15, "logicbench": 9}
    with derive(database(lake_tables(questions, seed=11))) as connection:
        yield connection


@pytest.fixture(scope="session")
def tables(lake: Connection) -> dict[str, pl.DataFrame]:
    names = ("rollouts", "question_conditions", "rollout_entropies", "ab_verdicts", "tf_verdicts")
    return {name: lake.sql(f"FROM {name}").pl() for name in names}


@pytest.fixture(scope="session")
def observations(tables: dict[str, pl.DataFrame]) -> dict[tuple[str, str, str, str], pl.DataFrame]:
    """Question, confidence and outcome of every cell, from the tables alone."""
    found = {}
    questions = tables["question_conditions"].select(
        *CELL,
        "instance_id",
        pl.col("agreement_recomputed").alias("confidence"),
        pl.col("native_correct").alias("correct"),
    )
    for key, frame in questions.group_by(CELL):
        found[*key, "agreement"] = frame
    for signal, column in COLUMNS.items():
        sign = -1 if signal.startswith("entropy") else 1
        frame = tables["rollouts"].select(*CELL, "instance_id", (sign * pl.col(column)).alias("confidence"), "correct")
        for key, rows_ in frame.group_by(CELL):
            if coverage_of(str(key[0]), str(key[2]), signal) == "present":
                found[*key, signal] = rows_
    return found
