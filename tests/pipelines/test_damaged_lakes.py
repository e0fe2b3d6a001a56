"""Lakes that lost a part, or got another's: every command says what is wrong and does what still can be done."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from warehouse.catalog import build_catalog, open_lake
from warehouse.storage.layout import Lake

NEWER = "20990101T000000.000000Z"


def run(lake: Lake, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--lake", str(lake.root)])


def said(result: Result) -> str:
    return f"{result.output}{result.exception or ''}"


@pytest.fixture
def lake(tiny_lake: Lake, tmp_path: Path) -> Lake:
    """A copy of a lake, with a catalog of its own."""
    lake = Lake.at(tmp_path / "lake")
    shutil.copytree(tiny_lake.root, lake.root, symlinks=True)
    build_catalog(lake, lake.require_current(), check=False)
    return lake


@pytest.fixture
def newer(lake: Lake) -> str:
    """The id of a second version with the same tables, which is not current."""
    current = lake.require_current()
    version_id = f"{NEWER}-{current.name.rsplit('-', 1)[1]}"
    version = lake.version(version_id)
    shutil.copytree(current, version)
    record = json.loads((version / "lake.json").read_text())
    (version / "lake.json").write_text(json.dumps(record | {"version_id": version_id}))
    (version / "VERSION").write_text(f"{version_id}\n")
    (lake.published / version_id).touch()
    build_catalog(lake, version, check=False)
    return version_id


def part(version: Path) -> Path:
    return sorted((version / "tables" / "rollouts").rglob("*.parquet"))[0]


def garbage(lake: Lake, _newer: str) -> None:
    (lake.current / "lake.duckdb").write_bytes(b"no database" * 999)


def empty(lake: Lake, _newer: str) -> None:
    (lake.current / "lake.duckdb").write_bytes(b"")


def of_another_version(lake: Lake, newer: str) -> None:
    shutil.copy(lake.version(newer) / "lake.duckdb", lake.current / "lake.duckdb")


def another_database(lake: Lake, _newer: str) -> None:
    (lake.current / "lake.duckdb").unlink()
    with duckdb.connect(str(lake.current / "lake.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1")


def changed(statement: str) -> Callable[[Lake, str], None]:
    def change(lake: Lake, _newer: str) -> None:
        with duckdb.connect(str(lake.current / "lake.duckdb")) as connection:
            connection.execute(statement)

    return change


FOREIGN = [garbage, empty, of_another_version, another_database, changed("DELETE FROM lake_location")]
CHANGED = {
    "the view rollouts": changed("CREATE OR REPLACE VIEW rollouts AS SELECT 1 AS x"),
    "the view signal_coverage": changed("CREATE OR REPLACE VIEW signal_coverage AS SELECT 1 AS x"),
    "the view more": changed("CREATE VIEW more AS SELECT 1 AS x"),
    "the table more": changed("CREATE TABLE more AS SELECT 1 AS x"),
    "the view confidence_observations": changed("DROP VIEW confidence_observations"),
    "the macro sigmoid": changed("CREATE OR REPLACE MACRO sigmoid(x) AS x"),
}


@pytest.mark.parametrize("damage", FOREIGN)
def test_a_catalog_that_is_not_this_versions_is_reported_and_written_again(
    lake: Lake, newer: str, damage: Callable[[Lake, str], None]
) -> None:
    damage(lake, newer)
    found = run(lake, "verify-lake")
    assert found.exit_code == 1
    assert f"`callake catalog --lake {lake.root}`" in said(found)
    with open_lake(lake) as connection:
        assert connection.execute("SELECT version_id FROM lake_location").fetchall() == [(lake.require_current().name,)]
        assert connection.execute("SELECT count(*) > 0 FROM rollouts").fetchall() == [(True,)]
    assert run(lake, "verify-lake").exit_code == 0


@pytest.mark.parametrize("name", CHANGED)
def test_a_catalog_that_defines_something_else_is_reported(lake: Lake, newer: str, name: str) -> None:
    CHANGED[name](lake, newer)
    found = run(lake, "verify-lake")
    assert found.exit_code == 1
    assert f"{name} is not the one" in said(found)
    assert said(found).count("is not the one") == 1
    assert run(lake, "catalog").exit_code == 0
    assert run(lake, "verify-lake").exit_code == 0


def test_the_catalog_of_a_lake_that_was_moved_is_no_problem(lake: Lake, tmp_path: Path) -> None:
    moved = Lake.at(tmp_path / "moved")
    lake.root.rename(moved.root)
    found = run(moved, "verify-lake")
    assert (found.exit_code, "files verified" in found.output) == (0, True)


def no_file(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def huge_number(path: Path) -> None:
    path.write_text('{"format": ' + "1" * 6000 + "}")


def a_text_for_a_number(path: Path) -> None:
    record: dict[str, Any] = json.loads(path.read_text())
    record["tables"]["rollouts"]["rows"] = "many"
    path.write_text(json.dumps(record))


RECORDS = [no_file, cut, huge_number, a_text_for_a_number, Path.unlink]


@pytest.mark.parametrize("damage", RECORDS)
def test_one_damaged_record_does_not_stop_the_others(lake: Lake, newer: str, damage: Callable[[Path], None]) -> None:
    damage(lake.version(newer) / "lake.json")
    current = lake.require_current().name
    listed = run(lake, "versions")
    assert listed.exit_code == 0
    first, second = listed.output.splitlines()
    assert (current in first, " rows " in first) == (True, True)
    assert f"  {newer}  damaged: " in second
    catalog = run(lake, "catalog")
    assert catalog.exit_code == 0
    assert f"{newer} is damaged" in said(catalog)
    kept = run(lake, "gc", "--keep", "5")
    assert (kept.exit_code, kept.output) == (0, "0 versions removed, 2 kept\n")
    verified = run(lake, "verify-lake", "--version", newer)
    assert verified.exit_code == 1
    assert f"`callake rollback {current} --lake {lake.root}`" in said(verified)


@pytest.mark.parametrize("damage", RECORDS)
def test_the_status_of_a_damaged_version_names_the_newest_sound_one(
    lake: Lake, newer: str, damage: Callable[[Path], None]
) -> None:
    damage(lake.current / "lake.json")
    found = run(lake, "status")
    assert found.exit_code == 0
    assert f"{lake.require_current().name}  damaged: " in found.output
    assert f"`callake rollback {newer} --lake {lake.root}`" in found.output
    part(lake.version(newer)).unlink()
    assert "build the lake in another folder" in run(lake, "status").output


def test_a_rollback_to_a_version_without_its_files_is_refused(lake: Lake, newer: str) -> None:
    current = lake.require_current().name
    path = part(lake.version(newer))
    data = path.read_bytes()
    for damage in (path.unlink, lambda: path.write_bytes(data[:-1]), (lake.version(newer) / "VERSION").unlink):
        damage()
        found = run(lake, "rollback", newer)
        assert found.exit_code == 1
        assert f"`callake verify-lake --version {newer} --lake {lake.root}`" in said(found)
        assert lake.require_current().name == current
        path.write_bytes(data)
    (lake.version(newer) / "VERSION").write_text(f"{newer}\n")
    assert run(lake, "rollback", newer).exit_code == 0
    assert lake.require_current().name == newer


def test_verify_reports_a_version_file_in_no_encoding_and_links_that_were_added(lake: Lake) -> None:
    (lake.current / "VERSION").write_bytes(b"\xff\n")
    (lake.current / "tables" / "added").symlink_to("nowhere")
    os.mkfifo(lake.current / "tables" / "pipe")
    found = run(lake, "verify-lake")
    assert found.exit_code == 1
    assert "VERSION does not hold" in said(found)
    for name in ("added", "pipe"):
        assert f"tables/{name} is not in the record" in said(found)


def test_the_versions_of_a_lake_without_dot_folders_and_without_current_are_named(lake: Lake, newer: str) -> None:
    shutil.rmtree(lake.published)
    lake.current.unlink()
    found = run(lake, "status")
    assert found.exit_code == 1
    assert "has 2 published versions and none is current" in said(found)
    assert f"`callake rollback {newer} --lake {lake.root}`" in said(found)
    part(lake.version(newer)).unlink()
    assert f"callake rollback {newer}" not in said(run(lake, "status"))


def test_a_catalog_that_can_not_be_written_leaves_nothing_behind(lake: Lake) -> None:
    part(lake.require_current()).unlink()
    assert run(lake, "catalog").exit_code == 1
    assert not list(lake.require_current().glob(".*"))
