"""Every whole-table check passes on a sound lake and fails on the one thing it is there for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.sql.database import Connection, database, derive
from tests.sql.synthetic import Frames, lake_tables
from warehouse.code import SQL_ROOT
from warehouse.sqltext import load_checks

CHECKS = {found.name: found.sql for found in load_checks(SQL_ROOT)}
FIRST = {"model": "Qwen3-32B", "dataset": "champ", "condition": "direct", "instance_id": "champ_00000"}


@pytest.fixture(scope="module")
def frames() -> Frames:
    return lake_tables({"champ": 2, "theoremqa": 2, "medcalcbench": 2, "logicbench": 2}, seed=13)


@pytest.fixture
def sound(frames: Frames) -> Iterator[Connection]:
    with derive(database(frames)) as connection:
        yield connection


def broken(connection: Connection, check: str) -> int:
    (count,) = connection.execute(f"SELECT count(*) FROM ({CHECKS[check]})").fetchall()[0]
    return int(count)


@pytest.mark.parametrize("check", CHECKS)
def test_a_sound_lake_passes(sound: Connection, check: str) -> None:
    assert broken(sound, check) == 0


@pytest.mark.parametrize("check", CHECKS)
def test_a_lake_without_a_row_passes(db: Connection, check: str) -> None:
    assert broken(db, check) == 0


def where(**keys: str) -> str:
    return " AND ".join(f"{name} = '{value}'" for name, value in keys.items())


def a_second_condition_in_a_cell(connection: Connection) -> None:
    view = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'confidence_observations'").fetchall()
    connection.execute(f"{view[0][0].replace('CREATE VIEW confidence_observations', 'CREATE VIEW honest')}")
    connection.execute(
        "CREATE OR REPLACE VIEW confidence_observations AS SELECT * REPLACE ("
        "CASE WHEN unit_id = 'champ_00000/0' THEN 'other' ELSE condition END AS condition) FROM honest"
    )


def a_rollout_twice(connection: Connection) -> None:
    connection.execute(f"INSERT INTO rollouts FROM rollouts WHERE {where(**FIRST)} AND sample = 0")


def agreement_copied_onto_rollouts(connection: Connection) -> None:
    connection.execute(f"INSERT INTO question_conditions FROM question_conditions WHERE {where(**FIRST)}")


def a_group_lost(connection: Connection) -> None:
    connection.execute("DELETE FROM confidence_groups WHERE n_above = 0 AND cell LIKE '%/tf'")


def figures_lost(connection: Connection) -> None:
    connection.execute("DELETE FROM calibration_figures WHERE cell LIKE '%/ab'")


def a_rollout_gone(connection: Connection) -> None:
    connection.execute(f"DELETE FROM rollouts WHERE {where(**FIRST)} AND sample = 8")


def a_question_condition_gone(connection: Connection) -> None:
    connection.execute(f"DELETE FROM question_conditions WHERE {where(**FIRST)}")


def another_count_of_right_ones(connection: Connection) -> None:
    connection.execute(f"UPDATE question_conditions SET n_correct = 9 - n_correct WHERE {where(**FIRST)}")


def coverage_says_more(connection: Connection) -> None:
    connection.execute(
        "UPDATE signal_coverage SET n_present = n_present + 1 WHERE signal = 'ab' AND status = 'present'"
    )


def coverage_lacks_a_row(connection: Connection) -> None:
    connection.execute("DELETE FROM signal_coverage WHERE signal = 'tf' AND model = 'Qwen3-32B' AND dataset = 'champ'")


def noise_where_no_signal_applies(connection: Connection) -> None:
    connection.execute("UPDATE rollouts SET ab_p_correct = 0.5 WHERE model = 'Gemma-4-31B-it' AND sample = 0")


def a_stale_value_left_behind(connection: Connection) -> None:
    connection.execute(f"UPDATE tf_verdicts SET join_status = 'stale_positional_join' WHERE {where(**FIRST)}")


def another_verdict_than_the_probes(connection: Connection) -> None:
    connection.execute(f"UPDATE rollouts SET ab_p_correct = ab_p_correct / 2 WHERE {where(**FIRST)}")


def another_entropy_than_the_spans(connection: Connection) -> None:
    connection.execute(f"UPDATE rollouts SET entropy_mean = entropy_mean * 2 WHERE {where(**FIRST)}")


FAULTS: list[tuple[str, Callable[[Connection], None]]] = [
    ("cells_have_one_key", a_second_condition_in_a_cell),
    ("observations_are_unique", a_rollout_twice),
    ("agreement_stays_on_question_conditions", agreement_copied_onto_rollouts),
    ("confidence_parts_add_up", a_group_lost),
    ("confidence_parts_add_up", figures_lost),
    ("question_conditions_count_their_rollouts", a_rollout_gone),
    ("question_conditions_count_their_rollouts", a_question_condition_gone),
    ("question_conditions_count_their_rollouts", another_count_of_right_ones),
    ("coverage_counts_what_is_there", coverage_says_more),
    ("coverage_counts_what_is_there", coverage_lacks_a_row),
    ("coverage_counts_what_is_there", noise_where_no_signal_applies),
    ("joined_verdicts_stand_in_rollouts", a_stale_value_left_behind),
    ("joined_verdicts_stand_in_rollouts", another_verdict_than_the_probes),
    ("entropies_stand_in_rollouts", another_entropy_than_the_spans),
]


@pytest.mark.parametrize(("check", "fault"), FAULTS, ids=[f"{check}-{fault.__name__}" for check, fault in FAULTS])
def test_a_fault_is_found(sound: Connection, check: str, fault: Callable[[Connection], None]) -> None:
    fault(sound)
    assert broken(sound, check) > 0


def test_every_check_has_a_fault() -> None:
    assert {check for check, _ in FAULTS} == set(CHECKS)


def test_a_check_says_what_it_holds() -> None:
    assert all(len(found.description) > 40 for found in load_checks(SQL_ROOT))
