"""Inflating: against the standard library on random members, and one damaged file for every rule."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthetic.sra.faults.base import POINTER
from transforms import gzipped
from transforms.gzipped import inflate
from transforms.inputs import LFS_POINTER, is_lfs_pointer
from warehouse.contracts import Rule, Severity

TEXT = b'{"instance_id": "champ_00001"}\n' * 200
FILE = gzip.compress(TEXT, mtime=0)


def noticed(data: bytes, max_bytes: int = 1 << 20) -> tuple[bytes | None, list[str]]:
    inflated, issues = inflate(data, "a.gz", max_bytes)
    assert all(issue.path == "a.gz" for issue in issues)
    return inflated, [issue.rule for issue in issues]


def flipped(data: bytes, position: int) -> bytes:
    changed = bytearray(data)
    changed[position] ^= 0xFF
    return bytes(changed)


def test_a_plain_file_is_inflated_and_nothing_is_noticed() -> None:
    assert noticed(FILE) == (TEXT, [])


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", gzipped.EMPTY),
        (b"PK\x03\x04 zip", gzipped.NOT_GZIP),
        (TEXT, gzipped.NOT_GZIP),
        (FILE[:1], gzipped.NOT_GZIP),
        (FILE[:2], gzipped.TRUNCATED),
        (FILE[:5], gzipped.TRUNCATED),
        (FILE[:-1], gzipped.TRUNCATED),
        (FILE[:-9], gzipped.TRUNCATED),
        (FILE + FILE[:-4], gzipped.TRUNCATED),
        (flipped(FILE, -8), gzipped.CHECKSUM),
        (flipped(FILE, -1), gzipped.CHECKSUM),
        (FILE + flipped(FILE, -5), gzipped.CHECKSUM),
        (FILE[:2] + b"\x07" + FILE[3:], gzipped.DAMAGED),
        (FILE[:10] + b"\x07" + FILE[11:], gzipped.DAMAGED),
        (FILE + b"garbage", gzipped.TRAILING_BYTES),
        (FILE + b"\x00\x00\x01", gzipped.TRAILING_BYTES),
        (POINTER, LFS_POINTER),
        (gzip.compress(POINTER, mtime=0), LFS_POINTER),
    ],
)
def test_damage_has_a_name_and_no_bytes_come_out(data: bytes, rule: Rule) -> None:
    assert noticed(data) == (None, [rule.name])
    assert rule.severity is Severity.ERROR


def test_several_members_are_one_stream() -> None:
    members = FILE + gzip.compress(b"", mtime=0) + gzip.compress(b"end", mtime=0)
    assert noticed(members) == (TEXT + b"end", [gzipped.SEVERAL_MEMBERS.name])
    assert inflate(members, "a.gz")[1][0].value == "3"


def test_zero_padding_is_noted() -> None:
    assert noticed(FILE + b"\x00" * 512) == (TEXT, [gzipped.ZERO_PADDING.name])


def test_the_bound_is_exact() -> None:
    assert noticed(FILE, len(TEXT)) == (TEXT, [])
    assert noticed(FILE, len(TEXT) - 1) == (None, [gzipped.TOO_LARGE.name])
    assert noticed(FILE + FILE, 2 * len(TEXT)) == (TEXT + TEXT, [gzipped.SEVERAL_MEMBERS.name])
    assert noticed(FILE + FILE, 2 * len(TEXT) - 1) == (None, [gzipped.TOO_LARGE.name])


def test_a_bomb_is_not_inflated(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    step = gzipped._step

    def spy(stream: object, chunk: bytes | memoryview, most: int, number: int) -> bytes:
        part = step(stream, chunk, most, number)  # type: ignore[arg-type]
        taken.append(len(part))
        return part

    monkeypatch.setattr(gzipped, "_step", spy)
    bomb = gzip.compress(bytes(50_000_000), mtime=0)
    assert noticed(bomb, 1000) == (None, [gzipped.TOO_LARGE.name])
    assert noticed(FILE + bomb, 10_000) == (None, [gzipped.TOO_LARGE.name])
    assert sum(taken) <= 1001 + len(TEXT) + 10_001


def test_every_rule_is_listed_once() -> None:
    rules = [value for value in vars(gzipped).values() if isinstance(value, Rule)]
    assert sorted(rule.name for rule in gzipped.RULES) == sorted(rule.name for rule in rules)


@given(st.lists(st.tuples(st.binary(max_size=3000), st.integers(0, 9)), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_standard_library(members: list[tuple[bytes, int]]) -> None:
    data = b"".join(gzip.compress(part, level, mtime=0) for part, level in members)
    expected = gzip.decompress(data)
    assert inflate(data, "a.gz")[0] == (None if is_lfs_pointer(expected) else expected)


@given(st.binary(min_size=1, max_size=400), st.data())
@settings(max_examples=150, deadline=None)
def test_never_raises_and_never_passes_what_the_standard_library_refuses(text: bytes, data: st.DataObject) -> None:
    changed = bytearray(gzip.compress(text, mtime=0) * data.draw(st.integers(1, 2)))
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(changed[: data.draw(st.integers(0, len(changed)))])
    inflated, issues = inflate(cut, "a.gz", 10_000)
    assert (inflated is None) == any(issue.severity is Severity.ERROR for issue in issues)
    try:
        expected = gzip.decompress(cut) if cut else None
    except (OSError, EOFError, zlib.error):
        expected = None
    if inflated is not None:
        assert inflated == expected
