"""Every shape a response table comes in gives the same long table."""

from __future__ import annotations

import gzip
import io
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.benchmirt.files import MODELS_IN_COLUMNS, WIDE, bare, parquet, read, rules_of, scores
from transforms.benchmirt import Hints, Limits, read_responses, to_matrix, write_subjects

BAD_WORDS = "trustllm_jailbreaktrigger__['bad words']_12"
EXPECTED = {
    ("org__a", "bbh__boolean_expressions_0"): 1.0,
    ("org__a", "mmlu_pro__72"): 0.0,
    ("org__a", BAD_WORDS): 1.0,
    ("org__b", "bbh__boolean_expressions_0"): 0.0,
    ("org__b", "mmlu_pro__72"): 1.0,
    ("org__b", BAD_WORDS): None,
}


def test_a_wide_table_becomes_a_row_a_cell_sorted_by_model_and_item() -> None:
    found = read(WIDE)
    assert scores(found) == EXPECTED
    assert found.responses.equals(found.responses.sort("model", "item_id"))
    assert found.items.filter(item_id="mmlu_pro__72").row(0) == ("mmlu_pro__72", "mmlu_pro", None)
    assert found.items["question"].drop_nulls().to_list() == ["{'input': 'not, and'}"]
    assert rules_of(found) == ["benchmirt.form", "benchmirt.score_formats", "benchmirt.empty_score"]


def test_gzip_and_parquet_hold_the_same() -> None:
    assert scores(read(gzip.compress(WIDE))) == EXPECTED
    assert scores(read(gzip.compress(WIDE[:60]) + gzip.compress(WIDE[60:]))) == EXPECTED
    assert scores(read(parquet(pl.read_csv(WIDE)))) == EXPECTED


def test_a_parquet_file_that_pandas_wrote_is_read_by_its_index() -> None:
    frame = pd.read_csv(io.BytesIO(WIDE), index_col="question_id")
    target = io.BytesIO()
    frame.to_parquet(target)
    assert scores(read(target.getvalue())) == EXPECTED
    unnamed = frame[["acc_norm_org__a"]].rename_axis(None)
    target = io.BytesIO()
    unnamed.to_parquet(target)
    assert scores(read(target.getvalue())) == {k: v for k, v in EXPECTED.items() if k[0] == "org__a"}


def test_numbers_booleans_and_categories_of_a_parquet_file() -> None:
    frame = pl.DataFrame(
        {
            "item_id": pl.Series(["x", "y", "z"], dtype=pl.Categorical),
            "whole": [1, 0, None],
            "flag": [True, False, None],
            "share": [0.25, math.nan, None],
            "text": ["1", "0.0", ""],
            "nothing": [None, None, None],
        }
    )
    found = read(parquet(frame))
    long = {model: found.responses.filter(model=model)["score"].to_list() for model in frame.columns[1:]}
    assert long["whole"] == [1.0, 0.0, None]
    assert long["flag"] == [1.0, 0.0, None]
    assert long["text"] == [1.0, 0.0, None]
    assert long["nothing"] == [None, None, None]
    assert long["share"][0] == 0.25
    assert math.isnan(long["share"][1])
    assert long["share"][2] is None


def test_a_column_of_a_parquet_file_that_holds_no_scores_is_named() -> None:
    found = read(parquet(pl.DataFrame({"question_id": ["x"], "acc_norm_a": [[1.0]]})))
    (issue,) = found.issues
    assert issue.rule == "benchmirt.unreadable"
    assert "'acc_norm_a'" in issue.message


def test_a_bare_matrix_has_models_as_columns_and_its_index_as_items() -> None:
    found = read(bare({"Claude-3.5 (Sonnet)": [1.0, 0.0], "GPT-4": [0, 1]}), MODELS_IN_COLUMNS)
    assert scores(found) == {
        ("Claude-3.5 (Sonnet)", "0"): 1.0,
        ("Claude-3.5 (Sonnet)", "1"): 0.0,
        ("GPT-4", "0"): 0.0,
        ("GPT-4", "1"): 1.0,
    }
    assert found.items["question"].null_count() == 2
    for index in ("Unnamed: 0", "index"):
        found = read(bare({"GPT-4": [0, 1]}, index=index), MODELS_IN_COLUMNS)
        assert scores(found) == {("GPT-4", "0"): 0.0, ("GPT-4", "1"): 1.0}


def test_a_model_may_have_any_name_where_the_caller_says_that_it_is_one() -> None:
    hints = Hints(models_in="columns", score_columns=("subset", "question"))
    found = read(b",subset,question\n0,1,0\n", hints)
    assert scores(found) == {("subset", "0"): 1.0, ("question", "0"): 0.0}


def test_whole_numbers_decimals_fractions_empty_and_nan_are_told_apart() -> None:
    found = read(b"question_id,acc_norm_m\na,1\nb,0.0\nc,0.25\nd,\ne,NaN\nf, 1 \ng,nan\n")
    values = found.responses["score"].to_list()
    assert values[:4] == [1.0, 0.0, 0.25, None]
    assert [math.isnan(value) for value in (values[4], values[6])] == [True, True]
    assert values[5] == 1.0
    messages = {issue.rule: issue for issue in found.issues}
    assert messages["benchmirt.score_formats"].message == (
        "Of 7 cells 2 are written 0 or 1, 1 as decimals (0.0, 1.0), 0 as truth values, 1 are fractions, 1 are missing "
        "and 2 say NaN."
    )
    assert (messages["benchmirt.empty_score"].value, messages["benchmirt.empty_score"].severity) == ("1", "info")
    assert (messages["benchmirt.nan_score"].value, messages["benchmirt.nan_score"].severity) == ("2", "warning")
    assert messages["benchmirt.fractional_score"].value == "1"


def test_spreadsheet_dress_is_tolerated_and_noted() -> None:
    data = b'\xef\xbb\xbfquestion_id,acc_norm_m,\r\n"a, ""b""\r\nc",1,\r\n\r\nd,0,\r\n'
    found = read(data)
    assert scores(found) == {("m", 'a, "b"\r\nc'): 1.0, ("m", "d"): 0.0}
    assert rules_of(found)[:3] == ["benchmirt.byte_order_mark", "benchmirt.crlf", "benchmirt.empty_column"]


def test_columns_without_the_prefix_are_named_where_others_have_it() -> None:
    found = read(b"question_id,acc_norm_m,accnorm_typo,benchmark\na,1,0,bbh\n")
    assert scores(found) == {("m", "a"): 1.0}
    (issue,) = [issue for issue in found.issues if issue.rule == "benchmirt.unknown_column"]
    assert issue.message.endswith("'accnorm_typo', 'benchmark'.")


LINES = [
    {"subject_id": "org__a", "responses": {"bbh__x_0": 1, BAD_WORDS: 0, "mmlu_pro__72": 0.5}},
    {"subject_id": "org__b", "responses": {"bbh__x_0": None, BAD_WORDS: True}},
]


def jsonl(records: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def test_json_lines_have_a_row_a_response_that_is_there() -> None:
    found = read(jsonl(LINES))  # type: ignore[arg-type]
    assert scores(found) == {
        ("org__a", "bbh__x_0"): 1.0,
        ("org__a", BAD_WORDS): 0.0,
        ("org__a", "mmlu_pro__72"): 0.5,
        ("org__b", "bbh__x_0"): None,
        ("org__b", BAD_WORDS): 1.0,
    }
    assert found.items.is_empty()


def test_a_bare_nan_in_json_lines_stays_one() -> None:
    found = read(b'\xef\xbb\xbf{"subject_id": "a", "responses": {"x": NaN, "y": 1}}\n')
    assert math.isnan(scores(found)[("a", "x")] or 0.0)
    assert "benchmirt.nan_score" in rules_of(found)


names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(str.strip)


@given(st.dictionaries(names, st.dictionaries(names, st.sampled_from([0.0, 1.0, 0.25]), min_size=1, max_size=5),
                       min_size=1, max_size=4))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_json_lines_survive_a_round_trip_whatever_the_ids(table: dict[str, dict[str, float]]) -> None:
    found = read(jsonl([{"subject_id": model, "responses": row} for model, row in table.items()]))
    assert scores(found) == {(model, item): score for model, row in table.items() for item, score in row.items()}
    written = write_subjects(found.responses)
    assert read(written).responses.equals(found.responses)
    assert write_subjects(read(written).responses) == written


def test_what_is_written_is_what_py_irt_reads() -> None:
    found = read(jsonl(LINES))  # type: ignore[arg-type]
    lines = [json.loads(line) for line in write_subjects(found.responses).splitlines()]
    assert lines == [
        {"subject_id": "org__a", "responses": {"bbh__x_0": 1, "mmlu_pro__72": 0.5, BAD_WORDS: 0}},
        {"subject_id": "org__b", "responses": {BAD_WORDS: 1}},
    ]
    assert isinstance(lines[0]["responses"][BAD_WORDS], int)


cells = st.sampled_from(["0", "1", "0.0", "1.0", "0.5", "", "NaN"])


@given(st.lists(names, min_size=1, max_size=4, unique=True), st.lists(names, min_size=1, max_size=6, unique=True),
       st.data())  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_table_that_pandas_writes_is_read_as_it_is(
    models: list[str], items: list[str], data: st.DataObject
) -> None:
    table = [[data.draw(cells) for _ in models] for _ in items]
    frame = pd.DataFrame(table, index=pd.Index(items, name="question_id"), columns=[f"acc_norm_{m}" for m in models])
    found = read(frame.to_csv().encode())
    expected = {(m, i): table[r][c] for c, m in enumerate(models) for r, i in enumerate(items)}
    assert {key: _cell(value) for key, value in scores(found).items()} == {k: _text(v) for k, v in expected.items()}


def _cell(value: float | None) -> str:
    return "empty" if value is None else repr(float(value))


def _text(cell: str) -> str:
    return "empty" if not cell else repr(float(cell))


def test_the_matrix_of_long_rows_in_any_order() -> None:
    found = read(WIDE)
    matrix = to_matrix(found.responses.sample(fraction=1.0, shuffle=True, seed=3))
    assert matrix.models == ["org__a", "org__b"]
    assert matrix.items == sorted(matrix.items)
    assert np.nan_to_num(matrix.scores, nan=-1.0).tolist() == [[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]


def test_a_prefixed_table_by_an_unnamed_index_keeps_its_text_columns() -> None:
    found = read(b",question,acc_norm_m\nx,why,1\n")
    assert scores(found) == {("m", "x"): 1.0}
    assert found.items["question"].to_list() == ["why"]


def test_json_lines_that_hardly_overlap_are_bounded_by_their_matrix() -> None:
    sparse = jsonl([{"subject_id": f"m{i}", "responses": {f"i{i}": 1}} for i in range(10)])
    assert read_responses(sparse, "x", Limits(cells=100)).responses.height == 10
    refused = read_responses(sparse, "x", Limits(cells=99))
    assert rules_of(refused) == ["benchmirt.too_large"]


@pytest.mark.parametrize("limits", [Limits(cells=5), Limits(columns=4), Limits(file_bytes=100)])
def test_bounds_hold(limits: Limits) -> None:
    for data in (WIDE, gzip.compress(WIDE), parquet(pl.read_csv(WIDE))):
        found = read_responses(data, "x", limits)
        assert found.responses.is_empty()
        assert {issue.rule for issue in found.issues} & {"benchmirt.too_large", "gzip.too_large"}


def made(kind: pa.DataType, values: list[object]) -> bytes:
    target = io.BytesIO()
    ids = pa.array([f"q{i}" for i in range(len(values))], pa.string())
    pq.write_table(pa.table({"item_id": ids, "m": pa.array(values, kind)}), target)
    return target.getvalue()


@pytest.mark.parametrize(
    "kind",
    [
        pa.decimal256(60, 2), pa.list_(pa.int8()), pa.struct([("a", pa.int8())]), pa.map_(pa.string(), pa.int8()),
        pa.binary(), pa.binary(3), pa.duration("s"), pa.time64("us"), pa.timestamp("us", "Nowhere/Land"),
    ],
    ids=str,
)  # fmt: skip
def test_a_parquet_column_of_a_type_no_table_of_scores_has_is_an_error(kind: pa.DataType) -> None:
    found = read(made(kind, [None, None]))
    assert rules_of(found) == ["benchmirt.unreadable"]
    assert "of types that are not read: 'm'; expected" in found.issues[0].message


@pytest.mark.parametrize("kind", [pa.decimal128(5, 2), pa.float16(), pa.uint64(), pa.null(), pa.string_view()], ids=str)
def test_every_way_to_hold_numbers_or_text_is_read(kind: pa.DataType) -> None:
    special: dict[pa.DataType, list[Any]] = {pa.null(): [None, None], pa.string_view(): ["0", "1"]}
    values = special.get(kind, [0, 1])
    expected = [None, None] if kind == pa.null() else [0.0, 1.0]
    assert read(made(kind, values)).responses["score"].to_list() == expected


def test_a_parquet_file_without_a_row_is_an_error() -> None:
    assert rules_of(read(made(pa.float64(), []))) == ["benchmirt.empty_file"]


@pytest.mark.parametrize("old", [b"item_id", b"aaaa", b"cccc"])
def test_a_parquet_file_whose_names_or_texts_are_not_utf8_is_an_error(old: bytes) -> None:
    target = io.BytesIO()
    frame = pa.table({"item_id": ["aaaa", "bbbb"], "m": [0.0, 1.0], "subset": ["cccc", "dddd"]})
    pq.write_table(frame, target, compression="none", use_dictionary=False, write_statistics=False, store_schema=False)
    damaged = target.getvalue().replace(old, b"\xff" + old[1:])
    assert damaged != target.getvalue()
    assert rules_of(read(damaged)) == ["benchmirt.unreadable"]


def test_a_text_that_a_short_parquet_file_says_often_counts_as_often() -> None:
    """Three kilobytes state a thousand texts of a thousand bytes each: they are counted before they are spelled out."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), pa.array(["x" * 1_000]))
    frame = pa.table({"item_id": [f"q{i}" for i in range(1_000)], "m": [0.0, 1.0] * 500, "subset": texts})
    target = io.BytesIO()
    pq.write_table(frame, target)
    data = target.getvalue()
    assert len(data) < 30_000
    assert rules_of(read_responses(data, "r", Limits(file_bytes=900_000))) == ["benchmirt.too_large"]
    found = read_responses(data, "r", Limits(file_bytes=1_200_000))
    assert found.items["subset"].unique().to_list() == ["x" * 1_000]


def test_a_column_without_a_name_that_holds_values_leaves_no_responses_behind() -> None:
    found = read(b",a,\n0,1,x\n", MODELS_IN_COLUMNS)
    assert "benchmirt.unnamed_column" in rules_of(found)
    assert (found.responses.height, found.items.height) == (0, 0)
