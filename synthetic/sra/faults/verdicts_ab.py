"""Faults of the A/B probe, on sound gzip and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from synthetic.sra.faults.base import AB, Planter, Record
from synthetic.sra.faults.probes import MARK, bare_nan, fault, of_both


def _ab(edit: Callable[[Record], object]) -> Planter:
    return lambda patch: patch.edit_line(AB, edit)


def _order(key: str, value: object) -> Planter:
    """Set one figure of order BA of one rollout."""
    return _ab(lambda record: record["rollouts"][3]["orders"]["BA"].update({key: value}))


def _mark_letter(record: Record) -> None:
    record["rollouts"][3]["orders"]["AB"]["logp_B"] = MARK


FAULTS: Final = (
    *of_both("ab", AB),
    fault("ab_eight_rollouts", "A record has eight rollouts.", "ab.", _ab(lambda r: r["rollouts"].pop())),
    fault(
        "ab_repeated_sample",
        "Two rollouts have one sample number.",
        "ab.",
        _ab(lambda r: r["rollouts"][1].update(sample=0)),
    ),
    fault("ab_no_order", "One of the two orders is gone.", "ab.", _ab(lambda r: r["rollouts"][3]["orders"].pop("BA"))),
    fault(
        "ab_no_letter",
        "A letter's log-probability is gone.",
        "ab.",
        _ab(lambda r: r["rollouts"][3]["orders"]["AB"].pop("logp_B")),
    ),
    fault("ab_no_hashes", "The answer hashes are gone.", "ab.", _ab(lambda r: r.pop("answer_sha256s"))),
    fault("ab_logp_is_text", "A log-probability is a string.", "ab.", _order("logp_A", "-0.1")),
    fault("ab_positive_logp", "A log-probability is positive.", "ab.", _order("logp_B", 0.3)),
    fault("ab_mass_large", "A letter mass is 1.2.", "ab.", _order("letter_mass", 1.2)),
    fault("ab_mass_negative", "A letter mass is negative.", "ab.", _order("letter_mass", -0.04)),
    fault("ab_null", "A log-probability is null: the probe failed.", "ab.null", _order("logp_A", None), "info"),
    fault(
        "ab_bare_nan",
        "A log-probability is the bare token NaN.",
        "ab.nan",
        bare_nan(AB, _mark_letter, None),
        "warning",
    ),
)
