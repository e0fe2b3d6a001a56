"""What a macro can not work with is refused by a sentence, with rows and without."""

from __future__ import annotations

import duckdb
import pytest

from tests.sql.database import Connection, database, observe, rows

CONFIDENCES, OUTCOMES = [0.1, 0.4, 0.8, 0.9] * 2, [0, 1, 0, 1, 1, 1, 0, 1]
CELLS = ["direct"] * 4 + ["llm_select"] * 4
BINNED = ("calibration_error", "adaptive_calibration_error", "brier_decomposition", "hosmer_lemeshow",
          "reliability_diagram")  # fmt: skip
NAMED = ("calibration_error", "brier_decomposition", "hosmer_lemeshow", "reliability_diagram")
NO_COUNT = ("NULL", "0", "-1", "2.5", "'infinity'::DOUBLE", "'NaN'::DOUBLE")
NO_SHARE = ("NULL", "2", "-0.1", "'NaN'::DOUBLE")


@pytest.fixture(scope="module")
def relations() -> Connection:
    connection = database()
    observe(connection, CONFIDENCES, OUTCOMES, question=[0, 1, 2, 3] * 2, cell=CELLS)
    connection.execute("CREATE TABLE nothing AS FROM t WHERE false")
    return connection


WRONG = [
    *[
        (f"FROM {macro}('REL', n_bins := {value}, strategy := '{strategy}')", "n_bins is .*whole number of at least 1")
        for macro in NAMED
        for value in NO_COUNT
        for strategy in ("equal_width", "equal_mass")
    ],
    *[(f"FROM {macro}('REL', n_bins := NULL)", "n_bins is NULL") for macro in BINNED],
    *[
        (f"FROM {macro}('REL', strategy := {value})", "strategy is .*expected equal_width or equal_mass")
        for macro in NAMED
        for value in ("'x'", "NULL", "'EQUAL_MASS'")
    ],
    *[
        (f"FROM {call.format(value)}", f"{name} is .*expected a number from 0 to 1")
        for call, name in (
            ("adaptive_calibration_error('REL', threshold := {})", "threshold"),
            ("coverage_at_risk('REL', {})", "max_risk"),
            ("risk_at_coverage('REL', {})", "min_coverage"),
        )
        for value in NO_SHARE
    ],
    *[(f"FROM prediction_rejection_ratio('REL', max_rejection := {value})", "above 0 and at most 1")
      for value in ("NULL", "2", "-0.1", "0")],
    ("FROM calibration_error('REL', min_bin_n := NULL)", "min_bin_n is NULL"),
    ("FROM calibration_error('REL', min_bin_n := -1)", "min_bin_n is -1"),
    ("FROM hosmer_lemeshow('REL', fitted := NULL)", "fitted is NULL: expected true or false"),
    ("FROM clustered_mean('REL', col := NULL)", "col is NULL"),
    ("FROM entropy_summary('answers')", "span is answers: expected whole, answer or numeric"),
    ("FROM entropy_summary(NULL)", "span is NULL"),
    ("FROM bootstrap_ci('REL', 'ECE')", "stat is ECE: expected accuracy, .* or prr"),
    ("FROM bootstrap_ci('REL', NULL)", "stat is NULL"),
    *[(f"FROM bootstrap_ci('REL', 'ece', b := {value})", "b is ") for value in ("NULL", "0", "-1", "2.5")],
    *[(f"FROM bootstrap_ci('REL', 'ece', b := 5, seed := {value})", "seed is ") for value in ("NULL", "-1", "1.5")],
    ("FROM bootstrap_ci('REL', 'ece', b := 5, prefix := NULL)", "prefix is NULL"),
    ("FROM paired_difference('REL', 'direct', 'llm_selct')", "b is llm_selct|a is direct"),
    ("FROM paired_difference('REL', 'x', 'y')", "a is x: expected a cell of the relation"),
    ("FROM paired_difference('REL', NULL, 'direct')", "a is NULL: expected a cell of the relation"),
    ("FROM mcnemar('REL', 'direct', 'x')", "b is x|a is direct"),
    ("FROM mcnemar('REL', NULL, NULL)", "a is NULL"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "said"), WRONG)
@pytest.mark.parametrize("relation", ["t", "nothing"])
def test_a_wrong_argument_is_refused(relations: Connection, query: str, said: str, relation: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=said):
        relations.sql(query.replace("REL", relation)).fetchall()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("log_loss(confidence, correct, eps := NULL)", "eps is NULL"),
        ("log_loss(confidence, correct, eps := 0.5)", "eps is 0.5: expected a number of at least 0 and below 0.5"),
        ("log_loss(confidence, correct, eps := -1)", "eps is -1"),
        ("n_clipped(confidence, correct, eps := NULL)", "eps is NULL"),
        ("n_clipped(confidence, correct, eps := 2)", "eps is 2"),
        ("min(conf_bin(confidence, NULL))", "n_bins is NULL"),
        ("min(conf_bin(NULL, 2.5))", "n_bins is 2.5"),
        ("max(wilson_lo(3, 10, z := NULL))", "z is NULL: expected a number above 0"),
        ("max(wilson_hi(3, 10, z := -1))", "z is -1"),
        ("max(sign_test_p(12, 3))", "k of n is 12 of 3"),
        ("max(sign_test_p(-1, 3))", "k of n is -1 of 3"),
        ("max(sign_test_p(1.5, 3))", "k of n is 1.5 of 3"),
        ("max(student_p(1, 2.5))", "degrees is 2.5: expected a whole number"),
        ("max(chi_squared_p(1, 2.5))", "degrees is 2.5: expected a whole number"),
        ("max(chi_squared_p(-1, 2))", "x is -1: expected a number of at least 0"),
    ],
)
def test_a_scalar_refuses_too(relations: Connection, call: str, said: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=said):
        relations.sql(f"SELECT {call} FROM t").fetchall()


def test_the_edges_of_what_is_allowed_are_allowed(relations: Connection) -> None:
    for query in (
        "FROM calibration_error('t', n_bins := 1, strategy := 'equal_mass', min_bin_n := 0)",
        "FROM coverage_at_risk('t', 0)",
        "FROM coverage_at_risk('t', 1.0)",
        "FROM risk_at_coverage('t', 1)",
        "FROM prediction_rejection_ratio('t', max_rejection := 1)",
        "FROM adaptive_calibration_error('t', n_bins := 3.0, threshold := 0)",
        "FROM hosmer_lemeshow('t', fitted := true)",
        "FROM bootstrap_ci('t', 'ece', b := 1, seed := 0)",
    ):
        assert {row["cell"] for row in rows(relations, query)} == {"direct", "llm_select"}
    nulls = "sign_test_p(NULL, 3) AS a, student_p(NULL, 3) AS b, student_p(1, NULL) AS c, chi_squared_p(NULL, 2) AS d"
    assert set(rows(relations, f"SELECT {nulls}")[0].values()) == {None}


def test_an_unknown_cell_is_told_which_there_are(relations: Connection) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=r"b is x: expected a cell of .* has: direct, llm_select"):
        relations.sql("FROM paired_difference('t', 'direct', 'x')").fetchall()


def test_sound_arguments_leave_nothing_in_the_plan(relations: Connection) -> None:
    def planned(n_bins: str) -> str:
        return str(relations.sql(f"EXPLAIN FROM calibration_error('t', n_bins := {n_bins})").fetchall()[0][1])

    assert "whole number" not in planned("5")
    assert "equal_width or equal_mass" not in planned("5")
    assert "whole number" in planned("0")
