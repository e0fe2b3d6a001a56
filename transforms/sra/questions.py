"""SRA-Bench's questions with their gold answers: one `instances/<dataset>.json` a data set, a JSON array of objects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

import polars as pl

from transforms.issue_log import IssueLog, of_files, shown, shown_all
from transforms.jsondoc import Form, read_array
from transforms.sra.grading.gold import KINDS, gold_fault
from transforms.sra.layout import CellKey
from transforms.sra.question import Question
from transforms.sra.record_shapes import Field, Kind
from transforms.sra.records import RecordReader, record_rules
from warehouse.contracts import TABLES, Issue, Rule, Severity, fingerprint
from warehouse.contracts.sra import SOURCE

_COMMON: Final = record_rules("questions")
NOT_UTF8 = Rule("questions.not_utf8", Severity.ERROR, "A file of questions is not UTF-8.")
NOT_JSON = Rule("questions.not_json", Severity.ERROR, "A file of questions is not JSON.")
NOT_AN_ARRAY = Rule("questions.not_an_array", Severity.ERROR, "A file of questions is not an array with entries.")
REPEATED_KEY = Rule("questions.repeated_key", Severity.ERROR, "An object of the questions has one key twice.")
WRONG_DATASET = Rule("questions.wrong_dataset", Severity.ERROR, "A question's dataset is not the one of its file.")
REPEATED = Rule("questions.repeated_instance_id", Severity.ERROR, "Two questions of a file have one instance_id.")
EMPTY_ID = Rule("questions.empty_instance_id", Severity.ERROR, "A question's instance_id is empty.")
UNKNOWN_KIND = Rule("questions.unknown_kind", Severity.ERROR, "A question's kind of answer is not one that is graded.")
BAD_GOLD = Rule("questions.bad_gold", Severity.ERROR, "A gold answer is not what its kind needs.")
OTHER_DATASET = Rule("questions.other_dataset", Severity.WARNING, "A file has questions of a data set nobody knows.")
BYTE_ORDER_MARK = Rule("questions.byte_order_mark", Severity.INFO, "A file of questions starts with a byte order mark.")
MISSING_KEY, MISTYPED = _COMMON.missing_key, _COMMON.mistyped
OUT_OF_RANGE, UNKNOWN_KEY = _COMMON.out_of_range, _COMMON.unknown_key
RULES: Final = (
    NOT_UTF8, NOT_JSON, NOT_AN_ARRAY, REPEATED_KEY, MISSING_KEY, MISTYPED, OUT_OF_RANGE, UNKNOWN_KEY, WRONG_DATASET,
    REPEATED, EMPTY_ID, UNKNOWN_KIND, BAD_GOLD, OTHER_DATASET, BYTE_ORDER_MARK,
)  # fmt: skip
_FORM: Final = Form(
    "an array of questions", NOT_UTF8, half_pair=NOT_JSON, not_json=NOT_JSON, other_shape=NOT_AN_ARRAY,
    repeated_key=REPEATED_KEY, byte_order_mark=BYTE_ORDER_MARK,
)  # fmt: skip


_ENTRY: Final = (
    Field("instance_id", Kind.STRING),
    Field("dataset", Kind.STRING),
    Field("question", Kind.STRING),
    Field("skill_annotations", Kind.ARRAY),
    Field("eval_data", Kind.OBJECT),
)
_ANSWER: Final = Field("answer", Kind.STRING)
# The key that names the kind of answer, and the keys that stand beside it; CHAMP names none.
_KIND_KEY: Final = {"champ": None, "theoremqa": "answer_type", "medcalcbench": "output_type", "logicbench": "task_type"}
_MEDCALC: Final = (
    Field("calculator_id", Kind.INTEGER),
    Field("lower_limit", Kind.STRING),
    Field("upper_limit", Kind.STRING),
)


def parse_questions(dataset: str, data: bytes, path: str) -> tuple[list[Question], list[Issue]]:
    """Read one `instances/<dataset>.json`. Returns the sound questions in file order and everything noticed.

    The `line` of a finding about an entry is its position, from 1. `path` is how findings name the file.
    """
    if dataset not in KINDS:
        return [], [other_data_sets([path]).at(dataset=dataset)]
    log = IssueLog(source=SOURCE, path=path, dataset=dataset)
    reader = _Reader(log, dataset)
    questions = [reader.question(line, entry) for line, entry in enumerate(read_array(data, log, _FORM), 1)]
    reader.records.report_drift()
    return [question for question in questions if question is not None], log.issues


def other_data_sets(paths: Iterable[str]) -> Issue:
    """Return the finding that files beside the questions are not those of a data set that is known."""
    one, many = "This is not the questions of a known data set and is not read.", "are no questions and are not read"
    known = f"Known are {shown_all(f'{name}.json' for name in KINDS)}."
    return of_files(OTHER_DATASET, dict.fromkeys(paths, 1), one, many, known, source=SOURCE)


class _Reader:
    """Turns the entries of one file into questions."""

    def __init__(self, log: IssueLog, dataset: str) -> None:
        self._log = log
        self._dataset = dataset
        self._kind_key = _KIND_KEY[dataset]
        kind = (Field(self._kind_key, Kind.STRING),) if self._kind_key else ()
        self._gold = (_ANSWER, *kind, *(_MEDCALC if dataset == "medcalcbench" else ()))
        self._first_line: dict[str, int] = {}
        # Questions belong to a data set, whatever the model and condition.
        self.records = RecordReader(log, _COMMON, CellKey("", dataset, ""))

    def question(self, line: int, entry: object) -> Question | None:
        """Return an entry's question; None, with errors noted, where it is not sound."""
        found = self.records.read(entry, _ENTRY, "", line=line)
        if found is None:
            return None
        where: dict[str, Any] = {"line": line, "instance_id": found["instance_id"]}
        is_known = self._has_its_place(found, where)
        skills = found["skill_annotations"]
        for skill in [skill for skill in skills if type(skill) is not str][:1]:
            self.records.note_mistyped("skill_annotations[]", skill, Kind.STRING, **where)
            is_known = False
        gold = self.records.read(found["eval_data"], self._gold, "eval_data.", **where)
        if gold is None:
            return None
        question = self._made(found, gold)
        return question if self._can_be_graded(question, where) and is_known else None

    def _has_its_place(self, found: dict[str, Any], where: dict[str, Any]) -> bool:
        name, dataset, before = found["instance_id"], found["dataset"], self._log.total
        if not name:
            self._log.add(EMPTY_ID, "instance_id is empty; expected the question's name.", **where)
        if dataset != self._dataset:
            message = f"dataset is {shown(dataset)}; the file is of {shown(self._dataset)}."
            self._log.add(WRONG_DATASET, message, **where)
        first = self._first_line.setdefault(name, where["line"])
        if first != where["line"]:
            message = f"instance_id {shown(name)} stands at entry {first} already; expected every question once."
            self._log.add(REPEATED, message, **where)
        return self._log.total == before

    def _made(self, found: dict[str, Any], gold: dict[str, Any]) -> Question:
        return Question(
            dataset=self._dataset,
            instance_id=found["instance_id"],
            question=found["question"],
            gold_answer=gold["answer"],
            answer_kind=gold[self._kind_key] if self._kind_key else KINDS[self._dataset][0],
            calculator_id=gold.get("calculator_id"),
            lower_limit=gold.get("lower_limit"),
            upper_limit=gold.get("upper_limit"),
            skill_ids=tuple(found["skill_annotations"]),
        )

    def _can_be_graded(self, question: Question, where: dict[str, Any]) -> bool:
        kinds = KINDS[self._dataset]
        if question.answer_kind not in kinds:
            message = (
                f"eval_data.{self._kind_key} is {shown(question.answer_kind)}; expected one of {shown_all(kinds)}."
            )
            self._log.add(UNKNOWN_KIND, message, **where)
            return False
        if expected := gold_fault(question):
            message = f"eval_data.answer of kind {shown(question.answer_kind)} is not {expected}."
            self._log.add(BAD_GOLD, message, **({"value": fingerprint(question.gold_answer)} | where))
            return False
        return True


def questions_frame(questions: Iterable[Question]) -> pl.DataFrame:
    """Return the `questions` table: a row a question, sorted by key.

    Raises dataframely's ValidationError where rows break the contract, as by two questions of one name.
    """
    table = TABLES["questions"]
    rows = [{**asdict(question), "skill_ids": list(question.skill_ids)} for question in questions]
    return table.schema.validate(pl.DataFrame(rows, schema=table.polars_schema).sort(table.key))
