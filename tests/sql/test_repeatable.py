"""The same answer to the last bit, over ten runs and one, two and four threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from tests.sql.database import Connection, database, derive, put
from tests.sql.synthetic import lake_tables

THREADS = (1, 2, 4, 2, 4, 1, 4, 2, 4, 2)
ROWS, CELLS, QUESTIONS = 300_000, 12, 2_500
MACROS = (
    "calibration_error('big')", "calibration_error('big', 15, 'equal_mass')", "brier_decomposition('big')",
    "reliability_diagram('big')", "auroc('big')", "average_precision('big')", "aurc('big')",
    "prediction_rejection_ratio('big', 0.5)", "roc_curve('big')", "risk_coverage_curve('big')",
    "coverage_at_risk('big', 0.2)", "ks_calibration_error('big')", "hosmer_lemeshow('big')",
    "adaptive_calibration_error('big')", "clustered_mean('big')", "clustered_mean('big', col := 'confidence')",
    "paired_difference('big', 'c1', 'c2')", "bootstrap_ci('big', 'ece', b := 20)", "question_sums('big')",
)  # fmt: skip
AGGREGATES = (
    "SELECT cell, brier_score(confidence, correct) AS b, log_loss(confidence, correct) AS l, "
    "spiegelhalter_z(confidence, correct) AS z, calibration_in_the_large(confidence, correct) AS c "
    "FROM big GROUP BY cell"
)
VIEWS = (
    "calibration_summary", "reliability_diagram", "risk_coverage_curve", "skill_effect", "cap_repair_sensitivity",
    "entropy_by_span", "ab_position_bias", "tf_join_audit", "published_figures_check",
    "risk_coverage_reference",
)  # fmt: skip


@pytest.fixture(scope="module")
def big() -> Iterator[Connection]:
    """More rows than one thread takes at a time, in an order that has nothing to do with any key."""
    rng = np.random.default_rng(9)
    confidence = np.where(rng.random(ROWS) < 0.3, np.round(rng.random(ROWS), 2), rng.random(ROWS))
    frame = pl.DataFrame(
        {
            "cell": [f"c{i}" for i in rng.integers(0, CELLS, ROWS)],
            "question_id": [f"q{i}" for i in rng.integers(0, QUESTIONS, ROWS)],
            "confidence": confidence,
            "correct": rng.random(ROWS) < confidence,
        }
    )
    with database() as connection:
        put(connection, "big", frame)
        yield connection


def answers(connection: Connection, query: str) -> set[str]:
    """Return the distinct answers of ten runs; a number is written so that every bit shows."""
    seen = set()
    for threads in THREADS:
        connection.execute(f"SET threads = {threads}")
        frame = connection.sql(f"SELECT * FROM ({query}) ORDER BY ALL").pl()
        seen.add(str(frame.hash_rows(seed=1).to_list()) + str(frame.height))
    return seen


@pytest.mark.parametrize("macro", MACROS)
def test_macros(big: Connection, macro: str) -> None:
    assert len(answers(big, f"FROM {macro}")) == 1


def test_aggregates(big: Connection) -> None:
    assert len(answers(big, AGGREGATES)) == 1


def test_the_repeatable_sum_is_the_sum(big: Connection) -> None:
    exact = "SELECT cell, exact_sum(confidence) AS s FROM big GROUP BY cell"
    plain = "SELECT cell, sum(confidence) AS s FROM big GROUP BY cell"
    assert len(answers(big, exact)) == 1
    found, right = (dict(big.sql(query).fetchall()) for query in (exact, plain))
    assert found == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("view", VIEWS)
def test_views(lake: Connection, view: str) -> None:
    assert len(answers(lake, f"FROM {view}")) == 1


def test_tables_computed_in_sql() -> None:
    tables = lake_tables({"champ": 5, "theoremqa": 5, "medcalcbench": 5, "logicbench": 5}, seed=4)
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=7) for name, frame in tables.items()}
    names = ("confidence_cells", "confidence_groups", "confidence_clusters", "reliability_bins", "calibration_figures",
             "entropy_span_figures")  # fmt: skip
    with derive(database(tables)) as one, derive(database(shuffled)) as two:
        for name in names:
            assert one.sql(f"FROM {name}").pl().rows() == two.sql(f"FROM {name}").pl().rows()
