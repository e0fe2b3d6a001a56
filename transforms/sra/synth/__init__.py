"""Synthetic raw SRA bundles: deterministic, at any scale, with a known truth, and with faults planted by name."""

from transforms.sra.synth.bundle import FileMeta, JobResult, describe, finish, generate, run_job
from transforms.sra.synth.cell import Counts
from transforms.sra.synth.latent import Latent, draw
from transforms.sra.synth.spec import Effect, Job, Spec, manifest_paths, plan

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
