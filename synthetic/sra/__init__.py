"""Synthetic raw SRA bundles: deterministic, at any scale, with a known truth, and with faults planted by name."""

from synthetic.sra.bundle import FileMeta, JobResult, describe, finish, generate, run_job
from synthetic.sra.cell import Counts
from synthetic.sra.latent import Latent, draw
from synthetic.sra.spec import Effect, Job, Spec, manifest_paths, plan

__all__ = [
    "Counts",
    "Effect",
    "FileMeta",
    "Job",
    "JobResult",
    "Latent",
    "Spec",
    "describe",
    "draw",
    "finish",
    "generate",
    "manifest_paths",
    "plan",
    "run_job",
]
