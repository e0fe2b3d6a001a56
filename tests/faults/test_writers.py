"""One build at a time; the dead hold nothing, and what they started ends with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pipelines.pool import run_jobs
from tests.faults.bundles import write_files
from tests.faults.kill_bench import one_cell_bundle
from tests.faults.processes import PROJECT, callake, started
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.lock import hold, holder
from warehouse.storage.versions import list_versions, verify_version

HOLD = """
import sys, time
from warehouse.storage.layout import Lake
from warehouse.storage.lock import hold
with hold(Lake.at(sys.argv[1]), wait=False, say=print):
    print("held", flush=True)
    time.sleep(600)
"""
POOL = """
import os, sys, time
from pathlib import Path
from pipelines.pool import run_jobs

def begin(): Path(sys.argv[1], str(os.getpid())).touch()
def work(job): time.sleep(600)

if __name__ == "__main__":
    list(run_jobs(work, [1, 2, 3], 2, begin))
"""


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    found = Lake.at(tmp_path / "lake")
    found.create()
    return found


@pytest.fixture
def other(lake: Lake) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lake."""
    command = [sys.executable, "-c", HOLD, str(lake.root)]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_who_holds_the_lake_is_told(lake: Lake, other: subprocess.Popen[str]) -> None:
    owner = holder(lake)
    assert owner is not None
    assert owner["pid"] == other.pid
    with pytest.raises(LakeError, match=f"held by process {other.pid} on "), hold(lake, wait=False, say=print):
        pass
    ended = callake(
        "build", "--sra", str(lake.root), "--instances", str(lake.root), "--lake", str(lake.root), "--no-wait"
    )
    assert ended.returncode == 1
    assert f"held by process {other.pid} on " in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_lock_whose_owner_is_dead_is_taken_over(lake: Lake, other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    assert (lake.root / ".lock.owner").exists()
    assert holder(lake) is None
    with hold(lake, wait=False, say=print):
        owner = holder(lake)
        assert owner is not None
        assert owner["pid"] == os.getpid()
    assert not (lake.root / ".lock.owner").exists()


def test_who_waits_is_told_once_and_goes_on_when_the_lake_is_free(lake: Lake, other: subprocess.Popen[str]) -> None:
    said: list[str] = []
    threading.Timer(1.5, other.kill).start()
    with hold(lake, wait=True, say=said.append):
        assert len(said) == 1
        assert f"held by process {other.pid} on " in said[0]


def test_asking_who_holds_the_lake_keeps_no_build_from_it(lake: Lake) -> None:
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            holder(lake)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(30):
            with hold(lake, wait=False, say=print):
                pass
    finally:
        stop.set()
        asking.join()


def test_two_builds_at_once_both_publish_one_after_the_other(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    builds = []
    for seed in (1, 2):
        raw = write_files(tmp_path / str(seed), one_cell_bundle(seed))
        inputs = ["--sra", str(raw / "bundle"), "--instances", str(raw / "instances"), "--lake", str(lake)]
        builds.append(started("build", *inputs, "--workers", "1"))
    ended = [(build.communicate(timeout=300), build.returncode) for build in builds]
    assert [status for _said, status in ended] == [0, 0], ended
    versions = [info.version_id for info in list_versions(Lake.at(lake))]
    assert len(versions) == 2
    assert {out.split()[1] for (out, _err), _status in ended} == set(versions)
    assert all(verify_version(Lake.at(lake).version(version)) == [] for version in versions)
    assert not [path for path in lake.iterdir() if path.name.startswith(".staging")]


def _gone(pids: list[int], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while any(psutil.pid_exists(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_workers_end_with_a_parent_that_was_killed_alone(tmp_path: Path) -> None:
    script, began = tmp_path / "pool.py", tmp_path / "began"
    script.write_text(POOL)
    began.mkdir()
    command = [sys.executable, str(script), str(began)]
    parent = subprocess.Popen(command, cwd=PROJECT, env=os.environ | {"PYTHONPATH": str(PROJECT)})
    until = time.monotonic() + 120
    while len(list(began.iterdir())) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    workers = [child.pid for child in psutil.Process(parent.pid).children()]
    assert {int(path.name) for path in began.iterdir()} <= set(workers)
    parent.kill()
    parent.wait()
    assert _gone(workers, 20)


def _die(_job: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _nothing() -> None:
    pass


def test_a_worker_that_is_killed_is_a_sentence() -> None:
    with pytest.raises(LakeError, match="A worker process was killed, most likely for want of memory"):
        list(run_jobs(_die, [1, 2], 2, _nothing))
