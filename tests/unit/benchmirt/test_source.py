"""The tables of a release: items, models, polarity, the low-variance flag, texts."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from tests.unit.benchmirt.files import ITEMS, MODELS, WIDE, rules_of, whole
from transforms.benchmirt import read_benchmirt
from warehouse.contracts import TABLES
from warehouse.contracts.benchmirt import POLARITIES

BAD_WORDS = "trustllm_jailbreaktrigger__['bad words']_12"


def item(found: dict[str, pl.DataFrame], item_id: str, column: str) -> object:
    return found["benchmirt_items"].filter(item_id=item_id)[column].item()


def test_tables_keep_their_contracts() -> None:
    for given in (whole(), whole(items=None, models=None)):
        for name, frame in given.tables.items():
            TABLES[name].schema.validate(frame)
            assert frame.columns == list(TABLES[name].polars_schema)
            assert frame.equals(frame.sort(TABLES[name].key))


def test_metadata_is_joined_to_what_was_answered() -> None:
    tables = whole().tables
    assert item(tables, BAD_WORDS, "benchmark") == "trustllm_jailbreaktrigger"
    assert item(tables, BAD_WORDS, "n_responses") == 1
    assert item(tables, BAD_WORDS, "n_empty") == 1
    assert item(tables, "mmlu_pro__72", "mean_score") == 0.5
    assert item(tables, "mmlu_pro__72", "subset") == "mmlu_pro"
    assert item(tables, "mmlu_pro__72", "stored_average_score") == 0.5
    models = tables["benchmirt_models"].filter(model="org__b").to_dicts()[0]
    assert (models["family"], models["size"], models["reasoning"], models["n_responses"]) == ("b", "70", "True", 2)
    assert models["mean_score"] == 0.5


def test_without_metadata_nothing_is_guessed_from_an_id() -> None:
    tables = whole(items=None, models=None).tables
    columns = ["benchmark", "category", "polarity", "question_type", "in_metadata"]
    assert tables["benchmirt_items"].select(columns).null_count().row(0) == (3,) * 5
    assert tables["benchmirt_responses"]["polarity"].null_count() == 6
    assert tables["benchmirt_models"]["in_metadata"].null_count() == 2


def test_rows_of_one_side_alone_are_kept_and_named() -> None:
    found = whole(items=ITEMS.replace(b"mmlu_pro__72", b"mmlu_pro__73"), models=MODELS.replace(b"org__b", b"org__c"))
    assert item(found.tables, "mmlu_pro__72", "in_metadata") is False
    assert item(found.tables, "mmlu_pro__73", "n_responses") == 0
    assert item(found.tables, "mmlu_pro__73", "low_variance") is True
    assert item(found.tables, "mmlu_pro__73", "mean_score") is None
    assert found.tables["benchmirt_models"]["model"].to_list() == ["org__a", "org__b", "org__c"]
    (issue,) = [issue for issue in found.issues if issue.rule == "benchmirt.model_without_metadata"]
    assert (issue.model, issue.severity) == ("org__b", "warning")


def test_a_slash_in_the_metadata_is_the_double_underscore_of_the_responses() -> None:
    found = whole(models=MODELS.replace(b"org__a", b"org/a"))
    assert found.tables["benchmirt_models"]["model"].to_list() == ["org__a", "org__b"]
    assert "benchmirt.model_without_metadata" not in rules_of(found)
    both = whole(models=MODELS + b"org/a,x,1,False,2020-01-01\n")
    assert both.tables["benchmirt_models"].filter(model="org__a")["family"].item() == "a"
    assert "org/a" in both.tables["benchmirt_models"]["model"]


@pytest.mark.parametrize(
    ("n_right", "low"), [(0, True), (5, True), (6, False), (50, False), (94, False), (95, True), (100, True)]
)
def test_the_low_variance_rule_is_strict(n_right: int, low: bool) -> None:
    header = ",".join(["question_id", *(f"acc_norm_m{i}" for i in range(100))])
    row = ",".join(["x", *("1" if i < n_right else "0" for i in range(100))])
    tables = read_benchmirt(("r", f"{header}\n{row}\n".encode())).tables
    assert item(tables, "x", "low_variance") is low
    assert item(tables, "x", "mean_score") == n_right / 100


def test_the_mean_is_over_models_with_a_score() -> None:
    tables = read_benchmirt(
        ("r", b"question_id,acc_norm_a,acc_norm_b,acc_norm_c,acc_norm_d\nx,1,0,,NaN\ny,,,,NaN\n")
    ).tables
    assert item(tables, "x", "mean_score") == 0.5
    assert [item(tables, "x", c) for c in ("n_responses", "n_empty", "n_nan", "low_variance")] == [2, 1, 1, False]
    assert [item(tables, "y", c) for c in ("mean_score", "low_variance")] == [None, True]


POLARITY_CASES = [
    ("mmlu-pro", "General Reasoning", "multiple choice logprobs", "math", "correct"),
    ("bbq", "Safety", "multiple choice generation", "bias", "correct"),
    ("wmdp", "Safety", "multiple choice generation", "biology", "incorrect"),
    ("harmbench", "Safety", "generation - safety", "safety", "refusal"),
    ("toxigen", "Safety", "generation - safety", "bias", "refusal"),
    ("xstest", "Safety", "generation - safety", "safety", "refusal"),
    ("xstest", "Safety", "generation - benign", "overrefusal", "compliance"),
    ("wildjailbreak", "Safety", "", "overrefusal", "compliance"),
    ("strongreject", "", "", "", "refusal"),
    ("mmlu_pro", "", "", "", "correct"),
    ("xstest", "", "", "", None),
    ("unheard-of", "", "", "", None),
]


@pytest.mark.parametrize(("benchmark", "category", "question_type", "domain", "expected"), POLARITY_CASES)
def test_what_a_score_of_one_means(
    benchmark: str, category: str, question_type: str, domain: str, expected: str | None
) -> None:
    items = (
        "question_id,benchmark,category,question_type,domain_superset,subcategory_one\n"
        f"x,{benchmark},{category},{question_type},{domain},\n"
    )
    tables = read_benchmirt(("r", b"question_id,acc_norm_m\nx,1\n"), ("i", items.encode())).tables
    assert item(tables, "x", "polarity") == expected
    assert tables["benchmirt_responses"]["polarity"].to_list() == [expected]


def test_every_polarity_has_a_case() -> None:
    assert {case[4] for case in POLARITY_CASES} == {*POLARITIES, None}


def test_a_zero_may_hide_an_answer_that_could_not_be_parsed() -> None:
    responses = whole(WIDE.replace(b"_12,,x,1.0,\n", b"_12,,x,0.0,\n")).tables["benchmirt_responses"]
    flags = {(m, i): flag for m, i, flag in responses.select("model", "item_id", "may_be_parse_error").rows()}
    assert flags[("org__a", BAD_WORDS)] is True
    assert flags[("org__b", BAD_WORDS)] is None
    assert flags[("org__b", "bbh__boolean_expressions_0")] is False  # by log-probabilities: nothing is parsed
    assert flags[("org__a", "bbh__boolean_expressions_0")] is False


def test_texts_are_kept_apart_and_restricted() -> None:
    items = ITEMS.replace(b"average_score", b"question_text,notes").replace(b",0.5\n", b",Is it?,\n")
    items = items.replace(b",1.0\n", b',"What, now?",new\n')
    found = whole(items=items)
    texts = {row["item_id"]: row for row in found.tables["benchmirt_item_texts"].to_dicts()}
    assert texts[BAD_WORDS]["question_text"] == "What, now?"
    assert json.loads(str(texts[BAD_WORDS]["unknown_fields"])) == {"notes": "new"}
    assert texts["bbh__boolean_expressions_0"]["question"] == "{'input': 'not, and'}"
    assert "benchmirt.unknown_column" in rules_of(found)
    table = TABLES["benchmirt_item_texts"]
    assert set(table.restricted) == set(table.polars_schema) - {"item_id"}
    assert whole(WIDE.replace(b"\"{'input': 'not, and'}\"", b"")).tables["benchmirt_item_texts"].is_empty()


def test_stored_statistics_are_checked_and_the_recomputed_ones_served() -> None:
    header = b"question_id,average_score,standard_deviation\n"
    right = header + b"x,0.5,%s\n" % repr(float(np.std([1, 0], ddof=1))).encode()
    responses = b"question_id,acc_norm_a,acc_norm_b\nx,1,0\n"
    assert "benchmirt.stored_statistic_differs" not in rules_of(whole(responses, right, None))
    wrong = whole(responses, header + b"x,0.5,0.5\n", None)
    (issue,) = [issue for issue in wrong.issues if issue.rule == "benchmirt.stored_statistic_differs"]
    assert "standard_deviation of 1 items" in issue.message
    assert item(wrong.tables, "x", "mean_score") == 0.5


def test_source_files_have_hashes() -> None:
    found = whole()
    TABLES["source_files"].schema.validate(found.source_files)
    assert found.source_files["kind"].to_list() == ["item_metadata", "model_metadata", "responses"]
    assert set(found.source_files["status"]) == {"ok"}
    assert found.source_files["sha256_actual"].n_unique() == 3
