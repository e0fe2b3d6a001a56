"""Matrices that people bring: words, delimiters, headers and names are read and said, or refused with the fix."""

from __future__ import annotations

import math

import pandas as pd
import polars as pl
import pytest

from tests.unit.benchmirt.files import (
    BY_MODEL,
    MODELS_IN_COLUMNS,
    MODELS_IN_ROWS,
    errors,
    lines,
    one,
    parquet,
    read,
    rules_of,
    scores,
)
from transforms.benchmirt import Hints
from warehouse.contracts import Severity

# --- words ---


@pytest.mark.parametrize("word", ["NA", "na", "N/A", "#N/A", "<NA>", "null", "NULL", "None", ""])
def test_a_word_for_a_missing_score_is_null_counted_and_said_once(word: str) -> None:
    found = read(lines(f'"question_id","m1","m2" / "q1",1,{word} / "q2",{word},0'))
    assert scores(found) == {("m1", "q1"): 1.0, ("m1", "q2"): None, ("m2", "q1"): None, ("m2", "q2"): 0.0}
    assert one(found, "empty_score").value == "2"
    if word:
        assert (one(found, "missing_word").severity, one(found, "missing_word").value) == (Severity.INFO, "2")
        assert repr(word) in one(found, "missing_word").message
        assert found.reading["missing_words"] == {word: 2}


@pytest.mark.parametrize("word", ["NaN", "nan"])
def test_a_nan_is_no_missing_word(word: str) -> None:
    found = read(lines(f"question_id,m / q1,{word}"))
    assert math.isnan(scores(found)[("m", "q1")] or 0.0)
    assert "missing_words" not in found.reading


@pytest.mark.parametrize(("yes", "no"), [("TRUE", "FALSE"), ("true", "false"), ("True", "False"), ("T", "F")])
def test_truth_words_are_one_and_zero_and_said_once(yes: str, no: str) -> None:
    found = read(lines(f"question_id,m1,m2 / q1,{yes},{no} / q2,{no},1.0"))
    assert scores(found) == {("m1", "q1"): 1.0, ("m1", "q2"): 0.0, ("m2", "q1"): 0.0, ("m2", "q2"): 1.0}
    assert (one(found, "truth_word").severity, one(found, "truth_word").value) == (Severity.INFO, "3")
    assert found.reading["truth_words"] == {yes: 1, no: 2}


def test_truth_values_of_a_parquet_file_are_said_too() -> None:
    found = read(parquet(pl.DataFrame({"item": ["q1", "q2"], "m": [True, False]})))
    assert scores(found) == {("m", "q1"): 1.0, ("m", "q2"): 0.0}
    assert found.reading["truth_words"] == {"true": 1, "false": 1}


@pytest.mark.parametrize("word", ["yes", "right", "-", "?", "1,0,0", ",", "0x1", "NA NA", "TRUEFALSE"])
def test_other_words_are_no_scores(word: str) -> None:
    assert errors(read(lines(f'question_id,m / q1,"{word}"'))) == ["not_a_number"]


# --- dialects ---


@pytest.mark.parametrize(("delimiter", "name"), [(";", "semicolon"), ("\t", "tab"), ("|", "bar"), (" ", "blank")])
def test_another_delimiter_is_read_said_and_recorded(delimiter: str, name: str) -> None:
    found = read(lines("question_id;gpt;llama / q1;1;0 / q2;0;1".replace(";", delimiter)))
    assert scores(found) == BY_MODEL
    assert name in one(found, "delimiter").message
    assert found.reading["delimiter"] == delimiter


def test_a_decimal_comma_is_read_and_named() -> None:
    found = read(lines("question_id;m1;m2 / q1;1;0,5"))
    assert scores(found) == {("m1", "q1"): 1.0, ("m2", "q1"): 0.5}
    assert one(found, "decimal_comma").value == "1"
    assert found.reading["decimal_commas"] == 1
    assert errors(read(lines("question_id;m1 / q1;1,5"))) == ["score_out_of_range"]


def test_commas_stay_the_delimiter_where_header_and_rows_agree_whatever_else_they_hold() -> None:
    found = read(lines('question_id,"m;1","m\t2" / "q;1;2",1,0 / q2,0,1'))
    assert "delimiter" not in {issue.rule.removeprefix("benchmirt.") for issue in found.issues}
    assert scores(found)[("m;1", "q;1;2")] == 1.0


@pytest.mark.parametrize("hint", ["sep=,", "SEP=,", '"sep=,"', "sep=,\r"])
def test_a_spreadsheets_hint_is_understood_and_lines_are_counted_with_it(hint: str) -> None:
    found = read(lines(f"{hint} / question_id,gpt,llama / q1,1,0 / q2,0,1"))
    assert scores(found) == BY_MODEL
    assert one(found, "separator_hint").line == 1
    assert found.reading["separator_hint"] is True
    assert one(read(lines(f"{hint} / question_id,m / q1,so")), "not_a_number").line == 3
    assert one(read(lines(f"{hint} / question_id,m,n / q1,1")), "ragged_row").line == 3


def test_a_hint_that_states_another_delimiter_is_followed_only_where_it_is_true() -> None:
    assert scores(read(lines("sep=; / question_id;gpt;llama / q1;1;0 / q2;0;1"))) == BY_MODEL
    wrong = read(lines("sep=, / question_id;gpt;llama / q1;1;0 / q2;0;1"))
    assert scores(wrong) == BY_MODEL
    assert "semicolon" in one(wrong, "delimiter").message
    commas = read(lines("sep=; / question_id,gpt,llama / q1,1,0 / q2,0,1"))
    assert scores(commas) == BY_MODEL
    assert commas.reading["delimiter"] == ","


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
def test_a_header_without_the_row_names_column_is_read_as_r_writes_it(delimiter: str) -> None:
    data = lines('"gpt";"llama" / "q1";1;0 / "q2";0;1'.replace(";", delimiter))
    refused = read(data)
    assert errors(refused) == ["unknown_side"]
    assert "row names" in one(refused, "short_header").message
    found = read(data, MODELS_IN_COLUMNS)
    assert scores(found) == BY_MODEL
    assert found.reading["short_header"] is True
    assert one(read(lines('"m","n" / "q1",1,so'), MODELS_IN_COLUMNS), "not_a_number").line == 2


def test_a_short_header_is_not_taken_for_row_names_where_that_is_not_sure() -> None:
    for text in ("question_id,m / q1,1,0 / q2,0,1", "a,b / 1,0, / 0,1,", "a,b / q1,1,0 / q2,1", "item,m / q1,1,"):
        found = read(lines(text), MODELS_IN_COLUMNS)
        assert set(errors(found)) == {"ragged_row"}
        assert found.responses.is_empty()
    assert scores(read(lines("question_id,m / 1,q1,1 / 2,q2,0"))) == {("m", "q1"): 1.0, ("m", "q2"): 0.0}


def test_a_row_cut_short_under_a_short_header_is_the_one_that_is_named() -> None:
    found = read(lines("a,b / q1,1,0 / q2,1 / q3,0,1 / q4,0,1"), MODELS_IN_COLUMNS)
    assert [issue.line for issue in found.issues if issue.rule == "benchmirt.ragged_row"] == [3]
    header = read(lines("question_id,b / q1,1,0 / q2,1 / q3,0 / q4,0"))
    assert [issue.line for issue in header.issues if issue.rule == "benchmirt.ragged_row"] == [2]


@pytest.mark.parametrize(
    ("text", "what"),
    [('[{"subject_id": "a", "responses": {"x": 1}}]', "array"), ("[]", "array"), (' [\n {"a": 1}\n]', "array"),
     ('{\n  "subject_id": "a",\n  "responses": {"x": 1}\n}', "object")],
)  # fmt: skip
def test_a_json_document_is_named_and_json_lines_are_asked_for(text: str, what: str) -> None:
    found = read(text.encode())
    assert rules_of(found) == ["benchmirt.json_document"]
    assert what in found.issues[0].message
    assert "one object a line" in found.issues[0].message


def test_json_lines_of_other_keys_are_one_sentence() -> None:
    text = "\n".join(f'{{"model": "m{i}", "score": 1}}' for i in range(50)) + '\n{"subject_id": " ", "responses": {}}'
    found = read(text.encode())
    assert [(issue.line, issue.value) for issue in found.issues] == [(1, "50"), (51, "1")]
    assert "'model', 'score'" in found.issues[0].message


# --- names ---


@pytest.mark.parametrize(
    "names", [("m1", "m1 ", "M1"), ("caf\u00e9", "cafe\u0301"), ("a b", "a\u00a0b"), ("x", "\uff58")]
)
def test_names_that_look_alike_are_named_and_never_merged(names: tuple[str, ...]) -> None:
    header = ",".join(names)
    found = read(f"question_id,{header}\nq1{',1' * len(names)}\n".encode())
    assert set(found.responses["model"]) == set(names)
    issue = one(found, "similar_names")
    assert issue.severity is Severity.WARNING
    assert all(repr(name) in issue.message for name in names)
    by_rows = read(("model,q1\n" + "".join(f"{name},1\n" for name in names)).encode())
    assert set(by_rows.responses["model"]) == set(names)
    assert one(by_rows, "similar_names").message == issue.message


def test_items_that_look_alike_are_named_in_every_form() -> None:
    for text in ("question_id,m / q1,1 / Q1,0", "model,q1,Q1 / m,1,0", "model,item,score / m,q1,1 / m,Q1,0",
                 '{"subject_id": "m", "responses": {"q1": 1, "Q1": 0}}'):  # fmt: skip
        assert "'Q1' and 'q1'" in one(read(lines(text)), "similar_names").message
    assert "benchmirt.similar_names" not in rules_of(read(lines("question_id,m,n / q1,1,0 / q2,0,1")))


def test_columns_that_name_no_model_behind_the_prefix_are_refused_by_name() -> None:
    found = read(b"question_id,acc_norm_,acc_norm_ ,acc_norm_m\nq1,1,0,1\n")
    assert errors(found) == ["unnamed_model"]
    assert "'acc_norm_', 'acc_norm_ '" in found.issues[0].message


@pytest.mark.parametrize("name", ["average_score", "benchmark", "category", "standard_deviation", "total_average"])
def test_columns_that_describe_rows_are_named_and_no_models(name: str) -> None:
    data = lines(f"question_id,m,{name} / q1,1,0.5 / q2,0,0.5")
    found = read(data)
    assert set(found.responses["model"]) == {"m"}
    issue = one(found, "no_scores")
    assert issue.severity is Severity.WARNING
    assert repr(name) in issue.message
    assert "--benchmirt-score-column" in issue.message
    assert found.reading["unread_columns"] == [name]
    told = read(data, Hints(score_columns=(name,)))
    assert set(told.responses["model"]) == {"m", name}
    assert "benchmirt.no_scores" not in rules_of(told)
    assert "benchmirt.no_scores" not in rules_of(read(data, Hints(ignored_columns=(name,))))


@pytest.mark.parametrize("name", ["Unnamed: 0", "index", "__index_level_0__"])
def test_an_index_beside_an_id_is_no_model(name: str) -> None:
    for first in (0, 1):
        found = read(lines(f"question_id,m,{name} / q1,1,{first} / q2,0,{first + 1}"))
        assert set(found.responses["model"]) == {"m"}
        assert repr(name) in one(found, "index_column").message
    odd = read(lines(f"question_id,m,{name} / q1,1,1 / q2,0,1"))
    assert set(odd.responses["model"]) == {"m"}
    assert repr(name) in one(odd, "no_scores").message


def test_an_index_of_pandas_before_the_id_is_not_read() -> None:
    frame = pd.DataFrame({"question_id": ["q1", "q2"], "gpt": [1, 0], "llama": [0, 1]})
    found = read(frame.to_csv().encode())
    assert scores(found) == BY_MODEL
    assert one(found, "index_column").severity is Severity.INFO
    rows = pd.DataFrame({"id": ["gpt", "llama"], "q1": [1, 0], "q2": [0, 1]})
    assert scores(read(rows.to_csv().encode())) == BY_MODEL
    assert errors(read(lines(",question_id,m / x,q1,1 / y,q2,0"))) == ["unnamed_column"]


@pytest.mark.parametrize("text", ["q1,1,0,1 / q2,0,0,1", "1,0,1 / 0,1,1", "gpt,TRUE,FALSE / llama,FALSE,TRUE",
                                  ",1,0,1 / x,1,0,1", "q1,1,,0.5 / q2,0,1,1"])  # fmt: skip
def test_a_matrix_without_a_header_is_one_sentence(text: str) -> None:
    found = read(lines(text))
    assert rules_of(found) == ["benchmirt.no_header"]
    assert "question_id" in found.issues[0].message


def test_scores_are_names_where_the_caller_says_what_stands_before_them() -> None:
    data = lines("person,0,1 / gpt,1,0")
    assert "--benchmirt-model-column" in one(read(data), "no_header").message
    assert scores(read(data, Hints(model_column="person"))) == {("gpt", "0"): 1.0, ("gpt", "1"): 0.0}


def test_columns_that_are_numbered_are_names() -> None:
    matrix = pd.DataFrame([[1, 0], [0, 1]])
    found = read(matrix.to_csv().encode(), MODELS_IN_ROWS)
    assert scores(found) == {("0", "0"): 1.0, ("0", "1"): 0.0, ("1", "0"): 0.0, ("1", "1"): 1.0}
    assert scores(read(lines("subject,1,2 / m,1,0"))) == {("m", "1"): 1.0, ("m", "2"): 0.0}
