"""Sampling files: nine rollouts a question, one agreement, and a name for everything that is wrong."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.record_cases import ANSWERS, CELL, DIRECT, Record, encoded, noticed, places, question, rollout
from transforms.jsonl import Limits
from transforms.sra import sampling, sampling_lines
from transforms.sra.layout import CellKey
from transforms.sra.sampling import Sampling, majority_answer, missing_questions, parse_sampling
from warehouse.contracts import TABLES, Rule, Severity

PATH = CELL.path("sampling9.jsonl.gz")
KNOWN = {f"champ_{number:05d}" for number in range(1, 20)}


def parse(*records: object, cell: CellKey = CELL) -> Sampling:
    return parse_sampling(encoded(records), cell, PATH, KNOWN)


def spoiled(edit: Callable[[Record], object]) -> Record:
    record = copy.deepcopy(question(2))
    edit(record)
    return record


def test_a_sound_file_gives_a_row_a_rollout_and_nothing_is_noticed() -> None:
    found = parse(question(1), question(2))
    assert found.issues == []
    assert found.rollouts.height == 18
    assert found.rollouts.row(13, named=True) == {
        "instance_id": "champ_00002",
        "sample": 4,
        "text": "so it is x. ANSWER: x",
        "answer": "x",
        "stored_correct": False,
        "n_tokens": 164,
        "finish_reason": "stop",
        "presence_penalty": 0.0,
        "cap_repair": False,
        "line": 2,
    }
    assert found.question_conditions.row(0, named=True) == {
        "instance_id": "champ_00001",
        "native_answer": "239",
        "agreement": 5 / 9,
        "skill_id": "champ_012",
        "line": 1,
        "agreement_recomputed": 5 / 9,
        "majority_answer": "239",
        "n_distinct_answers": 4,
    }


def test_columns_have_the_types_of_the_contracts() -> None:
    found = parse(question())
    for frame, name in ((found.rollouts, "rollouts"), (found.question_conditions, "question_conditions")):
        contract = TABLES[name].polars_schema
        shared = {column: dtype for column, dtype in frame.schema.items() if column in contract}
        assert shared == {column: contract[column] for column in shared}
        assert len(shared) >= len(frame.columns) - 2


def test_the_order_of_lines_and_rollouts_is_restored_and_noted() -> None:
    shuffled = question(1, rollouts=[rollout(sample) for sample in (3, 1, 0, 8, 2, 5, 4, 7, 6)])
    found = parse(question(2), shuffled)
    plain = parse(question(1), question(2))
    assert found.rollouts.drop("line").equals(plain.rollouts.drop("line"))
    assert found.question_conditions.drop("line").equals(plain.question_conditions.drop("line"))
    assert noticed(found.issues) == ["sampling.another_order"] * 2
    assert {issue.severity for issue in found.issues} == {Severity.INFO}


@pytest.mark.parametrize(
    ("edit", "rule", "sample"),
    [
        (lambda r: r.pop("native_answer"), "missing_key", None),
        (lambda r: r.pop("instance_id"), "missing_key", None),
        (lambda r: r.pop("rollouts"), "missing_key", None),
        (lambda r: r.pop("agreement"), "missing_key", None),
        (lambda r: r.pop("skill_id"), "missing_key", None),
        (lambda r: r.pop("model"), "missing_key", None),
        (lambda r: r["rollouts"][3].pop("sample"), "missing_key", None),
        (lambda r: r["rollouts"][3].pop("text"), "missing_key", 3),
        (lambda r: r["rollouts"][3].pop("answer"), "missing_key", 3),
        (lambda r: r["rollouts"][3].pop("meta"), "missing_key", 3),
        (lambda r: r["rollouts"][3]["meta"].pop("cap_repair"), "missing_key", 3),
        (lambda r: r.update(instance_id=7), "mistyped", None),
        (lambda r: r.update(agreement="0.5"), "mistyped", None),
        (lambda r: r.update(agreement=True), "mistyped", None),
        (lambda r: r.update(native_answer=239), "mistyped", None),
        (lambda r: r.update(rollouts={}), "mistyped", None),
        (lambda r: r.update(rollouts=None), "mistyped", None),
        (lambda r: r["rollouts"].__setitem__(4, "rollout"), "mistyped", None),
        (lambda r: r["rollouts"][4].update(sample="4"), "mistyped", None),
        (lambda r: r["rollouts"][1].update(sample=True), "mistyped", None),
        (lambda r: r["rollouts"][4].update(sample=4.5), "mistyped", None),
        (lambda r: r["rollouts"][4].update(text=None), "mistyped", 4),
        (lambda r: r["rollouts"][4].update(answer=240), "mistyped", 4),
        (lambda r: r["rollouts"][4].update(correct="yes"), "mistyped", 4),
        (lambda r: r["rollouts"][4].update(correct=1), "mistyped", 4),
        (lambda r: r["rollouts"][4].update(n_tokens="160"), "mistyped", 4),
        (lambda r: r["rollouts"][4].update(meta=[]), "mistyped", 4),
        (lambda r: r["rollouts"][4]["meta"].update(presence_penalty=False), "mistyped", 4),
        (lambda r: r["rollouts"][4]["meta"].update(cap_repair=0), "mistyped", 4),
        (lambda r: r.update(agreement=1.2), "out_of_range", None),
        (lambda r: r.update(agreement=-0.1), "out_of_range", None),
        (lambda r: r.update(agreement=math.inf), "out_of_range", None),
        (lambda r: r["rollouts"][4].update(sample=9), "out_of_range", 9),
        (lambda r: r["rollouts"][4].update(sample=-1), "out_of_range", None),
        (lambda r: r["rollouts"][4].update(n_tokens=-1), "out_of_range", 4),
        (lambda r: r["rollouts"][4].update(n_tokens=2**31), "out_of_range", 4),
        (lambda r: r["rollouts"][4]["meta"].update(presence_penalty=-math.inf), "out_of_range", 4),
        (lambda r: r.update(model="Qwen9"), "wrong_folder", None),
        (lambda r: r.update(dataset="theoremqa"), "wrong_folder", None),
        (lambda r: r.update(condition="direct"), "wrong_folder", None),
        (lambda r: r["rollouts"].pop(), "missing_sample", None),
        (lambda r: r["rollouts"].clear(), "missing_sample", None),
        (lambda r: r["rollouts"].append(rollout(0)), "repeated_sample", 0),
        (lambda r: r["rollouts"][4].update(agreement=0.5), "agreement_copies_differ", None),
        (lambda r: r.update(instance_id="champ_99999"), "unknown_question", None),
    ],
)  # fmt: skip
def test_a_record_that_is_wrong_is_named_and_left_out(
    edit: Callable[[Record], object], rule: str, sample: int | None
) -> None:
    found = parse(question(1), spoiled(edit), question(3))
    errors = [issue for issue in found.issues if issue.severity is Severity.ERROR]
    assert places(errors) == [(f"sampling.{rule}", 2, sample)]
    assert {issue.path for issue in errors} == {PATH} and {issue.model for issue in errors} == {CELL.model}
    assert found.question_conditions["instance_id"].to_list() == ["champ_00001", "champ_00003"]
    assert found.rollouts.height == 18


def test_everything_wrong_with_a_record_is_named_at_once() -> None:
    def edit(record: Record) -> None:
        record.pop("native_answer")
        record.update(model="Qwen9", agreement=2)
        record["rollouts"][1].pop("text")
        record["rollouts"][2].update(n_tokens="many")

    assert sorted(noticed(parse(spoiled(edit)).issues)) == [
        "sampling.missing_key", "sampling.missing_key", "sampling.mistyped", "sampling.out_of_range",
        "sampling.wrong_folder",
    ]  # fmt: skip


def test_a_missing_key_lists_the_keys_there_are() -> None:
    (issue,) = parse(spoiled(lambda r: r["rollouts"][3].pop("text"))).issues
    assert "lacks 'text'" in issue.message
    assert "'answer', 'correct', 'finish_reason', 'meta', 'n_tokens', 'sample'" in issue.message


def test_a_key_that_was_renamed_is_missing_and_unknown() -> None:
    found = parse(spoiled(lambda r: r.update(native=r.pop("native_answer"))))
    assert noticed(found.issues) == ["sampling.missing_key", "sampling.unknown_key"]
    assert "'native'" in found.issues[0].message


def test_samples_that_repeat_and_lack_are_both_named() -> None:
    found = parse(spoiled(lambda r: r["rollouts"][5].update(sample=2)))
    assert places(found.issues) == [("sampling.repeated_sample", 1, 2), ("sampling.missing_sample", 1, None)]
    assert "Samples 5 are not there" in found.issues[1].message


def test_a_repeated_question_keeps_its_first_line() -> None:
    found = parse(question(1), question(2), question(1, native_answer="7", agreement=1 / 9))
    assert places(found.issues) == [("sampling.repeated_question", 3, None)]
    assert found.question_conditions["native_answer"].to_list() == ["239", "239"]


def test_without_known_questions_none_is_refused() -> None:
    assert parse_sampling(encoded([question(99_999)]), CELL, PATH).issues == []


def test_whole_numbers_may_be_written_as_floats_and_floats_as_whole_numbers() -> None:
    def edit(record: Record) -> None:
        record.update(agreement=1, native_answer="239", rollouts=[rollout(s, answer="239") for s in range(9)])
        record["rollouts"][2].update(sample=2.0, n_tokens=160.0)
        record["rollouts"][3]["meta"].update(presence_penalty=2)

    found = parse(spoiled(edit))
    assert found.issues == []
    assert found.question_conditions["agreement"].to_list() == [1.0]
    assert found.rollouts["presence_penalty"].to_list()[3] == 2.0


def test_nulls_that_mean_something_are_kept() -> None:
    def edit(record: Record) -> None:
        record.update(native_answer=None, agreement=0.0, skill_id=None)
        record["rollouts"][0].update(answer=None, correct=None, n_tokens=None, finish_reason=None)
        record["rollouts"][0]["meta"].update(presence_penalty=None, cap_repair=None)

    found = parse(spoiled(edit))
    assert found.issues == []
    row = found.rollouts.row(0, named=True)
    kept = {name: value for name, value in row.items() if value is not None}
    assert kept.keys() == {"instance_id", "sample", "text", "line"}
    assert found.question_conditions.select("native_answer", "agreement_recomputed", "n_distinct_answers").row(0) == (
        None, 0.0, 5,
    )  # fmt: skip


def test_two_nulls_do_not_agree() -> None:
    nulls = [rollout(sample, answer=None) for sample in range(9)]
    found = parse(question(native_answer=None, agreement=1.0, rollouts=nulls))
    assert noticed(found.issues) == ["sampling.agreement_differs"]
    row = found.question_conditions.row(0, named=True)
    assert (row["agreement"], row["agreement_recomputed"]) == (1.0, 0.0)
    assert (row["majority_answer"], row["n_distinct_answers"]) == (None, 1)


def test_agreement_that_the_answers_do_not_give_is_a_warning() -> None:
    found = parse(question(1, agreement=5 / 9 + 1e-12), question(2, agreement=0.5))
    assert places(found.issues) == [("sampling.agreement_differs", 2, None)]
    assert (found.issues[0].severity, found.issues[0].value) == (Severity.WARNING, "0.5")
    assert found.question_conditions["agreement"].to_list() == [5 / 9 + 1e-12, 0.5]
    assert found.question_conditions["agreement_recomputed"].to_list() == [5 / 9, 5 / 9]


def test_agreement_copied_onto_every_rollout_is_read() -> None:
    copied = question(rollouts=[rollout(sample, agreement=5 / 9) for sample in range(9)])
    bare = {key: value for key, value in copied.items() if key != "agreement"}
    for record in (copied, bare):
        found = parse(record)
        assert found.issues == []
        assert found.question_conditions["agreement"].to_list() == [5 / 9]


@pytest.mark.parametrize("copies", [[5 / 9] * 8, [5 / 9] * 8 + [0.5], [0.5] * 9, [5 / 9] * 8 + [None]])
def test_agreement_copied_otherwise_is_an_error(copies: list[float | None]) -> None:
    rollouts = [rollout(sample, agreement=copy) for sample, copy in enumerate(copies)]
    rollouts += [rollout(sample) for sample in range(len(copies), 9)]
    found = parse(question(rollouts=rollouts))
    assert noticed(found.issues) == ["sampling.agreement_copies_differ"]
    assert found.rollouts.is_empty()


def test_agreement_that_is_null_is_a_warning_and_nan_another() -> None:
    found = parse(question(1, agreement=None), question(2, agreement=math.nan))
    assert places(found.issues) == [("sampling.agreement_null", 1, None), ("sampling.nan", 2, None)]
    assert {issue.severity for issue in found.issues} == {Severity.WARNING}
    assert found.question_conditions["agreement"].to_list() == [None, None]
    assert found.question_conditions["agreement_recomputed"].to_list() == [5 / 9, 5 / 9]


def test_a_skill_under_direct_is_a_warning_and_is_not_kept() -> None:
    found = parse(question(1, DIRECT), question(2, DIRECT, skill_id="champ_012"), cell=DIRECT)
    assert places(found.issues) == [("sampling.skill_under_direct", 2, None)]
    assert found.question_conditions["skill_id"].to_list() == [None, None]


def test_under_direct_no_skill_need_be_named() -> None:
    record = {key: value for key, value in question(1, DIRECT).items() if key != "skill_id"}
    assert parse(record, cell=DIRECT).issues == []


def test_keys_nobody_knows_are_counted_one_finding_a_key() -> None:
    def edit(record: Record) -> None:
        record["seed"] = 7
        for found in record["rollouts"]:
            found["logprob"] = -0.5
            found["meta"]["top\nk"] = "many"

    found = parse(question(1), spoiled(edit))
    assert [(issue.rule, issue.line, issue.value) for issue in found.issues] == [
        ("sampling.unknown_key", 2, "1"),
        ("sampling.unknown_key", 2, "9"),
        ("sampling.unknown_key", 2, "9"),
    ]
    assert "'seed' (a number at first)" in found.issues[0].message
    assert "rollouts[].'logprob'" in found.issues[1].message
    assert "rollouts[].meta.'top\\nk'" in found.issues[2].message
    assert found.rollouts.height == 18


def test_a_thousand_unknown_keys_are_the_most_that_are_named() -> None:
    found = parse(question(1) | {f"key_{k}": k for k in range(1500)})
    assert noticed(found.issues) == ["sampling.unknown_key"] * 1001
    assert any("keys beyond the first thousand" in issue.message and issue.value == "500" for issue in found.issues)


def test_a_nan_where_nothing_is_read_is_a_warning() -> None:
    penalty = spoiled(lambda r: r["rollouts"][2]["meta"].update(presence_penalty=math.nan, cap_repair=True))
    found = parse(question(1) | {"score": math.nan}, penalty)
    assert places(found.issues) == [
        ("sampling.nan", 1, None), ("sampling.nan", 2, 2), ("sampling.unknown_key", 1, None),
    ]  # fmt: skip
    assert found.rollouts.filter(pl.col("cap_repair"))["presence_penalty"].to_list() == [None]


def test_lines_that_are_no_records_are_named_with_their_place() -> None:
    data = encoded([question(1)]) + b"{broken\n" + encoded([question(2)])
    found = parse_sampling(data, CELL, PATH, KNOWN)
    assert places(found.issues) == [("jsonl.invalid", 2, None)]
    assert (found.issues[0].dataset, found.issues[0].path) == (CELL.dataset, PATH)
    assert found.rollouts["line"].unique().sort().to_list() == [1, 3]


def test_an_empty_file_gives_empty_frames_of_the_right_types() -> None:
    found = parse_sampling(b"", CELL, PATH)
    assert noticed(found.issues) == ["jsonl.no_lines"]
    assert dict(found.rollouts.schema) == sampling.ROLLOUT_SCHEMA
    assert dict(found.question_conditions.schema) == sampling.QUESTION_SCHEMA


def test_limits_reach_the_lines() -> None:
    assert noticed(parse_sampling(encoded([question()]), CELL, PATH, limits=Limits(line_bytes=50)).issues) == [
        "jsonl.line_too_long"
    ]


def test_odd_names_of_cells_work() -> None:
    cell = CellKey('a"b;--\n', "𝔸", "c'd")
    assert parse(question(1, cell, skill_id=None), cell=cell).issues == []


def test_pieces_are_put_together_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_FLUSH_BYTES", 100)
    records = [question(number) for number in (3, 1, 2)]
    found = parse(*records)
    assert found.rollouts["instance_id"].to_list() == sorted(f"champ_{n:05d}" for n in (1, 2, 3) for _ in range(9))


@pytest.mark.parametrize(
    ("answers", "majority"),
    [
        (ANSWERS, "239"),
        (("a", "a", "b", "b"), None),
        (("a", None, None), "a"),
        ((None, None), None),
        (("a", "a", "b"), "a"),
        (("", "", "a"), ""),
    ],
)
def test_majority(answers: tuple[str | None, ...], majority: str | None) -> None:
    assert majority_answer(answers) == majority


def test_a_question_that_another_cell_has_is_missed() -> None:
    other = CellKey(CELL.model, "theoremqa", "direct")
    cells = {CELL: ["a", "b"], DIRECT: ["a", "b", "c"], other: ["z"]}
    (issue,) = missing_questions(cells)
    assert (issue.rule, issue.instance_id, issue.condition) == ("sampling.missing_question", "c", "llm_select")
    assert (issue.severity, issue.path) == (Severity.ERROR, PATH)
    assert missing_questions({CELL: ["a"], DIRECT: ["a"], other: ["z"]}) == []


def test_every_rule_is_listed_once() -> None:
    own = [value for module in (sampling, sampling_lines) for value in vars(module).values() if isinstance(value, Rule)]
    names = {rule.name for rule in (*own, *sampling_lines.COMMON)}
    assert sorted(rule.name for rule in sampling.RULES) == sorted(names)


TEXT = st.sampled_from(["", "239", "x\u0000", "é𝔸"])
KEYS = st.sampled_from(["sample", "meta", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=4,
)


def paths_of(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, child in children for path in [(*here, key), *paths_of(child, (*here, key))]]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_file_never_raises_and_loses_no_line(data: st.DataObject) -> None:
    """Two sound lines, one of them with any values in any places, or keys gone: nine rows or an error each."""
    record = copy.deepcopy(question(2))
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from(paths_of(record)))
        holder = record
        for key in above:
            holder = holder[key]
        if isinstance(holder, dict) and data.draw(st.booleans()):
            holder.pop(last)
        else:
            holder[last] = data.draw(JSON)
        if not paths_of(record):
            break
    found = parse_sampling(encoded([question(1), record]), CELL, PATH)
    rows = Counter(found.rollouts["line"].to_list())
    assert rows[1] == 9
    has_error = any(issue.severity is Severity.ERROR and issue.line == 2 for issue in found.issues)
    assert rows[2] == (0 if has_error else 9)
    assert json.dumps(found.question_conditions["agreement_recomputed"].to_list())


RESULT = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=9, max_size=9)


@given(RESULT, st.sampled_from(["a", "b", None]))
@settings(max_examples=80, deadline=None)
def test_figures_of_a_question(answers: list[str | None], native: str | None) -> None:
    agreement = sum(answer == native and answer is not None for answer in answers) / 9
    rollouts = [rollout(sample, answer=answer) for sample, answer in enumerate(answers)]
    found = parse(question(native_answer=native, agreement=agreement, rollouts=rollouts))
    assert found.issues == []
    row = found.question_conditions.row(0, named=True)
    assert row["agreement_recomputed"] == agreement
    counts = pl.Series(answers, dtype=pl.String).drop_nulls().value_counts()
    modes = counts.filter(pl.col("count") == pl.col("count").max())[""].to_list()
    assert row["majority_answer"] == (modes[0] if len(modes) == 1 else None)
    assert row["n_distinct_answers"] == pl.Series(answers, dtype=pl.String).n_unique()
