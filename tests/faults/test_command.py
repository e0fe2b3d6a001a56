"""Faulty bundles through the command: a sentence each, nothing published, or all but the unsound cells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synthetic.sra.faults import FAULTS, plant
from tests.faults.bundles import CELLS, small_bundle, write_files
from tests.faults.processes import callake
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids

ONE_CELL = "SELECT DISTINCT model, dataset, condition FROM rollouts ORDER BY ALL"
MISSING = (
    "SELECT DISTINCT model, dataset, condition FROM signal_coverage WHERE status = 'missing' AND signal = 'agreement' "
    "AND n_expected > 0 ORDER BY ALL"
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("command")
    write_files(folder / "raw", small_bundle())
    ended = callake("build", *inputs(folder), "--keep", "100")
    assert ended.returncode == 0, ended.stderr
    yield folder


def inputs(folder: Path) -> list[str]:
    raw = folder / "raw"
    return [
        "--sra",
        str(raw / "bundle"),
        "--instances",
        str(raw / "instances"),
        "--lake",
        str(folder / "lake"),
        "--workers",
        "1",
    ]


def asked(folder: Path, query: str) -> list[str]:
    ended = callake("sql", query, "--lake", str(folder / "lake"), "--format", "csv")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()[1:]


CASES = (
    "truncated_gzip_sampling",
    "sampling_repeated_sample",
    "tf_large",
    "entropy_zero",
    "index_overlap",
    "ab_hash_mismatch",
)


@pytest.mark.parametrize(
    ("name", "renew"),
    [
        pytest.param(name, renew, marks=() if (name, renew) == ("entropy_zero", True) else pytest.mark.slow)
        for name in CASES
        for renew in (True, False)
    ],
)
def test_a_faulty_bundle_is_refused_and_all_but_its_cell_can_be_published(lake: Path, name: str, renew: bool) -> None:
    root = Lake.at(lake / "lake")
    before, everything = root.current_id(), asked(lake, ONE_CELL)
    assert len(everything) == len(CELLS)
    changes = plant(small_bundle(), name, 3, renew)
    write_files(lake / "raw", changes)
    try:
        ended = callake("build", *inputs(lake))
        assert ended.returncode == 1
        assert "Traceback" not in ended.stderr
        sentences = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
        (path,) = [path for path, data in changes.items() if data is not None and "MANIFEST" not in path][:1]
        assert any(path.removeprefix("bundle/") in line for line in sentences)
        assert "nothing was published" in ended.stderr
        assert root.current_id() == before
        assert asked(lake, ONE_CELL) == everything
        partial = callake("build", *inputs(lake), "--allow-partial", "--keep", "100")
        assert partial.returncode == 0, partial.stderr
        left_out = set(everything) - set(asked(lake, ONE_CELL))
        assert left_out == {",".join(path.split("/")[2:5])}
        assert left_out <= set(asked(lake, MISSING))
        assert asked(lake, "SELECT count(*) FROM ingest_issues WHERE severity = 'error'") != ["0"]
    finally:
        write_files(lake / "raw", {path: small_bundle().get(path) for path in changes})
        callake("rollback", str(before), "--lake", str(lake / "lake"))
    assert root.current_id() == before
    assert FAULTS[name].expected(renew)[0] == "refused"


@pytest.mark.slow
def test_nothing_sound_is_nothing_published_even_in_part(tmp_path: Path) -> None:
    """An empty version would take the place of a full one."""
    write_files(tmp_path / "raw", {**small_bundle(), "bundle/MANIFEST.csv": b"path,size_bytes\n"})
    ended = callake("build", *inputs(tmp_path), "--allow-partial")
    assert ended.returncode == 1
    assert "nothing was published" in ended.stderr
    assert published_ids(Lake.at(tmp_path / "lake")) == []
