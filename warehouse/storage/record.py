"""`lake.json`: what a version was made from and what it holds, enough to verify it again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from warehouse.errors import LakeError
from warehouse.storage.ahead import measured
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


def read_record(version: Path) -> dict[str, Any]:
    """Return a version's record. Raises LakeError where it is missing, damaged or of a later format."""
    path = version / RECORD
    try:
        record: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        raise LakeError(f"{path} is missing: the version is not complete; roll back to another one.") from None
    except OSError as problem:
        raise LakeError(
            f"{path} can not be read ({problem.strerror}): let it be read, or roll back to another version."
        ) from problem
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise LakeError(f"{path} is not valid JSON ({problem}): roll back to another version.") from problem
    if not isinstance(record, dict):
        raise LakeError(f"{path} holds no record: roll back to another version.")
    if record.get("format") != FORMAT:
        raise LakeError(f"{path} has format {record.get('format')!r} and this code reads {FORMAT}: update the code.")
    malformed = _malformed(record)
    if malformed:
        raise LakeError(f"{path} is not as it was written ({malformed}): roll back to another version.")
    return record


def _malformed(record: dict[str, Any]) -> str | None:
    """Return what is missing or of another type in a record, None where it can be used."""
    try:
        files_of(record)
        _ = [record[key] for key in ("version_id", "content_sha256", "code", "checks")]
        _ = [source[key] for source in record["sources"].values() for key in ("status", "inputs", "state")]
    except KeyError as problem:
        return f"there is no {problem}"
    except (AttributeError, TypeError) as problem:
        return str(problem)
    return None


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
