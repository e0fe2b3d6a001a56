"""A version is complete and immutable before the link names it; a refused one leaves the link as it was."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.unit.warehouse.conftest import CODE, Publish, no_catalog
from warehouse.contracts import TABLES
from warehouse.errors import LakeError, RefusedError
from warehouse.storage.assemble import assemble_shared, carry_over
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.publish import clean_up, publish
from warehouse.storage.record import read_record
from warehouse.storage.stage import BUILT, SourceReport, Stage
from warehouse.storage.versions import collect_garbage, list_versions, rollback, verify_version


def test_links_lead_to_the_version(lake: Lake, publish_question: Publish) -> None:
    done = publish_question("a")
    assert done.changed
    assert (lake.root / "CURRENT").read_text() == f"{done.version_id}\n"
    assert lake.current.readlink().as_posix() == f"versions/{done.version_id}"
    assert (lake.root / "CURRENT").readlink().as_posix() == "current/VERSION"
    assert pl.read_parquet(lake.current / "tables" / "questions" / "part-0.parquet")["question"].to_list() == ["a"]


def test_same_content_is_not_published_again(lake: Lake, publish_question: Publish) -> None:
    first = publish_question("a")
    again = publish_question("a")
    assert not again.changed
    assert again.version_id == first.version_id
    assert len(published_ids(lake)) == 1


def test_a_new_memory_is_a_new_version(lake: Lake, publish_question: Publish) -> None:
    first = publish_question("a", state={"accepted": []})
    second = publish_question("a", state={"accepted": ["m/d/c"]})
    assert second.changed
    assert second.version_id.rsplit("-", 1)[1] == first.version_id.rsplit("-", 1)[1]


def test_ids_sort_by_time_even_when_the_clock_goes_back(lake: Lake, publish_question: Publish) -> None:
    ids = [publish_question(text).version_id for text in "abc"]
    assert ids == sorted(ids)
    ahead = lake.version(ids[-1]).rename(lake.version("29990101T000000.000000Z-" + ids[-1].rsplit("-", 1)[1]))
    lake.point_to(ahead.name)
    assert publish_question("d").version_id > ahead.name


def test_a_failed_check_publishes_nothing(lake: Lake, publish_question: Publish) -> None:
    first = publish_question("a")
    failed = [{"name": "no_orphans", "passed": False, "rows": 2, "description": "Every rollout has a question."}]
    with pytest.raises(RefusedError, match="no_orphans found 2 rows"):
        publish_question("b", catalog=lambda _version: failed)
    assert lake.current_id() == first.version_id
    assert [path.name for path in lake.versions.iterdir()] == [first.version_id]


def test_what_a_dead_build_left_is_removed(lake: Lake, publish_question: Publish) -> None:
    first = publish_question("a")
    (lake.version("20990101T000000.000000Z-deadbeef0000") / "tables").mkdir(parents=True)
    (lake.root / ".current.999").symlink_to("versions/nowhere")
    assert clean_up(lake) == ["20990101T000000.000000Z-deadbeef0000"]
    assert published_ids(lake) == [first.version_id]
    assert not list(lake.root.glob(".current.*"))


def test_stage_of_a_dead_build_is_removed(lake: Lake) -> None:
    stage = Stage.begin(lake)
    (stage.version / "left").write_text("x")
    assert not (Stage.begin(lake).version / "left").exists()


def test_old_versions_go_and_the_current_one_stays(lake: Lake, publish_question: Publish) -> None:
    ids = [publish_question(text, keep=2).version_id for text in "abcd"]
    assert published_ids(lake) == ids[-2:]
    rollback(lake, ids[2])
    assert collect_garbage(lake, 1) == []
    assert [info.current for info in list_versions(lake)] == [True, False]
    with pytest.raises(LakeError, match="at least 1"):
        collect_garbage(lake, 0)


def test_a_build_that_changes_nothing_removes_what_one_that_died_came_not_to_remove(
    lake: Lake, publish_question: Publish
) -> None:
    ids = [publish_question(text, keep=9).version_id for text in "ab"]
    assert not publish_question("b", keep=1).changed
    assert published_ids(lake) == ids[1:]


def test_a_version_that_nobody_came_to_mark_is_kept_when_it_is_rolled_back_from(
    lake: Lake, publish_question: Publish
) -> None:
    first, second = (publish_question(text).version_id for text in "ab")
    (lake.published / second).unlink()
    rollback(lake, first)
    assert clean_up(lake) == []
    assert published_ids(lake) == [first, second]


def test_a_removal_that_dies_leaves_nothing_that_is_listed(
    lake: Lake, publish_question: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (publish_question(text).version_id for text in "ab")
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda _path: (_ for _ in ()).throw(InterruptedError))
        with pytest.raises(InterruptedError):
            collect_garbage(lake, 1)
    assert published_ids(lake) == [second]
    assert clean_up(lake) == [first]


def test_a_damaged_current_version_is_published_anew_and_no_damage_is_carried_over(
    lake: Lake, publish_question: Publish
) -> None:
    first = publish_question("a")
    table = lake.version(first.version_id) / "tables" / "questions" / "part-0.parquet"
    data = table.read_bytes()
    table.unlink()
    table.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    with pytest.raises(LakeError, match="sra can not be carried over: 1 of its files"):
        carry_over(lake, Stage.begin(lake), "sra")
    second = publish_question("a")
    assert second.changed
    assert verify_version(lake.version(second.version_id)) == []


def test_a_file_that_no_source_reports_is_not_published(lake: Lake, publish_question: Publish) -> None:
    stage = Stage.begin(lake)
    stage.report(SourceReport("sra", BUILT, []), [], TABLES["source_files"].empty())
    assemble_shared(lake, stage)
    (stage.version / "tables" / "questions").mkdir()
    (stage.version / "tables" / "questions" / "part-0.parquet").touch()
    with pytest.raises(LakeError, match=r"differ in 1 files, the first is tables/questions/part-0\.parquet"):
        publish(lake, stage, no_catalog, CODE, 3)
    assert lake.current_id() is None


def test_rollback_names_what_there_is(lake: Lake, publish_question: Publish) -> None:
    first = publish_question("a")
    with pytest.raises(LakeError, match=first.version_id):
        rollback(lake, "nothing")


def test_verify_finds_a_flipped_byte_a_missing_an_added_file_and_a_changed_record(
    lake: Lake, publish_question: Publish
) -> None:
    version = lake.version(publish_question("a").version_id)
    assert verify_version(version) == []
    table = version / "tables" / "questions" / "part-0.parquet"
    good = table.read_bytes()
    table.unlink()
    table.write_bytes(good[:-9] + bytes([good[-9] ^ 1]) + good[-8:])
    assert "SHA-256" in verify_version(version)[0]
    table.write_bytes(good[:-1])
    assert "bytes and should have" in verify_version(version)[0]
    table.unlink()
    assert "is missing" in verify_version(version)[0]
    table.write_bytes(good)
    (version / "tables" / "extra.parquet").write_bytes(b"")
    assert "not in the record" in verify_version(version)[0]
    (version / "tables" / "extra.parquet").unlink()
    record = read_record(version)
    record["tables"]["questions"]["files"][0]["sha256"] = "0" * 64
    (version / "lake.json").write_text(json.dumps(record))
    assert any("content_sha256" in problem for problem in verify_version(version))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"format": 1}', "not as it was written"),
        (b'{"format": 1, "tables": {"t": {"files": [{"path": "x"}]}}}', "not as it was written"),
        (b'{"format": 1, "tables": [], "sources": {}}', "not as it was written"),
        (b'{"format": 2}', "has format 2"),
        (b'{"format": ' + b"1" * 6000 + b"}", "not valid JSON"),
        (b"[]", "holds no record"),
        (b"{", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (None, "can not be read"),
    ],
)
def test_a_record_that_is_none_is_a_sentence(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "lake.json"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(LakeError, match=said):
        read_record(tmp_path)


@pytest.mark.parametrize("key", ["version_id", "content_sha256", "code", "sources", "tables", "checks"])
@pytest.mark.parametrize("value", [7, [7], None])
def test_a_value_of_another_type_is_a_sentence(
    lake: Lake, publish_question: Publish, key: str, value: list[int] | int | None
) -> None:
    version = lake.version(publish_question("a").version_id)
    record = read_record(version)
    (version / "lake.json").write_text(json.dumps(record | {key: value}))
    with pytest.raises(LakeError, match=r"not as it was written .* build the lake in another folder"):
        read_record(version)
