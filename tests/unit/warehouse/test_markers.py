"""What was published is kept where its markers are gone, and what strangers keep in a lake is left alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.warehouse.conftest import Publish
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.publish import clean_up
from warehouse.storage.versions import collect_garbage, require_version, rollback


def removed(lake: Lake) -> None:
    shutil.rmtree(lake.published)


def emptied(lake: Lake) -> None:
    for path in lake.published.iterdir():
        path.unlink()


def of_others(lake: Lake) -> None:
    emptied(lake)
    (lake.published / ".keep").touch()
    (lake.published / "20200101T000000.000000Z-gone").touch()


LOSSES = [removed, emptied, of_others]
Loss = Callable[[Lake], None]


@pytest.fixture
def ids(publish_question: Publish) -> list[str]:
    return [publish_question(text).version_id for text in "abc"]


@pytest.mark.parametrize("lose", LOSSES)
def test_versions_without_any_marker_are_published_and_marked_again(lake: Lake, ids: list[str], lose: Loss) -> None:
    lose(lake)
    (lake.versions / "20990101T000000.000000Z-deadbeef0000" / "tables").mkdir(parents=True)
    assert published_ids(lake) == ids
    assert clean_up(lake) == ["20990101T000000.000000Z-deadbeef0000"]
    assert published_ids(lake) == ids
    assert {path.name for path in lake.published.iterdir()} >= set(ids)


def test_a_lake_without_markers_and_without_current_names_the_way_back(lake: Lake, ids: list[str]) -> None:
    removed(lake)
    lake.current.unlink()
    with pytest.raises(LakeError, match=rf"has 3 published versions and none is current.*rollback {ids[-1]} "):
        require_version(lake)
    rollback(lake, ids[0])
    assert clean_up(lake) == []
    assert published_ids(lake) == ids


@pytest.mark.parametrize("act", [lambda lake, ids: rollback(lake, ids[0]), lambda lake, _ids: collect_garbage(lake, 3)])
def test_whoever_marks_one_marks_all(lake: Lake, ids: list[str], act: Callable[[Lake, list[str]], object]) -> None:
    removed(lake)
    act(lake, ids)
    assert clean_up(lake) == []
    assert published_ids(lake) == ids


def test_a_build_after_the_markers_are_gone_keeps_the_versions(
    lake: Lake, ids: list[str], publish_question: Publish
) -> None:
    removed(lake)
    assert published_ids(lake) == ids
    clean_up(lake)
    fourth = publish_question("d", keep=9).version_id
    assert published_ids(lake) == [*ids, fourth]


def test_restoring_that_dies_half_way_gives_no_version_up(
    lake: Lake, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    removed(lake)
    touch = Path.touch

    def dies(path: Path) -> None:
        if path.name == ids[1]:
            raise InterruptedError
        touch(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "touch", dies)
        with pytest.raises(InterruptedError):
            clean_up(lake)
    assert published_ids(lake) == ids
    assert clean_up(lake) == []
    assert published_ids(lake) == ids
    assert not list(lake.root.glob(".published.*"))


def test_a_lake_with_markers_takes_a_complete_version_without_one_for_litter(lake: Lake, ids: list[str]) -> None:
    (lake.published / ids[1]).unlink()
    assert clean_up(lake) == [ids[1]]
    assert published_ids(lake) == [ids[0], ids[2]]


def test_a_removal_that_dies_under_the_current_version_alone_is_not_listed(
    lake: Lake, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build that published the current version died before it marked it, and the collection while it removed."""
    rollback(lake, ids[2])
    for version_id in ids[1:]:
        (lake.published / version_id).unlink()
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda _path: (_ for _ in ()).throw(InterruptedError))
        with pytest.raises(InterruptedError):
            collect_garbage(lake, 1)
    assert published_ids(lake) == [ids[2]]


def test_what_strangers_keep_in_a_lake_is_left_alone(lake: Lake, ids: list[str]) -> None:
    version = lake.version(ids[2])
    kept = [
        lake.versions / "notes.txt", lake.versions / "link", lake.root / ".draft.tmp", lake.root / ".folder.tmp",
        version / ".folder.tmp", lake.root / ".current.folder",
    ]  # fmt: skip
    for path in kept:
        if path.name == "link":
            path.symlink_to(lake.root)
        elif "folder" in path.name:
            path.mkdir()
        else:
            path.write_text("theirs")
    own = [lake.root / "..lock.owner.12.tmp", version / ".lake.duckdb.12.tmp", version / ".lake.duckdb.12.tmp.wal"]
    for path in own:
        path.touch()
    (version / ".lake.duckdb.12.tmp.tmp").mkdir()
    assert clean_up(lake) == []
    assert published_ids(lake) == ids
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in [*own, version / ".lake.duckdb.12.tmp.tmp"])
