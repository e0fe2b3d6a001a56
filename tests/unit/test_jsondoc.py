"""JSON documents: read whole or refused by name; what is written twice, too deep, half or too long is never guessed."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthetic.sra.faults.base import POINTER
from transforms import inputs, jsondoc
from transforms.inputs import LFS_POINTER, is_lfs_pointer
from transforms.issue_log import IssueLog
from transforms.jsondoc import Form, read_array, read_object
from transforms.jsontext import (
    DEEPEST,
    Flaw,
    UndecodableError,
    blank_bare_tokens,
    bound_written_keys,
    count_written_keys,
    decode,
    json_type,
    repeated_keys,
)
from warehouse.contracts import Rule, Severity


def rule(name: str, severity: Severity = Severity.ERROR) -> Rule:
    return Rule(f"x.{name}", severity, "A rule.")


FORM = Form(
    "a thing", rule("not_utf8"), rule("half_pair"), rule("not_json"), rule("other_shape"), rule("repeated_key"),
    rule("mark", Severity.INFO),
)  # fmt: skip
PYTHONS = replace(FORM, bare_tokens=True)


def array(data: bytes, form: Form = FORM) -> tuple[list[Any], list[str]]:
    log = IssueLog(path="a.json")
    found = read_array(data, log, form)
    return found, [issue.rule for issue in log.issues]


def test_a_plain_document_is_read_and_nothing_is_noticed() -> None:
    log = IssueLog()
    assert array(b'[{"a": 1}, 2]') == ([{"a": 1}, 2], [])
    assert (read_object(b'{"a": [1, null]}', log, FORM), log.issues) == ({"a": [1, None]}, [])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"[\xff]", "x.not_utf8"),
        (b"[NaN, \xff]", "x.not_utf8"),
        (b'["\xed\xa0\x80"]', "x.not_utf8"),
        (b'["\\ud800"]', "x.half_pair"),
        (b'["\\udc00"]', "x.half_pair"),
        (b'["\\ud800\\u0041"]', "x.half_pair"),
        (b"", "x.not_json"),
        (b"[1", "x.not_json"),
        (b"[1] [2]", "x.not_json"),
        (b"[01]", "x.not_json"),
        (b"[1e999]", "x.not_json"),
        (b"[NaN]", "x.not_json"),
        (b"[" * 100_000, "x.not_json"),
        (b"[" * 1000 + b"]" * 1000, "x.not_json"),
        (b"{}", "x.other_shape"),
        (b"[]", "x.other_shape"),
        (b"null", "x.other_shape"),
        (b"7", "x.other_shape"),
        (POINTER, LFS_POINTER.name),
    ],
)
def test_what_is_no_such_document_is_one_error_with_a_name(data: bytes, name: str) -> None:
    assert array(data) == ([], [name])


@pytest.mark.parametrize("data", [b"[1]", b"null", b'"text"', b"NaN", b"{"])
def test_what_is_no_object_is_one_error(data: bytes) -> None:
    log = IssueLog()
    assert read_object(data, log, FORM) is None
    assert [issue.severity for issue in log.issues] == [Severity.ERROR]


def test_a_message_names_the_place_and_what_was_expected_and_no_text() -> None:
    log = IssueLog(path="a.json")
    read_array(b'["a patient of 71 years",\n  x]', log, FORM)
    (issue,) = log.issues
    assert (issue.path, issue.line) == ("a.json", 2)
    assert "line 2, column 3" in issue.message and "Expected a thing." in issue.message
    assert "patient" not in issue.message + str(issue.value)


@pytest.mark.parametrize("inside", [b"", b"1"])
def test_nesting_is_read_to_the_bound_and_no_deeper(inside: bytes) -> None:
    def nested(depth: int) -> bytes:
        return b"[" * depth + inside + b"]" * depth

    assert array(nested(DEEPEST))[1] == []
    assert array(nested(DEEPEST + 1)) == ([], ["x.not_json"])
    assert array(nested(DEEPEST).replace(b"1", b"NaN"), PYTHONS)[1] == []
    assert array(nested(DEEPEST + 1).replace(b"1", b"NaN"), PYTHONS)[1] == ["x.not_json"]


def test_a_document_beyond_the_bound_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsondoc, "MOST_BYTES", 6)
    assert array(b"[1, 2]")[1] == []
    assert array(b"[1, 2] ") == ([], [jsondoc.TOO_LARGE.name])


def test_bare_tokens_are_read_where_python_writes_the_document() -> None:
    found, rules = array(b'[NaN, -Infinity, "NaN", 12345678901234567890123]', PYTHONS)
    assert rules == []
    assert math.isnan(found[0])
    assert found[1:] == [-math.inf, "NaN", 12345678901234567890123.0]


def test_a_byte_order_mark_is_noted_and_skipped() -> None:
    assert array(b"\xef\xbb\xbf[1]") == ([1], ["x.mark"])


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (b'[{"a": 1}, {"b": {"a": 1, "a": 2}}]', ["[1].b.a"]),
        (b'{"a":1,"\\u0061":2}', ["a"]),
        (b'{"a" : NaN, "a" : 1, "b": [[{"c": 1, "c": 1}]]}', ["a", "b[0][0].c"]),
        (b'[{"":":","":":"}]', ["[0]."]),
        (b'{"a" :1,"a" :2,"t":":x"}', ["a"]),
        (rb'{"a\\":1,"a\\":2,"t":":x"}', ["a\\"]),
        (b'{"a :":1,"b"\n\t :1,"b"\r:1}', ["b"]),
        (b'[{"a": {"a": 1}, "b": ":"}, {"a": "\\":"}]', []),
    ],
)
def test_a_repeated_key_is_an_error_with_its_place(text: bytes, places: list[str]) -> None:
    assert repeated_keys(text) == places
    log = IssueLog()
    (read_array if text.startswith(b"[") else read_object)(text, log, PYTHONS)
    assert [issue.value for issue in log.issues] == ([", ".join(map(repr, places))] if places else [])
    assert all(issue.rule == "x.repeated_key" for issue in log.issues)


def test_places_of_repeated_keys_stay_short() -> None:
    deep = b'{"' + b"k" * 50_000 + b'": ['
    text = deep * 200 + b'{"a": 1, "a": 2}' + b"]}" * 200
    (place,) = repeated_keys(text)
    assert place.endswith("[0].a") and len(place) < 100


@pytest.mark.parametrize(
    "data", [POINTER, POINTER.replace(b"\n", b"\r\n"), POINTER.replace(b"git-lfs.github", b"hawser.github")]
)
def test_a_pointer_is_known_by_its_first_line(data: bytes) -> None:
    assert is_lfs_pointer(data)
    assert not is_lfs_pointer(data[1:])
    assert not is_lfs_pointer(data + b" " * inputs.POINTER_BYTES)


@pytest.mark.parametrize(
    ("text", "flaw"),
    [(b"[\xff]", Flaw.NOT_UTF8), (b'"\\ud800"', Flaw.HALF_PAIR), (b"[" * 2000, Flaw.TOO_DEEP), (b"{", Flaw.NOT_JSON)],
)
def test_what_is_not_decoded_says_why(text: bytes, flaw: Flaw) -> None:
    with pytest.raises(UndecodableError) as caught:
        decode(text)
    assert caught.value.flaw is flaw


def test_every_rule_is_listed_once() -> None:
    for module in (inputs, jsondoc):
        rules = [value for name, value in vars(module).items() if isinstance(value, Rule)]
        assert {rule.name for rule in module.RULES} <= {rule.name for rule in rules}
        assert len({rule.name for rule in module.RULES}) == len(module.RULES)


@pytest.mark.parametrize(
    ("text", "blanked", "n"),
    [
        (b'{"a":NaN}', b'{"a":null}', 1),
        (b'"NaN" NaN', b'"NaN" null', 1),
        (b'"open NaN', b'"open NaN', 0),
        (b'"end\\', b'"end\\', 0),
        (b'"\\\\" NaN "\\"NaN"', b'"\\\\" null "\\"NaN"', 1),
    ],
)
def test_tokens_are_blanked_outside_strings_only(text: bytes, blanked: bytes, n: int) -> None:
    assert blank_bare_tokens(text) == (blanked, n)


def test_hostile_quotes_cost_linear_time() -> None:
    """A quadratic search would need an hour for this line."""
    assert blank_bare_tokens(b'"' + b'\\"' * 500_000)[1] == 0
    assert blank_bare_tokens(b'"\\' * 500_000)[1] == 0


def test_json_types_have_names() -> None:
    values: list[object] = [None, True, 1, 1.5, math.nan, "x", {}, []]
    assert [json_type(value) for value in values] == [
        "null", "a boolean", "a number", "a number", "NaN", "a string", "an object", "an array",
    ]  # fmt: skip


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def count_keys_slowly(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(count_keys_slowly, value.values()))
    return sum(map(count_keys_slowly, value)) if isinstance(value, list) else 0


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
@settings(max_examples=100, deadline=None)
def test_counts_keys_at_any_depth(record: dict[str, Any]) -> None:
    text = json.dumps(record).encode()
    assert decode(text).n_keys == count_written_keys(text) == count_keys_slowly(record)
    assert bound_written_keys(text) >= count_written_keys(text)
    assert repeated_keys(text) == []
