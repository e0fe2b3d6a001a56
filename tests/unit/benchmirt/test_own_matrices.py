"""Matrices that people bring: the side of the models and the form are read, or asked for by name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.benchmirt.files import (
    BY_MODEL,
    MODELS_IN_COLUMNS,
    MODELS_IN_ROWS,
    errors,
    lines,
    one,
    read,
    rules_of,
    scores,
    whole,
)
from transforms.benchmirt import Hints
from warehouse.contracts import Severity

# --- the side of the models ---


@pytest.mark.parametrize("first", ["", "Unnamed: 0", "index", "rownames"])
def test_an_unnamed_first_column_is_refused_with_both_readings_and_the_option(first: str) -> None:
    found = read(lines(f"{first},q1,q2,q3 / gpt,1,0,1 / llama,0,0,1"))
    assert errors(found) == ["unknown_side"]
    message = one(found, "unknown_side").message
    for part in ("3 models in columns ('q1', 'q2', 'q3')", "2 models in rows", "'gpt', 'llama'",
                 "--benchmirt-models-in columns", "--benchmirt-models-in rows", "question_id"):  # fmt: skip
        assert part in message
    assert found.responses.is_empty()


def test_the_option_says_the_side_and_the_side_is_recorded() -> None:
    by_rows = read(lines(",q1,q2 / llama,0,1 / gpt,1,0"), MODELS_IN_ROWS)
    assert scores(by_rows) == BY_MODEL
    assert by_rows.responses.equals(by_rows.responses.sort("model", "item_id"))
    assert one(by_rows, "form").severity is Severity.INFO
    assert "models in rows" in (one(by_rows, "form").value or "")
    assert (by_rows.reading["models_in"], by_rows.reading["decided_by"]) == ("rows", "--benchmirt-models-in")
    by_columns = read(lines(",gpt,llama / q1,1,0 / q2,0,1"), MODELS_IN_COLUMNS)
    assert scores(by_columns) == BY_MODEL
    assert by_columns.reading["models_in"] == "columns"


@pytest.mark.parametrize("first", ["subject", "model", "respondent", "id", "subject_id", "Model", "model name"])
def test_a_first_column_that_names_models_decides(first: str) -> None:
    found = read(lines(f"{first},q1,q2 / gpt,1,0 / llama,0,1"))
    assert scores(found) == BY_MODEL
    assert first in str(found.reading["decided_by"])


@pytest.mark.parametrize("first", ["item", "question_id", "item_id", "Question ID"])
def test_a_first_column_that_names_items_decides(first: str) -> None:
    assert scores(read(lines(f"{first},gpt,llama / q1,1,0 / q2,0,1"))) == BY_MODEL


def test_the_option_stands_against_a_name() -> None:
    assert scores(read(lines("id,gpt,llama / q1,1,0 / q2,0,1"), MODELS_IN_COLUMNS)) == BY_MODEL


def test_the_prefix_of_the_release_decides() -> None:
    found = read(lines("id,acc_norm_gpt,acc_norm_llama / q1,1,0 / q2,0,1"))
    assert scores(found) == BY_MODEL
    assert "acc_norm_" in str(found.reading["decided_by"])
    assert errors(read(lines("subject,acc_norm_gpt / q1,1"))) == ["no_id_column"]


def test_a_column_of_another_name_is_named_by_an_option() -> None:
    data = lines("qid,gpt,llama / q1,1,0 / q2,0,1")
    refused = read(data)
    assert errors(refused) == ["no_id_column"]
    for part in ("--benchmirt-item-column", "--benchmirt-model-column", "'qid'"):
        assert part in one(refused, "no_id_column").message
    assert scores(read(data, Hints(item_column="qid"))) == BY_MODEL
    assert scores(read(lines("who,q1,q2 / gpt,1,0 / llama,0,1"), Hints(model_column="who"))) == BY_MODEL
    assert errors(read(data, Hints(item_column="kid"))) == ["no_such_column"]
    assert errors(read(data, Hints(item_column="qid", ignored_columns=("qid",)))) == ["ambiguous_column"]


ITEM_METADATA = b"question_id,benchmark\nq1,b\nq2,b\n"
MODEL_METADATA = b"Model,family\ngpt,g\nllama,l\n"


@pytest.mark.parametrize(("items", "models"), [(ITEM_METADATA, None), (None, MODEL_METADATA)])
def test_metadata_decides_the_side_of_an_unnamed_column(items: bytes | None, models: bytes | None) -> None:
    for text in (",q1,q2 / gpt,1,0 / llama,0,1", ",gpt,llama / q1,1,0 / q2,0,1", "id,gpt,llama / q1,1,0 / q2,0,1"):
        found = whole(lines(text), items, models)
        rows = found.tables["benchmirt_responses"].select("model", "item_id", "score").rows()
        assert {(model, item): score for model, item, score in rows} == BY_MODEL
        assert found.reading["responses"]["decided_by"] == "the metadata"


def test_metadata_that_knows_neither_side_or_both_decides_nothing() -> None:
    for text in (",a,b / c,1,0", ",q1,b / q2,1,0"):
        assert "benchmirt.unknown_side" in rules_of(whole(lines(text), ITEM_METADATA, None))


# --- the long form ---


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("id,item,resp / gpt,q1,1 / gpt,q2,0 / llama,q1,0 / llama,q2,1", ("id", "item", "resp")),
        ("item_id,model,score / q2,llama,1 / q1,gpt,1 / q1,llama,0 / q2,gpt,0", ("model", "item_id", "score")),
        (",correct,Subject,Item / 0,1,gpt,q1 / 1,0,gpt,q2 / 2,0,llama,q1 / 3,1,llama,q2",
         ("Subject", "Item", "correct")),
    ],
)  # fmt: skip
def test_a_row_a_response_is_read_as_the_long_form_and_the_columns_taken_are_said(
    text: str, taken: tuple[str, str, str]
) -> None:
    found = read(lines(text))
    assert scores(found) == BY_MODEL
    assert found.responses.equals(found.responses.sort("model", "item_id"))
    assert all(repr(name) in one(found, "form").message for name in taken)
    assert tuple(found.reading[f"{role}_column"] for role in ("model", "item", "score")) == taken


def test_a_response_that_is_not_there_has_no_row_and_a_missing_one_is_null() -> None:
    found = read(lines("model,item,score / gpt,q1,1 / gpt,q2,NA / llama,q2,"))
    assert scores(found) == {("gpt", "q1"): 1.0, ("gpt", "q2"): None, ("llama", "q2"): None}


def test_a_repeated_pair_is_refused() -> None:
    found = read(lines("model,item,score / gpt,q1,1 / gpt,q2,0 / gpt,q1,1"))
    assert errors(found) == ["repeated_response"]
    issue = one(found, "repeated_response")
    assert (issue.line, issue.model, issue.instance_id, issue.value) == (2, "gpt", "q1", "2")
    assert "line 4" in issue.message


def test_everything_wrong_with_a_long_table_is_named() -> None:
    found = read(lines("model,item,score / ,q1,1 / gpt, ,1 / gpt,q2,2 / gpt,q3,so / gpt,q4,0 / gpt,q4,1"))
    assert sorted(errors(found)) == ["empty_id", "empty_id", "not_a_number", "repeated_response", "score_out_of_range"]


def test_columns_that_may_be_one_thing_are_refused_until_one_is_named() -> None:
    data = lines("item,subject,model,response,correct / q1,physics,gpt,A,1 / q2,physics,gpt,B,0")
    assert errors(read(data)) == ["ambiguous_column", "ambiguous_column"]
    found = read(data, Hints(model_column="model", score_columns=("correct",)))
    assert scores(found) == {("gpt", "q1"): 1.0, ("gpt", "q2"): 0.0}
    assert "'subject', 'response'" in one(found, "unknown_column").message
    assert found.reading["unread_columns"] == ["subject", "response"]


def test_items_and_models_without_a_known_score_column_are_refused_until_it_is_named() -> None:
    data = lines("item,model,grade / q1,gpt,1")
    refused = read(data)
    assert errors(refused) == ["no_score_column"]
    assert "--benchmirt-score-column" in one(refused, "no_score_column").message
    assert scores(read(data, Hints(score_columns=("grade",)))) == {("gpt", "q1"): 1.0}
    topic = lines("question_id,subject,gpt / q1,physics,1")
    assert errors(read(topic)) == ["no_score_column"]
    assert scores(read(topic, MODELS_IN_COLUMNS)) == {("gpt", "q1"): 1.0}


def test_a_row_a_response_that_names_one_side_alone_is_pointed_to_the_option() -> None:
    found = read(lines("model,task,score / gpt,q1,1 / gpt,q2,0"))
    assert "repeated_model" in errors(found)
    assert "--benchmirt-item-column" in one(found, "repeated_model").message
    told = read(lines("model,task,score / gpt,q1,1 / gpt,q2,0"), Hints(item_column="task"))
    assert scores(told) == {("gpt", "q1"): 1.0, ("gpt", "q2"): 0.0}


def test_a_side_says_nothing_of_a_long_table() -> None:
    found = read(lines("model,item,score / gpt,q1,1"), MODELS_IN_ROWS)
    assert scores(found) == {("gpt", "q1"): 1.0}
    assert one(found, "unused_option").severity is Severity.WARNING


# --- other shapes of the same faults ---


def test_a_table_of_models_in_rows_names_its_faults_by_item_and_model() -> None:
    found = read(lines("model,q1,q2 / gpt,so,1 / gpt,1,9 / ,1,1"))
    places: dict[str, Any] = {
        issue.rule: (issue.line, issue.model, issue.instance_id)
        for issue in found.issues
        if issue.severity is Severity.ERROR
    }
    assert places == {
        "benchmirt.repeated_model": (2, "gpt", None),
        "benchmirt.empty_id": (4, None, None),
        "benchmirt.not_a_number": (2, "gpt", "q1"),
        "benchmirt.score_out_of_range": (3, "gpt", "q2"),
    }


def test_words_in_every_column_are_a_few_sentences() -> None:
    header = ",".join(f"m{i}" for i in range(300))
    found = read(f"question_id,{header}\nq1{',so' * 300}\n".encode())
    assert errors(found) == ["not_a_number"] * 21
    assert found.issues[-2].value == "300"


def test_metadata_in_another_dialect_is_read_and_recorded() -> None:
    found = whole(lines("question_id,m / q1,1"), lines("question_id;benchmark / q1;bbh"), None)
    assert found.tables["benchmirt_items"]["benchmark"].to_list() == ["bbh"]
    assert found.reading["items"]["delimiter"] == ";"
    assert ("items.csv", "benchmirt.delimiter") in {(issue.path, issue.rule) for issue in found.issues}
