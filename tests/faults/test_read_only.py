"""Published table files are read-only, and nothing that looks after a lake minds: as root and as anybody else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from synthetic.benchmirt import make_release
from synthetic.grace import synth_release
from tests.faults.processes import callake, drop_rights, rights_can_be_dropped
from warehouse.storage.files import link_or_copy
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.publish import WRITABLE


@pytest.fixture(params=["with root's rights", "without"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    if request.param == "without" and not rights_can_be_dropped(tmp_path):
        pytest.skip("root's rights can not be given up here")
    before = drop_rights if request.param == "without" else None
    return lambda *words: callake(*words, "--lake", str(tmp_path / "lake"), before=before)


def writable(lake: Lake) -> list[str]:
    return [str(path) for path in (lake.versions).rglob("*.parquet") if path.stat().st_mode & WRITABLE]


def test_versions_of_read_only_files_are_built_upon_gone_back_to_and_removed(
    run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    lake = Lake.at(tmp_path / "lake")
    (tmp_path / "release.zip").write_bytes(synth_release(1))
    (tmp_path / "responses.csv").write_bytes(make_release(seed=3).responses_csv)
    for words in (["--grace", "release.zip"], ["--benchmirt", "responses.csv"]):
        built = run("build", words[0], str(tmp_path / words[1]), "--quiet", "--workers", "1")
        assert built.returncode == 0, built.stderr
        assert writable(lake) == []
    first, second = published_ids(lake)
    shared = "tables/grace_buzzes/part-0.parquet"
    assert (lake.version(first) / shared).samefile(lake.version(second) / shared)
    for words in (["rollback", first], ["verify-lake"], ["catalog"], ["gc", "--keep", "1"], ["verify-lake"]):
        done = run(*words)
        assert done.returncode == 0, done.stderr
    # The newest and the current one stay.
    assert published_ids(lake) == [first, second]
    assert run("rollback", second).returncode == 0
    assert "removed" in run("gc", "--keep", "1").stdout
    assert published_ids(lake) == [second]
    refused = run("sql", f"COPY (SELECT 1) TO '{lake.version(second) / shared}'")
    assert "only builds write" in refused.stderr
    copied = tmp_path / "copied"
    assert subprocess.run(["cp", "-a", str(lake.root), str(copied)], check=True).returncode == 0
    assert writable(Lake.at(copied)) == []
    shutil.rmtree(copied)


def test_what_somebody_may_not_read_stays_so(tmp_path: Path) -> None:
    """The rights to write are taken, and no others given."""
    (tmp_path / "release.zip").write_bytes(synth_release(1))
    words = ["--grace", str(tmp_path / "release.zip"), "--quiet", "--workers", "1"]
    built = callake("build", "--lake", str(tmp_path / "lake"), *words, before=lambda: os.umask(0o077))
    assert built.returncode == 0, built.stderr
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "lake" / "versions").rglob("*.parquet")}
    assert modes == {0o400}


def test_where_there_are_no_hard_links_a_copy_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"bytes")
    (tmp_path / "a").chmod(0o444)

    def refuse(*_paths: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    link_or_copy(tmp_path / "a", tmp_path / "new" / "b")
    assert (tmp_path / "new" / "b").read_bytes() == b"bytes"
