"""GRACE: the encrypted zip, packets, runs and answer lines."""

from __future__ import annotations

import json
import struct
from functools import cache
from random import Random

import polars as pl

from synthetic.grace import synth_release
from synthetic.zipcrypto import Entry, write_zip
from tests.fuzz.mutations import json_document, plain
from tests.fuzz.properties import require, same_frames, sound_issues, sound_table
from tests.fuzz.seeds import packets
from tests.fuzz.target import Target, sometimes
from transforms.grace import Elicitation, Limits, read_release, read_runs
from transforms.grace.answers import parse_answer_line
from transforms.grace.categories import normalise
from transforms.grace.notes import Notes
from transforms.grace.packets import PacketRows, check_shared_indices, read_packet
from transforms.grace.runs import attach_clues
from transforms.grace.tables import SourceTables, frame

_PASSWORD = "buzzbuzz"
_SMALL = Limits(archive_bytes=1 << 20, entries=40, entry_bytes=1 << 17, total_bytes=1 << 18)


def _archive(data: bytes) -> None:
    found = read_release(data, "r.zip", _PASSWORD, _SMALL)
    _sound_source(found)
    require(found.source_files.height > 0, "no row of the archive")
    if sometimes(data):
        again = read_release(data, "r.zip", _PASSWORD, _SMALL)
        require(again.issues == found.issues, "other issues at the second reading")
        same_frames(found.tables | {"f": found.source_files}, again.tables | {"f": again.source_files})


def _sound_source(found: SourceTables) -> None:
    sound_issues(found.issues)
    sound_table("source_files", found.source_files)
    for name, table in found.tables.items():
        sound_table(name, table)


@cache
def _archive_seeds() -> list[bytes]:
    small = json.dumps(json.loads(packets()[0][0])[:1]).encode()
    entries = [Entry("d/", b"", mode=0o40755, encrypted=False, method=0), Entry("d/packet1_buzzpoints.json", small)]
    stored = [
        Entry("packet1_buzzpoints.json", small, encrypted=False, method=0),
        Entry("README", b"x", encrypted=False),
    ]
    return [
        write_zip(entries, _PASSWORD),
        write_zip(stored, _PASSWORD),
        write_zip([], _PASSWORD),
        synth_release(1, 2, 1),
    ]


_ENTRY_NAMES = (
    "packet1_buzzpoints.json", "d/packet2_buzzpoints.json", "packet9999_buzzpoints.json", "packet0_buzzpoints.json",
    "../p",
    "packet99999999999999999999_buzzpoints.json", "/etc/x", "C:x", "a\\b", "\x00", "x" * 3_000, "é" * 300, "d/e/f",
    "d/", "", "\x1b[31m", "\u202ea", "packet1_buzzpoints.json/", "packet1_buzzpoints.json\x00",
)  # fmt: skip
_SIGNATURES = (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")


def _mutated_archive(data: bytes, rng: Random) -> bytes:
    action = rng.randrange(4)
    if action == 0:
        packet = json_document(packets()[0][0], rng)
        entries = [
            Entry(rng.choice(_ENTRY_NAMES), rng.choice((packet, b"", b"[]")), rng.choice((0o100664, 0o120777, 0)),
                  rng.random() < 0.5, rng.choice((0, 8)))
            for _ in range(rng.randrange(4))
        ]  # fmt: skip
        return write_zip(entries, _PASSWORD)
    if action == 1:
        return _with_sizes_of_64_bits(data, rng)
    places = [at for signature in _SIGNATURES for at in _found(data, signature)]
    if not places:
        return plain(data, rng)
    at = rng.choice(places) + rng.randrange(4, 46)
    field = struct.pack("<H", rng.choice((0, 1, 8, 9, 12, 14, 20, 99, 0x41, 0xFFFF, rng.randrange(65536))))
    return data[:at] + field + data[at + 2 :]


def _found(data: bytes, signature: bytes) -> list[int]:
    places, at = [], data.find(signature)
    while at >= 0:
        places.append(at)
        at = data.find(signature, at + 1)
    return places


def _with_sizes_of_64_bits(data: bytes, rng: Random) -> bytes:
    """Give the last entry of the directory a ZIP64 field that states its sizes."""
    places, end = _found(data, b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    if not places or end < 0 or places[-1] + 46 > len(data):
        return plain(data, rng)
    at = places[-1]
    sizes = rng.choice((2**63 - 1, 2**63, 2**64 - 1, 100, 0))
    extra = struct.pack("<HHQQ", 1, 16, sizes, rng.choice((10, 2**63, 2**40)))
    name_end = at + 46 + int.from_bytes(data[at + 28 : at + 30], "little")
    header = bytearray(data[at:name_end])
    header[20:28], header[30:32] = b"\xff" * 8, struct.pack("<H", len(extra))
    tail = bytearray(data[end:])
    tail[12:16] = ((int.from_bytes(tail[12:16], "little") + len(extra)) % 2**32).to_bytes(4, "little")
    return data[:at] + bytes(header) + extra + data[name_end:end] + bytes(tail)


# --- packets and runs ---


def _packet(data: bytes) -> None:
    notes, rows = Notes.of("p.json"), PacketRows()
    read_packet(1, data, notes, rows)
    check_shared_indices(rows.questions, notes)
    sound_issues(notes.log.issues, data)
    tables = {"grace_questions": rows.questions, "grace_question_texts": rows.texts, "grace_buzzes": rows.buzzes}
    for name, found in tables.items():
        sound_table(name, frame(name, found))
    issues = [issue for issue in notes.log.issues if issue.severity == "error"]
    if not any(issue.instance_id is None for issue in issues):
        refused = {issue.instance_id for issue in issues}
        kept = {f"{row['packet']}/{row['ordinal']}" for row in rows.questions}
        n = len(json.loads(data.removeprefix(b"\xef\xbb\xbf")))
        require(kept | refused >= {f"1/{place}" for place in range(n)}, "a question vanishes")


@cache
def _release() -> pl.DataFrame:
    return read_release(synth_release(0, 2, 3), "r.zip").tables["grace_questions"]


def _runs(data: bytes) -> None:
    buzzes = read_release(synth_release(0, 2, 3), "r.zip").tables["grace_buzzes"] if data[-1:] == b" " else None
    elicitation: Elicitation = "logit" if b'"conf": -' in data else "verb"
    found = read_runs({"packet1_model_human_output.json": data}, elicitation, _release())
    _sound_source(found)
    sound_issues(found.issues, data)
    if buzzes is not None:
        sound_table("grace_buzzes", attach_clues(buzzes, found.tables["grace_runs"]))


def _answer_line(data: bytes) -> None:
    line = data.decode("utf-8", "replace")
    found = parse_answer_line(line)
    require(found == parse_answer_line(line), "another result at the second reading")
    parts = [found.answer, *found.accept, *found.prompt, *found.reject, found.pronunciation or "", found.note or ""]
    # Notes are joined by a mark and a blank, and a note has at least its own two parentheses in the line.
    require(sum(map(len, parts)) <= 2 * len(line), "more text than the line has")
    normalised, group = normalise(line)
    require(normalise(normalised) == (normalised, group), "normal form is not stable")


_CLAUSES = (
    "[", "]", "(", ")", "or ", "accept ", "prompt on ", "reject ", "do not accept ", "“a”", '"', ";", ",", " ", "x",
    "but ",
    "and ", "antiprompt on ", "\u00a0", "REJECT ", "[or ", "; or ", "(“",
)  # fmt: skip


def _mutated_line(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    text = "".join(rng.choice(_CLAUSES) for _ in range(rng.choice((1, 2, 5)))) * rng.choice((1, 1, 1, 40))
    return data[:at] + text.encode() + data[at + rng.choice((0, 0, 2)) :]


TARGETS = (
    Target("grace_archive", _archive, _archive_seeds, _mutated_archive, short=60),
    Target("grace_packet", _packet, lambda: packets()[0], json_document, short=60),
    Target("grace_runs", _runs, lambda: packets()[1], json_document, short=40, max_len=65_536),
    Target("grace_answer_line", _answer_line,
           lambda: [b"Wexa [or Wexus; accept Wexum", 'Wexa (“WEKS-uh”) [prompt on a; reject "b"]'.encode()],
           _mutated_line, short=500, max_len=300),
)  # fmt: skip
