"""Wrong usage is exit code 2 and a sentence before any work; a sample is whole or not there."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import pipelines.commands.sample as sampling
from pipelines.cli import cli
from synthetic.benchmirt import make_release
from synthetic.sra.faults import FAULTS
from warehouse.storage.layout import Lake


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["irt", "fit", "--model", "2pl", "--dims", "2"], "--dims is 2 and 2pl has 1 dimension: m2pl takes 1 to 4"),
        (["irt", "fit", "--folds", "1"], "--folds is 1: expected 0 for no cross-validation, or 2 and more"),
        (["irt", "fit", "--max-iterations", "0"], "0 is not in the range"),
        (["export", "rollouts", "--to", "a.txt"], "a.txt ends in '.txt': name a file that ends in .parquet"),
        (["build", "--benchmirt", "DIR/r.csv", "--irt-fit", "1pl", "--irt-dims", "2"], "--irt-dims is 2"),
        (["build", "--benchmirt", "DIR/r.csv", "--irt-fit", "m2pl", "--irt-dims", "9"], "--irt-dims is 9"),
        (["build", "--benchmirt", "DIR/r.csv", "--irt-fit", "1pl", "--irt-folds", "1"], "--irt-folds is 1"),
        *[
            (["build", "--sra", "DIR", "--instances", "DIR", "--accept-positional", name], "MODEL/DATASET/CONDITION")
            for name in ("m", "m/d", "m//c", "m/d/c/x", "")
        ],
        (
            ["build", "--sra", "DIR", "--instances", "DIR", "--max-file-bytes", "0"],
            "--max-file-bytes is '0': expected a whole number, 1 or more",
        ),
        (
            ["build", "--sra", "DIR", "--instances", "DIR", "--max-file-bytes", "1e6"],
            "--max-file-bytes is '1e6': expected a whole number",
        ),
        (["sample", "DIR/s", "--fault", "sampling_repeated_sampel"], "did you mean sampling_repeated_sample"),
    ],
)
def test_wrong_usage_is_exit_code_2_before_any_work(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "r.csv").write_text("x")
    words = [word.replace("DIR", str(tmp_path)) for word in arguments]
    found = run(*words) if words[0] == "sample" else run(*words, "--lake", str(tmp_path / "lake"))
    assert found.exit_code == 2
    assert said in " ".join(found.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]


def test_a_fit_takes_its_steps_from_the_option(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(make_release(seed=3).responses_csv)
    lake = Lake.at(tmp_path / "lake")
    place = ("--lake", str(lake.root))
    assert run("build", *place, "--benchmirt", str(tmp_path / "r.csv"), "--quiet").exit_code == 0

    def fit(*more: str) -> tuple[int, bool]:
        assert run("irt", "fit", *place, "--folds", "0", *more).exit_code == 0
        (row,) = pl.read_parquet(
            lake.require_current() / "tables" / "irt_fits" / "part-0.parquet", glob=False
        ).to_dicts()
        return row["n_iterations"], row["converged"]

    assert fit("--max-iterations", "2") == (2, False)
    steps, converged = fit()
    assert converged
    assert steps > 2
    part = lake.require_current() / "tables" / "benchmirt_responses" / "part-0.parquet"
    part.unlink()
    part.write_bytes(b"PAR1")
    damaged = run("irt", "export", *place, "--to", str(tmp_path / "o.jsonl"))
    assert damaged.exit_code == 1
    assert f"{part} has 4 bytes" in str(damaged.exception)
    inside = run("irt", "export", *place, "--to", str(lake.versions / "o.jsonl"))
    assert "only builds write" in str(inside.exception)


def test_the_help_of_sample_names_the_way_to_the_faults_and_not_each() -> None:
    shown = run("sample", "--help").output
    assert "--list-faults" in shown
    assert "docs/faults.md" in shown
    assert sum(name in shown for name in FAULTS) == 0
    listed = run("sample", "--list-faults").output
    assert all(name in listed for name in FAULTS)


def test_a_sample_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(sampling, "plant_faults", fail)
        assert run("sample", str(tmp_path / "s"), "--scale", "tiny", "--workers", "1").exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_sample_left_is_not_in_the_way(tmp_path: Path) -> None:
    left = tmp_path / ".s.partial" / "bundle"
    left.mkdir(parents=True)
    (left / "half").write_text("{")
    assert run("sample", str(tmp_path / "s"), "--scale", "tiny", "--workers", "1").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    assert not (tmp_path / "s" / "bundle" / "half").exists()
    assert "is not empty" in str(run("sample", str(tmp_path / "s"), "--scale", "tiny").exception)


def test_a_folder_somebody_stands_in_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s").mkdir()
    monkeypatch.chdir(tmp_path / "s")
    assert run("sample", ".", "--scale", "tiny", "--workers", "1").exit_code == 0
    assert sorted(path.name for path in Path().iterdir()) == ["bundle", "instances"]
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
