"""One line of `sampling9.jsonl.gz`: read quickly where it is exactly as expected, explained where it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan
from operator import itemgetter
from typing import Any, Final

from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsonl import Line
from transforms.sra.layout import CellKey
from transforms.sra.records import SAMPLES, Field, Kind, RecordReader, record_rules
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import CONDITIONS, ROLLOUTS_PER_QUESTION

_MAX_TOKENS: Final = 2**31 - 1

COMMON: Final = record_rules("sampling")
REPEATED_SAMPLE = Rule("sampling.repeated_sample", Severity.ERROR, "A sample occurs twice in a question.")
MISSING_SAMPLE = Rule("sampling.missing_sample", Severity.ERROR, "A question has fewer than its nine samples.")
COPIES_DIFFER = Rule("sampling.agreement_copies_differ", Severity.ERROR, "Copies of a question's agreement differ.")
AGREEMENT_NULL = Rule("sampling.agreement_null", Severity.WARNING, "A question's agreement is not stated.")
SKILL_UNDER_DIRECT = Rule("sampling.skill_under_direct", Severity.WARNING, "A skill is named where none is supplied.")
RULES: Final = (
    *COMMON.all, REPEATED_SAMPLE, MISSING_SAMPLE, COPIES_DIFFER, AGREEMENT_NULL, SKILL_UNDER_DIRECT,
)  # fmt: skip

_AGREEMENT: Final = Field("agreement", Kind.NUMBER, nullable=True, needed=False, low=0, high=1)
_SKILL: Final = Field("skill_id", Kind.STRING, nullable=True)
_RECORD_FIELDS: Final = (
    *(Field(key, Kind.STRING) for key in ("instance_id", "model", "dataset", "condition")),
    Field("native_answer", Kind.STRING, nullable=True), _AGREEMENT, _SKILL, Field("rollouts", Kind.ARRAY),
)  # fmt: skip
_ROLLOUT_FIELDS: Final = (
    Field("sample", Kind.INTEGER, high=ROLLOUTS_PER_QUESTION - 1), Field("text", Kind.STRING),
    Field("answer", Kind.STRING, nullable=True), Field("correct", Kind.BOOLEAN, nullable=True),
    Field("n_tokens", Kind.INTEGER, nullable=True), Field("finish_reason", Kind.STRING, nullable=True),
    Field("meta", Kind.OBJECT), _AGREEMENT,
)  # fmt: skip
_META_FIELDS: Final = (
    Field("presence_penalty", Kind.NUMBER, nullable=True),
    Field("cap_repair", Kind.BOOLEAN, nullable=True),
)

# The plain shape, which is checked with a handful of operations a rollout. Whatever is not plain is explained.
_RECORD: Final = itemgetter(*(field.key for field in _RECORD_FIELDS))
_ROLLOUT: Final = itemgetter("sample", "text", "answer", "correct", "n_tokens", "finish_reason")
_META: Final = itemgetter("presence_penalty", "cap_repair")
_NONE: Final = type(None)
_RECORD_TYPES: Final = frozenset(product([str], [str], [str], [str], [str, _NONE], [float, int], [str, _NONE], [list]))
_ROLLOUT_TYPES: Final = frozenset(
    product([int], [str], [str, _NONE], [bool, _NONE], [int, _NONE], [str, _NONE], [float, int, _NONE], [bool, _NONE])
)
RolloutRow = tuple[int, str, str | None, bool | None, int | None, str | None, float | None, bool | None]


@dataclass(frozen=True, slots=True)
class Question:
    """A sound line: one question-condition and its nine rollouts, in the order of the line."""

    instance_id: str
    native_answer: str | None
    agreement: float | None
    skill_id: str | None
    rows: list[RolloutRow]


class LineReader:
    """Reads the lines of one sampling file; what it notices goes into `log`."""

    def __init__(self, log: IssueLog, cell: CellKey) -> None:
        self._log = log
        self._cell = (cell.model, cell.dataset, cell.condition)
        self._direct = cell.condition == CONDITIONS[0]
        self._records = RecordReader(log, COMMON, cell)
        needs_skill = cell.condition in CONDITIONS[1:]
        self._fields = [replace(f, needed=needs_skill) if f is _SKILL else f for f in _RECORD_FIELDS]

    def question(self, line: Line) -> Question | None:
        """Return the question of a line with its nine rollouts, or None with an error noted for everything wrong."""
        before = self._log.total
        question = self._plain(line) or self._explained(line)
        if line.n_bare and self._log.total == before:
            self._records.note_unread_nan(line.number)
        return question

    def finish(self) -> None:
        """Report what is known only at the end of the file."""
        self._records.report_drift()

    # --- the plain shape ---

    def _plain(self, line: Line) -> Question | None:
        """Return the question of a line that is exactly as expected; None where it has to be looked at closely."""
        record = line.record
        if line.n_bare or len(record) != len(_RECORD_FIELDS):
            return None
        try:
            values = _RECORD(record)
            rows = _plain_rows(values[7]) if tuple(map(type, values)) in _RECORD_TYPES else None
        except KeyError:
            return None
        if rows is None or values[1:4] != self._cell or not 0 <= values[5] <= 1 or (self._direct and values[6]):
            return None
        return Question(values[0], values[4], values[5], values[6], rows)

    # --- whatever is not plain ---

    def _explained(self, line: Line) -> Question | None:
        """Return the question of a line, or None with an error noted for everything that is wrong with it."""
        found = line.record.get("instance_id")
        where: dict[str, Any] = {"line": line.number, "instance_id": found if type(found) is str else None}
        values = self._records.read(line.record, self._fields, "", **where)
        in_folder = self._records.in_folder(line.record, **where)
        listed = line.record.get("rollouts")
        rollouts = [self._rollout(r, where) for r in listed] if type(listed) is list else []
        complete = type(listed) is list and self._has_nine(rollouts, where)
        if values is None or not in_folder or not complete:
            return None
        sound = [rollout for rollout in rollouts if rollout is not None]
        agreement = self._agreement(line.record, values, sound, where)
        if agreement is _UNSOUND:
            return None
        rows = [rollout["row"] for rollout in sound]
        return Question(values["instance_id"], values["native_answer"], agreement, self._skill(values, where), rows)

    def _rollout(self, found: object, where: dict[str, Any]) -> dict[str, Any] | None:
        sample = found.get("sample") if type(found) is dict else None
        place = where | {"sample": sample if type(sample) is int and 0 <= sample < 2**31 else None}
        values = self._records.read(found, _ROLLOUT_FIELDS, "rollouts[].", **place)
        if values is None:
            return None
        meta = self._records.read(values["meta"], _META_FIELDS, "rollouts[].meta.", **place)
        if meta is None:
            return None
        penalty = self._not_nan(meta["presence_penalty"], "rollouts[].meta.presence_penalty", place)
        values["row"] = (*_ROLLOUT(values), penalty, meta["cap_repair"])
        values["copied"] = isinstance(found, dict) and "agreement" in found
        return values

    def _has_nine(self, rollouts: Sequence[dict[str, Any] | None], where: dict[str, Any]) -> bool:
        """Tell whether the rollouts are sound and are the nine samples, each once."""
        samples = Counter(rollout["sample"] for rollout in rollouts if rollout is not None)
        repeated = [sample for sample, n in samples.items() if n > 1]
        missing = [sample for sample in SAMPLES if sample not in samples]
        for sample in repeated:
            message = f"Sample {sample} occurs {samples[sample]} times; expected samples 0 to 8, each once."
            self._log.add(REPEATED_SAMPLE, message, **(where | {"sample": sample}))
        if missing and None not in rollouts:
            message = f"Samples {shown_all(missing)} are not there; expected samples 0 to 8, each once."
            self._log.add(MISSING_SAMPLE, message, **where)
        return not repeated and not missing and None not in rollouts

    def _agreement(
        self, record: dict[str, Any], values: dict[str, Any], rollouts: Sequence[dict[str, Any]], where: dict[str, Any]
    ) -> Any:  # noqa: ANN401 - a number, None, or the mark of an unsound one
        """Return the question's agreement, wherever the line has it: once, or copied onto its rollouts."""
        stated = [values["agreement"]] if "agreement" in record else []
        copies = [rollout["agreement"] for rollout in rollouts if rollout["copied"]]
        if not stated and not copies:
            message = f"The record lacks 'agreement'; its keys are {shown_all(sorted(record))}."
            self._log.add(COMMON.missing_key, message, **where)
            return _UNSOUND
        distinct = {repr(value) for value in stated + copies}
        if len(distinct) > 1 or len(copies) not in {0, ROLLOUTS_PER_QUESTION}:
            message = (
                f"Agreement is copied onto {len(copies)} rollouts with {len(distinct)} different values; expected "
            )
            self._log.add(COPIES_DIFFER, message + "one value a question.", **where, value=str(len(distinct)))
            return _UNSOUND
        agreement = (stated + copies)[0]
        if agreement is None:
            self._log.add(AGREEMENT_NULL, "Agreement is null; the recomputed one stands beside it.", **where)
        return self._not_nan(agreement, "agreement", where)

    def _not_nan(self, value: float | None, name: str, where: dict[str, Any]) -> float | None:
        if value is None or not isnan(value):
            return value
        self._log.add(COMMON.nan, f"{name} is NaN; stored as null.", **(where | {"value": "NaN"}))
        return None

    def _skill(self, values: dict[str, Any], where: dict[str, Any]) -> str | None:
        skill: str | None = values["skill_id"]
        if skill and self._direct:
            message = f"The record names the skill {shown(skill)} under direct, where none is supplied; stored as null."
            self._log.add(SKILL_UNDER_DIRECT, message, **where)
            return None
        return skill


_UNSOUND: Final = object()


def _plain_rows(rollouts: list[Any]) -> list[RolloutRow] | None:
    """Return the rows of nine rollouts that are exactly as expected, else None."""
    rows = []
    try:
        for rollout in rollouts:
            meta = rollout["meta"]
            row = _ROLLOUT(rollout) + _META(meta)
            if len(rollout) != 7 or len(meta) != 2 or tuple(map(type, row)) not in _ROLLOUT_TYPES:
                return None
            rows.append(row)
    except (KeyError, TypeError):
        return None
    in_range = all(row[4] is None or 0 <= row[4] <= _MAX_TOKENS for row in rows)
    return rows if in_range and sorted(row[0] for row in rows) == SAMPLES else None
