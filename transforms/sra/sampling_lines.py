"""One line of `sampling9.jsonl.gz`: its shape, and what has to be right about it beyond that."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from operator import attrgetter
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, UnsetType, field

from transforms.issue_log import IssueLog, shown
from transforms.jsonl import Line
from transforms.sra.layout import CellKey
from transforms.sra.record_shapes import Count, Record, Sample, Shape, Share, columns_of
from transforms.sra.records import RecordReader, named_samples, place, record_rules
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import CONDITIONS, ROLLOUTS_PER_QUESTION

COMMON: Final = record_rules("sampling")
REPEATED_SAMPLE = Rule("sampling.repeated_sample", Severity.ERROR, "A sample occurs twice in a question.")
MISSING_SAMPLE = Rule("sampling.missing_sample", Severity.ERROR, "A question has fewer than its nine samples.")
COPIES_DIFFER = Rule("sampling.agreement_copies_differ", Severity.ERROR, "Copies of a question's agreement differ.")
AGREEMENT_NULL = Rule("sampling.agreement_null", Severity.WARNING, "A question's agreement is not stated.")
SKILL_UNDER_DIRECT = Rule("sampling.skill_under_direct", Severity.WARNING, "A skill is named where none is supplied.")
RULES: Final = (
    *COMMON, REPEATED_SAMPLE, MISSING_SAMPLE, COPIES_DIFFER, AGREEMENT_NULL, SKILL_UNDER_DIRECT,
)  # fmt: skip

_Agreement = Annotated[
    Share | UnsetType | None, Meta(description="the share of the nine answers that equal the native answer")
]


class RolloutMeta(Shape):
    """How a rollout was drawn."""

    presence_penalty: Annotated[float | None, Meta(description="the penalty the sample was drawn with")]
    cap_repair: Annotated[bool | None, Meta(description="whether it was drawn again after it hit the length cap")]


class Rollout(Shape):
    """One of a question's nine rollouts."""

    sample: Annotated[Sample, Meta(description="the rollout's number")]
    text: Annotated[str, Meta(description="what the model generated")]
    answer: Annotated[str | None, Meta(description="the answer, already extracted")]
    stored_correct: Annotated[bool | None, Meta(description="the producer's comparison")] = field(name="correct")
    n_tokens: Annotated[Count | None, Meta(description="the tokens generated")]
    finish_reason: Annotated[str | None, Meta(description="why generation stopped")]
    meta: RolloutMeta
    agreement: _Agreement = UNSET


class SamplingLine(Record, kw_only=True):
    """One question under one condition, with its nine rollouts. Agreement stands here, or on every rollout."""

    instance_id: Annotated[str, Meta(description="the question, as the data set names it")]
    model: str
    dataset: str
    condition: str
    native_answer: Annotated[str | None, Meta(description="the model's own answer, already extracted")]
    agreement: _Agreement = UNSET
    skill_id: Annotated[str | UnsetType | None, Meta(description="the skill supplied")] = UNSET
    rollouts: list[Rollout]


class SkilledLine(SamplingLine, kw_only=True):
    """The same under a condition that supplies a skill: it has to be named."""

    skill_id: Annotated[str | None, Meta(description="the skill supplied")]


ROLLOUT_COLUMNS: Final = columns_of(Rollout) | columns_of(RolloutMeta)
QUESTION_COLUMNS: Final = columns_of(SamplingLine, "instance_id", "native_answer", "agreement", "skill_id")
_ROW: Final = attrgetter(*columns_of(Rollout), *(f"meta.{name}" for name in columns_of(RolloutMeta)))


@dataclass(frozen=True, slots=True)
class QuestionCondition:
    """A sound line: its question and its nine rollouts, in the order of the line, with columns `ROLLOUT_COLUMNS`."""

    instance_id: str
    native_answer: str | None
    agreement: float | None
    skill_id: str | None
    rows: list[tuple[Any, ...]]


class LineReader:
    """Reads the lines of one sampling file; what it notices goes into `log`."""

    def __init__(self, log: IssueLog, cell: CellKey) -> None:
        self.records = RecordReader(log, COMMON, cell)
        self._log = log
        self._direct = cell.condition == CONDITIONS[0]
        self._shape = SkilledLine if cell.condition in CONDITIONS[1:] else SamplingLine

    def question(self, line: Line) -> QuestionCondition | None:
        """Return the question of a line with its nine rollouts, or None with an error noted for everything wrong."""
        found = self.records.take(line, self._shape)
        samples = named_samples(line) if found is None else [rollout.sample for rollout in found.rollouts]
        if not self.records.are_samples(samples, REPEATED_SAMPLE, MISSING_SAMPLE, line) or found is None:
            return None
        agreement = self._agreement(found, line)
        if agreement is UNSET:
            return None
        for rollout in found.rollouts if line.n_bare else ():
            penalty, where = rollout.meta.presence_penalty, {"sample": rollout.sample}
            rollout.meta.presence_penalty = self._not_nan(penalty, "rollouts[].meta.presence_penalty", line, **where)
        rows = [_ROW(rollout) for rollout in found.rollouts]
        return QuestionCondition(found.instance_id, found.native_answer, agreement, self._skill(found, line), rows)

    def _agreement(self, found: SamplingLine, line: Line) -> float | UnsetType | None:
        """Return the question's agreement, wherever the line has it; `UNSET`, with an error noted, where it has not."""
        copies = [rollout.agreement for rollout in found.rollouts if rollout.agreement is not UNSET]
        stated = copies if found.agreement is UNSET else [found.agreement, *copies]
        if not stated:
            self.records.note_missing(["agreement"], line.record, **place(line))
            return UNSET
        distinct = {repr(value) for value in stated} if copies else stated
        if len(distinct) > 1 or len(copies) not in {0, ROLLOUTS_PER_QUESTION}:
            message = f"Agreement is copied onto {len(copies)} rollouts with {len(distinct)} different values; "
            message += "expected one value a question."
            self._log.add(COPIES_DIFFER, message, **place(line), value=str(len(distinct)))
            return UNSET
        (agreement, *_) = stated
        if agreement is None:
            self._log.add(AGREEMENT_NULL, "Agreement is null; the recomputed one stands beside it.", **place(line))
        return self._not_nan(agreement, "agreement", line)

    def _not_nan(self, value: float | None, name: str, line: Line, **where: int) -> float | None:
        if value is None or not isnan(value):
            return value
        self._log.add(COMMON.nan, f"{name} is NaN; stored as null.", **place(line), **where, value="NaN")
        return None

    def _skill(self, found: SamplingLine, line: Line) -> str | None:
        skill = None if found.skill_id is UNSET else found.skill_id
        if skill and self._direct:
            message = f"The record names the skill {shown(skill)} under direct, where none is supplied; stored as null."
            self._log.add(SKILL_UNDER_DIRECT, message, **place(line))
            return None
        return skill
