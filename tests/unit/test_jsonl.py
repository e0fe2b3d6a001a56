"""JSON lines: every line becomes an object or a named error, whatever its bytes are."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import jsonl
from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsonl import Limits, Line, read_lines
from warehouse.contracts import Issue, Rule, Severity

DEEP = b'{"a":' * 1200 + b"1" + b"}" * 1200


def read(data: bytes, limits: Limits | None = None) -> tuple[list[Line], list[Issue]]:
    log = IssueLog(path="a.jsonl")
    return list(read_lines(data, log, limits)), log.issues


def noticed(data: bytes, limits: Limits | None = None) -> list[tuple[str, int | None]]:
    return [(issue.rule, issue.line) for issue in read(data, limits)[1]]


def test_plain_lines_are_read_and_nothing_is_noticed() -> None:
    lines, issues = read(b'{"a": 1}\n{"b": [1.5, null, "x"]}\n')
    assert [(line.number, line.record, line.n_bare) for line in lines] == [
        (1, {"a": 1}, 0),
        (2, {"b": [1.5, None, "x"]}, 0),
    ]
    assert issues == []


def test_the_last_line_needs_no_line_break() -> None:
    assert [line.record for line in read(b'{"a":1}\n{"b":2}')[0]] == [{"a": 1}, {"b": 2}]


def test_only_a_line_feed_ends_a_line() -> None:
    text = '{"a":"\u2028\u2029\u0085"}\n'
    assert [line.record for line in read(text.encode())[0]] == [{"a": "\u2028\u2029\u0085"}]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (b'{"a": "\xff"}', jsonl.NOT_UTF8),
        (b"\xed\xa0\x80", jsonl.NOT_UTF8),
        (b'{"a": 1', jsonl.INVALID),
        (b'{"a": 1} {"b": 2}', jsonl.INVALID),
        (b"\x00", jsonl.INVALID),
        (b'{"a": "\\ud800"}', jsonl.INVALID),
        (b'{"a": 1e999}', jsonl.INVALID),
        (b'{"a": NaNa}', jsonl.INVALID),
        (b'{"a": -NaN}', jsonl.INVALID),
        (b"{NaN: 1}", jsonl.INVALID),
        (b'{"a": NaN, "b": "\xff"}', jsonl.NOT_UTF8),
        (DEEP, jsonl.TOO_DEEP),
        (DEEP.replace(b"1", b"NaN"), jsonl.TOO_DEEP),
        (b'{"a":' * 1010 + b"NaN" + b"}" * 1010, jsonl.TOO_DEEP),
        (b'{"a": NaN, "b": ' + b"1" * 5000 + b"}", jsonl.INVALID),
        (b"[1]", jsonl.NOT_AN_OBJECT),
        (b'"text"', jsonl.NOT_AN_OBJECT),
        (b"null", jsonl.NOT_AN_OBJECT),
        (b"NaN", jsonl.NOT_AN_OBJECT),
    ],
)
def test_a_bad_line_has_a_name_and_the_others_are_read(line: bytes, rule: Rule) -> None:
    lines, issues = read(b'{"a":1}\n' + line + b'\n{"b":2}\n')
    assert [found.number for found in lines] == [1, 3]
    assert [(issue.rule, issue.line, issue.path) for issue in issues] == [(rule.name, 2, "a.jsonl")]
    assert rule.severity is Severity.ERROR


def test_messages_do_not_repeat_the_input() -> None:
    (issue,) = read(b'{"a": "a patient of 71 years"\n')[1]
    assert "patient" not in issue.message + str(issue.value)
    assert issue.value is not None and issue.value.startswith("29 bytes, SHA-256 ")


def test_a_line_at_the_bound_is_read_and_a_longer_one_is_not() -> None:
    line = b'{"a":"' + b"x" * 92 + b'"}'
    assert noticed(line, Limits(line_bytes=100)) == []
    assert noticed(b"{}\n" + line, Limits(line_bytes=99)) == [("jsonl.line_too_long", 2)]


def test_keys_are_bounded_and_colons_in_strings_are_no_keys() -> None:
    def many(n: int) -> bytes:
        return json.dumps({"text": ':"": ' * 50, **{str(k): k for k in range(n - 1)}}).encode()

    assert noticed(many(30), Limits(keys=30)) == []
    assert noticed(json.dumps({"text": "x" * 500}).encode(), Limits(keys=30)) == []
    assert noticed(many(31), Limits(keys=30)) == [("jsonl.too_many_keys", 1)]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (b'{"a":1,"a":2}', "'a'"),
        (b'{"x":[{"b" : 1, "b" : 2, "a":3}]}', "'x[0].b'"),
        (b'{"p":NaN,"p":0.5}', "'p'"),
        (b'{"a":1,"\\u0061":2}', "'a'"),
        (b'{"t":":","t":":"}', "'t'"),
    ],
)
def test_a_repeated_key_is_an_error(line: bytes, names: str) -> None:
    _, issues = read(b'{"a":1}\n' + line + b"\n")
    assert [(issue.rule, issue.line, issue.value) for issue in issues] == [("jsonl.repeated_key", 2, names)]


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":":"}',
        b'{"a":"\\":\\":"}',
        b'{"a" : 1}',
        b'{"a\\\\":1}',
        b'{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
        b'{"":0}',
    ],
)
def test_a_key_that_only_looks_repeated_is_none(line: bytes) -> None:
    assert noticed(line + b"\n" + line) == []


def test_a_line_too_deep_for_the_check_of_its_keys_is_an_error() -> None:
    deep = b'{"a" :' * 1010 + b"1" + b"}" * 1010
    assert noticed(deep) == [("jsonl.too_deep", 1)]


def test_bare_tokens_are_numbers_and_strings_stay_strings() -> None:
    (line,), issues = read(b'{"a":[NaN,Infinity,-Infinity,null],"b":"NaN \\" Infinity","c":{"NaN":1}}\n')
    assert line.n_bare == 3 and issues == []
    first, *rest = line.record["a"]
    assert math.isnan(first)
    assert rest == [math.inf, -math.inf, None]
    assert (line.record["b"], line.record["c"]) == ('NaN " Infinity', {"NaN": 1})


def test_dress_is_noted_once_a_file() -> None:
    data = b'\xef\xbb\xbf{"a":1}\r\n\r\n  \n{"b":2}\r\n'
    lines, issues = read(data)
    assert [(line.number, line.record) for line in lines] == [(1, {"a": 1}), (4, {"b": 2})]
    assert [(issue.rule, issue.line, issue.value) for issue in issues] == [
        ("jsonl.byte_order_mark", 1, None),
        ("jsonl.crlf", None, "2"),
        ("jsonl.blank_line", 2, "2"),
    ]
    assert {issue.severity for issue in issues} == {Severity.INFO}


@pytest.mark.parametrize("data", [b"", b"\n", b" \n\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_file_without_a_record_is_an_error(data: bytes) -> None:
    assert "jsonl.no_lines" in [rule for rule, _ in noticed(data)]


def test_every_rule_is_listed_once() -> None:
    rules = [value for value in vars(jsonl).values() if isinstance(value, Rule)]
    assert sorted(rule.name for rule in jsonl.RULES) == sorted(rule.name for rule in rules)


def test_names_in_messages_are_escaped_and_cut() -> None:
    assert shown("a\nb\u202e") == "'a\\nb\\u202e'"
    assert len(shown("x" * 500)) == 63
    assert shown_all(str(k) for k in range(23)).endswith("'19' and 3 more")
    assert shown_all([]) == "none"


def test_a_flood_of_findings_is_counted_and_not_kept() -> None:
    log = IssueLog(2, path="a")
    for line in range(5):
        log.add(jsonl.INVALID, "bad", line=line)
    log.add(jsonl.CRLF, "dress")
    assert [(issue.rule, issue.line, issue.value) for issue in log.issues] == [
        ("jsonl.invalid", 0, None),
        ("jsonl.invalid", 1, None),
        ("jsonl.crlf", None, None),
        ("jsonl.invalid", None, "3"),
    ]
    assert log.total == 6


def test_what_is_too_long_for_an_id_is_not_kept_as_one() -> None:
    log = IssueLog(path="a")
    for name in ("champ_00001", "x" * 201):
        log.add(jsonl.INVALID, "bad", instance_id=name)
    assert log.issues[0].instance_id == "champ_00001"
    assert str(log.issues[1].instance_id).startswith("201 bytes, SHA-256 ")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=5), min_size=1, max_size=4)


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(RECORDS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_reads_what_the_standard_library_writes(records: list[dict[str, Any]], ascii_only: bool) -> None:
    data = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records).encode("utf-8", "surrogatepass")
    lines, issues = read(data)
    assert issues == []
    assert same([line.record for line in lines], records)


PIECES = st.sampled_from(
    [b'{"a":1}', b"{", b"}", b'"', b"\\", b":", b",", b"[", b"]", b"NaN", b"-Infinity", b"\n", b"\r\n", b" ", b"1",
     b"\xff", b'"a"', b"null", b"\xef\xbb\xbf", b"\x00", b"\\u"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map(b"".join) | st.binary(max_size=200))
@settings(max_examples=250, deadline=None)
def test_never_raises_and_loses_no_line(data: bytes) -> None:
    lines, issues = read(data)
    text = data.removeprefix(b"\xef\xbb\xbf")
    written = [k for k, line in enumerate(text.split(b"\n"), 1) if line.strip()]
    per_line = {issue.line for issue in issues if issue.severity is Severity.ERROR and issue.line is not None}
    assert sorted({line.number for line in lines} | per_line) == written
