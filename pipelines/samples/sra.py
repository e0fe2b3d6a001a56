"""The SRA sample: forty questions a data set."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.commands.sample import write_sample
from pipelines.progress import Reporter
from synthetic.sra import Spec


def make_sample(folder: Path, seed: int, reporter: Reporter) -> Mapping[str, Any]:
    """Write a small bundle below `folder`; return the options that read it."""
    target = folder / "sra"
    shutil.rmtree(target, ignore_errors=True)
    write_sample(target, Spec(scale="small", seed=seed), os.cpu_count() or 1, reporter)
    return {"sra": str(target / "bundle"), "instances": str(target / "instances")}
