"""Named streams of random numbers: what a job draws depends on the seed and on its own name, on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np

Generator = np.random.Generator


def stream(seed: int, *name: str) -> Generator:
    """Return the generator of one named purpose; equal arguments give equal draws in any process and any order."""
    digest = hashlib.sha256("/".join(name).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))
