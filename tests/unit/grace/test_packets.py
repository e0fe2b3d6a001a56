"""Packets: keys, types, categories, identifiers."""

from __future__ import annotations

import json

import pytest

from tests.unit.grace.made import (
    TEXT,
    errors,
    messages,
    names,
    needs_release,
    one_question,
    question,
    release,
    rows,
    without,
)
from tests.unit.grace.published import published_packets, published_tables
from transforms.grace.categories import normalise
from warehouse.contracts import TABLES, fingerprint

KEYS = ("tossup_index", "category", "question", "answer", "question_buzzpoints", "position")


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named_with_the_keys_that_are_there(key: str) -> None:
    found = release([without(question(), key), question(2)])
    assert errors(found) == {"grace.missing_key"}
    [message] = messages(found, "grace.missing_key")
    assert f"lacks the keys '{key}'" in message
    assert all(repr(other) in message for other in KEYS if other != key)
    assert rows(found, "grace_questions", ("ordinal", "tossup_index")) == [(1, "2")]


@pytest.mark.parametrize("key", ["category", "question", "answer", "question_buzzpoints"])
@pytest.mark.parametrize("value", [None, 7, True, [], {}, "", "   "])
def test_a_text_of_another_type_is_refused(key: str, value: object) -> None:
    found = one_question(**{key: value})
    assert errors(found) == {"grace.mistyped"}
    assert repr(key)[1:-1] in messages(found, "grace.mistyped")[0]
    assert found.tables["grace_questions"].height == found.tables["grace_buzzes"].height == 0


@pytest.mark.parametrize("index", [None, True, 1.5, [], {}, ""])
def test_an_identifier_is_a_whole_number_or_a_string(index: object) -> None:
    assert errors(one_question(tossup_index=index)) == {"grace.mistyped"}


def test_identifiers_are_text_and_keep_their_type() -> None:
    found = release([question(128), question("exh-1"), question(-3)])
    columns = ("tossup_index", "tossup_index_type")
    assert rows(found, "grace_questions", columns) == [("128", "integer"), ("exh-1", "string"), ("-3", "integer")]
    assert names(found) == set()


def test_one_identifier_in_two_packets_is_two_questions() -> None:
    found = release([question(128, answer="trumpet")], [question(128, answer="trumpet", category="Classical Music")])
    assert errors(found) == set()
    assert rows(found, "grace_questions", ("packet", "ordinal", "tossup_index")) == [(1, 0, "128"), (2, 0, "128")]
    assert found.tables["grace_buzzes"].height == 6
    assert "[1, 2]" in messages(found, "grace.shared_tossup_index")[0]


def test_one_identifier_twice_in_a_packet_is_refused() -> None:
    found = release([question("7"), question(8), question(7)])
    assert errors(found) == {"grace.repeated_tossup_index"}
    assert "[0, 2]" in messages(found, "grace.repeated_tossup_index")[0]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[", b"[1,]", b"nul", b"[" * 100_000, b"[" + b"9" * 5_000 + b"]"], ids=lambda c: repr(c[:6])
)
def test_what_is_not_json_is_refused(content: bytes) -> None:
    found = release(content, [question(2)])
    assert errors(found) == {"grace.not_json"}
    assert found.tables["grace_questions"].height == 1


@pytest.mark.parametrize("content", [b"[]", b"{}", b"3", b"null", b'"text"', b"true", b"NaN"])
def test_what_is_not_a_list_of_questions_is_refused(content: bytes) -> None:
    assert errors(release(content)) == {"grace.not_a_list"}


@pytest.mark.parametrize("item", [None, 3, "text", [], True])
def test_an_item_that_is_no_object_is_refused(item: object) -> None:
    assert errors(release([item])) == {"grace.mistyped"}


def test_every_problem_is_collected() -> None:
    found = release(
        [without(question(), "answer"), question(2, category=3), question(3, position=[3], question_buzzpoints=TEXT)],
        b"{",
    )
    assert errors(found) == {"grace.missing_key", "grace.mistyped", "grace.position_malformed", "grace.not_json"}


def test_a_key_twice_in_one_object_is_refused_wherever_it_stands() -> None:
    text = json.dumps([question(position={"8": ["[H2, +]"], "9": ["[H1, -]"]})]).replace('"9"', '"8"')
    assert "grace.repeated_key" in errors(release(text.encode()))


def test_half_a_character_is_refused() -> None:
    found = release(json.dumps([question()]).replace("river", "river\\ud83d").encode())
    assert errors(found) == {"grace.not_utf8"}
    found = release(json.dumps([question(extra={"a": "x"})]).replace('"x"', '"\\ud83d"').encode())
    assert errors(found) == {"grace.not_utf8"}


def test_unknown_fields_are_kept_with_the_restricted_text_and_reported_by_name() -> None:
    found = one_question(difficulty=3, note={"by": ["a"]})
    assert names(found) == {"grace.unknown_key"}
    assert "'difficulty', 'note'" in messages(found, "grace.unknown_key")[0]
    [(kept,)] = rows(found, "grace_question_texts", ("unknown_fields",))
    assert json.loads(kept) == {"difficulty": 3, "note": {"by": ["a"]}}
    assert "grace_text" in TABLES["grace_question_texts"].restricted["unknown_fields"]


def test_texts_are_as_published_and_stand_in_the_restricted_table_only() -> None:
    found = one_question()
    assert rows(found, "grace_question_texts", ("question",)) == [(TEXT,)]
    assert TEXT not in found.tables["grace_questions"].write_json() + found.tables["grace_buzzes"].write_json()
    assert set(TABLES["grace_question_texts"].restricted) == {"question", "question_buzzpoints", "unknown_fields"}


def test_findings_fingerprint_the_text_they_are_about() -> None:
    found = one_question(question_buzzpoints=TEXT + " again")
    assert fingerprint(TEXT) != fingerprint(TEXT + " again")
    assert "again" not in messages(found, "grace.text_differs")[0]


@pytest.mark.parametrize(
    ("category", "normalised", "group"),
    [
        ("Other Arts", "Other Fine Arts", "Arts"), ("Other Fine Arts", "Other Fine Arts", "Arts"),
        ("Geo/CE/other", "Geo/CE", "Geo/CE"), ("Myth", "Myth/Other Academic", "RMPSS"),
        ("World/Other", "World/Other Lit", "Literature"), ("Social Science", "Social Science", "RMPSS"),
        ("Other Sci", "Other Sci", "Science"), (" Euro  Hist ", "Euro Hist", "History"),
        ("Cookery", "Cookery", "Other"),
    ],
)  # fmt: skip
def test_categories(category: str, normalised: str, group: str) -> None:
    assert normalise(category) == (normalised, group)


@needs_release
def test_categories_of_the_release() -> None:
    questions = published_tables().tables["grace_questions"]
    assert questions["category"].n_unique() == 24
    assert questions["category_normalised"].n_unique() == 20
    assert questions["category_group"].n_unique() == 6
    assert questions["category_normalised"].value_counts()["count"].to_list() == [12] * 20


@needs_release
def test_every_question_is_the_published_one() -> None:
    found = published_tables()
    texts = {row[:2]: row[2:] for row in found.tables["grace_question_texts"].rows()}
    for number, packet in published_packets().items():
        for ordinal, item in enumerate(packet):
            assert texts[number, ordinal] == (item["question"], item["question_buzzpoints"], None)
    for row in found.tables["grace_questions"].iter_rows(named=True):
        item = published_packets()[row["packet"]][row["ordinal"]]
        assert (row["tossup_index"], row["category"], row["answer_line"], row["n_words"]) == (
            str(item["tossup_index"]), item["category"], item["answer"], len(item["question"].split()),
        )  # fmt: skip
        assert row["tossup_index_type"] == ("string" if isinstance(item["tossup_index"], str) else "integer")


@pytest.mark.parametrize("depth", [100, 500, 900, 950, 980, 990, 1_000, 5_000])
def test_any_depth_of_nesting_is_read_or_refused(depth: int) -> None:
    content = json.dumps([question(extra=0)]).replace('"extra": 0', '"extra": ' + "[" * depth + "]" * depth)
    found = release(content.encode())
    assert errors(found) in (set(), {"grace.not_json"})
    assert found.tables["grace_questions"].height == (errors(found) == set())
    assert errors(found) == set() or depth > 500
