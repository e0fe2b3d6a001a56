"""Faults of `MANIFEST.csv` and of the files it lists or does not list. Their manifest is never refreshed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from synthetic.sra.faults.base import (
    AUDIT,
    AUX,
    INDEX,
    MANIFEST,
    SAMPLING,
    TF,
    TOKENIZER,
    Fault,
    Outcome,
    Patch,
    Planter,
)


def _own(name: str, description: str, rule: str, plant: Planter, outcome: Outcome = "refused") -> Fault:
    return Fault(
        f"manifest_{name}", description, outcome, f"manifest.{rule}", plant, refreshable=False, unrefreshed=None
    )


def _rows(edit: Callable[[list[str]], list[str]]) -> Planter:
    """Change the rows of the manifest, header first."""

    def plant(patch: Patch) -> None:
        rows = patch.read(MANIFEST).decode().splitlines()
        patch.write(MANIFEST, "\n".join([*edit(rows), ""]).encode())

    return plant


def _cells(edit: Callable[[list[str]], list[str]]) -> Planter:
    """Change path, size and hash of the first row that names a sampling file."""

    def change(rows: list[str]) -> list[str]:
        at = next(k for k, row in enumerate(rows) if "sampling9" in row)
        return [*rows[:at], ",".join(edit(rows[at].split(","))), *rows[at + 1 :]]

    return _rows(change)


def _header(text: str) -> Planter:
    return _rows(lambda rows: [text, *rows[1:]])


def _dress(patch: Patch) -> None:
    """CRLF, a byte order mark, upper-case hex, `./` before paths and blank last lines."""
    header, *rows = patch.read(MANIFEST).decode().splitlines()
    cells = [row.split(",") for row in rows]
    dressed = [header, *(f"./{path},{size},{digest.upper()}" for path, size, digest in cells), "", ""]
    patch.write(MANIFEST, b"\xef\xbb\xbf" + "\r\n".join([*dressed, ""]).encode())


def _flip(row: list[str]) -> list[str]:
    first = "0" if row[2][0] != "0" else "1"
    return [row[0], row[1], first + row[2][1:]]


def _reordered(rows: list[str]) -> list[str]:
    return [",".join(reversed(row.split(","))) for row in rows]


def _with_itself(rows: list[str]) -> list[str]:
    return [*rows, f"MANIFEST.csv,1,{'0' * 64}"]


def _not_utf8(patch: Patch) -> None:
    patch.write(MANIFEST, patch.read(MANIFEST) + b"aux/\xff\xfe.json,3," + b"0" * 64 + b"\n")


def _grown(patch: Patch) -> None:
    path = patch.pick(AUX)
    patch.write(path, patch.read(path) + b"\n")


def _add(path: str) -> Planter:
    return lambda patch: patch.write(path, b"left here by hand\n")


def _remove(pattern: str) -> Planter:
    return lambda patch: patch.remove(patch.pick(pattern))


def _aux_flip(patch: Patch) -> None:
    path = patch.pick(AUX)
    data = patch.read(path)
    patch.write(path, bytes([data[0] ^ 1]) + data[1:])


def _repository(patch: Patch) -> None:
    """Add what version control keeps beside the files."""
    for number in range(30):
        patch.write(f"bundle/.git/objects/{number:02}/blob", b"x")


FAULTS: Final = (
    _own("missing", "There is no MANIFEST.csv.", "", _remove(MANIFEST)),
    _own("empty", "MANIFEST.csv has no bytes.", "", lambda patch: patch.write(MANIFEST, b"")),
    _own("flipped_digit", "One hex digit of a hash is another.", "hash_mismatch", _cells(_flip)),
    _own(
        "wrong_size",
        "A stated size is one too large.",
        "size_mismatch",
        _cells(lambda c: [c[0], str(int(c[1]) + 1), c[2]]),
    ),
    _own("repeated_path", "A path is listed twice.", "repeated_path", _rows(lambda rows: [*rows, rows[-1]])),
    _own(
        "repeated_dressed",
        "A path is listed again with `./` before it.",
        "repeated_path",
        _rows(lambda rows: [*rows, f"./{rows[-1]}"]),
    ),
    _own("absolute_path", "A path is absolute.", "bad_path", _cells(lambda c: [f"/{c[0]}", *c[1:]])),
    _own("drive_path", "A path starts with a drive letter.", "bad_path", _cells(lambda c: [f"C:/{c[0]}", *c[1:]])),
    _own("escaping_path", "A path leaves the bundle.", "bad_path", _cells(lambda c: [f"../bundle/{c[0]}", *c[1:]])),
    _own(
        "escaping_inside",
        "A path leaves the bundle by a `..` in its middle.",
        "bad_path",
        _cells(lambda c: [f"aux/../../bundle/{c[0]}", *c[1:]]),
    ),
    _own("short_hash", "A hash has 63 digits.", "bad_hash", _cells(lambda c: [*c[:2], c[2][:-1]])),
    _own("bad_size", "A size is not a whole number.", "bad_size", _cells(lambda c: [c[0], f"{c[1]}.5", c[2]])),
    _own("negative_size", "A size is negative.", "bad_size", _cells(lambda c: [c[0], f"-{c[1]}", c[2]])),
    _own("short_row", "A row has no hash.", "field_count", _cells(lambda c: c[:2])),
    _own("no_hash_column", "The header names no hash column.", "header", _header("path,size_bytes,colour")),
    _own("lists_itself", "The manifest lists itself.", "lists_itself", _rows(_with_itself)),
    _own("not_utf8", "A path is not UTF-8.", "not_utf8", _not_utf8),
    _own(
        "unknown_column",
        "A column nobody knows.",
        "unknown_column",
        _rows(lambda rows: [f"{rows[0]},colour", *(f"{r},red" for r in rows[1:])]),
        "warning",
    ),
    _own("dress", "CRLF, byte order mark, upper-case hex, `./` and blank last lines.", "dress", _dress, "info"),
    _own("bytes_digest", "The columns are called bytes and digest.", "", _header("path,bytes,digest"), "identical"),
    _own("size_sha", "The columns are called size and sha-256.", "", _header("path,size,sha-256"), "identical"),
    _own("column_order", "The columns stand in another order.", "", _rows(_reordered), "identical"),
    _own(
        "unlisted_file",
        "A file stands in the bundle that the manifest does not list.",
        "unlisted_file",
        _add("bundle/notes.txt"),
        "warning",
    ),
    _own(
        "unlisted_in_cell",
        "An unlisted file stands in a cell's folder.",
        "unlisted_file",
        _add("bundle/models/Qwen3-32B/champ/direct/notes.txt"),
        "warning",
    ),
    _own(
        "unlisted_folder",
        "A folder of many files stands in the bundle, none of them listed.",
        "unlisted_file",
        _repository,
        "warning",
    ),
    _own("grown_file", "A file has a byte more than stated.", "size_mismatch", _grown),
    _own("flipped_aux", "A byte of a file that is verified and not read is another.", "hash_mismatch", _aux_flip),
    *(
        _own(f"lists_absent_{kind}", f"A listed file is not there: {kind}.", "missing_file", _remove(pattern))
        for kind, pattern in (
            ("sampling", SAMPLING),
            ("tf", TF),
            ("index", INDEX),
            ("tokenizer", TOKENIZER),
            ("audit", AUDIT),
            ("aux", AUX),
        )
    ),
)
