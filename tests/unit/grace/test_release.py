"""The public release as it is described, and the made-up one."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from io import BytesIO
from typing import Any

import polars as pl
import pytest

from synthetic.grace import synth_release, synth_runs
from tests.unit.grace.made import RELEASE, errors, names, needs_release, one_question
from tests.unit.grace.published import published_packets, published_tables
from transforms.grace import (
    KNOWN_RELEASES,
    Elicitation,
    attach_clues,
    check_release,
    read_release,
    read_runs,
    release_counts,
)
from warehouse.contracts import TABLES, Severity, issues_frame

[STATED] = KNOWN_RELEASES.values()
[KNOWN] = KNOWN_RELEASES


@needs_release
def test_the_release_is_known_and_sound() -> None:
    found = published_tables()
    assert found.source_files.filter(path=RELEASE.name)["sha256_actual"].to_list() == [KNOWN]
    assert release_counts(found.tables) == STATED
    assert check_release(KNOWN, found.tables, RELEASE.name) == []
    assert {issue.severity for issue in found.issues} == {Severity.INFO}
    assert Counter(issue.rule for issue in found.issues) == {
        "grace.spaces_differ": 4,
        "grace.answer_unclosed": 1,
        "grace.shared_tossup_index": 1,
    }
    for name, table in (*found.tables.items(), ("source_files", found.source_files)):
        TABLES[name].schema.validate(table)
    TABLES["ingest_issues"].schema.validate(issues_frame(found.issues))


@needs_release
def test_buzzes_are_counted_as_the_release_is_described() -> None:
    buzzes = published_tables().tables["grace_buzzes"]
    teams = {row[0]: row[1:] for row in buzzes.group_by("team").agg(pl.len(), pl.col("correct").sum()).rows()}
    assert {team: teams[team] for team in ("M1", "M2", "M3")} == {"M1": (157, 95), "M2": (128, 111), "M3": (93, 62)}
    assert sorted(team for team in teams if team[0] == "H") == sorted(f"H{n}" for n in range(1, 18))
    means = {row[:2]: row[2] for row in buzzes.group_by("team_kind", "correct").agg(pl.col("word_index").mean()).rows()}
    expected = {("human", True): 77.0, ("human", False): 69.4, ("model", True): 62.4, ("model", False): 44.9}
    assert means == {key: pytest.approx(value, abs=0.05) for key, value in expected.items()}
    per_question = buzzes.group_by("packet", "ordinal").len()["len"]
    assert (per_question.min(), per_question.max(), round(buzzes.height / 240, 2)) == (1, 14, 7.29)


@needs_release
def test_questions_are_counted_as_the_release_is_described() -> None:
    tables = published_tables().tables
    questions, buzzes = tables["grace_questions"], tables["grace_buzzes"]
    assert questions.filter(n_human_buzzes=0).height == 13
    assert questions.filter(n_model_buzzes=0).height == 36
    right = buzzes.filter("correct").group_by("packet", "ordinal").len()
    assert 240 - right.height == 3
    assert right.filter(pl.col("len") > 1).height == 200
    assert questions["tossup_index"].n_unique() == 239
    assert questions.filter(tossup_index_type="string")["packet"].unique().to_list() == [1, 2]
    assert questions.filter(tossup_index="128").select("packet", "category").rows() == [
        (3, "Other Arts"), (10, "Classical Music"),
    ]  # fmt: skip
    assert (questions["n_words"].min(), questions["n_words"].max()) == (81, 123)
    assert questions["n_words"].mean() == pytest.approx(102.4, abs=0.05)
    exhibition = buzzes.join(questions.filter(tossup_index_type="string"), on=["packet", "ordinal"])
    assert set(exhibition["team"]) == {"H9", "M1"}


@needs_release
def test_buzzes_that_share_a_word_keep_the_order_of_the_list() -> None:
    buzzes = published_tables().tables["grace_buzzes"]
    shared = buzzes.select(pl.len().over("packet", "ordinal", "word_index") - 1).to_series()
    first = buzzes.filter(pl.col("buzz_order") == pl.col("buzz_order").min().over("packet", "ordinal", "word_index"))
    assert buzzes.height - first.height == 318
    assert shared.sum() > 0
    later = buzzes.join(first, on=["packet", "ordinal", "team"], how="anti")
    assert later.select("packet", "ordinal").n_unique() == 137
    for row in buzzes.sort("packet", "ordinal", "buzz_order").iter_rows(named=True):
        item = published_packets()[row["packet"]][row["ordinal"]]["position"][row["buzz_order"]]
        assert item == {str(row["word_index"]): f"[{row['team']}, {'+' if row['correct'] else '-'}]"}


@needs_release
def test_the_one_buzz_at_the_first_word() -> None:
    first = published_tables().tables["grace_buzzes"].filter(word_index=0)
    joined = first.join(published_tables().tables["grace_questions"], on=["packet", "ordinal"])
    assert joined.select("packet", "tossup_index", "team", "correct").rows() == [(3, "76", "H7", True)]


@needs_release
def test_brackets_and_odd_characters_of_the_release_are_kept() -> None:
    texts = published_tables().tables["grace_question_texts"]
    named = published_tables().tables["grace_questions"].join(texts, on=["packet", "ordinal"])
    holds = {
        mark: named.filter(pl.col("question").str.contains(mark, literal=True))
        for mark in ("[pause]", "[her]", "\u200b")
    }
    assert {mark: frame.select("packet", "tossup_index").rows() for mark, frame in holds.items()} == {
        "[pause]": [(3, "99")], "[her]": [(10, "129")], "\u200b": [(3, "134")],
    }  # fmt: skip
    spaced = [issue.instance_id for issue in published_tables().issues if issue.rule == "grace.spaces_differ"]
    keys = named.filter((pl.format("{}/{}", "packet", "ordinal")).is_in(spaced))["tossup_index"]
    assert sorted(keys) == ["163", "248", "251", "exh-3"]


@needs_release
def test_a_wrong_password_reads_nothing() -> None:
    found = read_release(RELEASE.read_bytes(), RELEASE.name, "buzz")
    assert errors(found) == {"grace.wrong_password"}
    assert found.tables["grace_questions"].height == 0


def test_counts_of_an_unknown_release_are_not_judged() -> None:
    tables = one_question().tables
    assert check_release("0" * 64, tables, "made.zip") == []
    assert {issue.value for issue in check_release(KNOWN, tables, "made.zip")} == {"1", "2", "3", "0"}


@pytest.mark.parametrize("elicitation", ["logit", "verb"])
def test_the_made_up_release_and_its_runs_are_sound(elicitation: Elicitation) -> None:
    found = read_release(synth_release(3, 4, 12), "made.zip")
    played = read_runs(synth_runs(3, 4, 12, elicitation), elicitation, found.tables["grace_questions"])
    assert errors(found) == errors(played) == set()
    assert {issue.severity for issue in (*found.issues, *played.issues)} == {Severity.INFO}
    assert names(found) == {"grace.answer_unclosed", "grace.shared_tossup_index", "grace.spaces_differ"}
    assert names(played) == {"grace.position_by_word", "grace.runs_empty"}
    for name, table in (found.tables | played.tables).items():
        assert table.height or name.startswith("grace_run")
        TABLES[name].schema.validate(table)
    buzzes = attach_clues(found.tables["grace_buzzes"], played.tables["grace_runs"])
    assert buzzes["clue"].null_count() == 0
    assert_clues_are_the_files(buzzes, synth_runs(3, 4, 12, elicitation))


def assert_clues_are_the_files(buzzes: pl.DataFrame, files: dict[str, bytes]) -> None:
    """A buzz stands in position_items of the run it is bound to, in every model's list."""
    bound = {(row["packet"], row["ordinal"], row["team"]): row["clue"] for row in buzzes.iter_rows(named=True)}
    told: dict[tuple[int, int, str], int] = {}
    for number in range(1, 5):
        for ordinal, item in enumerate(json.loads(files[f"packet{number}_model_human_output.json"])):
            for clue, run in enumerate(item["M1"]):
                told |= {(number, ordinal, team): clue for team in run.get("position_items", {})}
    assert bound == told


def test_the_made_up_release_depends_on_its_seed_alone() -> None:
    assert synth_release(1, 2, 3) == synth_release(1, 2, 3)
    assert synth_release(1, 2, 3) != synth_release(2, 2, 3)
    assert synth_runs(1, 2, 3) == synth_runs(1, 2, 3) != synth_runs(2, 2, 3)


def test_the_standard_library_opens_the_made_up_archive() -> None:
    with zipfile.ZipFile(BytesIO(synth_release(1, 2, 3, password="other"))) as archive:
        archive.setpassword(b"other")
        assert archive.testzip() is None
        content: list[dict[str, Any]] = json.loads(archive.read(archive.namelist()[1]))
    assert [set(item) for item in content] == [
        {"tossup_index", "category", "question", "answer", "question_buzzpoints", "position"}
    ] * 3


def test_the_run_tables_are_there_without_runs() -> None:
    found = one_question()
    assert set(found.tables) == {name for name in TABLES if name.startswith("grace_")}
    assert found.tables["grace_runs"].height == found.tables["grace_run_lists"].height == 0
    assert found.tables["grace_buzzes"]["clue"].to_list() == [None] * 3
