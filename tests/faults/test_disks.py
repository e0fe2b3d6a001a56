"""Disks that are full, lakes that may not be written, inputs that may not be read: a sentence, and nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.bundles import small_bundle, write_files
from tests.faults.kill_bench import one_cell_bundle
from tests.faults.processes import (
    callake,
    drop_rights,
    limit_file_size,
    mount_small,
    rights_can_be_dropped,
    unmount,
)
from warehouse.errors import LakeError
from warehouse.storage.failures import system_errors
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.versions import verify_version

Ended = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("raw"), one_cell_bundle(1))


@pytest.fixture(scope="module")
def published(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("published") / "lake"
    ended = build(raw, lake)
    assert ended.returncode == 0, ended.stderr
    return lake


@pytest.fixture
def lake(published: Path) -> Iterator[Path]:
    """A lake with one version at the place its catalog was written for, put back afterwards."""
    saved = published.with_name("saved")
    shutil.copytree(published, saved, symlinks=True)
    yield published
    shutil.rmtree(published)
    saved.rename(published)


def build(raw: Path, lake: Path, *more: str, before: Callable[[], Any] | None = None) -> Ended:
    inputs = ["--sra", str(raw / "bundle"), "--instances", str(raw / "instances"), "--lake", str(lake)]
    return callake("build", *inputs, "--workers", "1", *more, before=before)


def check_sentence(ended: Ended, *parts: str) -> None:
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    for part in parts:
        assert part in ended.stderr


def check_as_before(root: Path, version_id: str | None) -> None:
    lake = Lake.at(root)
    assert lake.current_id() == version_id
    if version_id is not None:
        assert verify_version(lake.version(version_id)) == []
        assert published_ids(lake) == [version_id]


@pytest.mark.parametrize(
    "size", [pytest.param(0, marks=pytest.mark.slow), 3_000, pytest.param(60_000, marks=pytest.mark.slow)]
)
def test_a_limit_on_the_size_of_files(lake: Path, tmp_path: Path, size: int) -> None:
    """None, a small table and the catalog are what does not fit."""
    before = Lake.at(lake).current_id()
    other = write_files(tmp_path / "other", one_cell_bundle(2))
    check_sentence(build(other, lake, before=limit_file_size(size)), "File too large", "ulimit -f")
    check_as_before(lake, before)
    assert build(other, lake).returncode == 0
    assert not (lake / ".staging").exists()
    assert len(published_ids(Lake.at(lake))) == 2


@pytest.mark.parametrize("room", [pytest.param(room, marks=pytest.mark.slow) for room in ("64k", "200k", "1200k")])
def test_a_file_system_without_space(raw: Path, tmp_path: Path, room: str) -> None:
    small = tmp_path / "small"
    mount_small(small, room)
    try:
        check_sentence(build(raw, small / "lake"), "No space left on device", "Free some space")
        check_as_before(small / "lake", None)
        subprocess.run(["mount", "-o", "remount,size=64m", str(small)], check=True)
        assert build(raw, small / "lake").returncode == 0
        assert verify_version(Lake.at(small / "lake").require_current()) == []
        assert not (small / "lake" / ".staging").exists()
    finally:
        unmount(small)


@pytest.fixture
def bound(tmp_path: Path) -> None:
    if not rights_can_be_dropped(tmp_path):
        pytest.skip("this process can not be held to the permissions of files: they do not bind it, and it may not ask")


def chmod(root: Path, *, writable: bool) -> None:
    for folder, _folders, files in os.walk(root):
        Path(folder).chmod(0o755 if writable else 0o555)
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o644 if writable else 0o444)


@pytest.mark.slow
@pytest.mark.usefixtures("bound")
def test_a_lake_that_may_only_be_read_answers_and_is_not_built(raw: Path, lake: Path) -> None:
    before = Lake.at(lake).current_id()
    chmod(lake, writable=False)
    try:
        check_sentence(build(raw, lake, before=drop_rights), "Permission denied", "Give this user the right")
        for command in (
            ["sql", "SELECT count(*) FROM rollouts", "--format", "csv"],
            ["status"],
            ["versions"],
            ["verify-lake"],
        ):
            ended = callake(*command, "--lake", str(lake), before=drop_rights)
            assert ended.returncode == 0, ended.stderr
        for command in (["gc"], ["rollback", str(before)], ["catalog"]):
            check_sentence(callake(*command, "--lake", str(lake), before=drop_rights), "Permission denied")
    finally:
        chmod(lake, writable=True)
    check_as_before(lake, before)


@pytest.mark.usefixtures("bound")
@pytest.mark.parametrize(
    "path",
    [
        "bundle/models/Qwen3-32B/champ/direct/sampling9.jsonl.gz",
        pytest.param("bundle/models/Qwen3-32B/champ/direct", marks=pytest.mark.slow),
        pytest.param("bundle/tokenizers/Qwen3-32B/tokenizer.json", marks=pytest.mark.slow),
        pytest.param("bundle/MANIFEST.csv", marks=pytest.mark.slow),
        pytest.param("bundle", marks=pytest.mark.slow),
        pytest.param("instances/champ.json", marks=pytest.mark.slow),
    ],
)
def test_an_input_that_may_not_be_read_is_named(tmp_path: Path, lake: Path, path: str) -> None:
    before = Lake.at(lake).current_id()
    target = write_files(tmp_path / "raw", one_cell_bundle(1)) / path
    target.chmod(0)
    ended = build(tmp_path / "raw", lake, before=drop_rights)
    target.chmod(0o755)
    if path == "bundle":
        assert ended.returncode in {1, 2}
    else:
        check_sentence(ended, "can not be read", target.name)
    assert "Traceback" not in ended.stderr
    check_as_before(lake, before)


@pytest.mark.slow
@pytest.mark.usefixtures("bound")
def test_everything_unreadable_is_named_and_the_rest_can_be_published(tmp_path: Path) -> None:
    raw = write_files(tmp_path / "raw", small_bundle())
    unreadable = [raw / "bundle" / "models" / cell / "sampling9.jsonl.gz" for cell in (
        "Qwen3-32B/champ/direct", "Qwen3-32B/theoremqa/llm_select",
    )]  # fmt: skip
    for path in unreadable:
        path.chmod(0)
    ended = build(raw, tmp_path / "lake", before=drop_rights)
    check_sentence(ended, *(path.relative_to(raw / "bundle").as_posix() for path in unreadable))
    ended = build(raw, tmp_path / "lake", "--allow-partial", before=drop_rights)
    assert ended.returncode == 0, ended.stderr
    asked = "SELECT DISTINCT model, dataset, condition FROM rollouts ORDER BY ALL"
    found = callake("sql", asked, "--lake", str(tmp_path / "lake"), "--format", "csv").stdout.splitlines()[1:]
    assert found == ["Gemma-4-31B-it,champ,direct", "Qwen3-32B,champ,llm_select", "Qwen3-32B,theoremqa,direct"]


@pytest.mark.slow
def test_a_pipe_among_the_questions_does_not_keep_the_build_waiting(tmp_path: Path) -> None:
    raw = write_files(tmp_path / "raw", one_cell_bundle(1))
    os.mkfifo(raw / "instances" / "theoremqa.json")
    os.mkfifo(raw / "bundle" / "aux" / "pipe")
    check_sentence(build(raw, tmp_path / "lake"), "theoremqa.json", "not a regular file")


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (OSError(28, "No space left on device", "/l/x"), "Staging failed at /l/x: No space left on device. Free some"),
        (
            OSError("[Errno 28] Error writing bytes to file. Detail: [errno 28] No space left"),
            "failed: No space left on",
        ),
        (OSError("Read-only file system (os error 30): /x"), "Staging failed: Read-only file system. Make the"),
        (PermissionError(13, "Permission denied", "/x"), "failed at /x: Permission denied. Give this user"),
        (OSError("odd"), "Staging failed: odd. See to that, and try again."),
    ],
)
def test_what_the_system_refuses_is_a_sentence(problem: Exception, sentence: str) -> None:
    with pytest.raises(LakeError) as raised, system_errors("Staging"):
        raise problem
    assert sentence in str(raised.value)


def test_what_the_system_did_not_refuse_is_no_such_sentence() -> None:
    import duckdb

    with pytest.raises(duckdb.CatalogException), system_errors("Staging"):
        duckdb.sql("FROM nothing")
    with pytest.raises(LakeError, match="No space left"), system_errors("Staging"):
        raise duckdb.IOException('IO Error: Could not write file "/x": No space left on device')
    with pytest.raises(LakeError, match="Broken pipe"), system_errors("Staging"):
        raise BrokenPipeError(32, "Broken pipe")
