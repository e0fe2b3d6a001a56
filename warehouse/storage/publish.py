"""Publishing: an immutable version, complete and checked before the one link names it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_IMODE
from typing import Any, Final

from warehouse.errors import LakeError, RefusedError
from warehouse.storage.files import fsync_directory, fsync_file, sha256_file, write_atomic
from warehouse.storage.layout import LINKS, Lake
from warehouse.storage.markers import mark_published, version_folders
from warehouse.storage.parquet import FileReport
from warehouse.storage.record import RECORD, content_hash, damaged, files_of, make_record, read_record
from warehouse.storage.stage import Stage
from warehouse.storage.versions import collect_garbage, remove_unpublished

_TIME: Final = "%Y%m%dT%H%M%S.%fZ"
_ASIDE: Final = re.compile(r"\.(\.lock\.owner|lake\.json|VERSION|lake\.duckdb)\.[0-9]+\.tmp(\.wal|\.tmp)?")
"""What a build that died was about to rename: its own names alone, for others may keep things in the folder too."""

_LINK: Final = re.compile(rf"\.({'|'.join(map(re.escape, ('current', *LINKS)))})\.[0-9]+")

WRITABLE: Final = 0o222

CatalogBuilder = Callable[[Path], Sequence[dict[str, Any]]]
"""Writes `lake.duckdb` into a version's folder and returns its checks: name, passed, rows, description."""


@dataclass(frozen=True, slots=True)
class Published:
    """The outcome of a publish; `changed` is false where the current version already holds the same content.

    `notes` says in sentences what could not be done after the version was published.
    """

    version_id: str
    changed: bool
    checks: Sequence[dict[str, Any]]
    notes: Sequence[str] = ()


def publish(lake: Lake, stage: Stage, build_catalog: CatalogBuilder, code: dict[str, str], keep: int) -> Published:
    """Turn the stage into the current version. The caller holds the lake's lock.

    Raises RefusedError when a check finds rows: nothing is published and the current version stays.
    """
    sources = stage.reports()
    files = [file for source in sources for file in source.files]
    _refuse_strays(stage, files)
    files += _put_empty(lake, stage, {file.table for file in files}, code)
    digest = content_hash(files, code["reading"])
    current = lake.current_id()
    if current is not None and _same(lake, current, stage, digest):
        checks = read_record(lake.version(current))["checks"]
        return Published(current, False, checks, _tidy(lake, stage, current, keep))
    version_id = f"{_next_time(current)}-{digest[:12]}"
    version = lake.version(version_id)
    stage.version.rename(version)
    try:
        checks = list(build_catalog(version))
        _refuse_failed(checks)
        _protect(version, files)
        _complete(lake, version, make_record(version_id, sources, files, checks, code))
    except BaseException:
        shutil.rmtree(version)
        raise
    lake.point_to(version_id)
    return Published(version_id, True, checks, _tidy(lake, stage, version_id, keep))


def _put_empty(lake: Lake, stage: Stage, full: set[str], code: dict[str, str]) -> list[FileReport]:
    """Put a file without rows into the stage for every table but the full ones: a reader finds its columns there.

    One that the current version has, by the same code, gets a second name.
    """
    current = lake.current_id()
    record = read_record(lake.version(current)) if current is not None else None
    if current is None or record is None or record["code"] != code:
        return stage.put_empty(full)
    version = lake.version(current)
    empty = [file for file in files_of(record) if not file.rows and file.cell is None and file.table not in full]
    bad = damaged(version, empty)
    known = stage.reuse(version, [file for file in empty if file not in bad])
    return known + stage.put_empty(full | {file.table for file in known})


def _tidy(lake: Lake, stage: Stage, version_id: str, keep: int) -> list[str]:
    """Do what is left once a version is published, by this build or by one that died just after.

    No failure here undoes that, and the next build tries again.
    """
    stage.remove()
    try:
        mark_published(lake, version_id)
        removed = collect_garbage(lake, keep)
    except OSError as problem:
        return [f"{version_id} is published, and old versions could not be removed ({problem}): see to that."]
    return [f"removed the old version {old}: the newest {keep} are kept" for old in removed]


def _refuse_strays(stage: Stage, files: Sequence[FileReport]) -> None:
    """Hold the stage against what its sources report: readers find a table's files by its folder."""
    sizes = {file.path: file.bytes for file in files}
    on_disk = (path for path in stage.version.rglob("*") if path.is_file())
    found = {path.relative_to(stage.version).as_posix(): path.stat().st_size for path in on_disk}
    differing = sorted(path for path in sizes.keys() | found.keys() if sizes.get(path) != found.get(path))
    if differing:
        raise LakeError(
            f"The stage and what its sources report differ in {len(differing)} files, the first is {differing[0]}: "
            "something else writes to the lake. Build again. Nothing was published."
        )


def _same(lake: Lake, current: str, stage: Stage, digest: str) -> bool:
    """Tell whether the current version holds what the stage holds, file by file and undamaged."""
    record = read_record(lake.version(current))
    if record["content_sha256"] != digest:
        return False
    states = {source.source: source.state for source in stage.reports()}
    if {name: source["state"] for name, source in record["sources"].items()} != json.loads(json.dumps(states)):
        return False
    return all(_is_there(lake.version(current) / file.path, stage.version / file.path) for file in files_of(record))


def _is_there(published: Path, staged: Path) -> bool:
    # A file that was reused is the published one under a second name, and was read when it was reused.
    if not published.is_file():
        return False
    return published.samefile(staged) or sha256_file(published) == sha256_file(staged)


def _next_time(current: str | None) -> str:
    """Return now, or the instant after the current version where the clock went back: ids sort by time."""
    now = datetime.now(UTC)
    if current is not None:
        last = datetime.strptime(current.rsplit("-", 1)[0], _TIME).replace(tzinfo=UTC)
        now = max(now, last + timedelta(microseconds=1))
    return now.strftime(_TIME)


def _refuse_failed(checks: Sequence[dict[str, Any]]) -> None:
    failed = [check for check in checks if not check["passed"]]
    if failed:
        found = "; ".join(f"{c['name']} found {c['rows']} rows ({c['description']})" for c in failed)
        raise RefusedError(f"The staged tables fail {len(failed)} checks: {found}. Nothing was published.")


def _protect(version: Path, files: Sequence[FileReport]) -> None:
    """Make the table files read-only: nobody changes them by accident, and versions share them by hard links."""
    for path in (version / file.path for file in files):
        mode = path.stat().st_mode
        # A change for nothing would change the file's times, by which a later build knows it.
        if mode & WRITABLE:
            path.chmod(S_IMODE(mode) & ~WRITABLE)


def _complete(lake: Lake, version: Path, record: dict[str, Any]) -> None:
    """Write the record and, last, `VERSION`: a folder without it is not a version. All of it is durable then."""
    write_atomic(version / RECORD, json.dumps(record, indent=1, ensure_ascii=False).encode())
    for file in filter(Path.is_file, version.iterdir()):
        fsync_file(file)
    for folder, _folders, _files in os.walk(version):
        fsync_directory(Path(folder))
    write_atomic(version / "VERSION", f"{record['version_id']}\n".encode())
    fsync_directory(lake.versions)


def clean_up(lake: Lake) -> list[str]:
    """Remove what builds that died left behind, and return their names. The caller holds the lake's lock."""
    for link in filter(lambda path: _LINK.fullmatch(path.name) and path.is_symlink(), lake.root.iterdir()):
        link.unlink()
    for folder in (lake.root, *version_folders(lake)):
        for aside in filter(lambda path: _ASIDE.fullmatch(path.name), folder.iterdir()):
            # DuckDB spills into a folder beside its file.
            shutil.rmtree(aside) if aside.is_dir() and not aside.is_symlink() else aside.unlink()
    return remove_unpublished(lake)
