"""The entropy index: JSON types judged, everything else left to those who know the binary file."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.record_cases import CELL, Record, encoded, noticed, places
from transforms.sra import entropy_index
from transforms.sra.entropy_blocks import place_blocks
from transforms.sra.entropy_index import INDEX_SCHEMA, check_token_counts, parse_index
from warehouse.contracts import Issue, Severity

PATH = CELL.path("token_entropy9.index.jsonl.gz")


def line(place: int = 0, **changes: object) -> Record:
    return {
        "instance_id": "champ_00001",
        "sample": place,
        "offset": 600 * place,
        "n_tokens": 100,
        "mean_entropy": 0.13,
        "max_entropy": 3.2,
    } | changes


def parse(*records: object) -> tuple[pl.DataFrame, list[Issue]]:
    return parse_index(encoded(records), CELL, PATH)


def test_a_sound_index_is_read_and_nothing_is_noticed() -> None:
    frame, issues = parse(*(line(sample) for sample in range(9)))
    assert issues == []
    assert dict(frame.schema) == INDEX_SCHEMA
    assert frame.row(2) == ("champ_00001", 2, 1200, 100, 0.13, 3.2, 3)
    assert place_blocks(frame, 5400, "x.bin", PATH)[1] == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"instance_id": 3}, "mistyped"),
        ({"sample": "1"}, "mistyped"),
        ({"sample": True}, "mistyped"),
        ({"offset": "600"}, "mistyped"),
        ({"offset": None}, "mistyped"),
        ({"n_tokens": 12.5}, "mistyped"),
        ({"mean_entropy": "0.13"}, "mistyped"),
        ({"max_entropy": math.inf}, "out_of_range"),
        ({"offset": 2**63}, "out_of_range"),
        ({"dataset": "theoremqa"}, "wrong_folder"),
    ],
)
def test_a_line_that_is_wrong_is_named_and_left_out(change: Record, rule: str) -> None:
    frame, issues = parse(line(0), line(1, **change), line(2))
    assert [(issue.rule, issue.line) for issue in issues] == [(f"entropy_index.{rule}", 2)]
    assert issues[0].severity is Severity.ERROR
    assert frame["line"].to_list() == [1, 3]


@pytest.mark.parametrize("key", ["instance_id", "sample", "offset", "n_tokens", "mean_entropy", "max_entropy"])
def test_a_key_that_is_gone(key: str) -> None:
    frame, issues = parse({name: value for name, value in line().items() if name != key})
    assert noticed(issues) == ["entropy_index.missing_key"]
    assert key in issues[0].message and frame.is_empty()


def test_a_key_that_was_renamed() -> None:
    renamed = {{"offset": "start"}.get(name, name): value for name, value in line().items()}
    _, issues = parse(renamed)
    assert noticed(issues) == ["entropy_index.missing_key", "entropy_index.unknown_key"]
    assert "its keys are" in issues[0].message and "'start'" in issues[0].message


def test_what_needs_the_binary_file_is_judged_with_it() -> None:
    """Samples, offsets, counts and repeats pass here and are errors where blocks are placed."""
    frame, issues = parse(line(0), line(9), line(1, offset=-6), line(2, n_tokens=-1), line(0))
    assert frame.height == 5
    assert noticed(issues) == ["entropy_index.another_order"]
    found = set(noticed(place_blocks(frame, 10_000, "x.bin", PATH)[1]))
    assert {"entropy_index.bad_sample", "entropy_index.negative_value", "entropy_index.repeated_rollout"} <= found


def test_dress_and_drift() -> None:
    records = (line(1), line(0, mean_entropy=None, colour="red"), line(2, max_entropy=math.nan), line(3, sample=3.0))
    frame, issues = parse(*records)
    assert places(issues) == [
        ("entropy_index.nan", 3, 2),
        ("entropy_index.unknown_key", 2, None),
        ("entropy_index.another_order", None, None),
    ]
    assert [issue.severity for issue in issues] == [Severity.WARNING, Severity.WARNING, Severity.INFO]
    assert frame["sample"].to_list() == [0, 1, 2, 3]
    assert frame["mean_entropy"].to_list() == [None, 0.13, 0.13, 0.13]
    assert frame["max_entropy"].to_list() == [3.2, 3.2, None, 3.2]


def test_an_unread_nan_is_a_warning() -> None:
    _, issues = parse(line(0, note=math.nan))
    assert noticed(issues) == ["entropy_index.nan", "entropy_index.unknown_key"]


def test_token_counts_that_differ_are_a_warning() -> None:
    frame, _ = parse(line(0), line(1), line(2))
    rollouts = pl.DataFrame(
        {"instance_id": ["champ_00001"] * 3, "sample": [0, 1, 2], "n_tokens": [100, 101, None]},
        schema={"instance_id": pl.String, "sample": pl.Int32, "n_tokens": pl.Int32},
    )
    issues = check_token_counts(frame, rollouts, CELL, PATH)
    assert places(issues) == [("entropy_index.tokens_differ", 2, 1)]
    assert issues[0].severity is Severity.WARNING
    assert "100 tokens and the sampling file 101" in issues[0].message


def test_every_rule_is_listed_once() -> None:
    names = [rule.name for rule in entropy_index.RULES]
    assert {name.split(".")[0] for name in names} == {"entropy_index"} and len(set(names)) == len(names)


ANY: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 2**63 - 1, 2**63, -(2**63), 2**70, 0.5, 3.0, math.nan, -math.inf, "", "x", [], {}]
)


@given(st.lists(st.dictionaries(st.sampled_from([*line(), "colour"]), ANY, max_size=7), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_never_raises_and_loses_no_line(changes: list[Record]) -> None:
    frame, issues = parse(*(line(0) | change for change in changes))
    errors = {issue.line for issue in issues if issue.severity is Severity.ERROR}
    assert sorted([*frame["line"].to_list(), *errors]) == list(range(1, len(changes) + 1))
