"""A bundle's manifest compared with what is really there: the rows of `source_files`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import polars as pl

from transforms.inputs import LFS_POINTER, FoundFile, lfs_pointers
from transforms.issue_log import of_files
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
    LFS_POINTER,
)  # fmt: skip


_LISTED: Final = 20
_COPY: Final = (
    "A hub's cache holds nothing but links: download with `hf download … --local-dir FOLDER`, or copy with `cp -rL`."
)
# Of these one cause touches many files, and gives one finding: the rule, what it says of one file, and of many.
_ONE_CAUSE: Final = {
    LEAVES_BUNDLE: (
        "This path goes through a symbolic link out of the bundle; it is not read.",
        "are reached through symbolic links out of the bundle and are not read", _COPY,
    ),
    UNLISTED: (
        "This file is not in the manifest, so it is not verified and not read.",
        "are not in the manifest, so they are not verified and not read", "",
    ),
}  # fmt: skip


class _Noticed(NamedTuple):
    """A path of which a rule has something to say."""

    path: str
    message: str
    n_files: int


def compare_manifest(
    entries: Sequence[ManifestEntry], found: Mapping[str, FoundFile]
) -> tuple[pl.DataFrame, list[Issue]]:
    """Return the bundle's rows of `source_files`, sorted by path, and what is wrong with its files; never raises.

    `found` has every file of the bundle by its path; of a folder with many files of which none is listed it may have
    the folder alone, whose path ends in `/`: that is one row, without size and hash. Only files whose status is `ok`
    may be read.
    """
    noticed: dict[Rule, list[_Noticed]] = {}
    listed = {entry.path: entry for entry in entries}
    rows = [_row(path, listed.get(path), found.get(path), noticed) for path in sorted(listed.keys() | found.keys())]
    issues = [issue for rule, places in noticed.items() for issue in _issues(rule, places)]
    return pl.DataFrame(rows, schema=TABLES["source_files"].polars_schema, orient="row"), issues


def _issues(rule: Rule, places: Sequence[_Noticed]) -> Iterator[Issue]:
    """Yield the findings of one rule: one where there is one cause, else one a file, and of a flood the rest as one."""
    if rule is LFS_POINTER:
        yield lfs_pointers([place.path for place in places], source=SOURCE)
    elif rule in _ONE_CAUSE:
        yield of_files(rule, {place.path: place.n_files for place in places}, *_ONE_CAUSE[rule], source=SOURCE)
    else:
        for place in places[:_LISTED]:
            yield rule.issue(place.message, source=SOURCE, path=place.path)
        if rest := {place.path: 1 for place in places[_LISTED:]}:
            yield of_files(rule, rest, "The same is true of this file.", "more are like these", source=SOURCE)


def _row(
    path: str, entry: ManifestEntry | None, file: FoundFile | None, noticed: dict[Rule, list[_Noticed]]
) -> tuple[object, ...]:
    status, rule, message = _status(entry, file, path)
    # A name on disk need not be UTF-8; its odd bytes are written out.
    path = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if rule is not None:
        noticed.setdefault(rule, []).append(_Noticed(path, message, file.n_files if file else 1))
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


def _status(entry: ManifestEntry | None, file: FoundFile | None, path: str) -> tuple[str, Rule | None, str]:
    """Return a path's status, and the rule and sentence of what is wrong with it."""
    if entry is None:
        return ("ok", None, "") if path == MANIFEST_PATH else ("unlisted", UNLISTED, "")
    if entry.refused:
        return "refused", None, ""
    if file is None:
        return "missing", MISSING, "The manifest lists this file and it is not in the bundle. Fetch it again."
    if file.size is None:
        return "refused", *_NOT_READ.get(file.kind, _NOT_READ["other"])
    status, rule, message = _compared(entry, file)
    return ("refused" if rule is None else status, LFS_POINTER, "") if file.is_pointer else (status, rule, message)


_NOT_READ: Final = {
    "symlink_outside": (LEAVES_BUNDLE, ""),
    "unreadable": (UNREADABLE, "This file is there and can not be read: give read permission, or fetch it again."),
    "other": (NOT_A_FILE, "The manifest lists this path as a file and it is none; it is not read."),
}


def _compared(entry: ManifestEntry, file: FoundFile) -> tuple[str, Rule | None, str]:
    if file.size != entry.size_bytes:
        message = f"The file has {file.size} bytes; the manifest states {entry.size_bytes}. Fetch it again."
        return "size_mismatch", SIZE_MISMATCH, message
    if file.sha256 != entry.sha256:
        message = f"The file has SHA-256 {file.sha256}; the manifest states {entry.sha256}. Fetch it again."
        return "hash_mismatch", HASH_MISMATCH, message
    return "ok", None, ""
