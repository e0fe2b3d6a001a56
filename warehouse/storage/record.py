"""`lake.json`: what a version was made from and what it holds, enough to verify it again."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from warehouse.errors import LakeError
from warehouse.storage.ahead import measured
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.parquet import FileReport
from warehouse.storage.stage import SourceReport

RECORD: Final = "lake.json"
FORMAT: Final = 1


def content_hash(files: Iterable[FileReport], code: str) -> str:
    """Return the SHA-256 over every table file's path and hash, and over the SQL and contracts they are read by."""
    lines = sorted(f"{file.path}\t{file.sha256}" for file in files)
    return hashlib.sha256("\n".join([*lines, code]).encode()).hexdigest()


def tables_summary(files: Iterable[FileReport]) -> dict[str, Any]:
    """Return, by table: rows, bytes and the files with their hashes."""
    summary: dict[str, Any] = {}
    for file in sorted(files, key=lambda f: f.path):
        table = summary.setdefault(file.table, {"rows": 0, "bytes": 0, "files": []})
        table["rows"] += file.rows
        table["bytes"] += file.bytes
        table["files"].append(file.as_dict())
    return summary


def make_record(
    version_id: str,
    sources: Sequence[SourceReport],
    files: Sequence[FileReport],
    checks: Sequence[dict[str, Any]],
    code: dict[str, str],
) -> dict[str, Any]:
    """Return the content of `lake.json`."""
    return {
        "format": FORMAT,
        "version_id": version_id,
        "content_sha256": content_hash(files, code["reading"]),
        "code": code,
        "sources": {s.source: {"status": s.status, "inputs": s.inputs, "state": s.state} for s in sources},
        "tables": tables_summary(files),
        "checks": list(checks),
    }


class RecordError(LakeError):
    """A version's record can not be used; `reason` says why without saying what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}.")
        self.reason = reason


def read_record(version: Path) -> dict[str, Any]:
    """Return a version's record. Raises RecordError where it is missing, damaged or of a later format."""
    record, reason = try_record(version)
    if reason is None:
        return record
    later = record.get("format") not in (None, FORMAT)
    raise RecordError(reason, "update the code" if later else way_back(version))


def try_record(version: Path) -> tuple[dict[str, Any], str | None]:
    """Return a version's record, and why it can not be used, where that is so."""
    path = version / RECORD
    record, reason = _load(path)
    if reason is None and record.get("format") != FORMAT:
        return record, f"{path} has format {record.get('format')!r} and this code reads {FORMAT}"
    return record, reason or _malformed(path, record)


def way_back(version: Path) -> str:
    """Return what to do where a version is damaged: the newest other sound version to go back to, if there is one."""
    lake = Lake(version.parent.parent)
    other = newest_sound(lake, but=version.name)
    if other is None:
        return "there is no other sound version to go back to, so build the lake in another folder"
    return f"{lake.command('rollback', other)} makes the newest other sound version current"


def newest_sound(lake: Lake, but: str | None = None) -> str | None:
    """Return the newest published version other than `but` that is byte for byte as it was published.

    Every byte is read: of two versions that share a damaged file, neither is a way back from the other.
    """
    known = (version_id for version_id in reversed(published_ids(lake)) if version_id != but)
    return next((version_id for version_id in known if _is_sound(lake.version(version_id))), None)


def _is_sound(version: Path) -> bool:
    record, reason = try_record(version)
    if reason is not None or not (version / "VERSION").is_file():
        return False
    files = files_of(record)
    return not size_problems(version, files) and not damaged(version, files)


def _load(path: Path) -> tuple[dict[str, Any], str | None]:
    """Return what a record's file holds, or why it can not be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return {}, f"{path} can not be read (it is no file)"
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, f"{path} is missing, so the version is not complete"
    except OSError as problem:
        return {}, f"{path} can not be read ({problem.strerror})"
    except (ValueError, RecursionError) as problem:
        return {}, f"{path} is not valid JSON ({problem})"
    return (record, None) if isinstance(record, dict) else ({}, f"{path} holds no record")


def _malformed(path: Path, record: dict[str, Any]) -> str | None:
    """Return what is missing or of another type in a record, None where it can be used."""
    try:
        found = _wrong_type(record)
    except KeyError as problem:
        found = f"there is no {problem}"
    except (AttributeError, TypeError) as problem:
        found = str(problem)
    return f"{path} is not as it was written ({found})" if found else None


def _wrong_type(record: dict[str, Any]) -> str | None:
    """Return the first value of another type than is written. Raises KeyError, AttributeError or TypeError likewise."""
    texts = [record["version_id"], record["content_sha256"], record["code"]["version"], record["code"]["reading"]]
    numbers = [table[key] for table in record["tables"].values() for key in ("rows", "bytes")]
    for file in files_of(record):
        texts += [file.table, file.path, file.sha256, *(file.cell or ())]
        numbers += [file.rows, file.bytes]
    for source in record["sources"].values():
        texts.append(source["status"])
        _ = (source["inputs"].items(), source["state"])
    _ = [(check["name"], check["passed"]) for check in record["checks"]]
    wrong = [value for value in texts if not isinstance(value, str)]
    wrong += [value for value in numbers if type(value) is not int or value < 0]
    return f"a {type(wrong[0]).__name__} is where another value was" if wrong else None


def size_problems(version: Path, files: Iterable[FileReport]) -> list[str]:
    """Return a sentence for each file of a version that is gone or of another size; none is read."""
    found = []
    for file in files:
        path = version / file.path
        if not path.is_file():
            found.append(f"{path} is missing.")
        elif path.stat().st_size != file.bytes:
            found.append(f"{path} has {path.stat().st_size} bytes and should have {file.bytes}.")
    return found


def damaged(version: Path, files: Sequence[FileReport]) -> list[FileReport]:
    """Return the files of a version that are gone or not byte for byte as they were written; hashed on threads."""

    def is_sound(file: FileReport) -> bool:
        path = version / file.path
        return path.is_file() and path.stat().st_size == file.bytes and measured(path) == (file.bytes, file.sha256)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [file for file, sound in zip(files, pool.map(is_sound, files), strict=True) if not sound]


def files_of(record: dict[str, Any], tables: Iterable[str] | None = None) -> list[FileReport]:
    """Return the files that a record lists, of the named tables or of all."""
    names = record["tables"] if tables is None else [name for name in tables if name in record["tables"]]
    return [FileReport.from_dict(file) for name in names for file in record["tables"][name]["files"]]
