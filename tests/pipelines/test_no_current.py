"""A lake whose link `current` was removed by hand: it says what is there, removes nothing, and comes back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.versions import collect_garbage


def run(lake: Lake, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--lake", str(lake.root)])


@pytest.fixture(params=["removed", "dangling"])
def headless(request: pytest.FixtureRequest, tiny_lake: Lake, tmp_path: Path) -> Lake:
    lake = Lake.at(tmp_path / "lake")
    shutil.copytree(tiny_lake.root, lake.root, symlinks=True)
    lake.current.unlink()
    if request.param == "dangling":
        lake.current.symlink_to("versions/gone")
    return lake


@pytest.mark.parametrize(
    "command", [["status"], ["gc", "--keep", "1"], ["sql", "SELECT 1"], ["verify-lake"], ["catalog"], ["irt", "fit"]]
)
def test_the_way_back_is_named(headless: Lake, tiny_lake: Lake, command: list[str]) -> None:
    before = sorted(headless.versions.rglob("*"))
    version_id = tiny_lake.require_current().name
    found = run(headless, *command)
    assert found.exit_code == 1
    assert "has 1 published versions and none is current" in str(found.exception)
    assert f"`callake rollback {version_id} --lake {headless.root}`" in str(found.exception)
    assert sorted(headless.versions.rglob("*")) == before


def test_a_rollback_brings_it_back(headless: Lake, tiny_lake: Lake) -> None:
    version_id = tiny_lake.require_current().name
    assert version_id in run(headless, "versions").output
    assert run(headless, "rollback", version_id).exit_code == 0
    assert version_id in run(headless, "status").output
    assert [path.name for path in headless.published.iterdir()] == [version_id]
    assert run(headless, "sql", "SELECT count(*) AS n FROM rollouts", "--format", "csv").exit_code == 0


def test_nothing_is_removed_while_none_is_current(headless: Lake) -> None:
    with pytest.raises(LakeError, match="none is current"):
        collect_garbage(headless, 1)


def test_an_empty_lake_says_that_it_is_empty(tmp_path: Path) -> None:
    said = str(run(Lake.at(tmp_path / "none"), "status").exception)
    assert "There is no published version" in said
