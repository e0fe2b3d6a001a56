"""Reading SRA-Bench's questions: what is taken over, and every rule with an entry it takes and one it does not."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from dataframely.exc import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from synthetic.sra.faults.base import POINTER
from tests.shared_data import shared
from transforms.inputs import LFS_POINTER
from transforms.sra import questions as module
from transforms.sra.question import Question
from transforms.sra.questions import RULES, parse_questions, questions_frame
from warehouse.contracts import TABLES, Rule, Severity, has_errors

PATH = "instances/x.json"
GOLD: dict[str, dict[str, Any]] = {
    "champ": {"answer": "239"},
    "theoremqa": {"answer": "[1, 2]", "answer_type": "list of integer"},
    "medcalcbench": {
        "answer": "5.0", "calculator_id": 2, "output_type": "decimal", "lower_limit": "4.75", "upper_limit": "5.25",
    },
    "logicbench": {"answer": "choice_2", "task_type": "MCQA"},
}  # fmt: skip


def _entry(dataset: str = "champ", number: int = 0, **changes: object) -> dict[str, Any]:
    entry = {
        "instance_id": f"{dataset}_{number:05d}",
        "dataset": dataset,
        "question": "How many?",
        "skill_annotations": [f"{dataset}_001", f"{dataset}_002"],
        "eval_data": dict(GOLD[dataset]),
    }
    return entry | changes


def _gold(dataset: str, **changes: object) -> dict[str, Any]:
    return _entry(dataset, eval_data=GOLD[dataset] | changes)


def _without(entry: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != key}


def _parse(entries: object, dataset: str = "champ") -> tuple[list[Question], list[tuple[str, int | None]]]:
    found, issues = parse_questions(dataset, json.dumps(entries).encode(), PATH)
    assert all(issue.path == PATH and issue.dataset == dataset and issue.source == "sra" for issue in issues)
    return found, [(issue.rule, issue.line) for issue in issues]


@pytest.mark.parametrize("dataset", GOLD)
def test_what_is_taken_over(dataset: str) -> None:
    (question,), issues = _parse([_entry(dataset)], dataset)
    gold = GOLD[dataset]
    kind = {"champ": "text", "theoremqa": "list of integer", "medcalcbench": "decimal", "logicbench": "MCQA"}[dataset]
    assert issues == []
    assert question == Question(
        dataset=dataset,
        instance_id=f"{dataset}_00000",
        question="How many?",
        gold_answer=gold["answer"],
        answer_kind=kind,
        calculator_id=gold.get("calculator_id"),
        lower_limit=gold.get("lower_limit"),
        upper_limit=gold.get("upper_limit"),
        skill_ids=(f"{dataset}_001", f"{dataset}_002"),
    )


BROKEN: list[tuple[Rule, str, dict[str, Any]]] = [
    (module.MISSING_KEY, "champ", _without(_entry(), "instance_id")),
    (module.MISSING_KEY, "champ", _without(_entry(), "dataset")),
    (module.MISSING_KEY, "champ", _without(_entry(), "question")),
    (module.MISSING_KEY, "champ", _without(_entry(), "skill_annotations")),
    (module.MISSING_KEY, "champ", _without(_entry(), "eval_data")),
    (module.MISSING_KEY, "champ", _entry(eval_data={})),
    (module.MISSING_KEY, "theoremqa", _entry("theoremqa", eval_data={"answer": "1"})),
    (module.MISSING_KEY, "logicbench", _entry("logicbench", eval_data={"answer": "no"})),
    (
        module.MISSING_KEY,
        "medcalcbench",
        _entry("medcalcbench", eval_data=_without(GOLD["medcalcbench"], "lower_limit")),
    ),
    (module.MISTYPED, "champ", _entry(instance_id=7)),
    (module.MISTYPED, "champ", _entry(question=None)),
    (module.MISTYPED, "champ", _entry(skill_annotations="champ_001")),
    (module.MISTYPED, "champ", _entry(skill_annotations=["champ_001", 2])),
    (module.MISTYPED, "champ", _entry(eval_data=[])),
    (module.MISTYPED, "champ", _gold("champ", answer=239)),
    (module.MISTYPED, "medcalcbench", _gold("medcalcbench", calculator_id="2")),
    (module.MISTYPED, "medcalcbench", _gold("medcalcbench", calculator_id=True)),
    (module.OUT_OF_RANGE, "medcalcbench", _gold("medcalcbench", calculator_id=-1)),
    (module.OUT_OF_RANGE, "medcalcbench", _gold("medcalcbench", calculator_id=2**31)),
    (module.WRONG_DATASET, "champ", _entry() | {"dataset": "theoremqa"}),
    (module.EMPTY_ID, "champ", _entry(instance_id="")),
    (module.UNKNOWN_KIND, "theoremqa", _gold("theoremqa", answer_type="matrix")),
    (module.UNKNOWN_KIND, "medcalcbench", _gold("medcalcbench", output_type="text")),
    (module.UNKNOWN_KIND, "logicbench", _gold("logicbench", task_type="")),
    (module.BAD_GOLD, "champ", _gold("champ", answer=" ")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="yes", answer_type="bool")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="(g)", answer_type="option")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="x", answer_type="integer")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="inf", answer_type="float")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="nan", answer_type="float")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="1, 2")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="[1, x]")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="[9**9**9]")),
    (module.BAD_GOLD, "theoremqa", _gold("theoremqa", answer="[1e999]")),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", lower_limit="")),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", lower_limit="5.5")),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", upper_limit="inf")),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", answer="four", output_type="integer")),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", answer="four", calculator_id=4)),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", answer="2019-12-05", calculator_id=13)),
    (module.BAD_GOLD, "medcalcbench", _gold("medcalcbench", answer="soon", calculator_id=69)),
    (module.BAD_GOLD, "logicbench", _gold("logicbench", answer="2")),
    (module.BAD_GOLD, "logicbench", _gold("logicbench", answer="maybe", task_type="BQA")),
]


@pytest.mark.parametrize(("rule", "dataset", "entry"), BROKEN)
def test_an_entry_that_breaks_a_rule_is_left_out_and_named(rule: Rule, dataset: str, entry: dict[str, Any]) -> None:
    sound = _entry(dataset, 9)
    found, issues = _parse([sound, entry], dataset)
    assert [question.instance_id for question in found] == [sound["instance_id"]]
    assert issues == [(rule.name, 2)]


@pytest.mark.parametrize(
    "gold",
    [
        _gold("theoremqa", answer="True", answer_type="bool"),
        _gold("theoremqa", answer="(f)", answer_type="option"),
        _gold("theoremqa", answer="12", answer_type="integer"),
        _gold("theoremqa", answer="-6e+25", answer_type="float"),
        _gold("theoremqa", answer="[0.5, -1]", answer_type="list of float"),
        _gold("medcalcbench", answer="4", output_type="integer"),
        _gold("medcalcbench", answer="12/05/2019", calculator_id=68, output_type="date"),
        _gold("medcalcbench", answer="('3 weeks', '4 days')", calculator_id=69, output_type="date"),
        _gold("logicbench", answer="no", task_type="BQA"),
    ],
)
def test_every_kind_of_gold_answer_is_read(gold: dict[str, Any]) -> None:
    found, issues = _parse([gold], gold["dataset"])
    assert (len(found), issues) == (1, [])


def test_a_repeated_question_is_named_and_kept_once() -> None:
    found, issues = _parse([_entry(), _entry(number=1), _entry()])
    assert [question.instance_id for question in found] == ["champ_00000", "champ_00001"]
    assert issues == [(module.REPEATED.name, 3)]


def test_all_that_is_wrong_is_found_in_one_pass() -> None:
    entries = [entry for _, dataset, entry in BROKEN if dataset == "champ"]
    _found, issues = _parse(entries)
    first_rules = {rule.name for rule, dataset, _ in BROKEN if dataset == "champ"}
    assert first_rules <= {rule for rule, _ in issues}
    assert len({line for _, line in issues}) >= len(entries) - 1


def test_keys_nobody_knows_are_counted_and_warned_of() -> None:
    entries = [_entry(number=0), _entry(number=1, source="new"), _entry(number=2, source="new")]
    entries[2]["eval_data"]["unit"] = "kg"
    found, issues = parse_questions("champ", json.dumps(entries).encode(), PATH)
    assert len(found) == 3
    assert not has_errors(issues)
    assert [(issue.rule, issue.line, issue.value) for issue in issues] == [
        (module.UNKNOWN_KEY.name, 2, "2"),
        (module.UNKNOWN_KEY.name, 3, "1"),
    ]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"[\xff]", module.NOT_UTF8),
        (b"", module.NOT_JSON),
        (b"[{]", module.NOT_JSON),
        (b'[{"question": NaN}]', module.NOT_JSON),
        (b'["\\ud800"]', module.NOT_JSON),
        (b"[" * 100_000, module.NOT_JSON),
        (b"{}", module.NOT_AN_ARRAY),
        (b"null", module.NOT_AN_ARRAY),
        (b"[]", module.NOT_AN_ARRAY),
        (POINTER, LFS_POINTER),
    ],
)
def test_a_file_that_is_no_array_of_entries(data: bytes, rule: Rule) -> None:
    found, issues = parse_questions("champ", data, PATH)
    assert found == []
    assert [issue.rule for issue in issues] == [rule.name]


def test_a_question_with_two_answers_is_an_error_that_says_which() -> None:
    data = json.dumps([_entry(), _entry(number=1)]).encode()
    for place, start in (("[0]", data.index(b'"answer"')), ("[1]", data.rindex(b'"answer"'))):
        found, issues = parse_questions("champ", data[:start] + b'"answer": "41", ' + data[start:], PATH)
        assert len(found) == 2
        assert [(issue.rule, issue.value) for issue in issues] == [
            (module.REPEATED_KEY.name, f"'{place}.eval_data.answer'")
        ]
        assert module.REPEATED_KEY.severity is Severity.ERROR


@pytest.mark.parametrize("entry", [None, 7, "text", []])
def test_an_entry_that_is_no_object(entry: object) -> None:
    assert _parse([_entry(), entry])[1] == [(module.MISTYPED.name, 2)]


def test_a_byte_order_mark_is_tolerated() -> None:
    found, issues = parse_questions("champ", b"\xef\xbb\xbf" + json.dumps([_entry()]).encode(), PATH)
    assert len(found) == 1
    assert [issue.rule for issue in issues] == [module.BYTE_ORDER_MARK.name]


def test_another_data_set_is_not_read() -> None:
    found, issues = parse_questions("toolqa", b"not looked at", PATH)
    assert found == []
    assert [(issue.rule, has_errors([issue])) for issue in issues] == [(module.OTHER_DATASET.name, False)]


def test_every_rule_has_an_input_that_breaks_it() -> None:
    tested = {rule for rule, _, _ in BROKEN} | {
        module.NOT_UTF8, module.NOT_JSON, module.NOT_AN_ARRAY, module.REPEATED, module.REPEATED_KEY, module.UNKNOWN_KEY,
        module.BYTE_ORDER_MARK, module.OTHER_DATASET,
    }  # fmt: skip
    assert tested == set(RULES)


def test_messages_do_not_repeat_what_the_file_says() -> None:
    secret = "a patient of 61 years"
    entries = [_gold("medcalcbench", answer=secret, output_type="integer"), _entry("medcalcbench", question=[secret])]
    _found, issues = parse_questions("medcalcbench", json.dumps(entries).encode(), PATH)
    assert len(issues) == 2
    assert not any(secret in f"{issue.message} {issue.value}" for issue in issues)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*_entry(), "answer"]), inner),
    max_leaves=12,
)


@given(
    json_values
    | st.lists(
        st.builds(lambda changes: _entry() | changes, st.dictionaries(st.sampled_from(list(_entry())), json_values))
    )
)
def test_whatever_the_json_each_entry_is_read_or_named(value: object) -> None:
    found, issues = parse_questions("champ", json.dumps(value).encode("utf-8", "surrogatepass"), PATH)
    if isinstance(value, list) and value and found:
        named = {issue.line for issue in issues if has_errors([issue])}
        assert len(found) + len(named) == len(value)
    else:
        assert found != [] or has_errors(issues)


@given(st.binary(max_size=60))
def test_whatever_the_bytes_there_is_a_finding(data: bytes) -> None:
    found, issues = parse_questions("champ", data, PATH)
    assert found == []
    assert has_errors(issues)


# --- the table ------------------------------------------------------------------------------------------------------


def test_the_frame_keeps_the_contract() -> None:
    found = [parse_questions(name, json.dumps([_entry(name, k) for k in (1, 0)]).encode(), PATH)[0] for name in GOLD]
    frame = questions_frame([question for questions in found for question in questions])
    assert dict(frame.schema) == TABLES["questions"].polars_schema
    assert frame["instance_id"].to_list() == [f"{name}_0000{k}" for name in sorted(GOLD) for k in (0, 1)]
    assert frame["skill_ids"][0].to_list() == ["champ_001", "champ_002"]
    assert frame.filter(pl.col("dataset") != "medcalcbench")["calculator_id"].null_count() == 6


def test_the_frame_refuses_a_repeated_question() -> None:
    (question,), _ = _parse([_entry()])
    with pytest.raises(ValidationError):
        questions_frame([question, question])


def test_no_questions_are_an_empty_table() -> None:
    assert questions_frame([]).height == 0


def test_the_real_instances_load_in_full() -> None:
    folder = shared("sra-bench/instances")
    counts = {"champ": 223, "theoremqa": 747, "medcalcbench": 1_100, "logicbench": 760}
    frame_rows = []
    for dataset, n in counts.items():
        found, issues = parse_questions(dataset, (folder / f"{dataset}.json").read_bytes(), PATH)
        assert issues == []
        assert len(found) == n
        frame_rows += found
    assert questions_frame(frame_rows).height == 2_830
