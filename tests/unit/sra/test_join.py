"""The join: hashes prove it, positions are remembered, every verdict gets exactly one status."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.record_cases import ANSWERS, CELL, HASHES, Record, encoded, noticed, places, sampled, sha
from transforms.sra import join
from transforms.sra.join import Joined, TfMemory, join_ab, join_tf
from transforms.sra.probes import Verdicts
from transforms.sra.verdicts_ab import parse_ab
from transforms.sra.verdicts_tf import parse_tf
from warehouse.contracts import TABLES, Severity
from warehouse.contracts.sra import JOIN_STATUSES

TF_PATH, AB_PATH = CELL.path("tf_logprob9.jsonl.gz"), CELL.path("ab_logprob9.jsonl.gz")
P = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]


def hashed(number: int, hashes: Sequence[str | None] = HASHES, p: Sequence[float | None] = P) -> Record:
    return {"instance_id": f"champ_{number:05d}", "answer_sha256s": list(hashes), "p_correct": list(p)}


def bare(number: int, p: Sequence[float | None] = P) -> Record:
    return {"instance_id": f"champ_{number:05d}", "p_correct": list(p)}


def tf(*records: Record) -> Verdicts:
    return parse_tf(encoded(records), CELL, TF_PATH)


def joined(
    *records: Record, rollouts: pl.DataFrame | None = None, previous: TfMemory | None = None, accepted: bool = False
) -> Joined:
    answers = sampled() if rollouts is None else rollouts
    return join_tf(tf(*records), answers, CELL, TF_PATH, previous, accepted=accepted)


def statuses(found: Joined) -> dict[str, list[str]]:
    """Distinct statuses of each question."""
    by_question = found.verdicts.group_by("instance_id").agg(pl.col("join_status").unique().sort())
    return {instance_id.removeprefix("champ_0000"): status for instance_id, status in by_question.iter_rows()}


def other_answers(*samples: int, number: int = 1, answer: str | None = "drawn again") -> pl.DataFrame:
    """The sampled rollouts with some answers of one question changed."""
    changed = (pl.col("instance_id") == f"champ_{number:05d}") & pl.col("sample").is_in(list(samples))
    return sampled().with_columns(answer=pl.when(changed).then(pl.lit(answer, pl.String)).otherwise("answer"))


def test_hashes_that_hold_are_joined() -> None:
    found = joined(hashed(1), hashed(2))
    assert found.issues == []
    assert statuses(found) == {"1": ["joined"], "2": ["joined"]}
    assert found.values.row(4, named=True) == {
        "instance_id": "champ_00001",
        "sample": 4,
        "tf_p_correct": 0.5,
        "tf_producer": "hashed",
        "tf_join_basis": "answer_sha256",
    }
    assert found.memory is None


def test_positions_are_joined_and_remembered() -> None:
    found = joined(bare(1), bare(2))
    assert found.issues == []
    assert found.values["tf_join_basis"].unique().to_list() == ["position"]
    assert found.memory is not None and len(found.memory.anchor_sha256) == len(found.memory.tf_sha256) == 64


def test_verdicts_are_the_table_of_the_contract() -> None:
    for found in (joined(hashed(1), bare(2)), joined(hashed(1), bare(2), bare(7))):
        table = TABLES["tf_verdicts"]
        assert dict(found.verdicts.schema) == table.polars_schema
        table.schema.validate(found.verdicts)
        assert found.verdicts.equals(found.verdicts.sort(table.key))


@pytest.mark.parametrize("samples", [(0,), (8,), (2, 5)])
def test_one_hash_that_does_not_hold_spoils_its_nine(samples: tuple[int, ...]) -> None:
    hashes = [sha("other") if sample in samples else value for sample, value in enumerate(HASHES)]
    found = joined(hashed(1, hashes), hashed(2))
    assert statuses(found) == {"1": ["hash_mismatch"], "2": ["joined"]}
    assert [(issue.rule, issue.line, issue.instance_id) for issue in found.issues] == [
        ("tf.hash_mismatch", 1, "champ_00001")
    ]
    assert found.issues[0].severity is Severity.ERROR
    assert f"samples {', '.join(map(str, samples))} are" in found.issues[0].message
    assert "other answers" in found.issues[0].message
    assert found.values["instance_id"].unique().to_list() == ["champ_00002"]


def test_permutations_are_not_guessed() -> None:
    swapped = [HASHES[2], HASHES[1], HASHES[0], *HASHES[3:]]
    found = joined(hashed(1, swapped), hashed(2))
    assert statuses(found) == {"1": ["hash_mismatch"], "2": ["joined"]}
    assert "the same answers in another order" in found.issues[0].message


@pytest.mark.parametrize(("value", "status"), [(None, "joined"), (sha(""), "joined"), (sha("None"), "hash_mismatch")])
def test_a_rollout_without_an_answer_has_no_hash_or_that_of_nothing(value: str | None, status: str) -> None:
    found = joined(hashed(1, [*HASHES[:8], value]), hashed(2), rollouts=other_answers(8, answer=None))
    assert statuses(found) == {"1": [status], "2": ["joined"]}


def test_a_null_hash_of_a_rollout_with_an_answer_does_not_hold() -> None:
    assert statuses(joined(hashed(1, [*HASHES[:8], None]), hashed(2))) == {"1": ["hash_mismatch"], "2": ["joined"]}


def test_a_question_that_was_not_sampled() -> None:
    for record in (hashed(7), bare(7)):
        found = joined(hashed(1), hashed(2), record)
        assert statuses(found) == {"1": ["joined"], "2": ["joined"], "7": ["no_rollout"]}
        assert places(found.issues) == [("tf.no_rollout", 3, None)]
        assert found.issues[0].severity is Severity.ERROR
        assert found.values.height == 18


def test_a_question_that_was_not_probed() -> None:
    found = joined(hashed(1))
    assert [(issue.rule, issue.instance_id, issue.severity) for issue in found.issues] == [
        ("tf.missing_question", "champ_00002", Severity.ERROR)
    ]


def ab(number: int, hashes: Sequence[str] = HASHES) -> Record:
    order = {"logp_A": -0.2, "logp_B": -1.8, "letter_mass": 0.9}
    rollouts = [{"sample": s, "orders": {"AB": order, "BA": order | {"letter_mass": 0.7}}} for s in range(9)]
    return {"instance_id": f"champ_{number:05d}", "answer_sha256s": list(hashes), "rollouts": rollouts}


def ab_joined(*records: Record) -> Joined:
    return join_ab(parse_ab(encoded(records), CELL, AB_PATH), sampled(), CELL, AB_PATH)


def test_the_ab_probe_is_joined_by_hash() -> None:
    found = ab_joined(ab(1), ab(2))
    assert (found.issues, found.memory) == ([], None)
    table = TABLES["ab_verdicts"]
    assert dict(found.verdicts.schema) == table.polars_schema
    table.schema.validate(found.verdicts)
    row = found.values.row(0, named=True)
    assert row["ab_letter_mass"] == pytest.approx(0.8)
    assert (row["ab_join_basis"], row["ab_logit"]) == ("answer_sha256", 0.0)
    contract = TABLES["rollouts"].polars_schema
    assert dict(found.values.schema) == {name: contract[name] for name in found.values.columns}
    assert {name for name in contract if name.startswith("ab_")} == set(found.values.columns) - {
        "instance_id",
        "sample",
    }


def test_the_ab_probe_has_its_own_rules() -> None:
    found = ab_joined(ab(1, HASHES[::-1]), ab(7))
    assert noticed(found.issues) == ["ab.hash_mismatch", "ab.no_rollout", "ab.missing_question"]
    assert statuses(found) == {"1": ["hash_mismatch"], "7": ["no_rollout"]}


def test_values_of_the_tf_probe_are_the_columns_of_rollouts() -> None:
    contract = TABLES["rollouts"].polars_schema
    values = joined(hashed(1), bare(2)).values
    assert dict(values.schema) == {name: contract[name] for name in values.columns}
    assert {name for name in contract if name.startswith("tf_")} == set(values.columns) - {"instance_id", "sample"}


# --- positions that can no longer be believed -----------------------------------------------------------------------

RECORDS = (hashed(1), bare(2))
FIRST = joined(*RECORDS)
REGENERATED = other_answers(0, 4, number=2)


def test_the_same_bundle_again_is_believed() -> None:
    again = joined(*RECORDS, previous=FIRST.memory)
    assert (again.issues, again.memory) == ([], FIRST.memory)


def test_answers_that_changed_under_records_that_did_not() -> None:
    found = joined(*RECORDS, rollouts=REGENERATED, previous=FIRST.memory)
    assert [(issue.rule, issue.severity, issue.value) for issue in found.issues] == [
        ("stale_positional_join", Severity.WARNING, "9")
    ]
    assert CELL.name in found.issues[0].message and "--accept-positional" in found.issues[0].message
    assert statuses(found) == {"1": ["joined"], "2": ["stale_positional_join"]}
    assert found.values["instance_id"].unique().to_list() == ["champ_00001"]
    assert found.verdicts.filter(instance_id="champ_00002")["tf_p_correct"].to_list() == P


@pytest.mark.parametrize(
    ("records", "rollouts"),
    [
        (RECORDS, other_answers(3, number=2)),
        (RECORDS, other_answers(3, number=2, answer=None)),
        ((hashed(1, [sha("z"), *HASHES[1:]]), bare(2)), other_answers(0, number=1, answer="z")),
        ((*RECORDS, hashed(3)), sampled(3)),
    ],
    ids=["an answer", "an answer gone", "another question's answer", "a question more"],
)
def test_any_change_of_the_cells_answers_counts(records: tuple[Record, ...], rollouts: pl.DataFrame) -> None:
    assert noticed(joined(*records, rollouts=rollouts, previous=FIRST.memory).issues) == ["stale_positional_join"]


def test_what_is_stale_stays_stale_build_after_build() -> None:
    memory = FIRST.memory
    for _ in range(3):
        found = joined(*RECORDS, rollouts=REGENERATED, previous=memory)
        assert noticed(found.issues) == ["stale_positional_join"]
        memory = found.memory
    assert memory == FIRST.memory


def test_the_old_answers_coming_back_heal_it() -> None:
    stale = joined(*RECORDS, rollouts=REGENERATED, previous=FIRST.memory)
    assert joined(*RECORDS, previous=stale.memory).issues == []


def test_renewed_records_are_believed() -> None:
    stale = joined(*RECORDS, rollouts=REGENERATED, previous=FIRST.memory)
    renewed = joined(hashed(1), bare(2, P[::-1]), rollouts=REGENERATED, previous=stale.memory)
    assert renewed.issues == [] and renewed.memory not in {None, FIRST.memory}
    assert joined(hashed(1), bare(2, P[::-1]), rollouts=REGENERATED, previous=renewed.memory).issues == []
    assert noticed(joined(hashed(1), bare(2, P[::-1]), previous=renewed.memory).issues) == ["stale_positional_join"]


def test_records_written_another_way_are_not_renewed() -> None:
    lines = [{"sample": s, "p_correct": p, "instance_id": "champ_00002", "colour": "red"} for s, p in enumerate(P)]
    found = joined(hashed(1), *lines[::-1], rollouts=REGENERATED, previous=FIRST.memory)
    assert "stale_positional_join" in noticed(found.issues)


def test_an_acceptance_joins_and_is_remembered() -> None:
    accepted = joined(*RECORDS, rollouts=REGENERATED, previous=FIRST.memory, accepted=True)
    assert [(issue.rule, issue.severity) for issue in accepted.issues] == [("tf.stale_accepted", Severity.INFO)]
    assert statuses(accepted) == {"1": ["joined"], "2": ["joined"]}
    later = joined(*RECORDS, rollouts=REGENERATED, previous=accepted.memory)
    assert later.issues == [] and later.memory == accepted.memory


def test_an_acceptance_of_what_is_not_stale_changes_nothing() -> None:
    found = joined(*RECORDS, previous=FIRST.memory, accepted=True)
    assert (found.issues, found.memory) == ([], FIRST.memory)
    assert joined(*RECORDS, accepted=True).memory == FIRST.memory


def test_a_file_without_positions_keeps_the_memory() -> None:
    hashes = [sha("drawn again") if s in {0, 4} else h for s, h in enumerate(HASHES)]
    proved = joined(hashed(1), hashed(2, hashes), rollouts=REGENERATED, previous=FIRST.memory)
    assert (proved.issues, proved.memory) == ([], FIRST.memory)
    back = joined(*RECORDS, rollouts=REGENERATED, previous=proved.memory)
    assert noticed(back.issues) == ["stale_positional_join"]


def test_null_and_nan_are_different_records() -> None:
    def memory(value: float | None) -> TfMemory | None:
        return joined(hashed(1), bare(2, [value, *P[1:]])).memory

    memories = [memory(None), memory(math.nan), memory(0.0), memory(0.1)]
    assert len(set(memories)) == 4


def test_the_memory_does_not_depend_on_the_order_of_rows() -> None:
    shuffled = sampled().sample(fraction=1.0, shuffle=True, seed=3)
    assert joined(*RECORDS[::-1], rollouts=shuffled).memory == FIRST.memory


def test_the_memory_is_the_same_in_every_release() -> None:
    """A lake's memory outlives the code that wrote it, so its bytes are spelled out here a second time."""

    def written(rows: list[list[object]]) -> bytes:
        return json.dumps(rows, separators=(",", ":")).encode()

    anchor = written([[f"champ_{n:05d}", s, ANSWERS[s]] for n in (1, 2) for s in range(9)])
    keys = written([["champ_00002", s] for s in range(9)])
    numbers = bytes(9) + struct.pack("<9d", *P)
    no_orders = bytes([1] * 9) + struct.pack("<9d", *[0.0] * 9)
    content = keys + numbers + 2 * no_orders
    assert FIRST.memory == TfMemory(hashlib.sha256(anchor).hexdigest(), hashlib.sha256(content).hexdigest())


def test_answers_cannot_be_shifted_between_fields() -> None:
    one = sampled(1).with_columns(answer=pl.Series(["a", "b", *ANSWERS[2:]]))
    other = sampled(1).with_columns(answer=pl.Series(["a,b", "", *ANSWERS[2:]]))
    assert joined(bare(1), rollouts=one).memory != joined(bare(1), rollouts=other).memory


KIND = st.sampled_from(["hashed", "swapped", "bare", "absent"])


@given(st.lists(KIND, min_size=1, max_size=5), st.integers(0, 5), st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_verdict_gets_exactly_one_status(kinds: list[str], n_sampled: int, accepted: bool) -> None:
    build = {"hashed": hashed, "swapped": lambda number: hashed(number, HASHES[::-1]), "bare": bare}
    records = [build[kind](number) for number, kind in enumerate(kinds, 1) if kind != "absent"]
    rollouts = sampled(n_sampled)
    verdicts = tf(*records)
    memory = join_tf(verdicts, other_answers(1).head(rollouts.height), CELL, TF_PATH).memory
    found = join_tf(verdicts, rollouts, CELL, TF_PATH, memory, accepted=accepted)
    assert found.verdicts.height == verdicts.frame.height
    assert found.verdicts["join_status"].is_in(JOIN_STATUSES).all()
    keys = ["instance_id", "sample"]
    assert found.verdicts.select(keys).equals(verdicts.frame.select(keys))
    is_joined = found.verdicts.filter(join_status="joined")
    assert is_joined.select(keys).equals(found.values.select(keys).sort(keys))
    assert is_joined.join(rollouts, on=keys, how="anti").is_empty()
    probed = {number for number, kind in enumerate(kinds, 1) if kind != "absent"}
    missed = {issue.instance_id for issue in found.issues if issue.rule == "tf.missing_question"}
    assert missed == {f"champ_{number:05d}" for number in range(1, n_sampled + 1) if number not in probed}


def test_every_rule_is_listed_once() -> None:
    names = [rule.name for rule in join.RULES]
    assert len(set(names)) == len(names) == 8
