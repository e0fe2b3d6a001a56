"""Editing a bundle in place, with its manifest renewed."""

from __future__ import annotations

import csv
import gzip
import hashlib
from pathlib import Path

import orjson


def replace_file(bundle: Path, relative: str, data: bytes) -> None:
    """Replace a file (its hard link, never its shared bytes) and its line of the manifest."""
    target = bundle / relative
    target.unlink()
    target.write_bytes(data)
    manifest = bundle / "MANIFEST.csv"
    rows = list(csv.reader(manifest.read_text().splitlines()))
    rows = [[relative, str(len(data)), hashlib.sha256(data).hexdigest()] if row[0] == relative else row for row in rows]
    manifest.unlink()
    manifest.write_text("".join(",".join(row) + "\n" for row in rows))


def change_one_rollout(bundle: Path) -> str:
    """Add a line break to the text of one rollout of the first cell, so that its tables change. Return the path."""
    path = sorted(bundle.glob("models/*/*/*/sampling9.jsonl.gz"))[0]
    lines = gzip.decompress(path.read_bytes()).splitlines()
    record = orjson.loads(lines[0])
    record["rollouts"][0]["text"] += "\n"
    data = gzip.compress(b"\n".join([orjson.dumps(record), *lines[1:], b""]), 1, mtime=0)
    relative = path.relative_to(bundle).as_posix()
    replace_file(bundle, relative, data)
    return relative
