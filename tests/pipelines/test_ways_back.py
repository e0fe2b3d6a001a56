"""Every way back that a message names, followed to its end on a lake that is damaged as the message says."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl
import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from pipelines.commands.build import run_build
from synthetic.benchmirt import make_release
from synthetic.grace import synth_release
from tests.pipelines.conftest import options
from warehouse.storage.layout import LINKS, Lake
from warehouse.storage.markers import published_ids

COMMAND: Final = re.compile(r"`(callake [^`]+)`")


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def said(result: Result) -> str:
    return f"{result.output}{result.exception or ''}"


class Home(NamedTuple):
    """A lake of two versions, the second of two sources, and the inputs that it was built from."""

    lake: Lake
    grace: Path
    responses: Path

    def build(self, *words: str) -> Result:
        return run("build", *words, "--lake", str(self.lake.root), "--workers", "1", "--quiet")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("ways back")
    home = Home(Lake.at(folder / "lake"), folder / "release.zip", folder / "responses.csv")
    home.grace.write_bytes(synth_release(1))
    home.responses.write_bytes(make_release(seed=3).responses_csv)
    run_build(home.lake, options(grace=str(home.grace)), quiet=True)
    run_build(home.lake, options(benchmirt=str(home.responses)), quiet=True)
    return home


@pytest.fixture
def home(built: Home, tmp_path: Path) -> Home:
    """A copy, in a folder that a shell takes for two words."""
    lake = Lake.at(tmp_path / "my lake")
    shutil.copytree(built.lake.root, lake.root, symlinks=True)
    assert run("catalog", "--lake", str(lake.root)).exit_code == 0
    return built._replace(lake=lake)


def newest(lake: Lake) -> Path:
    return lake.version(published_ids(lake)[-1])


def part(version: Path, table: str = "grace_buzzes") -> Path:
    return version / "tables" / table / "part-0.parquet"


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change a file that other versions may share, for this version alone."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(change(data))


def flip(data: bytes) -> bytes:
    return data[:100] + bytes([data[100] ^ 1]) + data[101:]


def assert_sound(home: Home) -> None:
    """All readers see one version, which verifies, answers, and is built upon."""
    lake = home.lake
    version = lake.require_current()
    assert (lake.root / "CURRENT").read_text() == f"{version.name}\n"
    for name, target in LINKS.items():
        assert (lake.root / name).readlink() == Path(target)
    verified = run("verify-lake", "--lake", str(lake.root))
    assert verified.exit_code == 0, said(verified)
    asked = run("sql", "SELECT count(*) AS n FROM grace_buzzes", "--format", "csv", "--lake", str(lake.root))
    assert asked.output != "n\n0\n"
    assert asked.exit_code == 0, said(asked)
    rows = pl.read_parquet(lake.versions / (lake.root / "CURRENT").read_text().strip() / "tables" / "grace_buzzes")
    assert asked.output == f"n\n{rows.height}\n"
    carried = home.build("--benchmirt", str(home.responses))
    assert carried.exit_code == 0, said(carried)
    assert lake.require_current().name == (lake.root / "CURRENT").read_text().strip()
    assert [path.name for path in lake.root.iterdir() if path.name.startswith((".current", ".CURRENT"))] == []
    assert not lake.staging.exists() or list(lake.staging.iterdir()) == []


# --- ways back by a rollback ---------------------------------------------------------------------------------------


def follow_links(home: Home) -> None:
    """What `cp -rL` makes."""
    copied = home.lake.root.with_name("copied")
    shutil.copytree(home.lake.root, copied, symlinks=False)
    shutil.rmtree(home.lake.root)
    copied.rename(home.lake.root)


def follow_links_without_dots(home: Home) -> None:
    follow_links(home)
    for path in home.lake.root.glob(".*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def links_as_text(home: Home) -> None:
    """What archives make where links can not be."""
    for name in ("current", *LINKS):
        target = (home.lake.root / name).readlink()
        (home.lake.root / name).unlink()
        (home.lake.root / name).write_text(str(target))


def no_links(home: Home) -> None:
    for name in ("current", *LINKS):
        (home.lake.root / name).unlink()


def no_links_and_no_dots(home: Home) -> None:
    no_links(home)
    for path in home.lake.root.glob(".*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def current_dangles(home: Home) -> None:
    home.lake.current.unlink()
    home.lake.current.symlink_to("versions/gone")


def current_is_removed(home: Home) -> None:
    shutil.rmtree(home.lake.require_current())


def record(change: Callable[[Path], object]) -> Callable[[Home], None]:
    def damage(home: Home) -> None:
        change(newest(home.lake) / "lake.json")

    return damage


DAMAGES: Final[dict[str, Callable[[Home], None]]] = {
    "followed links": follow_links,
    "followed links, no dots": follow_links_without_dots,
    "links as text": links_as_text,
    "no links": no_links,
    "no links, no dots": no_links_and_no_dots,
    "current dangles": current_dangles,
    "current is removed": current_is_removed,
    "no record": record(Path.unlink),
    "record cut": record(lambda path: path.write_bytes(path.read_bytes()[:90])),
    "record is a list": record(lambda path: path.write_text("[]")),
    "record without a format": record(lambda path: path.write_text("{}")),
    "record of other types": record(lambda path: path.write_text(path.read_text().replace('"rows": ', '"rows": -'))),
    "part is gone": lambda home: part(newest(home.lake)).unlink(),
    "part is cut": lambda home: rewrite(part(newest(home.lake)), lambda data: data[:-50]),
    "part is another": lambda home: rewrite(part(newest(home.lake)), flip),
    "shared table is another": lambda home: rewrite(part(newest(home.lake), "source_files"), flip),
    "no VERSION": lambda home: (newest(home.lake) / "VERSION").unlink(),
}  # fmt: skip

ASKING: Final = (
    ["verify-lake"],
    ["status"],
    ["sql", "SELECT * FROM grace_buzzes ORDER BY ALL", "--format", "csv"],
    ["export", "grace_buzzes", "--to", "OUT/x.csv"],
    ["catalog"],
    ["gc"],
    ["rollback", "NEWEST"],
    ["build", "--benchmirt", "RESPONSES", "--workers", "1"],
)


def messages(home: Home, out: Path) -> list[str]:
    """What every command says of the lake as it is damaged, where it names a way back by a rollback."""
    names = {"OUT": str(out), "RESPONSES": str(home.responses), "NEWEST": newest(home.lake).name}
    found = []
    for words in ASKING:
        given = list(words)
        for name, text in names.items():
            given = [word.replace(name, text) for word in given]
        if "rollback" in given and home.lake.current_id() not in published_ids(home.lake):
            continue
        result = run(*given, "--lake", str(home.lake.root))
        assert result.exception is None or isinstance(result.exception, (SystemExit, Exception))
        assert "Traceback" not in said(result)
        found.append(said(result))
    return [message for message in found if "`callake rollback" in message]


QUICK: Final = ("followed links", "no links, no dots", "no record", "part is another")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in DAMAGES]
)
def test_a_rollback_that_a_message_names_ends_in_a_sound_lake(home: Home, tmp_path: Path, name: str) -> None:
    DAMAGES[name](home)
    before = sorted(home.lake.versions.iterdir())
    found = messages(home, tmp_path)
    assert found
    assert sorted(home.lake.versions.iterdir()) == before
    ways = {way for message in found for way in COMMAND.findall(message) if way.startswith("callake rollback")}
    assert len(ways) == 1, ways
    (way,) = ways
    assert run(*shlex.split(way)[1:]).exit_code == 0
    assert_sound(home)


@pytest.mark.parametrize("name", ["CURRENT", "lake.duckdb"])
@pytest.mark.parametrize("how", ["copied", "elsewhere"])
def test_one_link_that_is_none_is_reported_and_made_again(home: Home, name: str, how: str) -> None:
    link = home.lake.root / name
    data = link.read_bytes()
    link.unlink()
    if how == "copied":
        link.write_bytes(data)
    else:
        link.symlink_to(f"versions/{published_ids(home.lake)[0]}/{Path(LINKS[name]).name}")
    assert home.lake.current_id() in published_ids(home.lake)
    verified = run("verify-lake", "--lake", str(home.lake.root))
    refused = home.build("--benchmirt", str(home.responses))
    ways = {way for found in (verified, refused) for way in COMMAND.findall(said(found))}
    assert (verified.exit_code, refused.exit_code, len(ways)) == (1, 1, 1)
    assert run(*shlex.split(ways.pop())[1:]).exit_code == 0
    assert_sound(home)


# --- where no version is sound --------------------------------------------------------------------------------------


def test_of_two_versions_that_share_a_damaged_file_neither_is_a_way_back(home: Home, tmp_path: Path) -> None:
    for version_id in published_ids(home.lake):
        rewrite(part(home.lake.version(version_id)), flip)
    for message in (
        said(run("verify-lake", "--lake", str(home.lake.root))),
        said(home.build("--benchmirt", str(home.responses))),
    ):
        assert "callake rollback" not in message
        assert "build the lake in another folder" in message
    other = home._replace(lake=Lake.at(tmp_path / "another"))
    assert other.build("--grace", str(home.grace)).exit_code == 0
    assert_sound(other)


def test_headless_and_nothing_sound(home: Home, tmp_path: Path) -> None:
    home.lake.current.unlink()
    for version_id in published_ids(home.lake):
        (home.lake.version(version_id) / "lake.json").unlink()
    message = said(run("status", "--lake", str(home.lake.root)))
    assert "none of them is sound, so build the lake in another folder" in message
    (way,) = COMMAND.findall(message)
    listed = run(*shlex.split(way)[1:])
    assert listed.exit_code == 0
    assert listed.output.count("damaged") == 2


# --- the other ways --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["grace_buzzes", "ingest_issues", "source_files"])
def test_giving_a_source_again_heals_what_can_not_be_carried_over(home: Home, table: str) -> None:
    rewrite(part(newest(home.lake), table), flip)
    refused = said(home.build("--benchmirt", str(home.responses)))
    assert "grace can not be carried over" in refused
    assert "Give the source again" in refused
    assert "Traceback" not in refused
    again = home.build("--grace", str(home.grace), "--benchmirt", str(home.responses))
    assert again.exit_code == 0, said(again)
    assert_sound(home)


def test_the_catalog_command_that_a_message_names(home: Home) -> None:
    (home.lake.current / "lake.duckdb").write_bytes(b"nothing")
    (way,) = COMMAND.findall(said(run("verify-lake", "--lake", str(home.lake.root))))
    assert run(*shlex.split(way)[1:]).exit_code == 0
    assert_sound(home)


def test_the_verification_that_messages_name_finds_the_damage(home: Home, tmp_path: Path) -> None:
    broken = part(newest(home.lake))
    rewrite(broken, lambda data: data[:200])
    for words in (["export", "grace_buzzes", "--to", str(tmp_path / "x.csv")], ["rollback", newest(home.lake).name]):
        message = said(run(*words, "--lake", str(home.lake.root)))
        (way,) = [way for way in COMMAND.findall(message) if "verify-lake" in way]
        found = run(*shlex.split(way)[1:])
        assert found.exit_code == 1
        assert str(broken) in said(found)


def test_a_catalog_that_can_not_be_written_names_a_verification(home: Home) -> None:
    database = home.lake.current / "lake.duckdb"
    database.unlink()
    database.mkdir()
    message = said(run("catalog", "--lake", str(home.lake.root)))
    assert "see to the folder" in message
    (way,) = COMMAND.findall(message)
    found = run(*shlex.split(way)[1:])
    assert found.exit_code == 1
    assert "lake.duckdb is missing" in said(found)
    database.rmdir()
    assert run("catalog", "--lake", str(home.lake.root)).exit_code == 0
    assert_sound(home)


@pytest.mark.parametrize("name", ["current", *LINKS])
def test_what_is_no_copy_of_a_link_is_left_for_its_owner(home: Home, tmp_path: Path, name: str) -> None:
    place = home.lake.root / name
    place.unlink()
    if name == "current":
        place.mkdir()
        (place / "mine").write_text("mine")
    else:
        place.write_text("mine")
    version_id = published_ids(home.lake)[-1]
    refused = run("rollback", version_id, "--lake", str(home.lake.root))
    assert refused.exit_code == 1
    assert f"{place} is no link and no copy" in said(refused)
    assert "mine" in (place / "mine" if place.is_dir() else place).read_text()
    place.rename(tmp_path / "elsewhere")
    assert run("rollback", version_id, "--lake", str(home.lake.root)).exit_code == 0
    assert_sound(home)


@pytest.mark.parametrize("name", ["current", *LINKS])
def test_a_folder_of_something_else_is_no_lake(home: Home, tmp_path: Path, name: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / name).write_text("mine")
    other = home._replace(lake=Lake.at(tmp_path / "project"))
    refused = other.build("--grace", str(home.grace))
    assert "name a folder that is a lake or empty" in said(refused)
    assert [path.name for path in (tmp_path / "project").iterdir()] == [name]
    empty = home._replace(lake=Lake.at(tmp_path / "empty"))
    assert empty.build("--grace", str(home.grace)).exit_code == 0


def test_an_empty_lake_names_the_demo(tmp_path: Path) -> None:
    message = said(run("status", "--lake", str(tmp_path / "no lake")))
    (way,) = [way for way in COMMAND.findall(message) if way != "callake build"]
    assert shlex.split(way) == ["callake", "demo", "--lake", str(tmp_path / "no lake")]


def test_a_copied_lake_is_whole_after_the_recipe(home: Home, tmp_path: Path) -> None:
    """The README: copy the folder, then `callake catalog`."""
    moved = home._replace(lake=Lake.at(tmp_path / "moved"))
    shutil.copytree(home.lake.root, moved.lake.root, symlinks=True)
    shutil.rmtree(home.lake.root)
    assert run("catalog", "--lake", str(moved.lake.root)).exit_code == 0
    assert_sound(moved)
