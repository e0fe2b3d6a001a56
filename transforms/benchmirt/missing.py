"""Scores that are not simply 0 or 1, each kind noted by its own rule."""

from __future__ import annotations

from transforms.benchmirt import rules
from transforms.issue_log import IssueLog


def note_missing(n_empty: int, n_nan: int, n_fraction: int, log: IssueLog) -> None:
    """Note how many scores are empty, NaN and fractional, where there are any."""
    if n_empty:
        log.add(rules.EMPTY_SCORE, f"{n_empty} scores are missing; kept as null.", value=str(n_empty))
    if n_nan:
        log.add(rules.NAN_SCORE, f"{n_nan} scores say NaN; kept as NaN, and in no mean.", value=str(n_nan))
    if n_fraction:
        log.add(
            rules.FRACTIONAL_SCORE,
            f"{n_fraction} scores lie between 0 and 1; they count in means and leave their items out of a fit.",
            value=str(n_fraction),
        )
