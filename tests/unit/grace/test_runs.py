"""Run files: confidences, h, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.grace.made import (
    TEXT,
    errors,
    messages,
    names,
    one_question,
    question,
    release,
    rows,
    run,
    run_question,
    runs,
    unhurried,
    without,
)
from tests.unit.grace.reference import WORKED_EXAMPLE, verbalized
from transforms.grace import Elicitation, SourceTables, attach_clues, read_runs
from warehouse.contracts import TABLES, issues_frame

LONG = " ".join(f"w{n}" for n in range(80))


def worked(elicitation: Elicitation = "logit", **changes: object) -> SourceTables:
    item = WORKED_EXAMPLE if elicitation == "logit" else verbalized(WORKED_EXAMPLE)
    position = WORKED_EXAMPLE["position"]
    made = release([question("exh-2", question=LONG, question_buzzpoints=LONG, position=[])])
    assert made.tables["grace_questions"].height == 1
    files = {"packet1_model_human_output.json": json.dumps([{**item, "position": position, **changes}]).encode()}
    return read_runs(files, elicitation, made.tables["grace_questions"])


@pytest.mark.parametrize("elicitation", ["logit", "verb"])
def test_the_worked_example(elicitation: Elicitation) -> None:
    found = worked(elicitation)
    assert errors(found) == set()
    table = found.tables["grace_runs"]
    for name in ("grace_runs", "grace_run_lists"):
        TABLES[name].schema.validate(found.tables[name])
    first = table.filter(model="M1")
    assert first["confidence"].to_list() == pytest.approx([0.5, 0.5, 0.8, 0.9])
    assert first["human_share"].to_list() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert first["n_humans_correct"].to_list() == [1, 1, 2, 2]
    assert first["clue"].to_list() == [0, 1, 2, 3]
    assert table.filter(model="M2")["confidence"].to_list() == pytest.approx([1.0] * 4)
    lists = rows(found, "grace_run_lists", ("model", "n_runs", "n_human_buzzers", "elicitation"))
    assert lists == [("M1", 4, 3, elicitation), ("M2", 4, 3, elicitation), ("M3", 0, 3, elicitation)]
    assert "grace.runs_empty" in names(found)


def test_no_human_buzzer_makes_h_zero() -> None:
    found = worked(position=[{"30": "[M1, -]"}])
    assert found.tables["grace_runs"]["human_share"].to_list() == [0.0] * 8
    assert errors(found) == set()
    assert "grace.human_not_in_position" in names(found)


@pytest.mark.parametrize("conf", [1.0000001, 2, 80, -0.0001, 1e300, -1])
def test_a_probability_outside_0_and_1_is_an_error_and_no_value(conf: float) -> None:
    found = runs(run_question(M1=[run(conf=0.5), run(conf=conf)]))
    assert errors(found) == {"grace.confidence_range"}
    assert rows(found, "grace_runs", ("clue", "confidence", "conf")) == [(0, 0.5, 0.5), (1, None, None)]
    [issue] = [i for i in found.issues if i.rule == "grace.confidence_range"]
    assert (issue.model, issue.instance_id, issue.value) == ("M1", "1/0", f"{conf:.6g}")


@pytest.mark.parametrize("conf", [1e-12, 0.8, 3])
def test_a_positive_log_probability_is_an_error_and_no_value(conf: float) -> None:
    found = runs(run_question(M1=[run(conf=conf)]), elicitation="logit")
    assert errors(found) == {"grace.confidence_range"}
    assert rows(found, "grace_runs", ("confidence", "conf")) == [(None, None)]
    assert "log-probability" in messages(found, "grace.confidence_range")[0]


def test_a_number_beyond_all_doubles_is_an_error_and_no_crash() -> None:
    for conf in (10**400, -(10**400)):
        found = runs(run_question(M1=[run(conf=conf)]), elicitation="logit")
        assert "grace.not_json" in errors(found)
        assert "number is infinity" in messages(found, "grace.not_json")[0]


@pytest.mark.parametrize("conf", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("elicitation", ["logit", "verb"])
def test_a_confidence_that_is_not_finite_is_an_error(conf: float, elicitation: Elicitation) -> None:
    found = runs(run_question(M1=[run(conf=conf)]), elicitation=elicitation)
    assert errors(found) == {"grace.confidence_not_finite"}
    assert rows(found, "grace_runs", ("confidence",)) == [(None,)]


@pytest.mark.parametrize(("conf", "elicitation"), [(0, "verb"), (1, "verb"), (0, "logit"), (-0.0, "logit")])
def test_the_ends_of_the_range_are_in(conf: float, elicitation: Elicitation) -> None:
    found = runs(run_question(M1=[run(conf=conf)]), elicitation=elicitation)
    assert errors(found) == set()
    assert rows(found, "grace_runs", ("confidence",)) == [(1.0 if elicitation == "logit" else float(conf),)]


@unhurried
@given(st.floats(-700, 0))
def test_a_log_probability_is_not_a_logit(conf: float) -> None:
    found = runs(run_question(M1=[run(conf=conf)]), elicitation="logit")
    assert rows(found, "grace_runs", ("confidence", "conf")) == [(math.exp(conf), conf)]


@pytest.mark.parametrize("key", ["correctness", "conf"])
def test_a_run_without_a_needed_key_is_refused_with_the_keys_it_has(key: str) -> None:
    found = runs(run_question(M1=[without(run(), key), run()]))
    assert errors(found) == {"grace.missing_key"}
    assert rows(found, "grace_runs", ("clue",)) == [(1,)]


@pytest.mark.parametrize(
    "changes",
    [
        {"correctness": 1}, {"correctness": None}, {"correctness": "true"}, {"conf": None}, {"conf": "0.5"},
        {"conf": True}, {"conf": [0.5]}, {"buzzed": "no"}, {"guess": 3}, {"run": 3}, {"run_index": "0"},
        {"run_index": False},
    ],
)  # fmt: skip
def test_a_mistyped_field_is_refused(changes: dict[str, Any]) -> None:
    found = runs(run_question(M1=[{**run(), **changes}, run()]))
    assert errors(found) == {"grace.mistyped"}
    assert rows(found, "grace_runs", ("clue",)) == [(1,)]


@pytest.mark.parametrize("value", [None, 3, {}, "text"])
def test_a_run_list_is_a_list_of_objects(value: object) -> None:
    assert errors(runs(run_question(M1=value))) == {"grace.mistyped"}
    assert errors(runs(run_question(M1=[value or 3]))) <= {"grace.mistyped", "grace.missing_key"}


def h_of(*items: dict[str, Any]) -> list[float]:
    found = runs(run_question(M1=[{**run(), **item} for item in items]))
    assert errors(found) == set()
    return [value for (value,) in rows(found, "grace_runs", ("human_share",))]


def test_humans_add_up_and_their_last_buzz_counts() -> None:
    assert h_of({"position_items": {"H2": "+"}}, {}, {"position_items": {"H1": "+"}}) == [0.5, 0.5, 1.0]
    assert h_of({"position_items": {"H2": "+"}}, {"position_items": {"H2": "-"}}) == [0.5, 0.0]
    assert h_of({"position_items": {"M1": "+", "M2": "+"}}) == [0.0]


def test_a_runs_position_stands_in_for_its_position_items() -> None:
    assert h_of({"position": {"H2": "+"}}) == [0.5]
    assert h_of({"position_items": {}, "position": {"H2": "+"}}) == [0.0]
    assert h_of({"position_items": None, "position": {"H2": "+"}}) == [0.5]
    assert h_of({"position_items": None}) == [0.0]


@pytest.mark.parametrize("items", [3, [], "H1", {"H1": "?"}, {"H1": None}, {"A": "+"}, {"H1": ["+"]}, {"": "+"}])
def test_position_items_of_another_shape_are_refused(items: object) -> None:
    assert errors(runs(run_question(M1=[run(position_items=items)]))) == {"grace.position_items_malformed"}


def test_more_humans_right_than_buzzed_is_refused() -> None:
    found = runs(run_question(M1=[run(position_items={"H1": "+", "H2": "+", "H3": "+"})]))
    assert errors(found) == {"grace.human_share"}
    assert found.tables["grace_runs"].height == 0


def test_both_shapes_of_position_give_the_same_h() -> None:
    by_word = {"8": ["[H2, +]", "[H1, -]"], "3": ["[M1, -]"]}
    listed = runs(run_question(M1=[run(position_items={"H2": "+"})]))
    mapped = runs(run_question(position=by_word, M1=[run(position_items={"H2": "+"})]))
    assert rows(listed, "grace_runs", ("human_share",)) == rows(mapped, "grace_runs", ("human_share",)) == [(0.5,)]
    assert names(mapped) - names(listed) == {"grace.position_by_word"}


def test_models_are_m_and_a_number_and_other_keys_are_kept() -> None:
    found = runs(run_question(M10=[run()], M2=[run()], Meta=[run()], note="x"))
    assert rows(found, "grace_run_lists", ("model",)) == [("M10",), ("M2",)]
    assert "'Meta', 'note'" in messages(found, "grace.unknown_key")[0]
    kept = json.loads(rows(found, "grace_run_lists", ("unknown_fields",))[0][0])
    assert kept["note"] == "x"


def test_what_a_run_says_beside_is_kept_and_its_text_is_counted_only() -> None:
    found = runs(run_question(M1=[run(run="A made up", guess="Wexa", buzzed=True, temperature=0.7)]))
    columns = ("n_words_heard", "guess", "buzzed", "unknown_fields")
    assert rows(found, "grace_runs", columns) == [(3, "Wexa", True, '{"temperature": 0.7}')]
    assert "A made up" not in found.tables["grace_runs"].write_json()
    assert {"guess", "unknown_fields"} <= set(TABLES["grace_runs"].restricted)


def test_a_word_range_tells_what_was_heard_where_the_text_does_not() -> None:
    found = runs(run_question(M1=[run(word_range=[0, 4]), run(word_range=[5, 12])]))
    assert rows(found, "grace_runs", ("n_words_heard",)) == [(5,), (13,)]
    assert names(found) == set()


@pytest.mark.parametrize(
    "fields",
    [
        [{"run": "A"}, {"run": "A"}], [{"run": "A made"}, {"run": "A"}], [{"run": TEXT + " more"}],
        [{"run": "A made", "word_range": [0, 4]}], [{"word_range": [0]}], [{"word_range": "0-4"}],
        [{"word_range": [0, -4]}],
    ],
)  # fmt: skip
def test_runs_that_do_not_hear_ever_more_are_a_warning(fields: list[dict[str, Any]]) -> None:
    found = runs(run_question(M1=[run(**field) for field in fields]))
    assert "grace.runs_prefix" in names(found)
    assert errors(found) == set()


def test_models_may_stop_early_but_not_hear_other_clues() -> None:
    full, short = [run(run="A"), run(run="A made")], [run(run="A")]
    assert names(runs(run_question(M1=full, M2=short))) == set()
    assert names(runs(run_question(M1=full, M2=[run(run="A made up")]))) == {"grace.runs_prefix"}


def clues(**models: object) -> list[int | None]:
    """The clues of the buzzes at words 3, 8 and 8, in order."""
    found = runs({**run_question(), **models})
    buzzes = attach_clues(one_question().tables["grace_buzzes"], found.tables["grace_runs"])
    TABLES["grace_buzzes"].schema.validate(buzzes)
    assert buzzes.columns == one_question().tables["grace_buzzes"].columns
    return buzzes.sort("buzz_order")["clue"].to_list()


def heard(*counts: int) -> list[dict[str, Any]]:
    return [run(run=" ".join(TEXT.split()[:count])) for count in counts]


def test_a_buzz_belongs_to_the_first_run_that_has_heard_its_word() -> None:
    assert clues(M1=heard(3, 4, 8, 9, 13)) == [1, 3, 3]
    assert clues(M1=heard(4, 9)) == [0, 1, 1]
    assert clues(M1=heard(3, 8)) == [1, None, None]
    assert clues(M1=heard(3, 4, 13), M2=heard(3, 4)) == [1, 2, 2]


def test_a_buzz_has_no_clue_where_runs_do_not_tell_it() -> None:
    assert clues(M1=[]) == [None] * 3
    assert clues(M1=[run(), run()]) == [None] * 3
    assert clues(M1=heard(3, 13), M2=heard(4, 13)) == [None] * 3


def test_files_are_known_by_their_names() -> None:
    questions = one_question().tables["grace_questions"]
    content = json.dumps([run_question(M1=[run()])]).encode()
    found = read_runs(
        {
            "packet1_model_human_output.json": content,
            "sub/packet1_model_human_output.json": content,
            "weights.csv": b"",
        },
        "verb",
        questions,
    )
    assert errors(found) == {"grace.runs_repeated_question"}
    assert dict(found.source_files.select("path", "status").rows()) == {
        "packet1_model_human_output.json": "ok",
        "sub/packet1_model_human_output.json": "refused",
        "weights.csv": "unlisted",
    }
    assert found.tables["grace_runs"].height == 1


def test_a_question_of_another_packet_is_not_this_one() -> None:
    made = release([question(1)], [question(2)])
    content = json.dumps([run_question(2, M1=[run()])]).encode()
    found = read_runs({"packet1_model_human_output.json": content}, "verb", made.tables["grace_questions"])
    assert errors(found) == {"grace.runs_unknown_question"}
    assert found.tables["grace_runs"].height == 0


def test_an_identifier_shared_by_two_packets_is_bound_inside_its_own() -> None:
    made = release([question(128), question(1)], [question(1), question(128)])
    content = json.dumps([run_question(128, M1=[run()])]).encode()
    files = {f"packet{n}_model_human_output.json": content for n in (1, 2)}
    found = read_runs(files, "verb", made.tables["grace_questions"])
    assert rows(found, "grace_runs", ("packet", "ordinal")) == [(1, 0), (2, 1)]


def test_an_identifier_may_be_a_string_in_one_file_and_a_number_in_the_other() -> None:
    assert errors(runs(run_question("1", M1=[run()]))) == set()


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"[3]", b"\xff", b'[{"tossup_index": 1}]', b"[" * 99_999])
def test_a_file_that_is_no_list_of_questions_is_refused(content: bytes) -> None:
    questions = one_question().tables["grace_questions"]
    found = read_runs({"packet1_model_human_output.json": content}, "verb", questions)
    assert len(errors(found)) == 1


def test_another_elicitation_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="'logit' or 'verb'"):
        read_runs({}, "raw", one_question().tables["grace_questions"])  # type: ignore[arg-type]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=10,
)
RUN_KEYS = ("correctness", "conf", "position_items", "position", "run", "guess", "buzzed", "run_index", "word_range")


@unhurried
@given(st.lists(st.dictionaries(st.sampled_from(RUN_KEYS), JSON), max_size=4), JSON)
def test_any_json_is_read_or_refused_by_name(made: list[Any], position: object) -> None:
    found = runs(run_question(position=position if position is not None else 0, M1=made, M2=[run()]))
    for name in ("grace_runs", "grace_run_lists"):
        TABLES[name].schema.validate(found.tables[name])
    TABLES["ingest_issues"].schema.validate(issues_frame(found.issues))
    unsound = sum(row["n_runs"] for row in found.tables["grace_run_lists"].iter_rows(named=True))
    if found.tables["grace_runs"]["confidence"].count() < unsound:
        assert errors(found)
