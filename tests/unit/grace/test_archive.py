"""The zip: hostile names, wrong passwords, bombs and damage are refused by name, and nothing is ever unpacked."""

from __future__ import annotations

import builtins
import os
import stat
import zipfile
from io import BytesIO
from pathlib import Path
from typing import NoReturn

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthetic.zipcrypto import Entry, write_zip
from tests.unit.grace.made import PASSWORD, errors, messages, names, packet_entry, packet_name, question, unhurried
from transforms.grace import Limits, SourceTables, read_release
from warehouse.contracts import TABLES

GOOD = packet_entry([question()])
HOSTILE = {
    "/etc/packet2_buzzpoints.json": "entry_absolute",
    "//host/packet2_buzzpoints.json": "entry_absolute",
    "C:/packet2_buzzpoints.json": "entry_absolute",
    "../packet2_buzzpoints.json": "entry_parent",
    "made/../packet2_buzzpoints.json": "entry_parent",
    "./packet2_buzzpoints.json": "entry_parent",
    "made//packet2_buzzpoints.json": "entry_parent",
    "..\\packet2_buzzpoints.json": "entry_backslash",
    "\\\\host\\packet2_buzzpoints.json": "entry_backslash",
    "packet2_buzzpoints.json\x00": "entry_control",
    "made/pack\net2_buzzpoints.json": "entry_control",
    "": "entry_control",
    "\x00packet2_buzzpoints.json": "entry_control",
    "a/b/packet2_buzzpoints.json": "entry_nested",
    "packet0_buzzpoints.json": "entry_number",
    "packet007_buzzpoints.json": "entry_number",
    "packet99999_buzzpoints.json": "entry_number",
}
SPECIAL_MODES = (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK)


def read(*entries: Entry, password: str = PASSWORD, limits: Limits | None = None) -> SourceTables:
    return read_release(write_zip(entries, PASSWORD), "made.zip", password, limits)


def n_questions(found: SourceTables) -> int:
    return found.tables["grace_questions"].height


@pytest.mark.parametrize("encrypted", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_refused_by_name_and_the_rest_is_read(name: str, encrypted: bool) -> None:
    found = read(GOOD, Entry(name, b"[]", encrypted=encrypted))
    assert errors(found) == {f"grace.{HOSTILE[name]}"}
    assert n_questions(found) == 1
    refused = found.source_files.filter(status="refused")
    assert refused.height == 1
    assert refused["path"][0].startswith("made.zip!/")


@pytest.mark.parametrize("mode", SPECIAL_MODES)
def test_special_files_are_refused(mode: int) -> None:
    found = read(GOOD, Entry(packet_name(2), b"/etc/passwd", mode=mode | 0o777))
    assert errors(found) == {"grace.entry_link"}


@pytest.mark.parametrize("other", [packet_name(1), "packet1_buzzpoints.json", "else/packet1_buzzpoints.json"])
def test_of_two_entries_of_one_packet_neither_is_read(other: str) -> None:
    found = read(GOOD, Entry(other, b"[]"), packet_entry([question(2)], 2))
    assert errors(found) == {"grace.entry_repeated"}
    assert found.tables["grace_questions"]["packet"].to_list() == [2]
    TABLES["source_files"].schema.validate(found.source_files)


def test_endless_names_stay_apart() -> None:
    found = read(GOOD, Entry("x" * 60_000 + "1", b""), Entry("x" * 60_000 + "2", b""))
    TABLES["source_files"].schema.validate(found.source_files)
    assert max(found.source_files["path"].str.len_chars()) < 300


def test_a_folder_and_names_with_wildcards_are_no_finding() -> None:
    folder = Entry("[public]made/", b"", mode=stat.S_IFDIR | 0o755, encrypted=False, method=0)
    found = read(folder, GOOD)
    assert found.issues == []
    assert found.source_files["path"].to_list() == ["made.zip", "made.zip!/[public]made/packet1_buzzpoints.json"]


@pytest.mark.parametrize("method", [0, 8])
@pytest.mark.parametrize("encrypted", [True, False])
def test_stored_and_deflated_encrypted_and_plain_are_read(method: int, encrypted: bool) -> None:
    found = read(packet_entry([question()], method=method, encrypted=encrypted))
    assert n_questions(found) == 1
    assert names(found) == (set() if encrypted else {"grace.archive_plain"})


@unhurried
@given(st.text(max_size=12).filter(lambda text: text != PASSWORD))
def test_any_wrong_password_is_an_error_that_says_so(password: str) -> None:
    found = read(GOOD, packet_entry([question(2)], 2), password=password)
    assert n_questions(found) == 0
    # A wrong password passes the one-byte check of one entry in 256; then the content betrays it.
    assert errors(found) in ({"grace.wrong_password"}, {"grace.entry_damaged"})
    assert any("password" in issue.message for issue in found.issues)


def test_a_password_of_the_right_check_byte_is_found_out_by_the_content() -> None:
    data = write_zip([GOOD], PASSWORD)
    collisions = [word for word in map(str, range(3_000)) if passes_the_check(data, word)]
    assert collisions
    for word in collisions:
        found = read_release(data, "made.zip", word)
        assert n_questions(found) == 0
        assert "password" in messages(found, "grace.entry_damaged")[0]


def passes_the_check(data: bytes, password: str) -> bool:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        try:
            archive.open(archive.infolist()[0], pwd=password.encode()).close()
        except RuntimeError:
            return False
        return True


def test_the_wrong_password_is_told_once_for_all_packets() -> None:
    found = read(*(packet_entry([question()], number) for number in range(1, 13)), password="wrong")
    assert len(messages(found, "grace.wrong_password")) == 1
    assert "12 encrypted packets" in messages(found, "grace.wrong_password")[0]


def test_a_damaged_entry_among_sound_ones_is_not_called_a_wrong_password() -> None:
    data = write_zip([GOOD, packet_entry([question(2)], 2)], PASSWORD)
    place = data.index(b"PK\x01\x02") - 20
    found = read_release(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :], "made.zip", PASSWORD)
    assert errors(found) == {"grace.entry_damaged"}
    assert n_questions(found) == 1


def test_a_bomb_is_stopped_while_it_inflates() -> None:
    bomb = packet_entry(b"[" + b" " * 50_000_000 + b"]")
    assert len(write_zip([bomb], PASSWORD)) < 100_000
    found = read(bomb, packet_entry([question()], 2))
    assert errors(found) == {"grace.entry_too_large"}
    assert n_questions(found) == 1


def test_a_header_that_states_a_small_size_does_not_open_the_door() -> None:
    data = bytearray(write_zip([packet_entry(b" " * 10_000_000)], PASSWORD))
    for place in (22, data.rindex(b"PK\x01\x02") + 24):
        data[place : place + 4] = (100).to_bytes(4, "little")
    found = read_release(bytes(data), "made.zip", PASSWORD)
    assert errors(found) == {"grace.entry_damaged"}


def test_all_entries_together_are_bounded() -> None:
    entries = [packet_entry(b" " * 900, number) for number in (1, 2, 3)]
    found = read(*entries, limits=Limits(entry_bytes=1_000, total_bytes=2_000))
    assert [issue.path for issue in found.issues if issue.rule == "grace.entry_too_large"] == [
        f"made.zip!/{packet_name(3)}"
    ]


def test_the_number_of_entries_is_bounded() -> None:
    found = read(*(Entry(f"file{n}", b"") for n in range(5)), limits=Limits(entries=4))
    assert errors(found) == {"grace.archive_too_large"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused_by_name(method: int) -> None:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", method) as made:
        made.writestr("packet1_buzzpoints.json", "[]")
    found = read_release(target.getvalue(), "made.zip", PASSWORD)
    assert errors(found) == {"grace.entry_method"}
    assert f"method {method}" in messages(found, "grace.entry_method")[0]


@pytest.mark.parametrize(
    ("place", "value", "word"), [(8, 99, "AES"), (6, 0x41, "strong"), (6, 0x21, "patched"), (8, 97, "method 97")]
)
def test_other_encryptions_are_refused_by_name(place: int, value: int, word: str) -> None:
    data = bytearray(write_zip([GOOD], PASSWORD))
    for start in (place, data.rindex(b"PK\x01\x02") + place + 2):
        data[start : start + 2] = value.to_bytes(2, "little")
    found = read_release(bytes(data), "made.zip", PASSWORD)
    assert errors(found) == {"grace.entry_method"}
    assert word in messages(found, "grace.entry_method")[0]


@unhurried
@given(st.data())
def test_a_truncated_archive_is_refused(data: st.DataObject) -> None:
    whole = write_zip([GOOD], PASSWORD)
    found = read_release(whole[: data.draw(st.integers(0, len(whole) - 1))], "made.zip", PASSWORD)
    assert errors(found) == {"grace.archive_unreadable"}


@unhurried
@given(st.data())
def test_flipped_bytes_never_crash_and_never_pass_for_the_packet(data: st.DataObject) -> None:
    whole = bytearray(write_zip([GOOD, packet_entry([question(2)], 2)], PASSWORD))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    found = read_release(bytes(whole), "made.zip", PASSWORD)
    sound = read(GOOD, packet_entry([question(2)], 2)).tables["grace_questions"]
    assert set_of_rows(found.tables["grace_questions"]) <= set_of_rows(sound)
    TABLES["source_files"].schema.validate(found.source_files)


def set_of_rows(frame: pl.DataFrame) -> set[tuple[str, ...]]:
    return {tuple(map(repr, row)) for row in frame.rows()}


@unhurried
@given(st.binary(max_size=300))
def test_bytes_that_are_no_archive_are_refused(data: bytes) -> None:
    found = read_release(data, "made.zip", PASSWORD)
    assert errors(found) & {"grace.archive_unreadable", "grace.no_packets", "input.lfs_pointer"}


def test_no_file_is_opened_while_reading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a file was opened")

    data = write_zip([GOOD, Entry("../outside.txt", b"text"), Entry("inside.txt", b"text")], PASSWORD)
    read_release(data, "made.zip", PASSWORD)  # everything that is imported late is imported now
    monkeypatch.chdir(tmp_path)
    for module, name in ((builtins, "open"), (os, "open"), (os, "mkdir"), (zipfile.ZipFile, "extract")):
        monkeypatch.setattr(module, name, refuse)
    found = read_release(data, "made.zip", PASSWORD)
    monkeypatch.undo()
    assert n_questions(found) == 1
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path.parent / "outside.txt").exists()


@pytest.mark.parametrize("stated", [2**63 - 1, 2**63, 2**64 - 1])
def test_a_stated_size_that_no_file_has_is_an_error_and_no_crash(stated: int) -> None:
    """ZIP64 states sizes in 64 bits without a sign, tables hold one bit less."""
    data = bytearray(write_zip([GOOD], PASSWORD))
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    extra = b"\x01\x00\x08\x00" + stated.to_bytes(8, "little")
    data[start + 24 : start + 28] = b"\xff" * 4
    data[start + 30 : start + 32] = len(extra).to_bytes(2, "little")
    data[end + 12 : end + 16] = (end - start + len(extra)).to_bytes(4, "little")
    data[end:end] = extra
    found = read_release(bytes(data), "made.zip", PASSWORD)
    assert errors(found) == {"grace.entry_size"}
    TABLES["source_files"].schema.validate(found.source_files)
    declared = found.source_files.filter(pl.col("kind") == "packet")["bytes_declared"].to_list()
    assert declared == [stated if stated < 2**63 else None]
