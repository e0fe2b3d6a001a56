"""Names fit for a message, and values under keys nobody knows as the JSON they are kept as."""

from __future__ import annotations

import ast
import math

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.issue_log import IssueLog, Unread, shown, shown_all


@given(st.text(max_size=80))
def test_a_name_is_shown_in_at_most_sixty_printable_characters(name: str) -> None:
    text = shown(name)
    assert text.isprintable()
    assert len(text) <= len("''") + 60 + len("…")
    assert text == repr(name) or text[:-2] == repr(name)[: len(text) - 2] or "…" in text


@pytest.mark.parametrize("name", ["\U000e0001" * 70, "\x00" * 61, "\ud800" * 60])
def test_an_escape_is_never_cut_and_counts_with_its_length(name: str) -> None:
    text = shown(name)
    assert text.endswith("…'")
    assert len(text) <= 63
    assert set(ast.literal_eval(text)) == {name[0], "…"}


def test_twenty_names_of_escapes_stay_a_short_message() -> None:
    assert len(shown_all("\U000e0001" * 70 + str(i) for i in range(40))) < 1_400


def kept(value: object) -> str:
    unread: list[Unread] = []
    IssueLog(10, unread).keep("zz", value, {"line": 1})
    return unread[0].value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, "é"]}, '{"a":[1,null,"é"]}'),
        (math.nan, "null"),
        (10**30, str(10**30)),
        ({"a": [10**30, math.nan, math.inf], "b": "é"}, f'{{"a":[{10**30},null,null],"b":"é"}}'),
    ],
)
def test_a_value_nobody_knows_is_kept_as_json(value: object, text: str) -> None:
    assert kept(value) == text


def test_a_value_that_nests_deeper_than_the_quick_encoder_goes_is_kept_whole() -> None:
    text = '{"a":[' * 200 + "1" + "]}" * 200
    assert kept(orjson.loads(text)) == text
