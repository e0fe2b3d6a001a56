"""The A/B probe: both orders, their mean, and a name for everything that is wrong."""

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
from transforms.sra import verdicts_ab
from transforms.sra.probes import Verdicts
from transforms.sra.verdicts_ab import parse_ab, sigmoid
from warehouse.contracts import TABLES, Severity

PATH = CELL.path("ab_logprob9.jsonl.gz")


def letters(a: float, b: float, mass: float = 0.97) -> Record:
    return {"logp_A": a, "logp_B": b, "letter_mass": mass}


def record(number: int = 1, **changes: object) -> Record:
    rollouts = [
        {"sample": s, "orders": {"AB": letters(-0.2 - s, -1.8), "BA": letters(-0.5, -0.95, 0.9)}} for s in range(9)
    ]
    return {"instance_id": f"champ_{number:05d}", "answer_sha256s": list(HASHES), "rollouts": rollouts} | changes


def parse(*records: object) -> Verdicts:
    return parse_ab(encoded(records), CELL, PATH)


def spoiled(edit: Callable[[Record], object]) -> Record:
    changed = copy.deepcopy(record(2))
    edit(changed)
    return changed


def test_both_orders_their_mean_and_the_mean_log_odds() -> None:
    """The figures are those of the statistics' worked example."""
    found = parse(record())
    assert found.issues == []
    row = found.frame.row(0, named=True)
    assert row["ab_p_correct_ab"] == pytest.approx(0.8320184, abs=5e-8)
    assert row["ab_p_correct_ba"] == pytest.approx(0.3893608, abs=5e-8)
    assert row["ab_p_correct"] == pytest.approx(0.6106896, abs=5e-8)
    assert 1 / (1 + math.exp(-row["ab_logit"])) == pytest.approx(0.6399161, abs=5e-8)
    assert (row["letter_mass_ab"], row["letter_mass_ba"]) == (0.97, 0.9)
    assert (row["producer"], row["join_basis"], row["path"], row["line"]) == ("ab", "answer_sha256", PATH, 1)
    assert found.frame["answer_sha256"].to_list() == HASHES


def test_columns_are_those_of_the_contract() -> None:
    contract = TABLES["ab_verdicts"].polars_schema
    schema = dict(parse(record()).frame.schema)
    assert schema == {name: contract[name] for name in schema}
    assert contract.keys() - schema.keys() == {*CELL.columns, "join_status"}


def test_log_odds_keep_the_order_where_the_probability_saturates() -> None:
    def edit(changed: Record) -> None:
        for rollout in changed["rollouts"]:
            far = -40.0 - rollout["sample"]
            rollout["orders"] = {"AB": letters(0.0, far), "BA": letters(far, -0.0)}

    frame = parse(spoiled(edit)).frame
    assert frame["ab_p_correct"].n_unique() == 1
    assert frame["ab_logit"].to_list() == [40.0 + sample for sample in range(9)]


@given(st.lists(st.floats(-800, 800), min_size=1, max_size=30))
@settings(max_examples=50, deadline=None)
def test_the_sigmoid_agrees_with_scipy(logits: list[float]) -> None:
    from scipy.special import expit

    found = pl.DataFrame({"x": logits}, schema={"x": pl.Float64}).select(sigmoid(pl.col("x"))).to_series().to_list()
    assert found == pytest.approx(expit(logits).tolist(), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize(
    ("edit", "rule", "sample"),
    [
        (lambda r: r.pop("instance_id"), "missing_key", None),
        (lambda r: r.pop("answer_sha256s"), "missing_key", None),
        (lambda r: r.pop("rollouts"), "missing_key", None),
        (lambda r: r["rollouts"][3].pop("orders"), "missing_key", 3),
        (lambda r: r["rollouts"][3]["orders"].pop("BA"), "missing_key", 3),
        (lambda r: r["rollouts"][3]["orders"]["AB"].pop("logp_B"), "missing_key", 3),
        (lambda r: r["rollouts"][3]["orders"]["AB"].pop("letter_mass"), "missing_key", 3),
        (lambda r: r.update(answer_sha256s=None), "mistyped", None),
        (lambda r: r.update(rollouts={"0": 1}), "mistyped", None),
        (lambda r: r["rollouts"].__setitem__(3, None), "mistyped", None),
        (lambda r: r["rollouts"][3].update(orders=[1, 2]), "mistyped", 3),
        (lambda r: r["rollouts"][3]["orders"].update(AB=0.4), "mistyped", 3),
        (lambda r: r["rollouts"][3]["orders"]["AB"].update(logp_A="-0.1"), "mistyped", 3),
        (lambda r: r["rollouts"][3]["orders"]["AB"].update(logp_A=False), "mistyped", 3),
        (lambda r: r["rollouts"][3]["orders"]["AB"].update(logp_A=0.1), "out_of_range", 3),
        (lambda r: r["rollouts"][3]["orders"]["BA"].update(logp_B=-math.inf), "out_of_range", 3),
        (lambda r: r["rollouts"][3]["orders"]["BA"].update(letter_mass=1.2), "out_of_range", 3),
        (lambda r: r["rollouts"][3]["orders"]["BA"].update(letter_mass=-0.1), "out_of_range", 3),
        (lambda r: r["rollouts"][3].update(sample=9), "out_of_range", 9),
        (lambda r: r.update(model="Qwen9"), "wrong_folder", None),
        (lambda r: r["answer_sha256s"].pop(), "not_nine", None),
        (lambda r: r["answer_sha256s"].__setitem__(3, "0" * 63), "bad_hash", 3),
        (lambda r: r["answer_sha256s"].__setitem__(3, "g" * 64), "bad_hash", 3),
        (lambda r: r["answer_sha256s"].__setitem__(3, 17), "bad_hash", 3),
        (lambda r: r["rollouts"].pop(), "missing_sample", None),
        (lambda r: r["rollouts"].append(copy.deepcopy(r["rollouts"][3])), "repeated_sample", 3),
        (lambda r: r.update(instance_id="champ_00001"), "repeated_sample", None),
    ],
)
def test_a_record_that_is_wrong_is_named_and_left_out(
    edit: Callable[[Record], object], rule: str, sample: int | None
) -> None:
    found = parse(record(1), spoiled(edit), record(3))
    assert places(found.issues) == [(f"ab.{rule}", 2, sample)]
    assert found.issues[0].severity is Severity.ERROR
    assert (found.issues[0].path, found.issues[0].condition) == (PATH, CELL.condition)
    assert found.frame["line"].unique().sort().to_list() == [1, 3]


def test_a_failed_probe_is_null_and_noted() -> None:
    def edit(changed: Record) -> None:
        rollouts = changed["rollouts"]
        rollouts[0]["orders"] = None
        rollouts[1]["orders"]["AB"] = None
        rollouts[2]["orders"]["BA"]["logp_A"] = None
        rollouts[3]["orders"]["BA"]["letter_mass"] = None

    found = parse(spoiled(edit))
    assert places(found.issues) == [("ab.null", 1, 0), ("ab.null", 1, 1), ("ab.null", 1, 2), ("ab.null", 1, 3)]
    assert {issue.severity for issue in found.issues} == {Severity.INFO}
    assert found.frame["ab_p_correct"].is_null().to_list() == [True, True, True] + [False] * 6
    assert found.frame["ab_p_correct_ba"].is_null().to_list() == [True, False, True] + [False] * 6
    assert found.frame["letter_mass_ba"].to_list()[3] is None


def test_nan_is_null_and_a_warning() -> None:
    found = parse(spoiled(lambda r: r["rollouts"][3]["orders"]["AB"].update(logp_A=math.nan)))
    assert places(found.issues) == [("ab.nan", 1, 3)]
    assert found.issues[0].severity is Severity.WARNING
    assert found.frame.row(3, named=True)["ab_p_correct"] is None
    assert not found.frame["ab_p_correct"].is_nan().any()


def test_another_order_and_upper_case_are_tolerated_and_noted() -> None:
    def edit(changed: Record) -> None:
        changed["rollouts"].reverse()
        changed["answer_sha256s"][4] = changed["answer_sha256s"][4].upper()
        changed["answer_sha256s"][5] = None

    found = parse(record(3), spoiled(edit))
    assert noticed(found.issues) == ["ab.upper_hash", "ab.another_order"]
    assert found.issues[1].value == "2"
    hashes = found.frame.filter(instance_id="champ_00002")["answer_sha256"].to_list()
    assert hashes == [*HASHES[:5], None, *HASHES[6:]]


def test_unknown_keys_and_unread_nan_are_warnings() -> None:
    found = parse(spoiled(lambda r: r["rollouts"][3]["orders"].update(CD={"x": math.nan})))
    assert places(found.issues) == [("ab.nan", 1, None), ("ab.unknown_key", 1, None)]
    assert found.frame.height == 9


def test_a_record_may_repeat_its_cell() -> None:
    assert parse(record(1, **CELL.columns)).issues == []


def test_every_rule_is_its_probes() -> None:
    assert {rule.name.split(".")[0] for rule in verdicts_ab.RULES} == {"ab"}
    assert len({rule.name for rule in verdicts_ab.RULES}) == len(verdicts_ab.RULES)


ANY: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 9, 2**70, 0.5, -0.0, math.nan, math.inf, "", "x", HASHES[0], [], {}, [1], {"AB": {}}]
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_file_never_raises_and_loses_no_line(data: st.DataObject) -> None:
    changed = copy.deepcopy(record(2))
    rollout = changed["rollouts"][data.draw(st.integers(0, 8))]
    holders = [changed, rollout, rollout["orders"], rollout["orders"]["AB"]]
    for holder in data.draw(st.lists(st.sampled_from(holders), min_size=1, max_size=3)):
        key = data.draw(st.sampled_from([*holder, "colour"]))
        holder[key] = data.draw(ANY)
    found = parse(record(1), changed)
    has_error = any(issue.severity is Severity.ERROR and issue.line == 2 for issue in found.issues)
    assert found.frame["line"].to_list().count(2) == (0 if has_error else 9)
    assert found.frame["line"].to_list().count(1) == 9
