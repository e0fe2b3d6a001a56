"""What the readers of the two verdict probes share: answer hashes, samples, failed probes, and their rules."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import polars as pl

from transforms.issue_log import IssueLog, shown_all
from transforms.jsonl import Line, json_type
from transforms.sra.layout import CellKey
from transforms.sra.record_shapes import Shape
from transforms.sra.records import (
    SAMPLES,
    RecordReader,
    RecordRules,
    named_samples,
    place,
    record_rules,
    sample_of,
)
from warehouse.contracts import Issue, Rule, Severity

HASH_BASIS: Final = "answer_sha256"
POSITION_BASIS: Final = "position"
# Stands where a hash should and is none; no hash has eight letters.
UNSOUND: Final = "unsound"
_NINE_HASHES: Final = re.compile("[0-9a-f]{576}")
_HASH: Final = re.compile("[0-9A-Fa-f]{64}")


class ProbeRules(NamedTuple):
    """The rules that both probes' readers have, each under its own name."""

    common: RecordRules
    not_nine: Rule
    bad_hash: Rule
    upper_hash: Rule
    null_value: Rule
    repeated_sample: Rule
    missing_sample: Rule
    another_order: Rule


def probe_rules(prefix: str) -> ProbeRules:
    """Return the rules of one probe's reader, named `<prefix>.…`."""
    error, info = Severity.ERROR, Severity.INFO
    return ProbeRules(
        common=record_rules(prefix),
        not_nine=Rule(f"{prefix}.not_nine", error, "A list that has an element a sample has not nine."),
        bad_hash=Rule(f"{prefix}.bad_hash", error, "An answer hash is not 64 hexadecimal digits."),
        upper_hash=Rule(f"{prefix}.upper_hash", info, "An answer hash is written in upper case."),
        null_value=Rule(f"{prefix}.null", info, "A value is null: the probe failed for the rollout."),
        repeated_sample=Rule(f"{prefix}.repeated_sample", error, "A rollout has two records in one file."),
        missing_sample=Rule(f"{prefix}.missing_sample", error, "A question has records of fewer than nine samples."),
        another_order=Rule(f"{prefix}.another_order", info, "Records are not in the order of their keys."),
    )


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One probe's file as normalised, before the join: a row a rollout, sorted by key, without the cell's columns."""

    frame: pl.DataFrame
    issues: list[Issue]


class _OfSample(Protocol):
    @property
    def sample(self) -> int: ...


_Shape = TypeVar("_Shape", bound=Shape)
_Rollout = TypeVar("_Rollout", bound=_OfSample)


class ProbeReader(RecordReader):
    """Checks one probe's records and remembers which rollouts have been seen."""

    def __init__(self, log: IssueLog, rules: ProbeRules, cell: CellKey) -> None:
        super().__init__(log, rules.common, cell)
        self.probe = rules
        self.wrong_length = rules.not_nine
        self._seen: dict[str, dict[int, int]] = {}
        self._last: tuple[str, int] = ("", -1)
        self._unordered = 0

    def take(self, line: Line, shape: type[_Shape]) -> _Shape | None:
        """Do what every reader does, and judge the samples and hashes of an unsound record too."""
        found = super().take(line, shape)
        if found is None:
            self._judge(line)
        return found

    def _judge(self, line: Line) -> None:
        nine, rollouts, where = line.record.get("answer_sha256s"), line.record.get("rollouts"), place(line)
        self.are_samples(named_samples(line), self.probe.repeated_sample, self.probe.missing_sample, line)
        if type(nine) is list and len(nine) == len(SAMPLES):
            self.hashes(nine, **where)
        for one in (line.record, *(rollouts if type(rollouts) is list else [])):
            if type(one) is dict and type(one.get("answer_sha256")) is str:
                self.hash(one["answer_sha256"], **where, sample=sample_of(one))

    def hashes(self, found: Sequence[Any], **where: Any) -> list[str | None] | None:  # noqa: ANN401 - issue fields
        """Return nine answer hashes in lower case, null where there was no answer; None where any is unsound."""
        if (
            set(map(type, found)) == {str}
            and {len(h) for h in found} == {64}
            and _NINE_HASHES.fullmatch("".join(found))
        ):
            return list(found)
        read = [self.hash(value, **(where | {"sample": sample})) for sample, value in enumerate(found)]
        return None if UNSOUND in read else [None if value is None else value.lower() for value in read]

    def hash(self, found: object, **where: Any) -> str | None:  # noqa: ANN401 - issue fields
        """Return one answer hash in lower case; a hash that is none becomes an error and a mark that is no hash."""
        if found is None:
            return None
        if not isinstance(found, str) or not _HASH.fullmatch(found):
            what = f"a string of {len(found)} characters" if isinstance(found, str) else json_type(found)
            self.log.add(self.probe.bad_hash, f"An answer hash is {what}; expected 64 hexadecimal digits.", **where)
            return UNSOUND
        if found != found.lower():
            self.log.add(self.probe.upper_hash, "An answer hash is written in upper case; read all the same.", **where)
        return found.lower()

    def _note_missing(self, missing: Sequence[int], **where: Any) -> None:  # noqa: ANN401 - issue fields
        message = f"Samples {shown_all(missing)} have no record; expected nine, null where the probe failed."
        self.log.add(self.probe.missing_sample, message, **where)

    def null_or_nan(self, value: float | None, name: str, **where: Any) -> bool:  # noqa: ANN401 - issue fields
        """Tell whether a value is missing, and record whether the probe failed or wrote NaN."""
        if value is None:
            self.log.add(self.probe.null_value, f"{name} is null: the probe failed for this rollout.", **where)
            return True
        if math.isnan(value):
            self.log.add(self.rules.nan, f"{name} is NaN, which is kept apart from null.", **(where | {"value": "NaN"}))
            return True
        return False

    def admits(self, instance_id: str, samples: Sequence[int], line: int) -> bool:
        """Tell whether none of these rollouts has a record yet, and remember that they have one now."""
        known = self._seen.setdefault(instance_id, {})
        repeated = [sample for sample in samples if sample in known]
        if repeated:
            lines = shown_all(sorted({known[sample] for sample in repeated}))
            message = f"Samples {shown_all(repeated)} of this question have records already, in line {lines}."
            sample = repeated[0] if len(repeated) == 1 else None
            self.log.add(self.probe.repeated_sample, message, line=line, instance_id=instance_id, sample=sample)
            return False
        known.update((sample, line) for sample in samples)
        first = (instance_id, samples[0])
        self._unordered += first < self._last
        self._last = first
        return True

    def in_order(self, rollouts: list[_Rollout]) -> list[_Rollout]:
        """Return a record's rollouts in sample order."""
        if [rollout.sample for rollout in rollouts] == SAMPLES:
            return rollouts
        self._unordered += 1
        return sorted(rollouts, key=attrgetter("sample"))

    def finish(self) -> None:
        """Record what is known only at the end of the file: questions that are not whole, drift, another order."""
        for instance_id, known in self._seen.items():
            missing = [sample for sample in SAMPLES if sample not in known]
            if missing:
                self._note_missing(missing, line=min(known.values()), instance_id=instance_id)
        self.report_drift()
        if self._unordered:
            message = f"{self._unordered} lines come in another order than their keys'; sorted."
            self.log.add(self.probe.another_order, message, value=str(self._unordered))
