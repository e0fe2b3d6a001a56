"""A row without a cell or a question is refused, by every macro that takes a relation, whatever is asked of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb
import pytest

from tests.sql.database import Connection, database, observe
from warehouse.code import SQL_ROOT
from warehouse.sqltext import SqlObject, load_sql

SERVED = [found for found in load_sql(SQL_ROOT) if found.kind == "table macro" and not found.internal]
OVER_ROWS = [found for found in SERVED if "'t'" in found.example]
NULLS = {
    "no_cell": ["cell is NULL in 2 of 10 rows"],
    "no_question": ["question_id is NULL in 2 of 10 rows"],
    "neither": ["cell is NULL in 1 of 10 rows", "question_id is NULL in 2 of 10 rows"],
    "unusable": ["question_id is NULL in 2 of 10 rows"],
}
NARROWED = (
    "{0}",
    "SELECT count(*) FROM ({0})",
    "SELECT 1 FROM ({0}) LIMIT 1",
    "FROM ({0}) WHERE random() > 2",
)


@pytest.fixture(scope="module")
def relations() -> Iterator[Connection]:
    """A sound relation `t`, and one of each kind in `NULLS`: two rows more, in which keys are null."""
    with database() as connection:
        cells = ["direct"] * 4 + ["llm_select"] * 4
        observe(connection, [0.1, 0.4, 0.8, 0.9] * 2, [0, 1, 0, 1, 1, 1, 0, 1], question=[0, 1, 2, 3] * 2, cell=cells)
        connection.execute("ALTER TABLE t ADD COLUMN human_share DOUBLE DEFAULT 0.5")
        rows = {
            "no_cell": "(NULL, '0', 0.3, true, 0.5), (NULL, '4', 0.3, true, 0.5)",
            "no_question": "('direct', NULL, 0.3, true, 0.5), ('direct', NULL, 0.3, false, 0.5)",
            "neither": "('direct', NULL, 0.3, true, 0.5), (NULL, NULL, 0.3, true, 0.5)",
            "unusable": "('direct', NULL, NULL, true, 0.5), ('llm_select', NULL, 0.3, NULL, NULL)",
        }
        for name, values in rows.items():
            connection.execute(f"CREATE TABLE {name} AS FROM t; INSERT INTO {name} VALUES {values}")
        yield connection


def name_of(found: SqlObject) -> str:
    return found.name


def test_the_macros_over_a_relation_are_found() -> None:
    assert {"auroc", "bootstrap_ci", "paired_difference", "mcnemar", "cal_score"} <= {each.name for each in OVER_ROWS}


@pytest.mark.parametrize("macro", SERVED, ids=name_of)
def test_a_relation_of_the_callers_is_called_tbl(macro: SqlObject) -> None:
    first = re.search(rf"MACRO {macro.name}\((\w+)", macro.sql)
    assert first is not None
    assert (first[1] == "tbl") == (macro in OVER_ROWS)
    assert set(re.findall(r"query_table\((\w+)\)", macro.sql)) <= {"tbl"}


@pytest.mark.parametrize("query", NARROWED)
@pytest.mark.parametrize("relation", NULLS)
@pytest.mark.parametrize("macro", OVER_ROWS, ids=name_of)
def test_a_null_key_is_refused(relations: Connection, macro: SqlObject, relation: str, query: str) -> None:
    asked = macro.example.replace("'t'", f"'{relation}'")
    with pytest.raises(duckdb.InvalidInputException) as refused:
        relations.sql(query.format(asked)).fetchall()
    said = str(refused.value)
    assert all(part in said for part in (f"{relation}: ", *NULLS[relation], "expected a value in every row"))
    assert ("question_id is" in said) == (relation != "no_cell")


@pytest.mark.parametrize("macro", OVER_ROWS, ids=name_of)
def test_a_filter_on_a_cell_does_not_hide_a_null_key(relations: Connection, macro: SqlObject) -> None:
    call = re.search(rf"{macro.name}\([^()]*\)", macro.example)
    assert call is not None
    asked = call[0].replace("'t'", "'no_question'")
    column = relations.sql(f"FROM {call[0]} LIMIT 1").columns[0]
    for value in ("llm_select", "nowhere"):
        with pytest.raises(duckdb.InvalidInputException, match="question_id is NULL in 2 of 10 rows"):
            relations.sql(f"FROM {asked} WHERE {column}::VARCHAR = '{value}'").fetchall()


def test_a_filter_on_a_cell_does_not_hide_an_unknown_cell(relations: Connection) -> None:
    query = "SELECT d_accuracy FROM paired_difference('t', 'direct', 'x') WHERE cell = 'direct'"
    with pytest.raises(duckdb.InvalidInputException, match="b is x: expected a cell of the relation"):
        relations.sql(query).fetchall()
    with pytest.raises(duckdb.InvalidInputException, match="a is x: expected a cell of the relation"):
        relations.sql("FROM mcnemar('t', 'x', 'direct') WHERE n_pairs < 0").fetchall()
