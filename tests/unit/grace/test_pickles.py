"""Pickles: plain data as the standard library loads it, anything else refused without being executed."""

from __future__ import annotations

import os
import pickle
import pickletools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.grace.made import errors, messages, names, needs_release, question, release, unhurried
from tests.unit.grace.published import published_tables
from transforms.grace import Limits, SourceTables
from transforms.grace.pickles import PickleRefusedError, load_plain

NUMBERS = st.one_of(st.integers(-(2**80), 2**80), st.floats(allow_nan=False), st.booleans(), st.none())
PLAIN = st.recursive(
    st.one_of(NUMBERS, st.text(max_size=300)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.one_of(st.text(), st.integers()), inner)),
    max_leaves=30,
)


@unhurried
@given(PLAIN, st.integers(2, 5))
def test_plain_data_is_what_the_standard_library_loads(value: object, protocol: int) -> None:
    data = pickle.dumps([value, value], protocol)
    assert load_plain(data) == pickle.loads(data) == [value, value]
    assert repr(load_plain(data)) == repr([value, value])


def test_tuples_become_lists() -> None:
    assert load_plain(pickle.dumps([(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)])) == [
        [], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4],
    ]  # fmt: skip


class Payload:
    """What an attacker pickles: unpickling it calls os.mkdir."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("protocol", range(6))
def test_a_payload_is_refused_and_not_executed(protocol: int, tmp_path: Path) -> None:
    data = pickle.dumps([1, Payload(str(tmp_path / "made"))], protocol)
    with pytest.raises(PickleRefusedError, match="opcode"):
        load_plain(data)
    assert not (tmp_path / "made").exists()
    pickle.loads(data)
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"bytes", 1j, len, Payload, object(), frozenset(), bytearray(b"x")],
    ids=lambda value: type(value).__name__,
)
def test_anything_but_plain_data_is_refused(value: object) -> None:
    with pytest.raises(PickleRefusedError, match="opcode"):
        load_plain(pickle.dumps(value))


@pytest.mark.parametrize(
    "data",
    [
        b"", b".", b"(.", b"(]a.", b"]a.", b"](.", b"h\x00.", b"j\xff\xff\xff\x7f.", b"}(K\x01u.", b"}]K\x01s.",
        b"K\x01(K\x02e.", b"]]", b"\x8d" + b"\xff" * 8 + b"x.", b"\x80\x05]\x94", b"K\x01K\x02.", b"\x87.",
        b"(K\x01\x85.",         b"}(K\x01K\x02K\x03u.", b"(", b"u.", b"e.",
    ],
)  # fmt: skip
def test_a_damaged_pickle_is_refused(data: bytes) -> None:
    with pytest.raises(PickleRefusedError):
        load_plain(data)


def test_a_memo_slot_of_four_billion_costs_nothing() -> None:
    assert load_plain(b"]r\xff\xff\xff\xff.") == []


@unhurried
@given(st.binary(max_size=200))
def test_random_bytes_are_plain_data_or_refused(data: bytes) -> None:
    try:
        load_plain(data)
    except PickleRefusedError:
        return
    for opcode, _, _ in pickletools.genops(data):
        assert opcode.name not in {"GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ"}
        if opcode.name == "STOP":
            break


def audit(name: str, content: object, limits: Limits | None = None) -> SourceTables:
    return release([question(1)], [question(1)], pickles={name: pickle.dumps(content)}, limits=limits)


SEEN = {"human_teams": ["H1", "H2"], "model_teams": ["M1"], "seen": ["H1", "H2", "M1"]}
TEAMS = {"total_human_teams": ["H1", "H2"]}


def test_a_list_of_teams_that_is_right_is_silent() -> None:
    assert names(audit("all_teams.pkl", ["M1", "H2", "H1"])) == {"grace.shared_tossup_index"}


def test_a_list_of_teams_that_is_not_tells_how_many() -> None:
    found = messages(audit("all_teams.pkl", ["H1", "H3", "H4"]), "grace.pickle_stale")
    assert [message.split(";")[0] for message in found] == [
        "all_teams.pkl names 2 teams that never buzz",
        "all_teams.pkl leaves out 2 teams that buzz",
    ]


def test_a_map_by_identifier_loses_one_of_two_questions() -> None:
    found = audit("human_model_team_per_question.pkl", {1: {"tossup_index": 1, "packet": 2, **SEEN}})
    assert [message.split(";")[0].split(" ", 1)[1] for message in messages(found, "grace.pickle_stale")] == [
        "has 1 entries for 2 questions",
        "lists 3 of 6 buzzes",
    ]


def test_teams_that_were_not_counted_as_there_are_told() -> None:
    entry = {"tossup_index": 1, "packet": 2, "human_teams": ["H1"], "model_teams": [], "seen": ["H1"]}
    found = messages(audit("human_model_team_per_question.pkl", {1: entry}), "grace.pickle_stale")
    assert "lists other teams than buzz in 2 questions" in found[2]
    assert "does not count 4 buzzes of 2 questions" in found[3]


def test_a_list_of_questions_tells_models_and_placeholders() -> None:
    rows = [
        {"tossup_index": 1, "packet": 1, "total_human_teams": ["H1", "H2", "M1", "A"]},
        {"tossup_index": 1, "packet": 2, "total_human_teams": ["H1", "M1"]},
    ]
    found = [
        m.split(";")[0].split(" ", 1)[1]
        for m in messages(audit("human_team_per_question.pkl", rows), "grace.pickle_stale")
    ]
    assert found == [
        "counts models among the human teams of 2 questions",
        "has a placeholder that is no team in 1 questions",
        "has other teams than buzz in the packet in 1 questions",
    ]


@pytest.mark.parametrize("content", [None, 3, {"a": 1}, [1], [{"packet": "1"}], [[]]])
@pytest.mark.parametrize("name", ["all_teams.pkl", "human_team_per_question.pkl", "human_model_team_per_question.pkl"])
def test_another_shape_is_a_warning(name: str, content: object) -> None:
    assert "grace.pickle_shape" in names(audit(name, content))


def test_a_list_that_holds_itself_is_a_shape_of_its_own() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "grace.pickle_shape" in names(audit("all_teams.pkl", loop))


def test_a_refused_pickle_is_an_error_and_a_refused_file() -> None:
    for found in (
        audit("all_teams.pkl", {"a": print}),
        audit("all_teams.pkl", ["H1"] * 99, limits=Limits(pickle_bytes=10)),
    ):
        assert errors(found) == {"grace.pickle_refused"}
        assert found.source_files.filter(path="all_teams.pkl")["status"].to_list() == ["refused"]
        assert found.tables["grace_buzzes"].height == 6


@needs_release
def test_the_published_pickles_are_stale_by_these_counts() -> None:
    found = [
        (i.path, i.message.split(";")[0].split(" ", 1)[1]) for i in published_tables().issues if "pickle" in i.rule
    ]
    seen, teams = "human_model_team_per_question.pkl", "human_team_per_question.pkl"
    assert found == [
        (seen, "has 239 entries for 240 questions"),
        (seen, "lists 1172 of 1749 buzzes"),
        (seen, "lists other teams than buzz in 185 questions"),
        (seen, "does not count 315 buzzes of 160 questions among the teams that saw them"),
        (teams, "counts models among the human teams of 240 questions"),
        (teams, "has a placeholder that is no team in 20 questions"),
        (teams, "has other teams than buzz in the packet in 160 questions"),
    ]


@pytest.mark.parametrize("packet", [True, 1.0, None, "1", [1]])
def test_a_packet_that_is_no_whole_number_is_another_shape(packet: object) -> None:
    listed = audit("human_team_per_question.pkl", [{"tossup_index": 1, "packet": packet, **TEAMS}])
    mapped = audit("human_model_team_per_question.pkl", {1: {"tossup_index": 1, "packet": packet, **SEEN}})
    assert len(messages(listed, "grace.pickle_shape")) == len(messages(mapped, "grace.pickle_shape")) == 1


def test_a_string_with_an_odd_escape_is_refused() -> None:
    with pytest.raises(PickleRefusedError):
        load_plain(b"S'\\z'\n.")
