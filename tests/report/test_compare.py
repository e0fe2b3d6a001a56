"""What changed between two versions is what two versions asked one by one differ in."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from pipelines.cli import cli
from pipelines.commands.build import run_build
from pipelines.report.picture import Picture
from pipelines.report.reading import compare, read_lake
from synthetic.sra import Spec, generate
from tests.pipelines.conftest import sra_options, write_files
from tests.report.rows import disagreements, read_page
from warehouse.catalog import connect_version
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake

KEYS = ["source", "model", "dataset", "condition", "signal"]
FIGURES = ["n", "accuracy", "mean_confidence", "ece", "brier", "auroc", "aurc"]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("two")
    found = Lake.at(folder / "lake")
    for seed in (5, 6):
        raw = write_files(folder / f"raw{seed}", dict(generate(Spec("tiny", seed=seed))))
        run_build(found, sra_options(raw), quiet=True)
    return found


@pytest.fixture(scope="module")
def before(lake: Lake) -> str:
    return min(path.name for path in lake.versions.iterdir())


def asked(lake: Lake, version_id: str, query: str) -> pl.DataFrame:
    with connect_version(lake.version(version_id)) as connection:
        found: pl.DataFrame = connection.sql(query).pl()
    return found


def test_figures_that_changed(lake: Lake, before: str) -> None:
    after = str(lake.current_id())
    query = f"SELECT {', '.join([*KEYS, *FIGURES])} FROM calibration_summary"
    sides = [asked(lake, version, query).unpivot(FIGURES, index=KEYS) for version in (before, after)]
    both = sides[0].join(sides[1], on=[*KEYS, "variable"], suffix="_after", nulls_equal=True)
    differing = both.filter(pl.col("value").ne_missing(pl.col("value_after")))
    found = compare(lake, before).frame("changed_figures")
    assert 0 < found.height == min(200, differing.height)
    assert set(found["n_changed"]) == {differing.height}
    joined = found.join(differing, left_on=[*KEYS, "figure"], right_on=[*KEYS, "variable"], nulls_equal=True)
    assert joined.height == found.height
    assert joined.filter(pl.col("value_before").ne_missing(pl.col("value"))).is_empty()
    assert joined.filter(pl.col("value_after").ne_missing(pl.col("value_after_right"))).is_empty()


def test_the_page_shows_what_changed(lake: Lake, before: str, tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    arguments = ["report", "--lake", str(lake.root), "--to", str(place), "--compare"]
    assert CliRunner().invoke(cli, [*arguments, before]).exit_code == 0
    text = place.read_text()
    assert before in text
    changes = compare(lake, before)
    marks = [mark for mark in read_page(text).marks if mark["picture"].startswith("changed_")]
    assert {mark["picture"] for mark in marks} >= {"changed_figures"}
    assert disagreements(marks, changes.frames) == []
    assert CliRunner().invoke(cli, [*arguments, before]).exit_code == 0
    assert place.read_text() == text


def test_a_version_beside_itself_has_not_changed(lake: Lake) -> None:
    found = compare(lake, str(lake.current_id()))
    assert all(frame.is_empty() for frame in found.frames.values())


def test_a_version_that_is_not_there_is_a_sentence(lake: Lake) -> None:
    with pytest.raises(LakeError, match="callake versions"):
        compare(lake, "20200101T000000.000000Z-000000000000")


def test_a_version_that_other_code_built_is_a_sentence(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    asks_more = Picture("p", "t", "s", "h", "SELECT no_such_column FROM rollouts")
    monkeypatch.setattr("pipelines.report.reading.load_pictures", lambda: {"p": asks_more})
    with pytest.raises(LakeError, match=r"(?s)no_such_column.*another version"):
        read_lake(lake)
