"""Publishing: an immutable version, complete and checked before the one link names it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from warehouse.errors import RefusedError
from warehouse.storage.files import fsync_directory, write_atomic
from warehouse.storage.layout import Lake
from warehouse.storage.record import RECORD, content_hash, make_record, read_record
from warehouse.storage.stage import Stage
from warehouse.storage.versions import collect_garbage, mark_published, remove_unpublished

_TIME: Final = "%Y%m%dT%H%M%S.%fZ"

CatalogBuilder = Callable[[Path], Sequence[dict[str, Any]]]
"""Writes `lake.duckdb` into a version's folder and returns its checks: name, passed, rows, description."""


@dataclass(frozen=True, slots=True)
class Published:
    """The outcome of a publish; `changed` is false where the current version already holds the same content."""

    version_id: str
    changed: bool
    checks: Sequence[dict[str, Any]]


def publish(lake: Lake, stage: Stage, build_catalog: CatalogBuilder, code: dict[str, str], keep: int) -> Published:
    """Turn the stage into the current version. The caller holds the lake's lock.

    Raises RefusedError when a check finds rows: nothing is published and the current version stays.
    """
    sources = stage.reports()
    files = [file for source in sources for file in source.files]
    digest = content_hash(files, code["reading"])
    current = lake.current_id()
    if current is not None and _same(lake, current, digest, {s.source: s.state for s in sources}):
        stage.remove()
        return Published(current, False, read_record(lake.version(current))["checks"])
    version_id = f"{_next_time(current)}-{digest[:12]}"
    version = lake.version(version_id)
    stage.version.rename(version)
    try:
        checks = list(build_catalog(version))
        _refuse_failed(checks)
    except BaseException:
        shutil.rmtree(version)
        raise
    _complete(version, make_record(version_id, sources, files, checks, code))
    lake.point_to(version_id)
    mark_published(lake, version_id)
    stage.remove()
    collect_garbage(lake, keep)
    return Published(version_id, True, checks)


def _same(lake: Lake, current: str, digest: str, states: dict[str, Any]) -> bool:
    record = read_record(lake.version(current))
    known = {name: source["state"] for name, source in record["sources"].items()}
    return bool(record["content_sha256"] == digest and known == json.loads(json.dumps(states)))


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


def _complete(version: Path, record: dict[str, Any]) -> None:
    """Write the record and, last, `VERSION`: a folder without it is not a version."""
    write_atomic(version / RECORD, json.dumps(record, indent=1, ensure_ascii=False).encode())
    write_atomic(version / "VERSION", f"{record['version_id']}\n".encode())
    fsync_directory(version)
    fsync_directory(version.parent)


def clean_up(lake: Lake) -> list[str]:
    """Remove what builds that died left behind, and return their names. The caller holds the lake's lock."""
    for link in lake.root.glob(".current.*"):
        link.unlink()
    for aside in lake.root.glob(".*.tmp"):
        aside.unlink()
    return remove_unpublished(lake)
