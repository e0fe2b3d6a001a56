"""Small token-entropy files, written here the way the format says and independently of the reader."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from transforms.sra.entropy_index import INDEX_SCHEMA
from transforms.sra.tokenizers import Vocabulary

SHARED = Path(__file__).resolve().parents[4] / "shared"
BIN, INDEX = "cell/token_entropy9.bin", "cell/token_entropy9.index.jsonl.gz"


@dataclass
class Generation:
    """A rollout to write; entropies may be anything a float16 can be."""

    instance_id: str
    sample: int
    entropies: Sequence[float] = (0.5,)
    token_ids: Sequence[int] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def block(self, layout: str) -> bytes:
        ids = list(self.token_ids) or [0] * len(self.entropies)
        halves = [struct.pack("<e", value) for value in self.entropies]
        words = [struct.pack("<i", token_id) for token_id in ids]
        pieces = (
            halves + words
            if layout == "blocked"
            else [part for pair in zip(halves, words, strict=True) for part in pair]
        )
        return b"".join(pieces)


def write(generations: Sequence[Generation], layout: str = "blocked") -> tuple[bytes, pl.DataFrame]:
    """Return the binary file and its decoded index, blocks and lines in the order given."""
    data, rows = b"", []
    for line, one in enumerate(generations, start=1):
        halves = np.array(one.entropies, np.float16).astype(np.float64)
        stored = {
            "mean_entropy": float(halves.mean()) if len(halves) else None,
            "max_entropy": float(halves.max()) if len(halves) else None,
        }
        place = {"offset": len(data), "n_tokens": len(one.entropies), "line": line}
        rows.append({"instance_id": one.instance_id, "sample": one.sample, **place, **stored, **one.extra})
        data += one.block(layout)
    return data, pl.DataFrame(rows, schema=INDEX_SCHEMA)


def vocabulary(pieces: Sequence[bytes]) -> Vocabulary:
    """Return a vocabulary whose id i has the bytes `pieces[i]`."""
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    return Vocabulary.from_bytes(b"".join(pieces), lengths, np.ones(len(pieces), np.bool_))


def piece(known: Vocabulary, token_id: int) -> bytes:
    """Return the bytes of one id."""
    return known.blob[known.offsets[token_id] : known.offsets[token_id + 1]].tobytes()
