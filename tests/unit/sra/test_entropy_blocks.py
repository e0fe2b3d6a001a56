from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.entropy_cases import BIN, INDEX
from transforms.sra import entropy_blocks
from transforms.sra.entropy_blocks import BYTES_PER_TOKEN, match_rollouts, place_blocks
from transforms.sra.entropy_index import INDEX_SCHEMA
from warehouse.contracts.issues import Issue

Place = tuple[str | None, int | None, int | None, int | None]


def index(*lines: Place) -> pl.DataFrame:
    names = ("instance_id", "sample", "offset", "n_tokens", "line")
    rows = [dict(zip(names, (*line, number), strict=True)) for number, line in enumerate(lines, start=1)]
    return pl.DataFrame(rows, schema=INDEX_SCHEMA)


def placed(size: int, *lines: Place) -> tuple[list[int], list[Issue]]:
    rows, issues = place_blocks(index(*lines), size, BIN, INDEX)
    return rows["line"].to_list(), issues


def rules(issues: Sequence[Issue]) -> list[str]:
    return [issue.rule.removeprefix("entropy_index.") for issue in issues]


def test_sound_lines_are_placed_and_sorted_by_rollout() -> None:
    assert placed(60, ("b", 0, 0, 3), ("a", 8, 24, 6), ("a", 0, 18, 1), ("a", 1, 60, 0)) == ([3, 4, 2, 1], [])


def test_blocks_of_no_tokens_overlap_nothing_and_cover_nothing() -> None:
    assert placed(12, ("a", 0, 0, 2), ("a", 1, 6, 0), ("a", 2, 0, 0), ("a", 3, 12, 0)) == ([1, 2, 3, 4], [])
    lines, issues = placed(12, ("a", 0, 0, 1), ("a", 1, 11, 0))
    assert (lines, rules(issues), issues[0].value) == ([1, 2], ["uncovered_bytes"], "6-11")


@pytest.mark.parametrize(
    ("lines", "expected", "line", "value"),
    [
        ([("a", 0, 0, 1), ("a", 9, 6, 1)], "bad_sample", 2, "9"),
        ([("a", -1, 0, 2)], "bad_sample", 1, "-1"),
        ([("a", 0, 0, 1), ("a", 0, 6, 1)], "repeated_rollout", 2, None),
        ([("a", 0, 0, 2), ("a", 1, -6, 1)], "negative_value", 2, "-6"),
        ([("a", 0, 0, 2), ("a", 1, 0, -1)], "negative_value", 2, "-1"),
        ([("a", 0, 0, 2), ("a", 1, 12, 1)], "past_end", 2, "12"),
        ([("a", 0, 0, 2), ("a", 1, 13, 0)], "past_end", 2, "13"),
        ([("a", 0, 0, 2), ("a", 1, 7, 1)], "past_end", 2, "7"),
        ([("a", 0, 0, 2), ("a", 1, 2**63 - 1, 2**63 - 1)], "past_end", 2, str(2**63 - 1)),
        ([("a", 0, 0, 2), ("a", 1, 0, 2**62)], "past_end", 2, "0"),
        ([("a", 0, 0, 2), ("a", 1, 2**63 - 1, 1)], "past_end", 2, str(2**63 - 1)),
        ([("a", 0, 0, 2), ("a", 1, 6, 1)], "overlap", 2, "6"),
        ([("a", 0, 5, 1), ("a", 1, 0, 1), ("a", 2, 11, 0)], "overlap", 1, "5"),
        ([("a", 0, 0, 1)], "uncovered_bytes", 1, "6-11"),
        ([("a", 0, 6, 1)], "uncovered_bytes", None, "0-5"),
        ([("a", 0, 0, 1), ("a", 1, 7, 0)], "uncovered_bytes", 1, "6-11"),
        ([], "uncovered_bytes", None, "0-11"),
        ([("a", 0, 0, 2), (None, 1, 12, 0)], "absent_value", 2, None),
        ([("a", 0, 0, 2), ("a", None, 12, 0)], "absent_value", 2, None),
        ([("a", 0, 0, 2), ("a", 1, None, 0)], "absent_value", 2, None),
        ([("a", 0, 0, 2), ("a", 1, 12, None)], "absent_value", 2, None),
    ],
)
def test_each_thing_wrong_is_named(lines: list[Place], expected: str, line: int | None, value: str | None) -> None:
    _, issues = placed(12 if expected != "overlap" or lines[0][2] == 0 else 11, *lines)
    assert rules(issues) == [expected]
    assert (issues[0].line, issues[0].value) == (line, value)


@pytest.mark.parametrize("sample", [0, 8])
def test_samples_at_the_ends_of_the_range_pass(sample: int) -> None:
    assert placed(6, ("a", sample, 0, 1)) == ([1], [])


def test_an_overlap_names_both_lines_also_when_a_longer_block_began_earlier() -> None:
    lines, issues = placed(60, ("a", 0, 0, 10), ("a", 1, 6, 1), ("a", 2, 30, 2))
    assert (lines, rules(issues)) == ([1], ["overlap", "overlap"])
    assert (
        f"{INDEX}, line 3: 'a', sample 2, begins at byte 30 of {BIN}, inside the block of line 1" in issues[1].message
    )
    assert "ends at byte 60" in issues[1].message


def test_a_line_given_twice_is_a_repetition_and_no_overlap() -> None:
    lines, issues = placed(12, ("a", 0, 0, 2), ("a", 0, 0, 2))
    assert (lines, rules(issues)) == ([1], ["repeated_rollout"])
    assert "already on line 1" in issues[0].message


def test_gaps_at_the_start_between_and_at_the_end_are_all_named() -> None:
    _, issues = placed(40, ("a", 0, 24, 1), ("a", 1, 3, 2))
    assert [issue.value for issue in issues] == ["0-2", "15-23", "30-39"]
    assert "bytes 15 to 23 (9 bytes, after the block of line 2" in issues[1].message


def test_everything_wrong_is_said_at_once() -> None:
    _, issues = placed(20, ("a", 0, 0, 1), ("a", 0, 3, 1), ("b", 12, 99, 1), ("b", 1, -1, -1), (None, 3, 12, 1))
    found = [
        "absent_value",
        "bad_sample",
        "repeated_rollout",
        "negative_value",
        "negative_value",
        "past_end",
        "overlap",
    ]
    assert rules(issues) == [*found, "uncovered_bytes", "uncovered_bytes"]


def test_names_in_messages_are_cut_and_escaped() -> None:
    _, issues = placed(0, ("q\n" + "x" * 500, 9, 0, 0))
    assert "\n" not in issues[0].message and len(issues[0].message) < 300


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 60),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 8), st.integers(-2, 70), st.integers(-1, 12)), max_size=8),
)
def test_what_is_placed_is_disjoint_and_issues_are_absent_only_when_all_bytes_are_covered_once(
    size: int, lines: list[Any]
) -> None:
    rows, issues = place_blocks(index(*lines), size, BIN, INDEX)
    blocks = [range(o, o + n * BYTES_PER_TOKEN) for o, n in rows.select("offset", "n_tokens").iter_rows()]
    read = [byte for block in blocks for byte in block]
    assert len(read) == len(set(read)) and set(read) <= set(range(size))
    # By counting every byte: the lines are sound when each stays inside and each byte has exactly one.
    owners = [byte for _, _, offset, n in lines for byte in range(offset, offset + max(n, 0) * BYTES_PER_TOKEN)]
    inside = all(offset >= 0 and n >= 0 and offset <= size for _, _, offset, n in lines)
    distinct = len({line[:2] for line in lines}) == len(lines)
    assert (not issues) == (inside and distinct and sorted(owners) == list(range(size)))
    if not issues:
        assert rows.height == len(lines)


def test_a_frame_of_another_schema_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="expected an index"):
        place_blocks(index().with_columns(pl.col("offset").cast(pl.Float64)), 0, BIN, INDEX)


def test_the_index_has_exactly_the_sampled_rollouts() -> None:
    lines = index(("a", 0, 0, 1), ("a", 1, 6, 1))
    sampled = pl.DataFrame(
        {"instance_id": ["a", "a"], "sample": [1, 0]}, schema={"instance_id": pl.String, "sample": pl.Int32}
    )
    assert match_rollouts(lines, sampled, INDEX) == []


def test_rollouts_without_a_line_and_lines_without_a_rollout_are_errors() -> None:
    lines = index(("a", 0, 0, 1), ("c", 1, 6, 1))
    sampled = pl.DataFrame({"instance_id": ["b", "a"], "sample": [3, 0]})
    issues = match_rollouts(lines, sampled, INDEX)
    assert rules(issues) == ["missing_rollout", "unknown_rollout"]
    assert [(issue.line, issue.instance_id, issue.sample) for issue in issues] == [(None, "b", 3), (2, "c", 1)]


def test_every_rule_has_its_own_name() -> None:
    assert len({rule.name for rule in entropy_blocks.RULES}) == len(entropy_blocks.RULES)
