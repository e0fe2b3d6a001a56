"""The GRACE sample: three made-up packets with buzzes, and model runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.progress import Reporter
from synthetic.grace import synth_release, synth_runs


def make_sample(folder: Path, seed: int, _reporter: Reporter) -> Mapping[str, Any]:
    """Write a small release and its runs below `folder`; return the options that read them."""
    release, runs = folder / "grace" / "release.zip", folder / "grace" / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    release.write_bytes(synth_release(seed))
    for name, data in synth_runs(seed, elicitation="verb").items():
        (runs / name).write_bytes(data)
    return {"grace": str(release), "grace_runs": str(runs), "elicitation": "verb"}
