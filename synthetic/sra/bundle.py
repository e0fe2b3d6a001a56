"""A whole bundle from its jobs: files, audit and manifest. Nothing is written here; the caller does that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import orjson

from synthetic.sra.cell import Counts, build_cell
from synthetic.sra.questions import instances_file
from synthetic.sra.spec import AUX_FILES, SAMPLES, Job, Spec, plan
from synthetic.sra.vocabulary import family_of, vocabulary

BUNDLE = "bundle/"
INSTANCES = "instances/"


@dataclass(frozen=True, slots=True)
class JobResult:
    """Files of one job, paths with their `bundle/` or `instances/` prefix; `counts` only for a cell."""

    job: Job
    files: list[tuple[str, bytes]]
    counts: Counts | None = None


@dataclass(frozen=True, slots=True)
class FileMeta:
    """What the manifest says of one file; `path` is relative to the bundle."""

    path: str
    size: int
    sha256: str


def describe(path: str, data: bytes) -> FileMeta:
    """Measure one file; `path` may carry the `bundle/` prefix."""
    return FileMeta(path.removeprefix(BUNDLE), len(data), hashlib.sha256(data).hexdigest())


def _aux(spec: Spec) -> list[tuple[str, bytes]]:
    rows = [(k, {"report": k, "seed": spec.seed, "scale": spec.scale}) for k in range(AUX_FILES[spec.scale])]
    return [(f"aux/report_{k:03d}.json", orjson.dumps(row)) for k, row in rows]


def run_job(spec: Spec, job: Job) -> JobResult:
    """Run one job. The result depends on `spec` and `job` alone: not on order, process or time."""
    if job.kind == "instances":
        return JobResult(job, [(f"{INSTANCES}{job.dataset}.json", instances_file(spec, job.dataset))])
    counts = None
    if job.kind == "cell":
        files, counts = build_cell(spec, job)
    elif job.kind == "tokenizer":
        data = vocabulary(family_of(job.model), spec.scale, spec.seed).tokenizer_json()
        files = [(f"tokenizers/{job.model}/tokenizer.json", data)]
    else:
        files = _aux(spec)
    return JobResult(job, [(BUNDLE + path, data) for path, data in files], counts)


def audit_json(counts: Iterable[tuple[Job, Counts]]) -> bytes:
    """`BUNDLE_AUDIT.json` over the cells that were made, in the order of the plan's names."""
    cells = sorted(counts, key=lambda item: item[0].cell)
    ab = sum(c.ab for _, c in cells)
    hashed, positional = sum(c.tf_hashed for _, c in cells), sum(c.tf_positional for _, c in cells)
    rollouts = sum(c.rollouts for _, c in cells)
    audit = {
        "question_conditions": rollouts // SAMPLES,
        "rollouts": rollouts,
        "joins": {
            "ab": {"records": ab, "verified": ab, "positional": 0},
            "tf": {"records": hashed + positional, "verified": hashed, "positional": positional},
        },
        "entropy": {
            job.cell: {"rollouts": c.rollouts, "tokens": c.entropy_tokens}
            for job, c in cells
            if c.entropy_tokens is not None
        },
    }
    return orjson.dumps(audit, option=orjson.OPT_INDENT_2)


def manifest_csv(files: Iterable[FileMeta]) -> bytes:
    """`MANIFEST.csv`: a line a file, sorted by path."""
    lines = [f"{f.path},{f.size},{f.sha256}" for f in sorted(files, key=lambda f: f.path)]
    return "\n".join(["path,size_bytes,sha256", *lines, ""]).encode()


def finish(counts: Iterable[tuple[Job, Counts]], files: Iterable[FileMeta]) -> list[tuple[str, bytes]]:
    """Return the two files that need all others: the audit, then the manifest.

    `files` names every other file of the bundle; what stands under `instances/` is no part of it and is left out.
    """
    audit = audit_json(counts)
    inside = [f for f in files if not f.path.startswith(INSTANCES)]
    manifest = manifest_csv([*inside, describe("BUNDLE_AUDIT.json", audit)])
    return [(f"{BUNDLE}BUNDLE_AUDIT.json", audit), (f"{BUNDLE}MANIFEST.csv", manifest)]


def generate(spec: Spec) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of a whole bundle and its questions, in one process; the manifest comes last."""
    counts: list[tuple[Job, Counts]] = []
    metas: list[FileMeta] = []
    for job in plan(spec):
        result = run_job(spec, job)
        counts += [(job, result.counts)] if result.counts else []
        metas += [describe(path, data) for path, data in result.files]
        yield from result.files
    yield from finish(counts, metas)
