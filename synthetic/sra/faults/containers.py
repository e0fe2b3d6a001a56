"""Faults of containers: gzip files, JSON lines as such, and a flipped byte in a file of every kind."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import Final

from synthetic.sra.faults.base import (
    AB,
    AUDIT,
    BIN,
    INDEX,
    INSTANCES,
    MANIFEST,
    POINTER,
    SAMPLING,
    TF,
    TOKENIZER,
    Fault,
    Patch,
    Planter,
)
from synthetic.sra.records import compress, inflate

_GZIP: Final = {"sampling": SAMPLING, "ab": AB, "tf": TF, "index": INDEX}


def _bytes(pattern: str, change: Callable[[bytes], bytes]) -> Planter:
    """Change the bytes of one matching file."""

    def plant(patch: Patch) -> None:
        path = patch.pick(pattern)
        patch.write(path, change(patch.read(path)))

    return plant


def _lines(pattern: str, change: Callable[[list[bytes]], list[bytes]]) -> Planter:
    """Change the lines of one matching compressed file."""
    return _bytes(pattern, lambda data: compress(change(inflate(data).splitlines())))


def _flipped(data: bytes, at: int, bits: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def _flip_inside(data: bytes) -> bytes:
    """Flip a bit of the compressed data, the first from its middle on that does not leave the content as it was."""
    changed = (_flipped(data, at, 0x10) for at in range(len(data) // 2, len(data) - 8))
    return next(candidate for candidate in changed if not _is_sound(candidate))


def _is_sound(data: bytes) -> bool:
    try:
        inflate(data)
    except zlib.error:
        return False
    return True


def _flip_sign(patch: Patch) -> None:
    """Flip the sign bit of the first entropy of some block."""
    path = patch.pick(BIN)
    offset, _ = next(patch.each_rollout_block(path))
    patch.write(path, _flipped(patch.read(path), offset + 1, 0x80))


def _flip_count(data: bytes) -> bytes:
    """Flip the lowest bit of the last digit of the audit's number of rollouts."""
    at = data.index(b",", data.index(b'"rollouts":')) - 1
    return _flipped(data, at, 1)


def _two_members(data: bytes) -> bytes:
    lines = inflate(data).splitlines(keepends=True)
    half = len(lines) // 2
    return b"".join(gzip.compress(b"".join(part), mtime=0) for part in (lines[:half], lines[half:]))


def _cut_line(lines: list[bytes]) -> list[bytes]:
    return [lines[0][: len(lines[0]) // 2], *lines[1:]]


def _not_utf8(lines: list[bytes]) -> list[bytes]:
    """Put a byte that UTF-8 never has into the first string of the first line."""
    at = lines[0].index(b'"instance_id":"') + len(b'"instance_id":"')
    return [lines[0][:at] + b"\xff" + lines[0][at:], *lines[1:]]


def _repeat_key(lines: list[bytes]) -> list[bytes]:
    return [b'{"instance_id":"champ_00001",' + lines[0][1:], *lines[1:]]


def _each(kind: str, pattern: str) -> list[Fault]:
    """Faults that every compressed JSON lines file may have."""

    def fault(name: str, description: str, rule: str, plant: Planter) -> Fault:
        return Fault(f"{name}_{kind}", f"{description} ({kind})", "refused", rule, plant)

    return [
        fault(
            "flipped_byte",
            "A byte in the middle of the compressed data is another.",
            "gzip.",
            _bytes(pattern, _flip_inside),
        ),
        fault(
            "truncated_gzip",
            "The last third of the file is gone.",
            "gzip.truncated",
            _bytes(pattern, lambda d: d[: len(d) * 2 // 3]),
        ),
        fault(
            "wrong_crc",
            "The checksum in the gzip trailer is another; the data is sound.",
            "gzip.checksum",
            _bytes(pattern, lambda d: _flipped(d, len(d) - 8, 1)),
        ),
        fault("not_gzip", "The file holds plain text.", "gzip.not_gzip", _bytes(pattern, inflate)),
        fault("empty_file", "The file has no bytes.", "gzip.empty", _bytes(pattern, lambda _: b"")),
        fault(
            "trailing_bytes",
            "Bytes that are no gzip member follow.",
            "gzip.trailing_bytes",
            _bytes(pattern, lambda d: d + b"end of file"),
        ),
        fault("no_lines", "The file holds no line.", "jsonl.no_lines", _bytes(pattern, lambda _: compress([]))),
        fault("broken_json", "The first line stops in its middle.", "jsonl.invalid", _lines(pattern, _cut_line)),
        fault("not_utf8", "A string is not UTF-8.", "jsonl.not_utf8", _lines(pattern, _not_utf8)),
        fault("repeated_key", "An object has a key twice.", "jsonl.repeated_key", _lines(pattern, _repeat_key)),
        fault(
            "not_an_object",
            "A line is a JSON array.",
            "jsonl.not_an_object",
            _lines(pattern, lambda lines: [b"[" + lines[0] + b"]", *lines[1:]]),
        ),
    ]


def _dress(kind: str, pattern: str) -> list[Fault]:
    """Tolerated dress of every compressed JSON lines file."""

    def fault(name: str, description: str, rule: str, plant: Planter) -> Fault:
        return Fault(f"{name}_{kind}", f"{description} ({kind})", "info", rule, plant)

    return [
        fault(
            "several_members", "The file has two gzip members.", "gzip.several_members", _bytes(pattern, _two_members)
        ),
        fault(
            "crlf", "Lines end in CRLF.", "jsonl.crlf", _lines(pattern, lambda lines: [line + b"\r" for line in lines])
        ),
        fault(
            "blank_lines",
            "Blank lines stand at the end.",
            "jsonl.blank_line",
            _lines(pattern, lambda lines: [*lines, b"", b""]),
        ),
        fault(
            "byte_order_mark",
            "A byte order mark stands first.",
            "jsonl.byte_order_mark",
            _lines(pattern, lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]]),
        ),
    ]


def _outside(name: str, description: str, plant: Planter, rule: str = "questions.") -> Fault:
    """A fault of a file that no manifest lists."""
    return Fault(name, description, "refused", rule, plant, refreshable=False, unrefreshed=None)


def _pointer(kind: str, pattern: str) -> Fault:
    """The few lines that Git leaves in the place of a file which was never fetched."""
    name, what = f"lfs_pointer_{kind}", f"A Git LFS pointer stands in the file's place. ({kind})"
    if pattern in {MANIFEST, INSTANCES}:
        return _outside(name, what, _bytes(pattern, lambda _: POINTER), _POINTER_RULE)
    planter = _bytes(pattern, lambda _: POINTER)
    return Fault(name, what, "refused", _POINTER_RULE, planter, unrefreshed=("refused", _POINTER_RULE))


_POINTER_RULE: Final = "input.lfs_pointer"
_LISTED: Final = {"bin": BIN, "tokenizer": TOKENIZER, "audit": AUDIT, "manifest": MANIFEST, "instances": INSTANCES}


def _twice(pattern: str, key: bytes, rule: str, of: str) -> Fault:
    """Put a key into a document once more, before where it stands."""
    planter = _bytes(pattern, lambda d: d.replace(key + b":", key + b": 0, " + key + b":", 1))
    name, what = f"repeated_key_{of}", f"An object of the document has one key twice. ({of})"
    if pattern == INSTANCES:
        return _outside(name, what, planter, rule)
    return Fault(name, what, "refused", rule, planter)


FAULTS: Final = (
    *(fault for kind, pattern in _GZIP.items() for fault in (*_each(kind, pattern), *_dress(kind, pattern))),
    *(_pointer(kind, pattern) for kind, pattern in {**_GZIP, **_LISTED}.items()),
    _twice(INSTANCES, b'"answer"', "questions.repeated_key", "instances"),
    _twice(AUDIT, b'"records"', "audit.repeated_key", "audit"),
    _twice(TOKENIZER, b'"model"', "tokenizer.repeated_key", "tokenizer"),
    Fault("flipped_byte_bin", "The sign bit of an entropy is set.", "refused", "entropy.negative", _flip_sign),
    Fault(
        "flipped_byte_tokenizer",
        "The first byte of a tokenizer file is another.",
        "refused",
        "tokenizer.",
        _bytes(TOKENIZER, lambda d: _flipped(d, 0, 1)),
    ),
    Fault(
        "flipped_byte_audit", "A digit of an audit count is another.", "refused", "audit.", _bytes(AUDIT, _flip_count)
    ),
    _outside(
        "flipped_byte_instances",
        "The first byte of a file of questions is another.",
        _bytes(INSTANCES, lambda d: _flipped(d, 0, 1)),
    ),
)
