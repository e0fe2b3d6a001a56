"""Synthetic raw SRA bundles: deterministic, at any scale, with a known truth, and with faults planted by name.

Belongs here: what is drawn, how it is written as a bundle, and the truth it is drawn from.

Does not belong here: reading: no reader imports this; a figure of the lake, which must not be taken from the truth.
"""

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
