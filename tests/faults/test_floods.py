"""One cause is one line however many files it touches; what is not a file of ours stops neither build nor sensor."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from pipelines import disk
from pipelines.automation import input_state
from pipelines.progress import Reporter
from pipelines.source import BuildContext, Built
from pipelines.sources import benchmirt, grace
from pipelines.sra.bundle import VerifiedBundle, listed_paths, verify_bundle
from pipelines.sra.question_files import QuestionFiles, read_question_files
from synthetic.sra.faults.base import POINTER, Patch
from synthetic.sra.streams import stream
from tests.faults import grace_faults
from tests.faults.bundles import Files, small_bundle, write_files
from tests.faults.sra_builds import SraLake
from warehouse.contracts import Issue, Severity
from warehouse.storage.ahead import measured
from warehouse.storage.layout import Lake
from warehouse.storage.stage import Stage

CELL = "models/Qwen3-32B/champ/direct"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return write_files(tmp_path / "raw", small_bundle())


def verified(bundle: Path) -> VerifiedBundle:
    return verify_bundle(bundle, 2, Reporter(quiet=True))


def statuses(found: VerifiedBundle | QuestionFiles) -> dict[str, str]:
    return dict(found.source_files.select("path", "status").iter_rows())


def noticed(issues: list[Issue], severity: Severity) -> Counter[str]:
    return Counter(issue.rule for issue in issues if issue.severity is severity)


# --- one cause in many files ----------------------------------------------------------------------------------------


def test_a_hubs_cache_of_links_is_one_error_that_says_what_to_do(raw: Path, tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "main"
    blobs.mkdir()
    files = [path for path in (raw / "bundle").rglob("*") if path.is_file()]
    for number, path in enumerate(files):
        link = snapshot / path.relative_to(raw / "bundle")
        link.parent.mkdir(parents=True, exist_ok=True)
        path.rename(blobs / str(number))
        link.symlink_to(os.path.relpath(blobs / str(number), link.parent))
    found = verified(snapshot)
    errors = [issue for issue in found.issues if issue.severity is Severity.ERROR]
    assert [(issue.rule, issue.value) for issue in errors] == [("manifest.leaves_bundle", str(len(files) - 1))]
    assert "--local-dir" in errors[0].message and "cp -rL" in errors[0].message
    assert Counter(statuses(found).values()) == {"refused": len(files) - 1, "ok": 1}
    copy = shutil.copytree(snapshot, tmp_path / "copy")
    assert not noticed(verified(copy).issues, Severity.ERROR)


def test_pointers_in_the_place_of_files_are_one_error(raw: Path) -> None:
    listed = listed_paths(raw / "bundle")
    for path in listed:
        (raw / "bundle" / path).write_bytes(POINTER)
    found = verified(raw / "bundle")
    errors = [issue for issue in found.issues if issue.severity is Severity.ERROR]
    assert [(issue.rule, issue.value) for issue in errors] == [("input.lfs_pointer", str(len(listed)))]
    assert "git lfs pull" in errors[0].message
    assert not found.cells


def test_questions_that_are_pointers_are_one_error(raw: Path) -> None:
    for path in (raw / "instances").glob("*.json"):
        path.write_bytes(POINTER)
    bundle = verified(raw / "bundle")
    found = read_question_files(raw / "instances", bundle)
    assert noticed(found.issues, Severity.ERROR) == {"input.lfs_pointer": 1}
    assert (set(statuses(found).values()), bundle.cells) == ({"refused"}, {})


@pytest.mark.parametrize("folder", [".git/objects", ".cache/huggingface/download", f"{CELL}/.ipynb_checkpoints"])
def test_a_folder_of_many_files_is_one_warning_and_is_not_hashed(
    raw: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(raw / "bundle", {f"{folder}/{k % 7}/{k}": b"x" for k in range(300)} | {"notes.txt": b"x"})
    hashed: list[Path] = []

    def noted(path: Path) -> tuple[int, str]:
        hashed.append(path)
        return measured(path)

    monkeypatch.setattr("pipelines.disk.measured", noted)
    found = verified(raw / "bundle")
    assert not noticed(found.issues, Severity.ERROR)
    (issue,) = [issue for issue in found.issues if issue.severity is Severity.WARNING]
    row = ".git/" if folder.startswith(".git") else ".cache/" if folder.startswith(".c") else f"{folder}/"
    assert (issue.rule, issue.value) == ("manifest.unlisted_file", "301")
    assert f"'{row}' (300 files)" in issue.message and "'notes.txt'" in issue.message
    assert {path: status for path, status in statuses(found).items() if status != "ok"} == {
        row: "unlisted",
        "notes.txt": "unlisted",
    }
    assert not any(folder in path.as_posix() for path in hashed)
    assert (raw / "bundle" / "notes.txt").resolve() in hashed


def test_a_few_files_of_an_unlisted_folder_have_a_row_each(raw: Path) -> None:
    write_files(raw / "bundle", {f"old/{k}": b"x" for k in range(disk.FEW)})
    found = verified(raw / "bundle")
    assert sum(status == "unlisted" for status in statuses(found).values()) == disk.FEW
    assert noticed(found.issues, Severity.WARNING) == {"manifest.unlisted_file": 1}


def test_files_hashed_ahead_are_those_that_are_listed(raw: Path) -> None:
    write_files(raw / "bundle", {f".git/{k}": b"x" for k in range(30)})
    files = [p for p in (raw / "bundle").rglob("*") if p.is_file() and ".git" not in p.parts]
    assert len(listed_paths(raw / "bundle")) == len(files) - 1


# --- one bad line ---------------------------------------------------------------------------------------------------


def spoiled(name: str, edit: Callable[[dict[str, Any]], object]) -> Files:
    """The bundle with the third line of one of a cell's files edited, its manifest renewed."""
    patch = Patch(small_bundle(), stream(0, "spoil"))
    path = f"bundle/{CELL}/{name}"
    records = patch.lines(path)
    edit(records[2])
    patch.write_lines(path, records)
    patch.refresh_manifest()
    return {p: data for p, data in {**small_bundle(), **patch.changes}.items() if data is not None}


def errors_of(sra: SraLake, files: Files) -> list[Issue]:
    sra.write(files)
    return [issue for issue in sra.build().built.issues if issue.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (lambda record: record.pop("rollouts"), "sampling.missing_key"),
        (lambda record: record.update(agreement="much"), "sampling.mistyped"),
        (lambda record: record.update(instance_id=7), "sampling.mistyped"),
        (lambda record: record.update(instance_id="champ_99999"), "sampling.unknown_question"),
    ],
)
def test_one_bad_sampling_line_is_its_cause_and_a_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[dict[str, Any]], object], rule: str
) -> None:
    cause, count = errors_of(SraLake(tmp_path, monkeypatch), spoiled("sampling9.jsonl.gz", edit))
    assert (cause.rule, cause.line, cause.path) == (rule, 3, f"{CELL}/sampling9.jsonl.gz")
    assert (count.rule, count.line, count.path, count.value) == ("consequences", 3, cause.path, "11")
    assert "9 entropy_index.unknown_rollout" in count.message


@pytest.mark.parametrize(
    ("name", "key", "rule"),
    [
        ("ab_logprob9.jsonl.gz", "answer_sha256s", "ab.missing_key"),
        ("token_entropy9.index.jsonl.gz", "offset", "entropy_index.missing_key"),
    ],
)
def test_one_bad_line_of_another_file_is_its_cause_and_a_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, key: str, rule: str
) -> None:
    cause, count = errors_of(SraLake(tmp_path, monkeypatch), spoiled(name, lambda record: record.pop(key)))
    assert (cause.rule, count.rule, count.value) == (rule, "consequences", "1")


# --- odd neighbours -------------------------------------------------------------------------------------------------


def odd_neighbours(folder: Path, of: str) -> None:
    """Put beside a file what editors, desktops and people leave there; some of it can not be opened."""
    (folder / f".#{of}").symlink_to("somebody@host.1234:5678")
    (folder / f"._{of}").write_bytes(b"\x00\x05\x16\x07")
    (folder / f"copy of {of}").write_bytes(b"{")
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")


def test_odd_neighbours_of_the_questions_are_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sra = SraLake(tmp_path, monkeypatch)
    sra.write(small_bundle())
    odd_neighbours(tmp_path / "raw" / "instances", "champ.json")
    done = sra.build()
    assert done.published is not None
    assert noticed(done.built.issues, Severity.WARNING)["questions.other_dataset"] == 1
    assert done.built.source_files is not None
    rows = done.built.source_files.filter(status="unlisted")
    assert rows["kind"].unique().to_list() == ["other"]
    assert len(rows) == 5


def test_odd_neighbours_in_a_bundle_are_one_warning(raw: Path, tmp_path: Path) -> None:
    odd_neighbours(raw / "bundle", "MANIFEST.csv")
    (raw / "bundle" / "latest").symlink_to(tmp_path)
    found = verified(raw / "bundle")
    assert not noticed(found.issues, Severity.ERROR)
    assert noticed(found.issues, Severity.WARNING) == {"manifest.unlisted_file": 1}
    assert {path for path, status in statuses(found).items() if status == "unlisted"} == {
        ".#MANIFEST.csv", "._MANIFEST.csv", "copy of MANIFEST.csv", "pipe.json", "latest",
    }  # fmt: skip


def staged(source: Any, options: dict[str, Any], folder: Path) -> Built:
    lake = Lake.at(folder / "lake")
    lake.create()
    defaults = {option.key: option.default for option in source.OPTIONS}
    built: Built = source.build(
        BuildContext(lake, Stage.begin(lake), defaults | options, {}, Reporter(quiet=True), workers=1)
    )
    return built


def test_odd_neighbours_of_run_files_are_one_warning(tmp_path: Path) -> None:
    root = write_files(tmp_path / "raw", grace_faults.sound())
    runs = root / "grace" / "runs"
    odd_neighbours(runs, "packet1_model_human_output.json")
    options = {"grace": str(root / grace_faults.ZIP), "grace_runs": str(runs), "elicitation": "verb"}
    built = staged(grace, options, tmp_path)
    assert built.files and not noticed(built.issues, Severity.ERROR)
    assert noticed(built.issues, Severity.WARNING)["grace.runs_file_unlisted"] == 1


def test_files_that_were_named_are_all_looked_at_before_a_build_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pointer.csv").write_bytes(POINTER)
    names = {"benchmirt": "pointer.csv", "benchmirt_items": "gone.csv", "benchmirt_models": "pointer.csv"}
    built = staged(benchmirt, {key: str(tmp_path / name) for key, name in names.items()}, tmp_path)
    assert noticed(built.issues, Severity.ERROR) == {"input.unreadable": 1, "input.lfs_pointer": 1}
    assert {issue.source for issue in built.issues} == {"benchmirt"}
    assert built.files == []


def test_the_sensor_is_not_stopped_by_neighbours_and_sees_changes(raw: Path) -> None:
    options = {"sra": str(raw / "bundle"), "instances": str(raw / "instances"), "grace": str(raw / "not there")}
    before = input_state(options)
    odd_neighbours(raw / "instances", "champ.json")
    (raw / "instances" / "a\udcff.json").touch()
    among = input_state(options)
    assert among == input_state(options) != before
    path = raw / "instances" / "champ.json"
    path.write_bytes(orjson.dumps([]))
    assert input_state(options) != among
