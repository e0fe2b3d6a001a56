"""The least a build could do: read, hash, inflate, parse and write the same files, and nothing else."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from isal import igzip

_inflate: Callable[[bytes], bytes] = igzip.decompress
WRITE = {"compression": "zstd", "compression_level": 1, "row_group_size": 131_072}


def cell_folders(bundle: Path) -> list[Path]:
    return sorted({path.parent for path in bundle.glob("models/*/*/*/*")})


def one_cell(job: tuple[Path, Path]) -> int:
    """Read, hash, inflate, parse and write one cell; return the bytes read."""
    folder, target = job
    target.mkdir(parents=True)
    size = 0
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        hashlib.sha256(data).hexdigest()
        size += len(data)
        if path.suffix == ".gz":
            lines = [orjson.loads(line) for line in _inflate(data).splitlines()]
            if path.name.startswith("sampling9"):
                texts = [rollout["text"] for line in lines for rollout in line["rollouts"]]
                pq.write_table(pa.table({"text": texts}), target / "texts.parquet", **WRITE)
        elif path.suffix == ".bin":
            _write_tokens(data, target)
    return size


def _write_tokens(data: bytes, target: Path) -> None:
    """Write as many tokens as the file holds, as if it were one block."""
    n = len(data) // 6
    entropy = np.frombuffer(data, "<f2", n).astype(np.float32)
    ids = np.frombuffer(data, "<i4", n, offset=2 * n)
    pq.write_table(pa.table({"entropy": entropy, "token_id": ids}), target / "tokens.parquet", **WRITE)


def run_floor(bundle: Path, target: Path, workers: int) -> int:
    """Do it for every cell of a bundle with `workers` processes; return the bytes read."""
    jobs = [(folder, target / str(number)) for number, folder in enumerate(cell_folders(bundle))]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        return sum(pool.map(one_cell, jobs))
