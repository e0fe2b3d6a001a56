"""What other parsers stand on: gzip, JSON lines, the manifest, the audit."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests.fuzz.mutations import csv_table, json_document, json_lines, plain
from tests.fuzz.properties import lines_accounted, refused_with_reason, require, sound_issues, sound_table
from tests.fuzz.seeds import CELL, bundle, cell_file
from tests.fuzz.target import Target
from transforms.gzipped import inflate
from transforms.issue_log import IssueLog
from transforms.jsonl import Limits, read_lines
from transforms.sra.audit import CellCounts, JoinCounts, check_audit
from transforms.sra.layout import check_cell_files, group_cells
from transforms.sra.manifest import FoundFile, compare_manifest, parse_manifest
from warehouse.contracts import has_errors

_BOUND = 1 << 18


def _gzip(data: bytes) -> None:
    found, issues = inflate(data, "a.gz", _BOUND)
    sound_issues(issues)
    refused_with_reason(found is None, issues)
    require((found is None) == has_errors(issues), "an error, and bytes all the same")
    require(inflate(data, "a.gz", _BOUND) == (found, issues), "another result at the second reading")
    if found is not None:
        require(len(found) <= _BOUND, "more than the bound")
        require(found == _by_the_standard_library(data), "not what the standard library inflates")


def _by_the_standard_library(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        return repr(error).encode()


def _gzip_seeds() -> list[bytes]:
    texts = (b"", b"a", b'{"a": 1}\n' * 40, bytes(range(256)) * 9)
    members = [gzip.compress(text, mtime=0) for text in texts]
    named = b"\x1f\x8b\x08\x1f" + b"\x00" * 6 + b"\x02\x00ab" + b"name\x00comment\x00"
    bomb = gzip.compress(b"\x00" * (_BOUND + 1), mtime=0)
    return [
        *members,
        b"".join(members),
        members[2] + b"\x00" * 9,
        named,
        bomb,
        gzip.compress(b"\x00" * _BOUND, mtime=0),
    ]


def _mutated_gzip(data: bytes, rng: Random) -> bytes:
    action = rng.randrange(6)
    if action == 0:
        return data + rng.choice(_gzip_seeds())
    if action == 1:
        return data + b"\x00" * rng.randrange(20)
    if action == 2:
        return gzip.compress(plain(data, rng), rng.randrange(10), mtime=rng.randrange(2**32))
    return plain(data, rng)


def _jsonl(data: bytes) -> None:
    for limits in (None, Limits(line_bytes=200, keys=5, lines=8)):
        log = IssueLog(path="a.jsonl")
        lines = list(read_lines(data, log, limits))
        sound_issues(log.issues, data)
        text = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        for line in lines:
            require(isinstance(line.record, dict), "no object")
            again = json.loads(text[line.number - 1])
            require(repr(again) == repr(line.record) or _has_big_numbers(text[line.number - 1]), "another object")
        lines_accounted(data, [line.number for line in lines], log.issues)


def _has_big_numbers(line: bytes) -> bool:
    """Whole numbers beyond 64 bits are floats to one decoder and whole to the other."""
    return any(len(run) > 17 for run in bytes(c if chr(c).isdigit() else 32 for c in line).split())


_SHOWS_NAMES = frozenset(f"manifest.{rule}" for rule in ("bad_path", "header", "unknown_column", "lists_itself"))
_SHOWS_NAMES |= {"manifest.repeated_path"}


def _manifest(data: bytes) -> None:
    entries, issues = parse_manifest(data)
    sound_issues(issues, data, _SHOWS_NAMES)
    refused_with_reason(not entries, issues)
    require(parse_manifest(data) == (entries, issues), "another result at the second reading")
    paths = [entry.path for entry in entries]
    require(len(set(paths)) == len(paths), "a path twice")
    for entry in entries:
        parts = entry.path.split("/")
        safe = entry.path and not entry.path.startswith("/") and ".." not in parts and "\\" not in entry.path
        require(entry.refused or (safe and "\x00" not in entry.path), "a path that leaves the bundle is to be opened")
        require(not entry.refused or has_errors(issues), "refused without an error")
    if b'"' not in data and b"\r" not in data and not any(issue.rule == "manifest.header" for issue in issues):
        lines_accounted(_without_header(data), [entry.line for entry in entries], issues)
    found = {entry.path: FoundFile("file", entry.size_bytes, entry.sha256) for entry in entries[::2]}
    frame, noticed = compare_manifest(entries, found)
    sound_issues(noticed)
    sound_table("source_files", frame)
    require(frame.height == len(entries), "a listed file has no row")
    for cell, files in group_cells(frame["path"]).items():
        sound_issues(check_cell_files(cell, files))


def _without_header(data: bytes) -> bytes:
    """Blank what may stand before the first entry, and lines of commas, which are blank to CSV."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    header = next((place for place, line in enumerate(lines) if line.strip(b", \t\x0b\x0c")), 0)
    text = [line.decode("utf-8", "surrogateescape") for line in lines]
    blank = [place <= header or not line.replace(",", "").strip() for place, line in enumerate(text)]
    return b"\n".join(b"" if is_blank else line for line, is_blank in zip(lines, blank, strict=True))


def _manifest_seeds() -> list[bytes]:
    lines = bundle()["bundle/MANIFEST.csv"].splitlines(keepends=True)
    short = b"".join(lines[:9])
    return [
        short, short.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + short,
        short.replace(b"size_bytes,sha256", b"bytes,digest"),
        b'path,size,sha256\n"a,b",1,' + b"0" * 64 + b'\n"a\nb",2,' + b"F" * 64 + b"\n",
    ]  # fmt: skip


_ENTROPY_CELL = replace(CELL, condition="direct")
_COUNTS = {
    CELL: CellCounts(2, 18, JoinCounts(2, 2, 0), JoinCounts(2, 1, 1), (18, 279)),
    _ENTROPY_CELL: CellCounts(2, 18, JoinCounts(2, 2, 0), JoinCounts(2, 2, 0), None),
}
_AUDIT = {
    "question_conditions": 4, "rollouts": 36,
    "joins": {
        "ab": {"records": 4, "verified": 4, "positional": 0}, "tf": {"records": 4, "verified": 3, "positional": 1},
    },
    "entropy": {CELL.name: {"rollouts": 18, "tokens": 279}},
}  # fmt: skip


def _audit(data: bytes) -> None:
    issues = check_audit(data, _COUNTS)
    sound_issues(issues, data)
    require(check_audit(data, _COUNTS) == issues, "another result at the second reading")
    if not issues:
        stated = json.loads(data.removeprefix(b"\xef\xbb\xbf"))
        for counts in stated["joins"].values():  # what is zero need not be stated
            counts.setdefault("positional", 0)
            counts.setdefault("verified", 0)
        require(stated == _AUDIT, "another audit passes")


def _jsonl_seeds() -> Sequence[bytes]:
    return [cell_file("tf_logprob9.jsonl.gz"), b'{"a": NaN, "b": {"c": [1, -Infinity]}}\r\n\n{"d": "x"}', b"{}\n" * 12]


TARGETS = (
    Target("gzip", _gzip, _gzip_seeds, _mutated_gzip, short=400),
    Target("jsonl", _jsonl, _jsonl_seeds, json_lines, short=400),
    Target("manifest", _manifest, _manifest_seeds, csv_table, short=150),
    Target("audit", _audit, lambda: [json.dumps(_AUDIT).encode()], json_document, short=400),
)
