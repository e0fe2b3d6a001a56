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


_OTHER_DIGITS = str.maketrans("0123456789", "1234567890")


def change_one_cell(bundle: Path) -> str:
    """Write another digit for every digit of the first cell's texts, so that its figures change. Return the path."""
    path = sorted(bundle.glob("models/*/*/*/sampling9.jsonl.gz"))[0]
    records = [orjson.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    for rollout in (rollout for record in records for rollout in record["rollouts"]):
        rollout["text"] = rollout["text"].translate(_OTHER_DIGITS)
    data = gzip.compress(b"".join(orjson.dumps(record) + b"\n" for record in records), 1, mtime=0)
    relative = path.relative_to(bundle).as_posix()
    replace_file(bundle, relative, data)
    return relative
