"""Both shapes of `position`, and the marks in the text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.grace.made import TEXT, errors, messages, names, needs_release, one_question, question, rows, unhurried
from tests.unit.grace.published import published_packets
from transforms.grace import SourceTables

TEAMS = st.one_of(st.integers(1, 20).map("H{}".format), st.integers(1, 6).map("M{}".format))
WORDS = st.lists(
    st.sampled_from(["a", "word", "[pause]", "“quoted,”", "zero\u200bwidth", "end."]), min_size=1, max_size=30
)
COLUMNS = ("team", "team_kind", "word_index", "buzz_order", "correct")


@st.composite
def packets(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, str, bool]]]:
    """The words of a question, and buzzes in order of word, no team twice."""
    words = draw(WORDS)
    teams = draw(st.lists(TEAMS, unique=True, max_size=8))
    return words, sorted(
        ((draw(st.integers(0, len(words) - 1)), team, draw(st.booleans())) for team in teams), key=lambda b: b[0]
    )


def mark(team: str, correct: bool) -> str:
    return f"[{team}, {'+' if correct else '-'}]"


def as_list(buzzes: list[tuple[int, str, bool]]) -> list[dict[str, str]]:
    return [{str(word): mark(team, correct)} for word, team, correct in buzzes]


def as_map(buzzes: list[tuple[int, str, bool]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word, team, correct in buzzes:
        found.setdefault(str(word), []).append(mark(team, correct))
    return dict(reversed(found.items()))


def marked(words: list[str], buzzes: list[tuple[int, str, bool]]) -> str:
    parts = []
    for place, word in enumerate(words):
        parts += [word, *(mark(team, correct) for at, team, correct in buzzes if at == place)]
    return " ".join(parts)


def read(words: list[str], position: object, text: str) -> SourceTables:
    return one_question(question=" ".join(words), position=position, question_buzzpoints=text)


@unhurried
@given(packets())
def test_both_shapes_give_the_same_buzzes(packet: tuple[list[str], list[tuple[int, str, bool]]]) -> None:
    words, buzzes = packet
    first = read(words, as_list(buzzes), marked(words, buzzes))
    second = read(words, as_map(buzzes), marked(words, buzzes))
    expected = sorted(
        (team, "human" if team[0] == "H" else "model", word, order, correct)
        for order, (word, team, correct) in enumerate(buzzes)
    )
    assert rows(first, "grace_buzzes", COLUMNS) == rows(second, "grace_buzzes", COLUMNS) == expected
    assert names(first) == set()
    assert names(second) == {"grace.position_by_word"}
    shares = [(word + 1) / len(words) for word, _, _ in buzzes]
    assert sorted(first.tables["grace_buzzes"]["share_heard"]) == pytest.approx(sorted(shares))


@unhurried
@given(packets(), st.data())
def test_a_broken_mark_in_the_text_is_noticed(
    packet: tuple[list[str], list[tuple[int, str, bool]]], data: st.DataObject
) -> None:
    words, buzzes = packet
    assume(buzzes)
    text = marked(words, buzzes)
    _, team, correct = data.draw(st.sampled_from(buzzes))
    sound = mark(team, correct)
    broken = data.draw(
        st.sampled_from(
            [
                sound[:-1],
                sound[1:],
                sound.replace(",", ""),
                sound.replace("H", "X").replace("M", "X"),
                f"[{team}, ?]",
                "",
            ]
        )
    )
    found = read(words, as_list(buzzes), text.replace(sound, broken, 1))
    noticed = {"grace.text_differs"}, {"grace.marks_differ"}, {"grace.marks_missing"}
    assert names(found) - {"grace.spaces_differ"} in noticed
    assert bool(errors(found)) == ("grace.marks_missing" not in names(found))


BROKEN_POSITIONS: list[Any] = [
    None, "text", 3, True, ["[H1, +]"], [{"3": "[H1, +]", "4": "[H2, +]"}], [{}], [None], [[]], [{"3": None}],
    [{"3": 7}], [{"3": "[H1 +]"}], [{"3": "[H1,+]"}], [{"3": "H1, +"}], [{"3": "[X1, +]"}], [{"3": "[H, +]"}],
    [{"3": "[H1, +-]"}], [{"3": "[H1, *]"}], [{"3": "[H1, +] "}], [{"3": "[H1, +]\n"}], [{"-1": "[H1, +]"}],
    [{"3.0": "[H1, +]"}], [{"": "[H1, +]"}], [{"03": "[H1, +]"}], [{"٣": "[H1, +]"}], [{"3": "[H١, +]"}],
    [{"9" * 5000: "[H1, +]"}], [{"3": {"H1": "+"}}], {"3": {"H1": "+"}}, {"3": [["[H1, +]"]]}, {"x": ["[H1, +]"]},
]  # fmt: skip


@pytest.mark.parametrize("position", BROKEN_POSITIONS, ids=repr)
def test_what_is_neither_shape_is_refused_by_name(position: object) -> None:
    found = read(TEXT.split(), position, TEXT)
    assert errors(found) == {"grace.position_malformed"}
    assert found.tables["grace_buzzes"].height == 0
    assert found.tables["grace_questions"].height == 1


def test_every_broken_part_is_told() -> None:
    found = one_question(position=[{"3": "[M1 -]"}, {"8": "[H2, +]"}, {"x": "[H1, -]"}])
    assert len(messages(found, "grace.position_malformed")) == 2
    assert rows(found, "grace_buzzes", ("team",)) == [("H2",)]


def test_no_buzz_is_no_finding() -> None:
    shapes: tuple[object, ...] = ([], {})
    for nothing in shapes:
        found = read(TEXT.split(), nothing, TEXT)
        assert errors(found) == set()
        assert rows(found, "grace_questions", ("n_human_buzzes", "n_model_buzzes")) == [(0, 0)]


def test_a_team_that_buzzes_twice_is_refused_with_both_buzzes() -> None:
    position = [{"3": "[M1, -]"}, {"8": "[H2, +]"}, {"9": "[H2, -]"}]
    found = one_question(position=position)
    assert "grace.repeated_team" in errors(found)
    assert rows(found, "grace_buzzes", ("team",)) == [("M1",)]


def test_a_buzz_at_the_last_word_is_in_and_one_after_it_is_not() -> None:
    words = TEXT.split()
    last = [(len(words) - 1, "H1", True)]
    assert names(read(words, as_list(last), marked(words, last))) == set()
    after = read(words, [{str(len(words)): "[H1, +]"}], marked(words, last))
    assert errors(after) == {"grace.word_out_of_range", "grace.marks_differ"}


def test_a_list_that_goes_back_keeps_its_order() -> None:
    found = one_question(position=[{"8": "[H2, +]"}, {"8": "[H1, -]"}, {"3": "[M1, -]"}])
    assert names(found) == {"grace.position_order"}
    assert sorted(rows(found, "grace_buzzes", ("buzz_order", "team"))) == [(0, "H2"), (1, "H1"), (2, "M1")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A made up river [M1, -] runs past the old mill [H2, +] [H1, -] and the new bridge", set()),
        ("A made up  river [M1, -] runs past the old mill [H2, +] [H1, -] and the new bridge ", {"spaces_differ"}),
        ("A made up river[M1, -] runs past the old mill[H2, +][H1, -] and the new bridge", set()),
        ("A made up river [M1, +] runs past the old mill [H2, +] [H1, -] and the new bridge", {"marks_differ"}),
        ("A made up river runs [M1, -] past the old mill [H2, +] [H1, -] and the new bridge", {"marks_differ"}),
        ("A made up river runs past the old mill [H2, +] [H1, -] and the new bridge", {"marks_differ"}),
        (TEXT, {"marks_missing"}),
        ("A made up river [M1, -] runs past the mill [H2, +] [H1, -] and the new bridge", {"text_differs"}),
        ("A made up river [M1, -] [H9] runs past the old mill [H2, +] [H1, -] and the new bridge", {"text_differs"}),
    ],
)
def test_the_marked_text_says_what_position_says(text: str, expected: set[str]) -> None:
    assert names(one_question(question_buzzpoints=text)) == {f"grace.{name}" for name in expected}


def test_brackets_that_are_no_marks_stay() -> None:
    found = one_question(
        question="The old [pause] mill told [her] so", question_buzzpoints="The old [pause] [H1, +] mill told [her] so",
        position=[{"2": "[H1, +]"}],
    )  # fmt: skip
    assert names(found) == set()
    assert rows(found, "grace_questions", ("n_words",)) == [(7,)]


@needs_release
def test_every_mark_of_the_release_stands_where_position_says() -> None:
    """An independent count: split the marked text on its marks and count the words before each."""
    n_marks = 0
    for packet in published_packets().values():
        for item in packet:
            pieces = item["question_buzzpoints"].replace("] [H", "]  [H").split(" ")
            heard, found = -1, []
            for i, piece in enumerate(pieces):
                if piece in ("+]", "-]") and pieces[i - 1].startswith(("[H", "[M")):
                    found.append({str(heard): f"{pieces[i - 1]} {piece}"})
                elif piece and not (piece.startswith(("[H", "[M")) and piece.endswith(",")):
                    heard += 1
            assert found == item["position"]
            n_marks += len(found)
    assert n_marks == 1_749


def test_question_helper_is_sound() -> None:
    assert names(one_question()) == set()
    assert question()["question"] == TEXT
