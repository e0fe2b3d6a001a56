"""Builds through the command: refusals, partial builds, reuse, stale positional joins, carried-over sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from pipelines.commands.build import run_build
from synthetic.grace import synth_release
from synthetic.sra.faults import apply_fault
from tests.pipelines.conftest import options, sra_options, write_files
from warehouse.catalog import open_lake
from warehouse.errors import LakeError, RefusedError
from warehouse.storage.layout import Lake
from warehouse.storage.record import read_record
from warehouse.storage.versions import list_versions, verify_version


def hashes(lake: Lake) -> dict[str, str]:
    tables = read_record(lake.require_current())["tables"]
    return {file["path"]: file["sha256"] for table in tables.values() for file in table["files"]}


def build(lake: Lake, raw: Path, **given: Any) -> str:
    return run_build(lake, sra_options(raw, **given), quiet=True)


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture
def lake(tiny_lake: Lake, tmp_path: Path) -> Lake:
    """A lake of its own with one version of the tiny bundle."""
    shutil.copytree(tiny_lake.root, tmp_path / "lake", symlinks=True)
    return Lake.at(tmp_path / "lake")


def raw_folder(files: dict[str, bytes], tmp_path: Path) -> Path:
    return write_files(tmp_path / "raw", files)


def test_a_second_build_changes_nothing_and_reads_no_cell(
    lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lake.current_id()
    monkeypatch.setattr("pipelines.sra.worker.run", lambda job: pytest.fail(f"{job.cell.name} was read again"))
    assert build(lake, raw_folder(tiny_files, tmp_path)) == first
    assert len(list_versions(lake)) == 1


def test_one_changed_cell_gives_what_a_build_from_nothing_gives(
    lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path
) -> None:
    changed = apply_fault(tiny_files, "sampling_agreement_wrong", 1)
    raw = raw_folder(changed, tmp_path)
    before = lake.current_id()
    assert build(lake, raw) != before
    fresh = Lake.at(tmp_path / "fresh")
    build(fresh, raw)
    assert hashes(lake) == hashes(fresh)
    assert verify_version(lake.require_current()) == []


def test_a_refused_build_names_everything_and_publishes_nothing(
    lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faulty = apply_fault(apply_fault(tiny_files, "sampling_eight_rollouts", 1), "entropy_zero", 1)
    before = lake.current_id()
    with pytest.raises(LakeError, match="errors; nothing was published"):
        build(lake, raw_folder(faulty, tmp_path))
    assert lake.current_id() == before
    said = capsys.readouterr().err
    assert "sampling9.jsonl.gz" in said
    assert "token_entropy9.bin" in said
    kept = pl.read_parquet(sorted(lake.quarantine.iterdir())[-1] / "tables" / "ingest_issues" / "part-0.parquet")
    assert {"sampling.missing_sample", "entropy.zero"} <= set(kept.filter(severity="error")["rule"])
    assert said.count("error: ") == kept.filter(severity="error").height


def test_allow_partial_leaves_the_unsound_cell_out_and_says_so(
    lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path
) -> None:
    faulty = apply_fault(tiny_files, "sampling_eight_rollouts", 1)
    build(lake, raw_folder(faulty, tmp_path), allow_partial=True)
    with open_lake(lake) as connection:
        errors = connection.sql(
            "SELECT DISTINCT model, dataset, condition FROM ingest_issues WHERE severity = 'error'"
        ).pl()
        (cell,) = errors.rows()
        assert connection.sql(
            "SELECT count(*) FROM rollouts WHERE model = $1 AND dataset = $2 AND condition = $3", params=cell
        ).fetchall() == [(0,)]
        coverage = connection.sql(
            "SELECT DISTINCT status, reason FROM signal_coverage "
            "WHERE model = $1 AND dataset = $2 AND condition = $3 AND signal = 'agreement'",
            params=cell,
        ).fetchall()
        (others,) = connection.sql("SELECT count(DISTINCT (model, dataset, condition)) FROM rollouts").fetchall()[0]
    assert coverage == [("missing", "The cell was left out: something in its files is an error.")]
    assert others == 55


def test_the_stale_positional_join_over_three_builds(lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    raw = raw_folder(apply_fault(tiny_files, "sampling_regenerated", 1), tmp_path)
    build(lake, raw)
    stale = stale_cells(lake)
    assert len(stale) == 1
    again = lake.current_id()
    assert build(lake, raw) == again, "a stale cell stays stale and is not published again"
    (cell,) = stale
    build(lake, raw, accept_positional=[cell])
    assert stale_cells(lake) == set()
    state = read_record(lake.require_current())["sources"]["sra"]["state"]
    assert state["acceptances"] == {cell: state["tf_memory"][cell]}
    accepted = lake.current_id()
    assert build(lake, raw) == accepted, "what was accepted stays accepted"


def stale_cells(lake: Lake) -> set[str]:
    with open_lake(lake) as connection:
        rows = connection.sql(
            "SELECT DISTINCT model || '/' || dataset || '/' || condition FROM tf_verdicts "
            "WHERE join_status = 'stale_positional_join'"
        ).fetchall()
        left = connection.sql("SELECT count(*) FROM rollouts WHERE tf_join_basis IS NULL AND tf_p_correct IS NOT NULL")
        assert left.fetchall() == [(0,)]
    return {row[0] for row in rows}


def test_join_status_partitions_what_came_in(tiny_lake: Lake) -> None:
    with open_lake(tiny_lake) as connection:
        rows = connection.sql("SELECT count(*), count(*) FILTER (join_status = 'joined') FROM tf_verdicts").fetchall()
        joined = connection.sql("SELECT count(*) FROM rollouts WHERE tf_join_basis IS NOT NULL").fetchall()
    assert rows[0][0] == rows[0][1] == joined[0][0] == 16 * 11 * 9


def test_a_source_that_is_not_given_is_carried_over(lake: Lake, tmp_path: Path) -> None:
    before = hashes(lake)
    (tmp_path / "release.zip").write_bytes(synth_release(1))
    run_build(lake, options(grace=str(tmp_path / "release.zip")), quiet=True)
    after = hashes(lake)
    rollouts = [path for path in before if path.startswith("tables/rollouts/")]
    assert rollouts
    assert all(after[path] == before[path] for path in rollouts)
    record = read_record(lake.require_current())
    assert record["sources"]["sra"]["status"] == "carried over"
    assert record["tables"]["grace_questions"]["rows"] == 60
    files = pl.read_parquet(lake.require_current() / "tables" / "source_files" / "part-0.parquet")
    assert set(files["source"]) == {"sra", "grace"}


def test_what_nobody_knows_is_kept_and_reported(lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    faulty = apply_fault(apply_fault(tiny_files, "sampling_unknown_key", 1), "index_unknown_key", 1)
    build(lake, raw_folder(faulty, tmp_path))
    with open_lake(lake) as connection:
        kept = connection.sql("SELECT field, value, regexp_extract(path, '[^/]+$') FROM unknown_fields ORDER BY ALL")
        assert kept.fetchall() == [
            ("colour", '"red"', "sampling9.jsonl.gz"),
            ("colour", '"red"', "token_entropy9.index.jsonl.gz"),
        ]
        rules = connection.sql("SELECT rule FROM ingest_issues WHERE severity = 'warning' ORDER BY ALL").fetchall()
    assert rules == [("entropy_index.unknown_key",), ("sampling.unknown_key",)]


def test_worker_processes_give_the_same_bytes(tiny_lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    other = Lake.at(tmp_path / "other")
    build(other, raw_folder(tiny_files, tmp_path), workers="2")
    assert hashes(other) == hashes(tiny_lake)
    assert other.require_current().name.rsplit("-", 1)[1] == tiny_lake.require_current().name.rsplit("-", 1)[1]


def test_exit_codes_and_usage(tmp_path: Path) -> None:
    assert command("build", "--lake", str(tmp_path)).exit_code == 2
    assert command("build", "--sra", str(tmp_path / "nowhere")).exit_code == 2
    assert command("no-such-command").exit_code == 2
    for name in ("build", "sample", "verify", "sql", "tables", "export", "irt"):
        assert command(name, "--help").exit_code == 0
    with pytest.raises(LakeError, match="no published version"):
        Lake.at(tmp_path).require_current()


def test_refused_error_keeps_its_issues() -> None:
    assert RefusedError("x").issues == []


def test_lake_json_says_where_everything_came_from(tiny_lake: Lake) -> None:
    record = json.loads((tiny_lake.require_current() / "lake.json").read_text())
    source = record["sources"]["sra"]
    assert len(source["inputs"]["manifest_sha256"]) == 64
    assert "licence" in source["inputs"]
    assert set(record["code"]) == {"version", "building", "reading"}
    assert all(check["passed"] for check in record["checks"])
