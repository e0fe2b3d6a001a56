"""`sampling9.jsonl.gz`: nine rollouts a question, and the agreement that belongs to the question-condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

import polars as pl

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread, shown
from transforms.jsonl import Limits, Line
from transforms.sra import sampling_lines
from transforms.sra.layout import CellKey
from transforms.sra.records import SAMPLES, Columns
from transforms.sra.sampling_lines import QUESTION_COLUMNS, ROLLOUT_COLUMNS, LineReader, QuestionCondition
from warehouse.contracts import Issue, Rule, Severity
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION, SOURCE

# Two computations of a ratio of small whole numbers differ by less than this.
_AGREEMENT_TOLERANCE: Final = 1e-9
_FLUSH_BYTES: Final = 8 << 20

UNKNOWN_QUESTION = Rule("sampling.unknown_question", Severity.ERROR, "A question the data set does not have.")
REPEATED_QUESTION = Rule("sampling.repeated_question", Severity.ERROR, "A question has two lines in one file.")
MISSING_QUESTION = Rule("sampling.missing_question", Severity.ERROR, "A cell lacks a question that other cells have.")
AGREEMENT_DIFFERS = Rule("sampling.agreement_differs", Severity.WARNING, "Agreement is not what the answers give.")
ANOTHER_ORDER = Rule("sampling.another_order", Severity.INFO, "Lines or rollouts are not in the order of their keys.")
RULES: Final = (
    *sampling_lines.RULES, UNKNOWN_QUESTION, REPEATED_QUESTION, MISSING_QUESTION, AGREEMENT_DIFFERS, ANOTHER_ORDER,
)  # fmt: skip

ROLLOUT_SCHEMA: Final[dict[str, type[pl.DataType]]] = {"instance_id": pl.String, **ROLLOUT_COLUMNS, "line": pl.Int64}
QUESTION_SCHEMA: Final[dict[str, type[pl.DataType]]] = {
    **QUESTION_COLUMNS, "line": pl.Int64, "agreement_recomputed": pl.Float64, "majority_answer": pl.String,
    "n_distinct_answers": pl.Int32,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sampling:
    """What one sampling file holds, sorted by key; a question whose line has an error is left out whole.

    `rollouts`: a row a rollout, columns of `ROLLOUT_SCHEMA`. `question_conditions`: a row a question, columns of
    `QUESTION_SCHEMA`. `line` is the line of the file, from 1.
    """

    rollouts: pl.DataFrame
    question_conditions: pl.DataFrame
    issues: list[Issue]


def parse_sampling(
    data: bytes,
    cell: CellKey,
    path: str,
    known_ids: Collection[str] | None = None,
    limits: Limits | None = None,
    unread: list[Unread] | None = None,
) -> Sampling:
    """Read an inflated sampling file. `known_ids` are the data set's questions; without them none is refused.

    Never raises on what the file holds: every line gives nine rollouts and a question-condition, or an error.
    """
    log = IssueLog(KEPT_PER_RULE, unread, source=SOURCE, path=path, **cell.columns)
    reader = _SamplingReader(log, cell, known_ids)
    for line in reader.lines(data, limits):
        reader.take(line)
    return reader.finish()


class _SamplingReader:
    def __init__(self, log: IssueLog, cell: CellKey, known_ids: Collection[str] | None) -> None:
        self._log = log
        self._line_reader = LineReader(log, cell)
        self.lines = self._line_reader.records.lines
        self._known_ids = known_ids
        self._rollouts, self._questions = Columns(ROLLOUT_SCHEMA), Columns(QUESTION_SCHEMA)
        self._lines: dict[str, int] = {}
        self._unordered_lines = self._unordered_rollouts = self._waiting = 0
        self._last = ""

    def take(self, line: Line) -> None:
        """Read one line."""
        question = self._line_reader.question(line)
        if question is not None and self._admits(question.instance_id, line.number):
            self._keep(self._in_order(question), line.number)
        self._waiting += line.size
        if self._waiting > _FLUSH_BYTES:
            self._rollouts.flush()
            self._waiting = 0

    def finish(self) -> Sampling:
        """Return what was read, sorted by key."""
        self._line_reader.records.report_drift()
        for n, what in ((self._unordered_lines, "lines come"), (self._unordered_rollouts, "lines have rollouts")):
            if n:
                self._log.add(ANOTHER_ORDER, f"{n} {what} in another order than their keys'; sorted.", value=str(n))
        rollouts = self._rollouts.frame(["instance_id", "sample"])
        return Sampling(rollouts, self._questions.frame(["instance_id"]), self._log.issues)

    def _admits(self, instance_id: str, line: int) -> bool:
        first = self._lines.setdefault(instance_id, line)
        if first != line:
            message = f"Question {shown(instance_id)} has a line already, line {first}; expected one line a question."
            self._log.add(REPEATED_QUESTION, message, line=line, instance_id=instance_id)
        known = self._known_ids is None or instance_id in self._known_ids
        if not known:
            message = f"Question {shown(instance_id)} is not one of the data set's; give the data set's own questions."
            self._log.add(UNKNOWN_QUESTION, message, line=line, instance_id=instance_id)
        return first == line and known

    def _in_order(self, question: QuestionCondition) -> QuestionCondition:
        self._unordered_lines += question.instance_id < self._last
        self._last = question.instance_id
        if [row[0] for row in question.rows] != SAMPLES:
            self._unordered_rollouts += 1
            question.rows.sort(key=itemgetter(0))
        return question

    def _keep(self, question: QuestionCondition, line: int) -> None:
        columns = list(zip(*question.rows, strict=True))
        nine = ROLLOUTS_PER_QUESTION
        self._rollouts.extend([[question.instance_id] * nine, *columns, [line] * nine])
        answers, native = columns[2], question.native_answer
        recomputed = answers.count(native) / nine if native is not None else 0.0
        if question.agreement is not None and abs(question.agreement - recomputed) > _AGREEMENT_TOLERANCE:
            message = f"Agreement is stated as {question.agreement}; the nine answers give {recomputed}."
            self._log.add(
                AGREEMENT_DIFFERS, message, line=line, instance_id=question.instance_id, value=str(question.agreement)
            )
        row = (question.instance_id, native, question.agreement, question.skill_id, line)
        figures = (recomputed, majority_answer(answers), len(set(answers)))
        self._questions.extend([(value,) for value in (*row, *figures)])


def majority_answer(answers: Sequence[str | None]) -> str | None:
    """Return the most frequent answer; null on a tie or where there is none. A null is not an answer."""
    counts = Counter(answer for answer in answers if answer is not None)
    most = max(counts.values(), default=0)
    modes = [answer for answer, n in counts.items() if n == most]
    return modes[0] if len(modes) == 1 else None


def missing_questions(cells: Mapping[CellKey, Collection[str]]) -> list[Issue]:
    """Return a finding for every question that some cell of its data set has and another lacks.

    `cells` has the questions of each cell's sampling file. What no cell has cannot be missed here: a bundle may hold
    part of a data set, and its audit says how many question-conditions it should have.
    """
    asked: dict[str, set[str]] = {}
    for cell, ids in cells.items():
        asked.setdefault(cell.dataset, set()).update(ids)
    return [
        _missing_question(cell, instance_id)
        for cell, ids in sorted(cells.items())
        for instance_id in sorted(asked[cell.dataset].difference(ids))
    ]


def _missing_question(cell: CellKey, instance_id: str) -> Issue:
    message = f"Question {shown(instance_id)} is asked in other cells of {shown(cell.dataset)} and not in this one."
    path = cell.path("sampling9.jsonl.gz")
    return MISSING_QUESTION.issue(message, source=SOURCE, path=path, instance_id=instance_id, **cell.columns)
