"""The BenchMIRT sample: a small response table with its metadata, and a fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.progress import Reporter
from synthetic.benchmirt import make_release


def make_sample(folder: Path, seed: int, _reporter: Reporter) -> Mapping[str, Any]:
    """Write a small release below `folder`; return the options that read and fit it."""
    release, target = make_release(seed=seed), folder / "benchmirt"
    target.mkdir(parents=True, exist_ok=True)
    files = {
        "benchmirt": ("responses.csv", release.responses_csv),
        "benchmirt_items": ("question_metadata.csv", release.items_csv),
        "benchmirt_models": ("models.csv", release.models_csv),
    }
    for name, data in files.values():
        (target / name).write_bytes(data)
    return {option: str(target / name) for option, (name, _data) in files.items()} | {"irt_fit": "2pl"}
