"""A build that is asked to stop says so in a sentence, and inputs that never end are refused."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from pathlib import Path

import polars as pl
import pytest

from pipelines.commands.build import run_build
from pipelines.progress import Reporter
from pipelines.samples.benchmirt import make_sample
from synthetic.grace import synth_release
from tests.faults.bundles import small_bundle, write_files
from tests.faults.kill_bench import one_cell_bundle
from tests.faults.processes import callake, started
from tests.pipelines.conftest import options, sra_options
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake

STOPPED = "callake: stopped; nothing was published."


def inputs(folder: Path) -> list[str]:
    return ["--sra", str(folder / "raw" / "bundle"), "--instances", str(folder / "raw" / "instances")]


@pytest.mark.parametrize("what", [signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_asked_to_stop(tmp_path: Path, what: signal.Signals) -> None:
    write_files(tmp_path / "raw", small_bundle())
    lake = tmp_path / "lake"
    build = started("build", *inputs(tmp_path), "--lake", str(lake), "--workers", "2")
    while not list(lake.glob(".staging/*/version/tables/rollouts")) and build.poll() is None:
        time.sleep(0.01)
    build.send_signal(what)
    _stdout, stderr = build.communicate(timeout=120)
    assert build.returncode == 130, stderr
    assert stderr.strip().splitlines()[-1] == STOPPED
    assert "Traceback" not in stderr
    assert Lake.at(lake).current_id() is None
    assert not list(lake.glob(".staging/*"))


@pytest.mark.parametrize("option", ["grace", "grace-runs", "benchmirt"])
def test_a_pipe_among_the_inputs_is_refused(tmp_path: Path, option: str) -> None:
    (tmp_path / "release.zip").write_bytes(synth_release(0, n_packets=1, n_questions=3))
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder/packet1_model_human_output.json"):
        os.mkfifo(tmp_path / name)
    given = {
        "grace": ["--grace", "pipe"],
        "benchmirt": ["--benchmirt", "pipe"],
        "grace-runs": ["--grace", "release.zip", "--grace-runs", "folder", "--elicitation", "verb"],
    }[option]
    arguments = [str(tmp_path / part) if (tmp_path / part).exists() else part for part in given]
    ended = callake("build", *arguments, "--lake", str(tmp_path / "lake"), timeout=120)
    assert ended.returncode == 1
    assert "can not be read (not a regular file): name a regular file that you may read." in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_tokenizer_is_not_believed_for_what_somebody_wrote_into_the_record(tmp_path: Path) -> None:
    """`lake.json` remembers which tokenizers were sound; a worker that reads one sees what it is."""
    lake = Lake.at(tmp_path / "lake")
    run_build(lake, sra_options(write_files(tmp_path / "raw", one_cell_bundle(1))), quiet=True)
    path = lake.require_current() / "lake.json"
    record = json.loads(path.read_text())
    bad = b"{}"
    record["sources"]["sra"]["state"]["tokenizers"]["faultless"].append(hashlib.sha256(bad).hexdigest())
    path.write_text(json.dumps(record))
    (tmp_path / "raw" / "bundle" / "tokenizers" / "Qwen3-32B" / "tokenizer.json").write_bytes(bad)
    manifest = tmp_path / "raw" / "bundle" / "MANIFEST.csv"
    lines = [
        f"{line.split(',')[0]},{len(bad)},{hashlib.sha256(bad).hexdigest()}" if "tokenizer.json" in line else line
        for line in manifest.read_text().splitlines()
    ]
    manifest.write_text("\n".join(lines) + "\n")
    with pytest.raises(LakeError, match="is remembered as a sound tokenizer and is none"):
        run_build(lake, sra_options(tmp_path / "raw"), quiet=True)


@pytest.mark.slow
def test_what_was_noticed_of_a_fit_is_kept_with_it(tmp_path: Path) -> None:
    given = make_sample(tmp_path, 1, Reporter(quiet=True))
    lake, other = Lake.at(tmp_path / "lake"), Lake.at(tmp_path / "other")
    for one, models in ((lake, ("1pl", "2pl")), (other, ("2pl", "1pl"))):
        for model in models:
            run_build(one, options(**{**given, "irt_fit": model, "irt_folds": "2"}), quiet=True)
    tables = [one.require_current() / "tables" for one in (lake, other)]
    issues = [pl.read_parquet(folder / "ingest_issues" / "part-0.parquet", glob=False) for folder in tables]
    assert set(issues[0].filter(source="irt")["condition"]) == {"1pl-1d", "2pl-1d"}
    assert issues[0].equals(issues[1])
