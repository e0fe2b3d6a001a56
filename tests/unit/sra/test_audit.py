"""The audit: counts that the files do not bear out are errors, keys nobody knows or absent ones warnings."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.record_cases import noticed
from transforms.sra import audit
from transforms.sra.audit import CellCounts, JoinCounts, check_audit, count_records
from transforms.sra.layout import CellKey
from warehouse.contracts import Rule, Severity

ONE, TWO = CellKey("m.1", "champ", "direct"), CellKey("m.1", "champ", "gold_skill")
CELLS = {
    ONE: CellCounts(12, 108, JoinCounts(12, 12, 0), JoinCounts(12, 5, 7), (108, 17_629)),
    TWO: CellCounts(12, 108, JoinCounts(12, 12, 0)),
}
AUDIT: dict[str, Any] = {
    "question_conditions": 24,
    "rollouts": 216,
    "joins": {
        "ab": {"records": 24, "verified": 24, "positional": 0},
        "tf": {"records": 12, "verified": 5, "positional": 7},
    },
    "entropy": {"m.1/champ/direct": {"rollouts": 108, "tokens": 17_629}},
}


def checked(edit: Callable[[dict[str, Any]], object] = lambda _: None) -> list[tuple[str, str]]:
    document = copy.deepcopy(AUDIT)
    edit(document)
    issues = check_audit(json.dumps(document).encode(), CELLS)
    assert all(issue.path == "BUNDLE_AUDIT.json" and issue.source == "sra" for issue in issues)
    return [(issue.rule, issue.message) for issue in issues]


def test_an_audit_that_is_borne_out() -> None:
    assert checked() == []


@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize(
    "place",
    [
        ("question_conditions",),
        ("rollouts",),
        ("joins", "ab", "records"),
        ("joins", "ab", "verified"),
        ("joins", "tf", "records"),
        ("joins", "tf", "verified"),
        ("joins", "tf", "positional"),
        ("entropy", "m.1/champ/direct", "rollouts"),
        ("entropy", "m.1/champ/direct", "tokens"),
    ],
)
def test_every_count_is_held_against_the_files(place: tuple[str, ...], by: int) -> None:
    def edit(document: dict[str, Any]) -> None:
        holder = document
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] += by

    ((rule, message),) = checked(edit)
    assert rule == "audit.not_borne_out"
    assert place[-1] in message


def test_a_cell_of_entropies_that_is_not_there() -> None:
    extra = {"m.1/champ/llm_select": {"rollouts": 108, "tokens": 9}}
    found = checked(lambda document: document["entropy"].update(extra))
    assert [rule for rule, _ in found] == ["audit.not_borne_out"] * 2


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (lambda d: d.update(colour="red"), audit.UNKNOWN_KEY),
        (lambda d: d["joins"].update(xy={"records": 3}), audit.UNKNOWN_KEY),
        (lambda d: d["joins"]["ab"].update(guessed=3), audit.UNKNOWN_KEY),
        (lambda d: d["entropy"]["m.1/champ/direct"].update(bytes=3), audit.UNKNOWN_KEY),
        (lambda d: d.pop("rollouts"), audit.ABSENT_KEY),
        (lambda d: d["joins"]["ab"].pop("records"), audit.ABSENT_KEY),
        (lambda d: d["joins"]["tf"].pop("positional"), audit.ABSENT_KEY),
        (lambda d: d["entropy"]["m.1/champ/direct"].pop("tokens"), audit.ABSENT_KEY),
        (lambda d: d.update(rollouts="216"), audit.MISTYPED),
        (lambda d: d.update(rollouts=True), audit.MISTYPED),
        (lambda d: d.update(rollouts=None), audit.MISTYPED),
        (lambda d: d.update(rollouts=216.0), audit.MISTYPED),
        (lambda d: d.update(rollouts=-1), audit.MISTYPED),
        (lambda d: d.update(joins=[]), audit.MISTYPED),
        (lambda d: d["joins"].update(ab=24), audit.MISTYPED),
        (lambda d: d.update(entropy=3), audit.MISTYPED),
    ],
)
def test_one_thing_wrong_is_one_finding(edit: Callable[[dict[str, Any]], object], rule: Rule) -> None:
    assert [found for found, _ in checked(edit)] == [rule.name]


@pytest.mark.parametrize(("key", "n"), [("joins", 5), ("entropy", 2), ("question_conditions", 1)])
def test_absent_counts_are_warnings(key: str, n: int) -> None:
    found = checked(lambda document: document.pop(key))
    assert [rule for rule, _ in found] == ["audit.absent_key"] * n
    assert audit.ABSENT_KEY.severity is audit.UNKNOWN_KEY.severity is Severity.WARNING


def test_what_there_is_none_of_need_not_be_counted() -> None:
    assert checked(lambda document: document["joins"]["ab"].pop("positional")) == []


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"null", b"\xff", b'{"a":NaN}', b'{"a":' * 2000])
def test_what_is_no_object_is_an_error(data: bytes) -> None:
    assert noticed(check_audit(data, CELLS)) == ["audit.not_json"]


def test_a_repeated_key_is_an_error() -> None:
    data = json.dumps(AUDIT).replace('"rollouts": 216', '"rollouts": 9, "rollouts": 216').encode()
    (issue,) = check_audit(data, CELLS)
    assert (issue.rule, issue.value) == ("audit.repeated_key", "'rollouts'")


def test_a_byte_order_mark_is_tolerated() -> None:
    issues = check_audit(b"\xef\xbb\xbf" + json.dumps(AUDIT).encode(), CELLS)
    assert [(issue.rule, issue.severity) for issue in issues] == [("audit.byte_order_mark", Severity.INFO)]


def test_a_bundle_without_an_audit() -> None:
    (issue,) = check_audit(None, CELLS)
    assert (issue.rule, issue.severity) == ("audit.no_audit", Severity.WARNING)


def test_records_are_counted_by_question() -> None:
    rows = [
        ("a", "answer_sha256", "joined"),
        ("b", "answer_sha256", "hash_mismatch"),
        ("c", "position", "joined"),
        ("d", "position", "stale_positional_join"),
        ("e", "answer_sha256", "no_rollout"),
    ]
    names = ["instance_id", "join_basis", "join_status"]
    frame = pl.DataFrame([row for row in rows for _ in range(9)], schema=names, orient="row")
    assert count_records(frame) == JoinCounts(records=5, verified=1, positional=2)
    assert count_records(None) == count_records(frame.clear()) == JoinCounts()


def test_every_rule_is_listed_once() -> None:
    rules = [value for value in vars(audit).values() if isinstance(value, Rule)]
    assert sorted(rule.name for rule in audit.RULES) == sorted(rule.name for rule in rules)


KEYS = st.sampled_from(["question_conditions", "rollouts", "joins", "entropy", "ab", "tf", "records", "tokens", "x\ny"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


@given(
    st.dictionaries(KEYS, JSON, max_size=4).map(lambda document: json.dumps(document).encode()) | st.binary(max_size=60)
)
@settings(max_examples=150, deadline=None)
def test_never_raises_and_never_passes_what_is_not_borne_out(data: bytes) -> None:
    assert check_audit(data, CELLS) != []


def test_a_key_without_a_name_is_shown_as_one() -> None:
    found = check_audit(json.dumps({**AUDIT, "": 1}).encode(), CELLS)
    assert [(issue.rule, issue.value) for issue in found] == [("audit.unknown_key", "''")]
