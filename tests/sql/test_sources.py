"""What serves every source knows none by name: another one joins it by the names of its views."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.sql.database import Connection, one, put, rows
from tests.sql.synthetic import t_quantiles
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqltext import SqlObject, load_checks, load_sql, load_tables

SHARED = ("common", "statistics")
SOURCES = {table.source for table in TABLES.values()} - {*SHARED}
OF_EVERY_SOURCE = [
    found
    for found in (*load_sql(SQL_ROOT), *load_tables(SQL_ROOT))
    if found.kind != "macro" and ("source" in found.grain or found.name in {"skill_effect", "calibration_figures"})
]
OBSERVATIONS = """-- view: toy_confidence_observations
-- grain: cell, unit_id
-- One question a row; the source has never heard of cap repair.
CREATE OR REPLACE VIEW toy_confidence_observations AS
SELECT
    cell_name('toy', 'm', 'd', condition, 'said') AS cell,
    'toy' AS source,
    'm' AS model,
    'd' AS dataset,
    condition,
    'said' AS signal,
    'clue' AS unit,
    concat('q', i) AS unit_id,
    concat('q', i) AS question_id,
    0.2 * i + bonus AS confidence,
    true AS is_probability,
    i + 10 * bonus >= 2 AS correct
FROM range(4) AS numbers (i), (VALUES ('plain', 0.0), ('hinted', 0.1)) AS given (condition, bonus);
"""
CONDITIONS = """-- view: toy_skill_conditions
-- grain: model, dataset, condition, question_id
-- A hint beside none.
CREATE OR REPLACE VIEW toy_skill_conditions AS
SELECT
    'toy' AS source,
    'm' AS model,
    'd' AS dataset,
    'hinted' AS condition,
    'plain' AS base_condition,
    concat('q', i) AS question_id,
    i = 3 AS skill_is_annotated
FROM range(4) AS numbers (i);
"""
COUNTS = """-- view: toy_unjoined_counts
-- grain: model, dataset, condition, signal
-- One row of each cell had no record.
CREATE OR REPLACE VIEW toy_unjoined_counts AS
SELECT
    'toy' AS source,
    'm' AS model,
    'd' AS dataset,
    unnest(['plain', 'hinted']) AS condition,
    'said' AS signal,
    1 AS n_unjoined;
"""


def name_of(found: SqlObject) -> str:
    return f"{found.kind}:{found.name}"


@pytest.mark.parametrize("found", OF_EVERY_SOURCE, ids=name_of)
def test_what_serves_every_source_names_none(found: SqlObject) -> None:
    named = {source for source in SOURCES if f"'{source}'" in found.sql}
    of_a_source = [name for name in SOURCES if found.name.startswith(f"{name}_")]
    assert named <= set(of_a_source)
    tables = found.words & {table.name for table in TABLES.values() if table.source not in SHARED}
    assert bool(tables) <= bool(of_a_source)


def test_the_headline_views_serve_every_source() -> None:
    names = {
        "calibration_summary",
        "reliability_diagram",
        "risk_coverage_curve",
        "skill_effect",
        "confidence_observations",
    }
    assert names <= {found.name for found in OF_EVERY_SOURCE}


@pytest.fixture(scope="module")
def with_toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A lake of one source that nobody knew: its three views beside the project's SQL, and nothing else."""
    root = tmp_path_factory.mktemp("toy") / "sql"
    shutil.copytree(SQL_ROOT, root)
    for view, text in (
        ("confidence_observations", OBSERVATIONS), ("skill_conditions", CONDITIONS), ("unjoined_counts", COUNTS),
    ):  # fmt: skip
        (root / "views" / f"toy_{view}.sql").write_text(text)
    with duckdb.connect() as connection:
        for name, table in TABLES.items():
            put(connection, name, t_quantiles() if name == "t_quantiles" else table.empty())
        for found in load_sql(root):
            connection.execute(found.sql)
        for found in load_tables(root):
            put(connection, found.name, connection.sql(found.sql).pl())
        yield connection


def test_a_source_joins_the_figures_by_its_views(with_toy: Connection) -> None:
    found = {row["condition"]: row for row in rows(with_toy, "FROM calibration_summary WHERE source = 'toy'")}
    assert {name: (row["n"], row["accuracy"], row["n_unjoined"]) for name, row in found.items()} == {
        "plain": (4, 0.5, 1), "hinted": (4, 0.75, 1),
    }  # fmt: skip
    assert rows(with_toy, "SELECT DISTINCT cap_repair FROM confidence_observations") == [{"cap_repair": None}]


def test_a_source_says_which_conditions_are_compared(with_toy: Connection) -> None:
    subsets = {row["skill_subset"]: row for row in rows(with_toy, "FROM skill_effect WHERE model = 'm'")}
    assert {name: (row["contrast"], row["n_pairs"]) for name, row in subsets.items()} == {
        "all": ("hinted - plain", 4), "annotated": ("hinted - plain", 1), "not_annotated": ("hinted - plain", 3),
    }  # fmt: skip
    assert (subsets["all"]["d_accuracy"], subsets["all"]["d_confidence"]) == (0.25, pytest.approx(0.1))


def test_a_source_passes_the_checks(with_toy: Connection) -> None:
    for check in load_checks(SQL_ROOT):
        assert one(with_toy, f"SELECT count(*) AS n FROM ({check.sql})") == {"n": 0}, check.name


def test_a_union_of_no_view_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    (tmp_path / "glossary.tsv").write_text("column\tunit\tdescription\n")
    (tmp_path / "views" / "v.sql").write_text("-- view: v\nCREATE VIEW v AS SELECT x FROM every_missing_part")
    with pytest.raises(ValueError, match="every_missing_part is the union"):
        load_sql(tmp_path)
