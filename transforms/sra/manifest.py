"""A bundle's manifest compared with what is really there: the rows of `source_files`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import polars as pl

from transforms.sra import manifest_reader
from transforms.sra.layout import MANIFEST_PATH, kind_of
from transforms.sra.manifest_reader import ManifestEntry, parse_manifest
from warehouse.contracts import TABLES, Issue, Rule, Severity
from warehouse.contracts.sra import SOURCE

__all__ = ["RULES", "FoundFile", "ManifestEntry", "compare_manifest", "parse_manifest"]

MISSING = Rule("manifest.missing_file", Severity.ERROR, "A listed file is not there.")
SIZE_MISMATCH = Rule("manifest.size_mismatch", Severity.ERROR, "A file has another size than the manifest states.")
HASH_MISMATCH = Rule("manifest.hash_mismatch", Severity.ERROR, "A file has another SHA-256 than the manifest states.")
LEAVES_BUNDLE = Rule("manifest.leaves_bundle", Severity.ERROR, "A path goes through a symbolic link out of the bundle.")
NOT_A_FILE = Rule("manifest.not_a_file", Severity.ERROR, "A listed path is neither a file nor a link to one.")
UNREADABLE = Rule("manifest.unreadable", Severity.ERROR, "A listed file is there and can not be read.")
UNLISTED = Rule("manifest.unlisted_file", Severity.WARNING, "A file is there that the manifest does not list.")
RULES: Final = (
    *manifest_reader.RULES, MISSING, SIZE_MISMATCH, HASH_MISMATCH, LEAVES_BUNDLE, NOT_A_FILE, UNREADABLE, UNLISTED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundFile:
    """What stands at a path of the bundle. Size and hash are of the bytes read, none where nothing was read.

    `symlink_inside` is a path that reaches a file of the bundle through a link; `symlink_outside` one whose real
    place, followed to its end, is not below the bundle, whichever part of the path the link is. `unreadable` is there
    and may not, or can not, be read.
    """

    kind: Literal["file", "symlink_inside", "symlink_outside", "other", "unreadable"]
    size: int | None = None
    sha256: str | None = None


def compare_manifest(
    entries: Sequence[ManifestEntry], found: Mapping[str, FoundFile]
) -> tuple[pl.DataFrame, list[Issue]]:
    """Return the bundle's rows of `source_files`, sorted by path, and what is wrong with its files; never raises.

    `found` has every file of the bundle by its path. Only files whose status is `ok` may be read.
    """
    issues: list[Issue] = []
    listed = {entry.path: entry for entry in entries}
    rows = [_row(path, listed.get(path), found.get(path), issues) for path in sorted(listed.keys() | found.keys())]
    return pl.DataFrame(rows, schema=TABLES["source_files"].polars_schema, orient="row"), issues


def _row(path: str, entry: ManifestEntry | None, file: FoundFile | None, issues: list[Issue]) -> tuple[object, ...]:
    status, rule, message = _status(path, entry, file)
    # A name on disk need not be UTF-8; its odd bytes are written out.
    path = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if rule is not None:
        issues.append(rule.issue(message, source=SOURCE, path=path))
    read = None if status in {"missing", "refused"} else file
    return (
        SOURCE,
        path,
        kind_of(path),
        entry.size_bytes if entry else None,
        read.size if read else None,
        entry.sha256 if entry else None,
        read.sha256 if read else None,
        status,
    )


def _status(path: str, entry: ManifestEntry | None, file: FoundFile | None) -> tuple[str, Rule | None, str]:
    """Return a path's status, and the rule and sentence of what is wrong with it."""
    if entry is not None and entry.refused:
        return "refused", None, ""
    if file is None:
        return "missing", MISSING, "The manifest lists this file and it is not in the bundle. Fetch it again."
    if file.kind == "symlink_outside":
        return "refused", LEAVES_BUNDLE, "This path goes through a symbolic link out of the bundle; it is not read."
    return _unlisted(path) if entry is None else _compared(entry, file)


def _unlisted(path: str) -> tuple[str, Rule | None, str]:
    if path == MANIFEST_PATH:
        return "ok", None, ""
    return "unlisted", UNLISTED, "This file is not in the manifest, so it is not verified and not read."


def _compared(entry: ManifestEntry, file: FoundFile) -> tuple[str, Rule | None, str]:
    if file.kind == "other":
        return "refused", NOT_A_FILE, "The manifest lists this path as a file and it is none; it is not read."
    if file.kind == "unreadable":
        return "refused", UNREADABLE, "This file is there and can not be read: give read permission, or fetch it again."
    if file.size != entry.size_bytes:
        message = f"The file has {file.size} bytes; the manifest states {entry.size_bytes}. Fetch it again."
        return "size_mismatch", SIZE_MISMATCH, message
    if file.sha256 != entry.sha256:
        message = f"The file has SHA-256 {file.sha256}; the manifest states {entry.sha256}. Fetch it again."
        return "hash_mismatch", HASH_MISMATCH, message
    return "ok", None, ""
