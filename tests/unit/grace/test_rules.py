"""Every rule notices what it is for, and is silent about a sound input."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from synthetic.zipcrypto import Entry, write_zip
from tests.unit.grace.made import (
    PASSWORD,
    TEXT,
    names,
    one_question,
    packet_entry,
    question,
    release,
    run,
    run_question,
    runs,
    without,
)
from transforms.grace import RULES, Limits, SourceTables, read_release, read_runs
from transforms.grace.release import check_release

GOOD = json.dumps([question()]).encode()


def archive(*entries: Entry, limits: Limits | None = None, password: str = PASSWORD) -> SourceTables:
    return read_release(write_zip(entries, PASSWORD), "made.zip", password, limits)


def named(name: str, mode: int = 0o100664) -> SourceTables:
    return archive(packet_entry([question()]), Entry(name, GOOD, mode))


def changed_bytes(change: Callable[[bytes], bytes]) -> SourceTables:
    return read_release(change(write_zip([packet_entry([question()])], PASSWORD)), "made.zip", PASSWORD)


def plain_zip(method: int) -> SourceTables:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", method) as made:
        made.writestr("packet1_buzzpoints.json", GOOD)
    return read_release(target.getvalue(), "made.zip", PASSWORD)


def counts_of_another_release() -> SourceTables:
    found = one_question()
    known = "05eb4e5965c31d97182882e814c0365a0dd4caba9519f4fc354e4660f65a84c0"
    return SourceTables(found.tables, check_release(known, found.tables, "made.zip"), found.source_files)


def claiming_too_much() -> SourceTables:
    """An archive whose directory states compressed sizes that no archive of this kind has."""
    data = bytearray(write_zip([packet_entry([question()])], PASSWORD))
    place = data.rindex(b"PK\x01\x02") + 20
    data[place : place + 4] = (2**31).to_bytes(4, "little")
    return read_release(bytes(data), "made.zip", PASSWORD)


HUMANS = {"H1": "-", "H2": "+"}
FIRES: dict[str, Callable[[], SourceTables]] = {
    "archive_too_large": lambda: archive(packet_entry([question()]), limits=Limits(archive_bytes=10)),
    "archive_unreadable": lambda: changed_bytes(lambda data: data[: len(data) // 2]),
    "archive_plain": lambda: plain_zip(zipfile.ZIP_DEFLATED),
    "wrong_password": lambda: archive(packet_entry([question()]), password="something else"),
    "entry_absolute": lambda: named("/packet2_buzzpoints.json"),
    "entry_parent": lambda: named("../packet2_buzzpoints.json"),
    "entry_backslash": lambda: named("made\\packet2_buzzpoints.json"),
    "entry_control": lambda: named("packet2_buzzpoints.json\x00.txt"),
    "entry_link": lambda: named("made/packet2_buzzpoints.json", mode=stat.S_IFLNK | 0o777),
    "entry_nested": lambda: named("made/inner/packet2_buzzpoints.json"),
    "entry_repeated": lambda: named("elsewhere/packet1_buzzpoints.json"),
    "entry_number": lambda: named("made/packet02_buzzpoints.json"),
    "entries_overlap": claiming_too_much,
    "entry_method": lambda: plain_zip(zipfile.ZIP_BZIP2),
    "entry_too_large": lambda: archive(packet_entry(b" " * 5_000), limits=Limits(entry_bytes=4_999)),
    "entry_size": lambda: changed_bytes(lambda data: with_sizes(data, 1)),
    "entry_damaged": lambda: changed_bytes(lambda data: data[:90] + bytes([data[90] ^ 1]) + data[91:]),
    "entry_unlisted": lambda: named("made/README.txt"),
    "no_packets": lambda: archive(Entry("README.txt", b"nothing")),
    "packet_gap": lambda: archive(packet_entry([question()]), packet_entry([question()], 3)),
    "not_utf8": lambda: release(b"\xff\xfe"),
    "byte_order_mark": lambda: release(b"\xef\xbb\xbf" + GOOD),
    "not_json": lambda: release(GOOD[:-1]),
    "repeated_key": lambda: release(GOOD.replace(b'"category"', b'"answer"', 1)),
    "not_a_list": lambda: release({"questions": []}),
    "missing_key": lambda: release([without(question(), "answer")]),
    "unknown_key": lambda: one_question(difficulty=3),
    "mistyped": lambda: one_question(question=7),
    "repeated_tossup_index": lambda: release([question(1), question("1")]),
    "shared_tossup_index": lambda: release([question(1)], [question(1)]),
    "unknown_category": lambda: one_question(category="Cookery"),
    "answer_unclosed": lambda: one_question(answer="Wexa [or Wexus"),
    "answer_empty": lambda: one_question(answer="[accept Wexa]"),
    "position_malformed": lambda: one_question(position=[{"3": "[M1 -]"}]),
    "position_by_word": lambda: one_question(position={"8": ["[H2, +]", "[H1, -]"], "3": ["[M1, -]"]}),
    "position_order": lambda: one_question(position=[{"8": "[H2, +]"}, {"8": "[H1, -]"}, {"3": "[M1, -]"}]),
    "repeated_team": lambda: one_question(position=[{"3": "[M1, -]"}, {"8": "[H2, +]"}, {"8": "[M1, +]"}]),
    "word_out_of_range": lambda: one_question(position=[{"13": "[M1, -]"}]),
    "text_differs": lambda: one_question(question_buzzpoints=TEXT + " again"),
    "spaces_differ": lambda: one_question(question=TEXT.replace(" ", "  ", 1)),
    "marks_missing": lambda: one_question(question_buzzpoints=TEXT),
    "marks_differ": lambda: one_question(position=[{"4": "[M1, -]"}, {"8": "[H2, +]"}, {"8": "[H1, -]"}]),
    "release_counts": counts_of_another_release,
    "runs_file_unlisted": lambda: runs(name="notes.json"),
    "runs_no_files": lambda: runs(name="notes.json"),
    "runs_unknown_question": lambda: runs(run_question(99, M1=[run()])),
    "runs_repeated_question": lambda: runs(run_question(M1=[run()]), run_question(M1=[run()])),
    "runs_missing_questions": lambda: runs(run_question(99, M1=[run()])),
    "runs_no_model": lambda: runs(run_question()),
    "runs_empty": lambda: runs(run_question(M1=[])),
    "runs_index": lambda: runs(run_question(M1=[run(run_index=1)])),
    "runs_prefix": lambda: runs(run_question(M1=[run(run="A made"), run(run="A")])),
    "runs_position": lambda: runs(run_question(position=[{"8": "[H2, +]"}], M1=[run()])),
    "confidence_range": lambda: runs(run_question(M1=[run(conf=1.01)])),
    "confidence_not_finite": lambda: runs(run_question(M1=[run(conf=float("nan"))])),
    "position_items_null": lambda: runs(run_question(M1=[run(position_items=None)])),
    "position_items_malformed": lambda: runs(run_question(M1=[run(position_items={"H1": "right"})])),
    "human_not_in_position": lambda: runs(run_question(M1=[run(position_items={"H3": "-"})])),
    "human_share": lambda: runs(run_question(M1=[run(position_items={"H1": "+", "H2": "+", "H3": "+"})])),
}


def with_sizes(data: bytes, more: int) -> bytes:
    """State a larger inflated size in both headers of a one-entry archive."""
    directory = data.rindex(b"PK\x01\x02")
    changed = bytearray(data)
    for place in (22, directory + 24):
        size = int.from_bytes(changed[place : place + 4], "little") + more
        changed[place : place + 4] = size.to_bytes(4, "little")
    return bytes(changed)


def sound() -> SourceTables:
    """A release and its runs without anything to notice."""
    made = release([question()], [question(2)])
    items = [{"tossup_index": n, "position": question()["position"], "M1": sound_runs()} for n in (1, 2)]
    files = {f"packet{n}_model_human_output.json": json.dumps([items[n - 1]]).encode() for n in (1, 2)}
    played = read_runs(files, "verb", made.tables["grace_questions"])
    return SourceTables(made.tables, [*made.issues, *played.issues], made.source_files)


def sound_runs() -> list[dict[str, Any]]:
    words = TEXT.split()
    first = run(run=" ".join(words[:5]), run_index=0, word_range=[0, 4], position_items={"M1": "-"})
    return [first, run(run=TEXT, run_index=1, position_items=HUMANS, guess="Wexa", buzzed=True)]


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in RULES} == {f"grace.{name}" for name in FIRES}


@pytest.mark.parametrize("name", FIRES)
def test_rule_notices(name: str) -> None:
    assert f"grace.{name}" in names(FIRES[name]())


def test_no_rule_notices_anything_about_a_sound_input() -> None:
    assert sound().issues == []


@pytest.mark.parametrize("name", FIRES)
def test_findings_name_the_source_and_hold_no_text(name: str) -> None:
    for issue in FIRES[name]().issues:
        assert issue.source == "grace"
        assert issue.message.endswith((".", "?"))
        assert "river runs" not in issue.message + str(issue.value)
        assert PASSWORD not in issue.message
