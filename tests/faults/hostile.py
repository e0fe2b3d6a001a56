"""Bundles whose names are hostile: to a path, to SQL, to a shell, a terminal or a spreadsheet."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from synthetic.sra.records import inflate, json_lines
from tests.faults.bundles import Files

NAMES: Final = (
    "it's; DROP TABLE rollouts; --", 'a"b', "%2E%2E", "模型𝔘😀", "-rf", ".hidden", "a b ", "*?[x]", "$(id)`id`",
    "=1+1", "a\nb", "a\tb", "x" * 200, "C:", "\u202eabc", "part-0.parquet", "model=x", "NUL", "{{x}}", "a,b", "~",
)  # fmt: skip
"""Names that a bundle may have."""
REFUSED: Final = {
    "..": "manifest.bad_path",
    "a\\b": "manifest.bad_path",
    "a\x1b[31mb": "manifest.bad_path",
    "é" * 120: "layout.name_too_long",
}
"""Names that it may not have, each with the rule that says so."""
IDS: Final = (
    "'; DROP TABLE rollouts; --", "a\nb\r\n", "a\x00b", "😀𝔘", "../../etc/passwd", "=cmd|' /C calc'!A0", "x" * 10_000,
    " ", "NaN", "null", '"', "\x1b[31m", "\ufeff",
)  # fmt: skip
"""Names that a question may have: they are values and stand in no path."""


def manifest_of(files: Mapping[str, bytes]) -> bytes:
    """Return a manifest of a bundle's files, quoted as CSV where a name needs it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["path", "size_bytes", "sha256"])
    for path, data in sorted(files.items()):
        name = path.removeprefix("bundle/")
        if path.startswith("bundle/") and name != "MANIFEST.csv":
            writer.writerow([name, len(data), hashlib.sha256(data).hexdigest()])
    return text.getvalue().encode()


def renamed(files: Mapping[str, bytes], kind: str, old: str, new: str) -> Files:
    """Return a bundle in which a model, data set or condition has another name wherever it stands."""

    def other(text: str) -> str:
        return "/".join(new if part == old else part for part in text.split("/"))

    found: Files = {}
    for path, data in files.items():
        if path.startswith("instances/"):
            found[path] = data
        elif path.endswith("sampling9.jsonl.gz"):
            found[other(path)] = _edited(data, lambda r: r.update({kind: new}) if r.get(kind) == old else None)
        else:
            found[other(path)] = data
    audit = orjson.loads(found["bundle/BUNDLE_AUDIT.json"])
    audit["entropy"] = {other(cell): counts for cell, counts in audit["entropy"].items()}
    found["bundle/BUNDLE_AUDIT.json"] = orjson.dumps(audit)
    return found | {"bundle/MANIFEST.csv": manifest_of(found)}


def with_ids(files: Mapping[str, bytes], names: Mapping[str, str]) -> Files:
    """Return a bundle whose questions have other names, in every file."""

    def rename(record: dict[str, Any]) -> None:
        record["instance_id"] = names.get(record["instance_id"], record["instance_id"])

    found: Files = {}
    for path, data in files.items():
        if path.startswith("instances/"):
            rows = orjson.loads(data)
            for row in rows:
                rename(row)
            found[path] = orjson.dumps(rows)
        else:
            found[path] = _edited(data, rename) if path.endswith(".jsonl.gz") else data
    return found | {"bundle/MANIFEST.csv": manifest_of(found)}


def _edited(data: bytes, edit: Callable[[dict[str, Any]], object]) -> bytes:
    records = [orjson.loads(line) for line in inflate(data).splitlines()]
    for record in records:
        edit(record)
    return json_lines(records)
