"""The versions of a lake: listing, going back, removing old ones, verifying one against its own record."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from warehouse.errors import LakeError
from warehouse.storage.files import remove_tree, sha256_file
from warehouse.storage.layout import LINKS, Lake
from warehouse.storage.markers import first_build_died, mark_published, published_ids, restore_markers, version_folders
from warehouse.storage.parquet import FileReport
from warehouse.storage.record import (
    RECORD,
    content_hash,
    files_of,
    newest_sound,
    read_record,
    size_problems,
    try_record,
    way_back,
)

BESIDE_TABLES: Final = frozenset({"VERSION", RECORD, "lake.duckdb"})
_START_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """One published version; `damage` says why its record can not be used, and it has no figures then."""

    version_id: str
    current: bool
    rows: int
    bytes: int
    damage: str | None = None


def require_version(lake: Lake) -> Path:
    """Return the folder of the current version.

    Raises LakeError for a lake without one; where only the link to it is gone, the text names the way back.
    """
    known = published_ids(lake)
    if known and lake.current_id() not in known:
        newest = newest_sound(lake)
        way = (
            f"{lake.command('rollback', newest)} makes the newest current again"
            if newest
            else "none of them is sound, so build the lake in another folder"
        )
        raise LakeError(
            f"{lake.root} has {len(known)} published versions and none is current: {_why_headless(lake)}. {way}; "
            f"{lake.command('versions')} lists all."
        )
    return lake.require_current()


def _why_headless(lake: Lake) -> str:
    if lake.current.is_symlink():
        return f"`current` leads to {lake.current_id()}, which is gone"
    if lake.current.exists():
        return "`current` is no link, as after a copy that followed the links (`cp -a` does not)"
    return "there is no link `current`"


def link_problems(lake: Lake) -> list[str]:
    """Return a sentence for each fixed link that is none, as after a copy that followed links, or leads elsewhere."""
    wrong = [name for name, target in LINKS.items() if not _leads_to(lake.root / name, target)]
    way = lake.command("rollback", str(lake.current_id()))
    return [f"{lake.root / name} is not the link to {LINKS[name]}: {way} makes it again." for name in wrong]


def _leads_to(link: Path, target: str) -> bool:
    return link.is_symlink() and link.readlink() == Path(target)


def list_versions(lake: Lake) -> list[VersionInfo]:
    """Return the published versions, oldest first."""
    current = lake.current_id()
    found = []
    for version_id in published_ids(lake):
        record, reason = try_record(lake.version(version_id))
        if reason is not None:
            found.append(VersionInfo(version_id, version_id == current, 0, 0, reason))
            continue
        rows, size = (sum(table[key] for table in record["tables"].values()) for key in ("rows", "bytes"))
        found.append(VersionInfo(version_id, version_id == current, rows, size))
    return found


def rollback(lake: Lake, version_id: str) -> None:
    """Make an earlier version current, and every link of the lake a link again. The caller holds the lock.

    Raises LakeError for a version that is not there, for one whose files are not all there with their sizes, and where
    something has the place of a link that is no copy of what the link led to.
    """
    known = published_ids(lake)
    if version_id not in known:
        raise LakeError(f"There is no version {version_id!r} in {lake.root}; there are: {', '.join(known) or 'none'}.")
    _refuse_incomplete(lake, version_id)
    _refuse_strange(lake, known)
    current = lake.current_id()
    if current is not None and lake.version(current).is_dir():
        # A build that died just after it moved the link did not come to mark what it published.
        mark_published(lake, current)
    _put_copy_aside(lake)
    lake.point_to(version_id)
    lake.restore_links()
    if lake.staging.exists():
        remove_tree(lake.staging)
    lake.create()


def _put_copy_aside(lake: Lake) -> None:
    """Move a copy of a version out of the place of the link `current`; what dies now leaves it for the next build."""
    if lake.current.is_dir() and not lake.current.is_symlink():
        lake.staging.mkdir(exist_ok=True)
        lake.current.rename(lake.staging / f"current-{uuid4().hex[:12]}")


def _refuse_strange(lake: Lake, known: Sequence[str]) -> None:
    """Raise LakeError where something has the place of a link that a copy of the lake did not put there."""
    strange = [name for name in ("current", *LINKS) if not _is_link_or_copy(lake.root / name, known)]
    if strange:
        names = " and ".join(str(lake.root / name) for name in strange)
        raise LakeError(f"{names} is no link and no copy of what the link led to: move it elsewhere and try again.")


def _is_link_or_copy(path: Path, known: Sequence[str]) -> bool:
    if path.is_symlink() or not path.exists():
        return True
    if path.is_dir():
        return (path / "VERSION").is_file() and (path / "VERSION").read_bytes().decode(
            errors="replace"
        ).strip() in known
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
    # Some copies make of a link a file that holds its target.
    return start[8:12] == b"DUCK" or start.startswith((b"current/", b"versions/", *(name.encode() for name in known)))


def _refuse_incomplete(lake: Lake, version_id: str) -> None:
    version = lake.version(version_id)
    problems = size_problems(version, files_of(read_record(version)))
    if not (version / "VERSION").is_file():
        problems.append(f"{version / 'VERSION'} is missing.")
    if problems:
        raise LakeError(
            f"{version_id} does not become current, {len(problems)} of its files are gone or cut short: {problems[0]} "
            f"{lake.command('verify-lake', '--version', version_id)} lists them all; {way_back(version)}."
        )


def collect_garbage(lake: Lake, keep: int) -> list[str]:
    """Remove all but the newest `keep` versions and the current one. The caller holds the lock.

    Raises LakeError, and removes nothing, where no version is current: nobody knows then which one readers are to see.
    """
    if keep < 1:
        raise LakeError(f"keep is {keep} and must be at least 1: the current version always stays.")
    current = require_version(lake).name
    # With its own marker there, the current version never is the only one left that tells what a lake has published.
    mark_published(lake, current)
    old = [version_id for version_id in published_ids(lake)[:-keep] if version_id != current]
    for version_id in old:
        _remove(lake, version_id)
    return old


def remove_unpublished(lake: Lake) -> list[str]:
    """Remove version folders that never became current: a build died just before. The caller holds the lock.

    Raises LakeError, and removes nothing, where versions were published and readers do not all see one of them: a
    build would carry nothing over, or publish what some of them do not see.
    """
    if published_ids(lake) and not first_build_died(lake):
        require_version(lake)
        if problems := link_problems(lake):
            raise LakeError(" ".join(problems))
    restore_markers(lake)
    current = lake.current_id()
    if current is not None and lake.version(current).is_dir():
        mark_published(lake, current)
    litter = sorted({path.name for path in version_folders(lake)} - set(published_ids(lake)))
    for name in litter:
        _remove(lake, name)
    return litter


def _remove(lake: Lake, version_id: str) -> None:
    # The marker goes first: half a version is never listed, and the next build removes the rest of it.
    (lake.published / version_id).unlink(missing_ok=True)
    shutil.rmtree(lake.version(version_id))


def verify_version(version: Path) -> list[str]:
    """Compare a version with its own record; return a sentence for each thing wrong."""
    record = read_record(version)
    listed = files_of(record)
    problems = [problem for file in listed for problem in _file_problems(version, file)]
    if content_hash(listed, record["code"]["reading"]) != record["content_sha256"]:
        problems.append(
            f"{version / RECORD}: content_sha256 is not the hash of the files it lists: the record was changed."
        )
    if not version.name.endswith(record["content_sha256"][:12]):
        problems.append(
            f"{version}: its name does not end in the content hash of its record: it was renamed or changed."
        )
    problems += [f"{version / name} is missing." for name in sorted(BESIDE_TABLES) if not (version / name).is_file()]
    if (version / "VERSION").is_file() and (version / "VERSION").read_bytes().strip() != version.name.encode():
        problems.append(f"{version / 'VERSION'} does not hold {version.name}.")
    known = {file.path for file in listed} | BESIDE_TABLES
    extra = {p.relative_to(version).as_posix() for p in version.rglob("*") if p.is_symlink() or not p.is_dir()} - known
    return problems + [
        f"{version / path} is not in the record: it was added after publishing." for path in sorted(extra)
    ]


def damaged_parts(version: Path, complaint: str, *, search: bool) -> list[str]:
    """Return a sentence for each part file that a reader's complaint names and that is not what the record says.

    Where it names none, every part is looked at: its bytes where `search` is set, else its size alone.
    """
    listed = files_of(read_record(version))
    named = [file for file in listed if str(version / file.path) in complaint]
    if not named and not search:
        return size_problems(version, listed)
    return [problem for file in named or listed for problem in _file_problems(version, file)]


def _file_problems(version: Path, file: FileReport) -> list[str]:
    if problems := size_problems(version, [file]):
        return problems
    actual = sha256_file(version / file.path)
    if actual == file.sha256:
        return []
    return [f"{version / file.path} has SHA-256 {actual} and should have {file.sha256}."]
