"""GRACE: quiz questions with the buzzes of human teams and of models, and model runs where somebody has them.

Belongs here: reading the release's archive, packets, buzzes and model runs, and the rules they are held against.

Does not belong here: the figures of the benchmark, which are queries (`sql/`); files on disk
(`pipelines/sources/grace.py`).
"""

from __future__ import annotations

from transforms.grace.release import KNOWN_RELEASES, check_release, read_release, release_counts
from transforms.grace.rules import RULES
from transforms.grace.run_lists import Elicitation
from transforms.grace.runs import attach_clues, is_run_file, read_runs
from transforms.grace.tables import Limits, SourceTables

__all__ = [
    "KNOWN_RELEASES",
    "RULES",
    "Elicitation",
    "Limits",
    "SourceTables",
    "attach_clues",
    "check_release",
    "is_run_file",
    "read_release",
    "read_runs",
    "release_counts",
]
