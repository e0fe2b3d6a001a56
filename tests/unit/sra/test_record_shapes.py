"""Shapes: the fast check and the explanation come from one statement, and say the same."""

from __future__ import annotations

import math
from typing import Annotated, Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType, field

from tests.faults.bundles import small_bundle
from tests.unit.sra.record_cases import CELL, places
from transforms.gzipped import inflate
from transforms.issue_log import IssueLog
from transforms.jsonl import Line, read_lines
from transforms.sra.entropy_index import IndexLine
from transforms.sra.layout import cell_of
from transforms.sra.record_shapes import Count, Kind, Record, Sample, Shape, Share, Shares, columns_of, fields_of
from transforms.sra.records import RecordReader, record_rules
from transforms.sra.sampling_lines import SamplingLine
from transforms.sra.tf_shapes import QuestionLine
from transforms.sra.verdicts_ab import AbLine


class Inner(Shape):
    share: Annotated[Share | None, Meta(description="how much of it")]
    is_sound: bool = field(name="sound")


class Whole(Record, kw_only=True):
    instance_id: str
    sample: Sample
    n_tokens: Count | None
    place: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
    number: float
    inner: Inner
    many: list[Inner]
    nine: Shares | UnsetType | None = UNSET


SOUND: dict[str, Any] = {
    "instance_id": "a", "sample": 3, "n_tokens": None, "place": -(2**40), "number": -1.5,
    "inner": {"share": 0.5, "sound": True}, "many": [{"share": None, "sound": False}], "nine": [0.5, None] * 4 + [1.0],
}  # fmt: skip


def explained(record: dict[str, Any]) -> tuple[Whole | None, IssueLog]:
    log = IssueLog()
    reader = RecordReader(log, record_rules("x"), CELL)
    return reader.explain(record, Whole, "", line=1), log


def test_fields_follow_from_the_statement() -> None:
    found = {f.key: f for f in fields_of(Whole)}
    assert found.keys() == {*SOUND, "model", "dataset", "condition"}
    assert (found["sample"].kind, found["sample"].bounds, found["sample"].nullable) == (Kind.INTEGER, (0, 8), False)
    assert (found["n_tokens"].nullable, found["n_tokens"].bounds) == (True, (0, 2**31 - 1))
    assert (found["nine"].n_items, found["nine"].needed, found["model"].needed) == (9, False, False)
    assert found["inner"].shape is Inner
    sound = {f.key: f.name for f in fields_of(Inner)}
    assert sound == {"share": "share", "sound": "is_sound"}


def test_columns_follow_from_the_statement() -> None:
    assert columns_of(Whole) == {
        "instance_id": pl.String, "sample": pl.Int32, "n_tokens": pl.Int32, "place": pl.Int64, "number": pl.Float64,
    }  # fmt: skip
    assert columns_of(Inner) == {"share": pl.Float64, "is_sound": pl.Boolean}
    assert columns_of(Whole, "model") == {"model": pl.String}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"sample": 9}, "sample is 9; expected a whole number from 0 to 8."),
        ({"number": math.inf}, "number is inf; expected a finite number."),
        ({"inner": {"share": 2, "sound": True}}, "inner.share is 2.0; expected a number from 0 to 1: how much of it."),
        ({"inner": {"share": 1}}, "inner lacks 'sound'; its keys are 'share'."),
        ({"many": [{"share": 1, "sound": "x"}]}, "many[].sound is a string; expected a boolean."),
        ({"nine": [0.5] * 8}, "nine has 8 elements; expected 9, one a sample."),
        ({"nine": [0.5] * 8 + ["x"]}, "nine[] is a string; expected a number from 0 to 1."),
        ({"many": [None]}, "many[] is null; expected an object."),
        ({"inner": []}, "inner is an array; expected an object."),
    ],
)
def test_messages_follow_from_the_statement(change: dict[str, Any], expected: str) -> None:
    found, log = explained(SOUND | change)
    assert found is None
    assert [issue.message for issue in log.issues] == [expected]


def test_an_element_of_nine_is_placed_by_its_sample() -> None:
    _, log = explained(SOUND | {"nine": [0.5] * 6 + [2, 0.5, "x"]})
    assert places(log.issues) == [("x.out_of_range", 1, 6), ("x.mistyped", 1, 8)]


def test_whole_numbers_written_as_floats_and_floats_written_whole_are_read() -> None:
    found, log = explained(SOUND | {"sample": 3.0, "number": 2})
    assert log.issues == [] and found is not None
    assert (found.sample, type(found.sample), found.number, type(found.number)) == (3, int, 2.0, float)


VALUE = st.sampled_from(
    [None, True, 0, 1, 8, 9, -1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), 10**400, 0.5, 1.5, "", "x", [], {},
     [0.5] * 9, [0.5] * 8, [None] * 9, ["x"] * 9, {"share": 1.0, "sound": True}, {"share": 2, "sound": True},
     [{"share": 0.5, "sound": True}], [{"share": 0.5}], [3]]
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(list(SOUND)), VALUE), st.sets(st.sampled_from(list(SOUND)), max_size=2))
@settings(max_examples=400, deadline=None)
def test_what_the_fast_check_takes_is_what_the_explanation_finds_sound(change: dict[str, Any], gone: set[str]) -> None:
    """But for numbers written in the other way, which only the explanation reads, an unsound one is always named."""
    record = {key: value for key, value in (SOUND | change).items() if key not in gone}
    found, log = explained(record)
    assert (found is None) == bool(log.issues)
    try:
        fast = msgspec.convert(record, Whole)
    except msgspec.ValidationError:
        assert found is None or any(type(value) is float and value.is_integer() for value in record.values())
    else:
        assert fast == found


SHAPES = {"sampling": SamplingLine, "ab": AbLine, "tf": QuestionLine, "entropy_index": IndexLine}
FILES = {"sampling": "sampling9", "ab": "ab_logprob9", "tf": "tf_logprob9", "entropy_index": "token_entropy9.index"}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_line_of_a_sample_is_taken_by_the_fast_check(kind: str) -> None:
    """The generator writes what the readers state, and nothing of it goes the slow way."""
    lines: list[Line] = []
    for path, data in small_bundle().items():
        if data is not None and cell_of(path.removeprefix("bundle/")) and f"{FILES[kind]}." in path:
            inflated, _ = inflate(data, path)
            lines += read_lines(inflated or b"", IssueLog())
    assert len(lines) >= 18
    for line in lines:
        assert isinstance(msgspec.convert(line.record, SHAPES[kind]), SHAPES[kind])
