"""Databases that several tests read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sql.database import Connection, database, derive
from tests.sql.synthetic import lake_tables


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
