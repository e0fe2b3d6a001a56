"""Made-up cells for tests: ties, constant signals, one class, one question, nine rollouts a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.sql.database import OBSERVATIONS, Connection, Row, put, rows

CLOSE = 1e-12


UNHURRIED = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Case:
    """One cell's rows."""

    confidence: list[float]
    correct: list[bool]
    question: list[int]

    @property
    def one_class(self) -> bool:
        return len(set(self.correct)) == 1


NINTHS = st.integers(0, 9).map(lambda j: j / 9)


PROBABILITIES = st.one_of(NINTHS, st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]), st.floats(0, 1))


SIXTY_FOURTHS = st.integers(0, 64).map(lambda j: j / 64)


SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))


@st.composite
def cases(draw: st.DrawFn, values: st.SearchStrategy[float] = PROBABILITIES) -> Case:
    per_question = draw(st.sampled_from([1, 1, 2, 9]))
    n_questions = draw(st.integers(1, 6 if per_question == 9 else 12))
    n = per_question * n_questions
    kind = draw(st.sampled_from(["any", "any", "any", "constant", "right", "wrong"]))
    confidence = [draw(values)] * n if kind == "constant" else draw(st.lists(values, min_size=n, max_size=n))
    correct = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    correct = [kind == "right"] * n if kind in {"right", "wrong"} else correct
    return Case(confidence, correct, [i // per_question for i in range(n)])


def load(db: Connection, found: Sequence[Case]) -> None:
    """Make the cases cells 0, 1, … of one relation, so that one query judges them all, and add an empty cell."""
    frames = [
        pl.DataFrame(
            {"cell": str(i), "question_id": [str(q) for q in case.question], "confidence": case.confidence,
             "correct": case.correct}, schema=OBSERVATIONS,
        ) for i, case in enumerate(found)
    ]  # fmt: skip
    empty = pl.DataFrame([("empty", "0", None, True)], schema=OBSERVATIONS, orient="row")
    put(db, "t", pl.concat([*frames, empty]))


def by_cell(db: Connection, query: str) -> dict[str, Row]:
    return {row["cell"]: row for row in rows(db, query)}


def same(found: float | None, right: float | None) -> bool:
    return found is None if right is None else found is not None and abs(found - right) <= CLOSE * max(1.0, abs(right))


def check(found: Row, right: dict[str, float | None]) -> None:
    assert {k: v for k, v in right.items() if not same(found[k], v)} == {}, found
