"""Positional T/F joins over several builds: stale ones are left out until they are renewed or accepted by name."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from synthetic.sra.faults.base import Patch
from synthetic.sra.streams import stream
from tests.faults.bundles import small_bundle
from tests.faults.sra_builds import Done, SraLake
from warehouse.storage.versions import rollback

CELL = "Gemma-4-31B-it/champ/direct"
SAMPLING = f"bundle/models/{CELL}/sampling9.jsonl.gz"
TF = f"bundle/models/{CELL}/tf_logprob9.jsonl.gz"
Changes = dict[str, bytes | None]


def positional(patch: Patch) -> None:
    """Take the answer hashes away: the whole cell's T/F file is bound by position."""
    records = patch.lines(TF)
    for record in records:
        record.pop("answer_sha256s", None)
    patch.write_lines(TF, records)


def changed(*, answers: str | None = None, shift: float | None = None) -> Changes:
    """Return the bundle with positional T/F records; with other answers, and with other T/F numbers, where asked."""
    patch = Patch(small_bundle(), stream(0, "stale"))
    positional(patch)
    if answers is not None:
        records = patch.lines(SAMPLING)
        for rollout in records[0]["rollouts"][:3]:
            rollout["answer"] = answers
        patch.write_lines(SAMPLING, records)
    if shift is not None:
        records = patch.lines(TF)
        for record in records:
            name = "p_correct" if "p_correct" in record else "tf_p_correct"
            record[name] = [None if p is None else p * shift for p in record[name]]
            record.pop("mean_rollout_p_correct", None)
        patch.write_lines(TF, records)
    audit = "bundle/BUNDLE_AUDIT.json"
    patch.edit_json(audit, lambda found: found["joins"].pop("tf"))
    patch.refresh_manifest()
    return {**small_bundle(), **patch.changes}


@pytest.fixture
def sra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SraLake:
    """A lake whose first version has the cell's records bound by position."""
    found = SraLake(tmp_path, monkeypatch)
    found.write(changed())
    assert stale(found, found.build()) == (False, 0)
    return found


def stale(sra: SraLake, done: Done) -> tuple[bool, int]:
    """Return whether the build warned of a stale join, and how many rollouts of the cell have no T/F value."""
    assert done.published is not None, [issue.message for issue in done.built.issues]
    current = sra.lake.require_current()
    rollouts = pl.read_parquet(current / "tables" / "rollouts" / CELL / "part-0.parquet")
    verdicts = pl.read_parquet(current / "tables" / "tf_verdicts" / CELL / "part-0.parquet")
    assert verdicts.height == rollouts.height
    left_out = verdicts.filter(join_status="stale_positional_join").height
    assert left_out in {0, verdicts.height}
    assert rollouts["tf_join_basis"].null_count() == left_out
    warned = any(issue.rule == "stale_positional_join" for issue in done.built.issues)
    assert warned == bool(left_out)
    return warned, left_out


def rules(done: Done) -> set[str]:
    return {str(issue.rule) for issue in done.built.issues}


def test_regenerated_answers_leave_the_old_verdicts_out_until_accepted_by_name(sra: SraLake) -> None:
    sra.write(changed(answers="another"))
    assert stale(sra, sra.build()) == (True, 27)
    assert stale(sra, sra.build()) == (True, 27)
    assert sra.record["sources"]["sra"]["state"]["acceptances"] == {}
    accepted = sra.build(accept_positional=[CELL])
    assert stale(sra, accepted) == (False, 0)
    assert "tf.stale_accepted" in rules(accepted)
    state = sra.record["sources"]["sra"]["state"]
    assert state["acceptances"] == {CELL: state["tf_memory"][CELL]}
    assert {len(sha256) for sha256 in state["acceptances"][CELL].values()} == {64}
    assert stale(sra, sra.build()) == (False, 0)


def test_an_acceptance_is_for_the_answers_it_was_given_for(sra: SraLake) -> None:
    sra.write(changed(answers="another"))
    sra.build(accept_positional=[CELL])
    given = sra.record["sources"]["sra"]["state"]["acceptances"]
    sra.write(changed(answers="a third"))
    assert stale(sra, sra.build()) == (True, 27)
    assert sra.record["sources"]["sra"]["state"]["acceptances"] == given
    assert stale(sra, sra.build(accept_positional=[CELL])) == (False, 0)
    assert sra.record["sources"]["sra"]["state"]["acceptances"] != given


def test_a_build_may_name_an_accepted_cell_every_time(sra: SraLake) -> None:
    sra.write(changed(answers="another"))
    first = sra.build(accept_positional=[CELL])
    for named in ([CELL], []):
        again = sra.build(accept_positional=named)
        assert again.answers == set()
        assert again.published is not None
        assert first.published is not None
        assert again.published.version_id == first.published.version_id


def test_what_was_accepted_is_still_said_when_the_cell_is_read_again(
    sra: SraLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    sra.write(changed(answers="another"))
    sra.build(accept_positional=[CELL])
    before = sra.hashes()
    monkeypatch.setattr("pipelines.sra.keys.GRADING_VERSION", "another")
    again = sra.build()
    assert CELL in again.answers
    assert stale(sra, again) == (False, 0)
    assert sra.hashes() == before


def test_old_answers_that_come_back_are_joined_again(sra: SraLake) -> None:
    sra.write(changed(answers="another"))
    assert stale(sra, sra.build()) == (True, 27)
    sra.write(changed())
    assert stale(sra, sra.build()) == (False, 0)


def test_renewed_verdicts_are_believed(sra: SraLake) -> None:
    sra.write(changed(answers="another"))
    assert stale(sra, sra.build()) == (True, 27)
    sra.write(changed(answers="another", shift=0.5))
    assert stale(sra, sra.build()) == (False, 0)


def test_renewed_verdicts_in_the_same_build_are_believed(sra: SraLake) -> None:
    sra.write(changed(answers="another", shift=0.5))
    assert stale(sra, sra.build()) == (False, 0)


def test_the_memory_outlives_a_build_without_the_cell(sra: SraLake) -> None:
    patch = Patch({path: data for path, data in changed().items() if data is not None}, stream(0, "gone"))
    gone = [path for path in changed() if f"/{CELL}/" in path]
    for path in gone:
        patch.remove(path)
    patch.write("bundle/BUNDLE_AUDIT.json", b"{}")
    patch.refresh_manifest()
    sra.write(patch.changes)
    assert sra.build().published is not None
    assert not (sra.lake.require_current() / "tables" / "rollouts" / CELL).exists()
    sra.write(changed(answers="another"))
    assert stale(sra, sra.build()) == (True, 27)


def test_the_memory_outlives_a_build_that_leaves_the_cell_out(sra: SraLake) -> None:
    sra.write(changed(answers="another") | {SAMPLING: b"no gzip"})
    assert sra.build(allow_partial=True).published is not None
    sra.write(changed(answers="another"))
    assert stale(sra, sra.build()) == (True, 27)


def test_a_rollback_brings_the_memory_of_its_version_back(sra: SraLake) -> None:
    first = sra.lake.current_id()
    assert first is not None
    sra.write(changed(answers="another"))
    sra.build(accept_positional=[CELL])
    rollback(sra.lake, first)
    assert stale(sra, sra.build()) == (True, 27)


def test_a_lake_that_never_saw_the_cell_has_nothing_to_compare_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SraLake(tmp_path / "other", monkeypatch)
    other.write(changed(answers="another"))
    done = other.build(accept_positional=[CELL])
    assert stale(other, done) == (False, 0)
    assert "tf.stale_accepted" not in rules(done)
    assert other.record["sources"]["sra"]["state"]["acceptances"] == {}


def test_an_acceptance_of_a_cell_that_is_not_there_is_a_warning(sra: SraLake) -> None:
    done = sra.build(accept_positional=["Gemma-4-31B-it/champ/directly"])
    assert "tf.nothing_to_accept" in rules(done)
