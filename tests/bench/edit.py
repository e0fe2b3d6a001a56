"""Editing a bundle in place, with its manifest renewed."""

from __future__ import annotations

import csv
import gzip
import hashlib
from pathlib import Path


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


def repack_one_file(bundle: Path) -> str:
    """Pack the first cell's sampling file again at another level: other bytes, the same lines. Return its path."""
    path = sorted(bundle.glob("models/*/*/*/sampling9.jsonl.gz"))[0]
    data = gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=1)
    relative = path.relative_to(bundle).as_posix()
    replace_file(bundle, relative, data)
    return relative
