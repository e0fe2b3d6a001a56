"""Small bundles on disk that have every kind of file, and changing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from synthetic.sra import Job, Spec, describe, finish, plan, run_job

Files = dict[str, bytes]

CELLS = frozenset(
    {
        ("Qwen3-32B", "champ", "direct"),
        ("Qwen3-32B", "champ", "llm_select"),
        ("Qwen3-32B", "theoremqa", "direct"),
        ("Qwen3-32B", "theoremqa", "llm_select"),
        ("Gemma-4-31B-it", "champ", "direct"),
    }
)
"""Two data sets, two conditions, one model with every signal and one to which the A/B probe does not apply."""


def part_of(spec: Spec, keep: Callable[[Job], bool]) -> Files:
    """Return the bundle and questions of some of a specification's jobs, with the audit and manifest of just those."""
    files: Files = {}
    counts, metas = [], []
    for job in filter(keep, plan(spec)):
        result = run_job(spec, job)
        counts += [(job, result.counts)] if result.counts else []
        metas += [describe(path, data) for path, data in result.files]
        files |= dict(result.files)
    return files | dict(finish(counts, metas))


def _is_kept(job: Job) -> bool:
    models, datasets = {cell[0] for cell in CELLS}, {cell[1] for cell in CELLS}
    if job.kind == "cell":
        return (job.model, job.dataset, job.condition) in CELLS
    return (not job.model or job.model in models) and (not job.dataset or job.dataset in datasets)


@cache
def small_bundle(seed: int = 5) -> Mapping[str, bytes]:
    """Return five cells of a tiny bundle, their tokenizers and questions: every kind of file there is."""
    return part_of(Spec("tiny", seed=seed), _is_kept)


def write_files(target: Path, files: Mapping[str, bytes | None]) -> Path:
    """Write files below a folder, and remove those that are None; return the folder."""
    for path, data in files.items():
        place = target / path
        if data is None:
            place.unlink(missing_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return target
