"""The T/F probe: every shape its records come in gives the same canonical column."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.record_cases import CELL, HASHES, Record, encoded, noticed, places
from transforms.sra import verdicts_tf
from transforms.sra.probes import Verdicts
from transforms.sra.verdicts_tf import parse_tf
from warehouse.contracts import TABLES, Severity

PATH = CELL.path("tf_logprob9.jsonl.gz")
P = [0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 0.0, 0.3, 0.6]
ID = {"instance_id": "champ_00001"}


def parse(*records: object) -> Verdicts:
    return parse_tf(encoded(records), CELL, PATH)


def rollouts(name: str = "p_correct", numbers: list[float] | None = None, **more: Any) -> list[Record]:
    return [{"sample": sample, name: number} | more for sample, number in enumerate(numbers or P)]


def halves(number: float) -> Record:
    return {"TF": number / 2, "FT": number * 1.5} if number < 0.6 else {"TF": 1.0, "FT": 2 * number - 1}


SHAPES: dict[str, tuple[list[Record], str, str]] = {
    "hashed": ([ID | {"answer_sha256s": HASHES, "p_correct": P}], "hashed", "answer_sha256"),
    "bare": ([ID | {"p_correct": P}], "bare", "position"),
    "tf": ([ID | {"tf_p_correct": P}], "tf", "position"),
    "tf with mean": ([ID | {"tf_p_correct": P, "mean_rollout_p_correct": sum(P) / 9}], "tf", "position"),
    "both names": ([ID | {"p_correct": P, "tf_p_correct": P}], "tf", "position"),
    "hashed under the other name": ([ID | {"answer_sha256s": HASHES, "tf_p_correct": P}], "hashed", "answer_sha256"),
    "rollouts": ([ID | {"rollouts": rollouts()}], "bare", "position"),
    "rollouts, tf": ([ID | {"rollouts": rollouts("tf_p_correct")}], "tf", "position"),
    "rollouts, hashed": ([ID | {"answer_sha256s": HASHES, "rollouts": rollouts()}], "hashed", "answer_sha256"),
    "rollouts, each with its hash": (
        [ID | {"rollouts": [r | {"answer_sha256": h} for r, h in zip(rollouts(), HASHES, strict=True)]}],
        "hashed",
        "answer_sha256",
    ),
    "rollouts and list": ([ID | {"p_correct": P, "rollouts": rollouts("tf_p_correct")}], "tf", "position"),
    "a line a rollout": ([ID | r for r in rollouts()], "bare", "position"),
    "a line a rollout, tf": ([ID | r for r in rollouts("tf_p_correct")], "tf", "position"),
    "a line a rollout, nine hashes": (
        [ID | r | {"answer_sha256s": HASHES} for r in rollouts()],
        "hashed",
        "answer_sha256",
    ),
    "a line a rollout, its hash": (
        [ID | r | {"answer_sha256": h} for r, h in zip(rollouts(), HASHES, strict=True)],
        "hashed",
        "answer_sha256",
    ),
    "a line a rollout with the mean": (
        [ID | r | {"mean_rollout_p_correct": sum(P) / 9} for r in rollouts()],
        "bare",
        "position",
    ),
    "one schema for all lines": (
        [
            ID
            | {"sample": None, "p_correct": None, "tf_p_correct": P, "answer_sha256s": None, "rollouts": None}
            | {"mean_rollout_p_correct": None}
        ],
        "tf",
        "position",
    ),
    "one schema for all lines a rollout": (
        [ID | r | {"p_correct": None, "orders": None, "answer_sha256": None} for r in rollouts("tf_p_correct")],
        "tf",
        "position",
    ),
    "its cell repeated": ([ID | CELL.columns | {"p_correct": P}], "bare", "position"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_column(shape: str) -> None:
    records, producer, basis = SHAPES[shape]
    found = parse(*records)
    assert found.issues == []
    assert found.frame["sample"].to_list() == list(range(9))
    assert found.frame["tf_p_correct"].to_list() == P
    assert found.frame["producer"].unique().to_list() == [producer]
    assert found.frame["join_basis"].unique().to_list() == [basis]
    assert found.frame["answer_sha256"].to_list() == (HASHES if producer == "hashed" else [None] * 9)
    assert found.frame["path"].unique().to_list() == [PATH]


ORDERED: dict[str, list[Record]] = {
    "rollouts": [ID | {"rollouts": [{"sample": s, "orders": halves(p)} for s, p in enumerate(P)]}],
    "rollouts and numbers": [ID | {"rollouts": [r | {"orders": halves(r["p_correct"])} for r in rollouts()]}],
    "a line a rollout": [ID | {"sample": s, "orders": halves(p)} for s, p in enumerate(P)],
    "lists": [ID | {"orders": {name: [halves(p)[name] for p in P] for name in ("TF", "FT")}}],
    "lists and numbers": [ID | {"p_correct": P, "orders": {n: [halves(p)[n] for p in P] for n in ("TF", "FT")}}],
}


@pytest.mark.parametrize("shape", ORDERED)
def test_two_orders_are_kept_and_their_mean_is_the_signal(shape: str) -> None:
    found = parse(*ORDERED[shape])
    assert found.issues == []
    assert found.frame["tf_p_correct"].to_list() == pytest.approx(P, abs=1e-15)
    assert found.frame["tf_p_correct_tf"].to_list() == [halves(p)["TF"] for p in P]
    assert found.frame["tf_p_correct_ft"].to_list() == [halves(p)["FT"] for p in P]


def test_columns_are_those_of_the_contract() -> None:
    contract = TABLES["tf_verdicts"].polars_schema
    schema = dict(parse(ID | {"p_correct": P}).frame.schema)
    assert schema == {name: contract[name] for name in schema}
    assert contract.keys() - schema.keys() == {*CELL.columns, "join_status"}


def test_producers_are_told_line_by_line() -> None:
    found = parse(
        {"instance_id": "a", "answer_sha256s": HASHES, "p_correct": P},
        {"instance_id": "b", "p_correct": P},
        {"instance_id": "c", "tf_p_correct": P},
    )
    assert found.frame.unique("instance_id").sort("instance_id")["producer"].to_list() == ["hashed", "bare", "tf"]


def change(**changes: object) -> Callable[[], Record]:
    return lambda: {"instance_id": "champ_00002", "p_correct": list(P)} | changes


def entry(edit: Callable[[Record], object]) -> Callable[[], Record]:
    """A record whose fourth rollout is edited."""

    def build() -> Record:
        listed = rollouts()
        edit(listed[3])
        return {"instance_id": "champ_00002", "rollouts": listed}

    return build


def replaced(value: object) -> list[object]:
    return [*P[:3], value, *P[4:]]


@pytest.mark.parametrize(
    ("build", "rule", "sample"),
    [
        (lambda: {"instance_id": "champ_00002"}, "missing_key", None),
        (lambda: {"instance_id": "champ_00002", "answer_sha256s": HASHES}, "missing_key", None),
        (lambda: {"p_correct": P}, "missing_key", None),
        (entry(lambda r: r.pop("sample")), "missing_key", None),
        (entry(lambda r: r.pop("p_correct")), "missing_key", None),
        (entry(lambda r: r.update(orders={"TF": 0.5})), "missing_key", 3),
        (change(instance_id=7), "mistyped", None),
        (change(p_correct=0.5), "mistyped", None),
        (change(p_correct=replaced("0.5")), "mistyped", 3),
        (change(p_correct=replaced(True)), "mistyped", 3),
        (change(p_correct=replaced([0.5])), "mistyped", 3),
        (change(rollouts={}), "mistyped", None),
        (change(sample="3", p_correct=0.5), "mistyped", None),
        (change(orders=[1, 2]), "mistyped", None),
        (entry(lambda r: r.update(sample="3")), "mistyped", None),
        (entry(lambda r: r.update(answer_sha256=5)), "mistyped", 3),
        (change(p_correct=replaced(1.2)), "out_of_range", 3),
        (change(p_correct=replaced(-0.1)), "out_of_range", 3),
        (change(p_correct=replaced(math.inf)), "out_of_range", 3),
        (change(mean_rollout_p_correct=1.5), "out_of_range", None),
        (entry(lambda r: r.update(sample=9)), "out_of_range", 9),
        (entry(lambda r: r.update(orders={"TF": 0.5, "FT": 2})), "out_of_range", 3),
        (change(p_correct=P[:8]), "not_nine", None),
        (change(p_correct=[*P, 0.5]), "not_nine", None),
        (change(p_correct=[]), "not_nine", None),
        (change(answer_sha256s=HASHES[:8]), "not_nine", None),
        (change(orders={"TF": P, "FT": P[:8]}), "not_nine", None),
        (change(orders={"TF": P}), "missing_key", None),
        (lambda: {"instance_id": "b", "sample": 3, "p_correct": 0.5, "answer_sha256s": HASHES[:8]}, "not_nine", None),
        (lambda: {"instance_id": "b", "sample": 3, "p_correct": 0.5, "answer_sha256": "f"}, "bad_hash", 3),
        (change(answer_sha256s=[*HASHES[:8], "f" * 63]), "bad_hash", 8),
        (entry(lambda r: r.update(answer_sha256="f" * 65)), "bad_hash", 3),
        (change(tf_p_correct=replaced(0.76)), "numbers_differ", 3),
        (change(tf_p_correct=replaced(None)), "numbers_differ", 3),
        (entry(lambda r: r.update(tf_p_correct=0.76)), "numbers_differ", 3),
        (change(rollouts=rollouts(numbers=[*P[:8], 0.61])), "numbers_differ", 8),
        (change(condition="direct"), "wrong_folder", None),
        (change(instance_id="champ_00001"), "repeated_sample", None),
        (entry(lambda r: r.update(sample=2)), "repeated_sample", 2),
        (lambda: {"instance_id": "champ_00002", "rollouts": rollouts()[:8]}, "missing_sample", None),
    ],
)
def test_a_record_that_is_wrong_is_named_and_left_out(
    build: Callable[[], Record], rule: str, sample: int | None
) -> None:
    found = parse(ID | {"p_correct": P}, build(), {"instance_id": "champ_00003", "p_correct": P})
    assert places(found.issues)[:1] == [(f"tf.{rule}", 2, sample)]
    assert {issue.severity for issue in found.issues} == {Severity.ERROR}
    assert noticed(found.issues[1:]) == (["tf.missing_sample"] if (rule, sample) == ("repeated_sample", 2) else [])
    assert found.frame["line"].unique().sort().to_list() == [1, 3]


def test_a_record_without_numbers_lists_its_keys() -> None:
    (issue,) = parse({"instance_id": "a", "p_wrong": P, "colour": 1}).issues[:1]
    assert "'colour', 'instance_id', 'p_wrong'" in issue.message


def test_null_stays_null_and_nan_stays_nan() -> None:
    found = parse(ID | {"p_correct": [None, math.nan, *P[2:]]})
    assert [(issue.rule, issue.severity, issue.sample) for issue in found.issues] == [
        ("tf.null", Severity.INFO, 0),
        ("tf.nan", Severity.WARNING, 1),
    ]
    assert found.frame["tf_p_correct"].is_null().to_list() == [True] + [False] * 8
    assert found.frame["tf_p_correct"].is_nan().fill_null(value=False).to_list() == [False, True] + [False] * 7


@pytest.mark.parametrize(
    "records",
    [
        [ID | {"p_correct": None}],
        [ID | {"tf_p_correct": [None] * 9}],
        [ID | {"orders": None}],
        [ID | {"sample": sample, "p_correct": None} for sample in range(9)],
        [ID | {"rollouts": [{"sample": sample, "tf_p_correct": None} for sample in range(9)]}],
        [ID | {"p_correct": None, "mean_rollout_p_correct": None}],
    ],
)
def test_a_probe_that_failed_altogether(records: list[Record]) -> None:
    found = parse(*records)
    assert noticed(found.issues) == ["tf.null"] * 9
    assert found.frame["tf_p_correct"].null_count() == 9


def test_one_failed_order_leaves_no_balanced_signal() -> None:
    found = parse(*(ID | {"sample": s, "orders": {"TF": 0.5, "FT": None if s == 3 else 0.7}} for s in range(9)))
    assert places(found.issues) == [("tf.null", 4, 3)]
    assert found.frame["tf_p_correct"].to_list() == [0.6] * 3 + [None] + [0.6] * 5
    assert found.frame["tf_p_correct_tf"].to_list() == [0.5] * 9


def test_a_number_that_is_not_the_mean_of_its_orders_is_a_warning() -> None:
    def edit(rollout: Record) -> None:
        rollout.update(p_correct=0.9, orders={"TF": 0.5, "FT": 0.7})

    found = parse(entry(edit)())
    assert [(issue.rule, issue.severity, issue.sample, issue.value) for issue in found.issues] == [
        ("tf.orders_differ", Severity.WARNING, 3, "0.9")
    ]
    assert found.frame["tf_p_correct"].to_list()[3] == pytest.approx(0.6)


@pytest.mark.parametrize("shift", [0.0, 5e-7, -5e-7])
def test_a_stored_mean_may_be_rounded(shift: float) -> None:
    assert parse(ID | {"tf_p_correct": P, "mean_rollout_p_correct": sum(P) / 9 + shift}).issues == []


@pytest.mark.parametrize("shape", ["list", "lines"])
def test_a_stored_mean_that_is_another_number_is_a_warning(shape: str) -> None:
    mean = {"mean_rollout_p_correct": sum(P) / 9 + 1e-3}
    found = parse(*([ID | {"p_correct": P} | mean] if shape == "list" else [ID | r | mean for r in rollouts()]))
    assert noticed(found.issues) == ["tf.mean_differs"] * (1 if shape == "list" else 9)
    assert {issue.severity for issue in found.issues} == {Severity.WARNING}
    assert found.frame["mean_rollout_p_correct"].unique().to_list() == [mean["mean_rollout_p_correct"]]


def test_a_mean_leaves_failed_probes_out() -> None:
    numbers = [None, math.nan, *P[2:]]
    found = parse(ID | {"p_correct": numbers, "mean_rollout_p_correct": sum(P[2:]) / 7})
    assert noticed(found.issues) == ["tf.null", "tf.nan"]
    failed = parse(ID | {"p_correct": [None] * 9, "mean_rollout_p_correct": 0.5})
    assert noticed(failed.issues) == ["tf.null"] * 9 + ["tf.mean_differs"]


def test_a_mean_that_is_nan_is_a_warning() -> None:
    found = parse(ID | {"p_correct": P, "mean_rollout_p_correct": math.nan})
    assert places(found.issues) == [("tf.nan", 1, None)]
    assert found.frame["mean_rollout_p_correct"].is_nan().all()


def test_a_line_a_rollout_that_is_not_complete() -> None:
    found = parse(*(ID | r for r in rollouts()[:7]), {"instance_id": "d", "p_correct": P})
    assert places(found.issues) == [("tf.missing_sample", 1, None)]
    assert "Samples 7, 8 have no record" in found.issues[0].message


def test_a_line_a_rollout_twice() -> None:
    found = parse(*(ID | r for r in rollouts()), ID | rollouts()[4])
    assert places(found.issues) == [("tf.repeated_sample", 10, 4)]
    both = parse(ID | {"p_correct": P}, ID | rollouts()[4])
    assert places(both.issues) == [("tf.repeated_sample", 2, 4)]


def test_another_order_is_noted() -> None:
    lines = [ID | r for r in rollouts()]
    found = parse(*lines[::-1])
    assert noticed(found.issues) == ["tf.another_order"]
    assert found.frame["tf_p_correct"].to_list() == P
    inside = parse(ID | {"rollouts": rollouts()[::-1]})
    assert noticed(inside.issues) == ["tf.another_order"]
    assert inside.frame["tf_p_correct"].to_list() == P


def test_unknown_keys_and_unread_nan_are_warnings() -> None:
    found = parse(ID | {"p_correct": P, "temperature": math.nan})
    assert places(found.issues) == [("tf.nan", 1, None), ("tf.unknown_key", 1, None)]
    assert {issue.severity for issue in found.issues} == {Severity.WARNING}
    assert found.frame["tf_p_correct"].to_list() == P


def test_whole_numbers_are_numbers() -> None:
    found = parse(ID | {"p_correct": [0, 1, *P[2:]], "mean_rollout_p_correct": 1})
    assert found.frame["tf_p_correct"].to_list()[:2] == [0.0, 1.0]
    assert noticed(found.issues) == ["tf.mean_differs"]


def test_every_rule_is_listed_once() -> None:
    names = [rule.name for rule in verdicts_tf.RULES]
    assert {name.split(".")[0] for name in names} == {"tf"}
    assert len(set(names)) == len(names)


SCALAR = st.sampled_from([None, True, 0, 1, 0.5, -1, 2**70, math.nan, math.inf, "", "0.5", HASHES[0]])
ANY: st.SearchStrategy[Any] = st.one_of(
    SCALAR,
    st.lists(SCALAR, max_size=10),
    st.just(P),
    st.just(HASHES),
    st.fixed_dictionaries({"TF": SCALAR, "FT": SCALAR}),
    st.builds(copy.deepcopy, st.just(rollouts())),
    st.lists(st.dictionaries(st.sampled_from(["sample", "p_correct", "tf_p_correct", "orders"]), SCALAR), max_size=9),
)
NAMES = st.sampled_from(
    ["instance_id", "sample", "p_correct", "tf_p_correct", "mean_rollout_p_correct", "answer_sha256s", "answer_sha256",
     "rollouts", "orders", "model", "colour"]
)  # fmt: skip


@given(st.lists(st.dictionaries(NAMES, ANY, max_size=5), min_size=1, max_size=3))
@settings(max_examples=300, deadline=None)
def test_any_shape_never_raises_and_loses_no_line(records: list[Record]) -> None:
    found = parse(*(record | {"instance_id": f"q{k}"} for k, record in enumerate(records)))
    rows = found.frame.group_by("line").len().sort("line")
    errors = {issue.line for issue in found.issues if issue.severity is Severity.ERROR}
    assert set(rows["line"]) | errors == set(range(1, len(records) + 1))
    assert set(rows["len"]) <= {1, 9}
    numbers = found.frame["tf_p_correct"].fill_nan(None).drop_nulls()
    assert numbers.is_between(0, 1).all()
    assert found.frame.select(pl.struct("instance_id", "sample").is_unique().all()).item()
