"""Readers while versions are published: no answer mixes two versions, none is an error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb
import polars as pl
import pytest

from tests.faults.processes import PROJECT
from tests.faults.publishing import publish_numbered
from tests.faults.reader import KINDS
from warehouse.storage.layout import Lake
from warehouse.storage.versions import rollback


def start(kinds: Iterable[str], folder: Path) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.reader", str(folder / "lake"), kind, str(folder / "stop"),
             str(folder / f"report-{number}.json")],
            cwd=PROJECT, stderr=subprocess.PIPE, text=True,
        )
        for number, kind in enumerate(kinds)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("n_readers", "n_versions"),
    [pytest.param(2, 5, id="short"), pytest.param(8, 20, id="long", marks=pytest.mark.slow)],
)
def test_no_reader_sees_a_mixed_answer_or_an_error(
    tmp_path: Path, n_readers: int, n_versions: int, record_property: Callable[[str, object], None]
) -> None:
    numbers = {publish_numbered(tmp_path / "lake", 0).version_id: "0"}
    kinds = [list(KINDS)[n % len(KINDS)] if n_readers > 2 else ("duckdb", "polars")[n] for n in range(n_readers)]
    readers = start(kinds, tmp_path)
    try:
        for number in range(1, n_versions):
            numbers[publish_numbered(tmp_path / "lake", number).version_id] = str(number)
    finally:
        (tmp_path / "stop").touch()
        ended = [reader.communicate(timeout=120) for reader in readers]
    assert [reader.returncode for reader in readers] == [0] * n_readers, ended
    reports = [json.loads((tmp_path / f"report-{n}.json").read_text()) for n in range(n_readers)]
    answers = [(version, found, n) for report in reports for version, found, n in report["answers"]]
    record_property("answers", sum(n for *_, n in answers))
    assert [report["errors"] for report in reports] == [{}] * n_readers
    assert [answer for answer in answers if numbers[answer[0]] != answer[1]] == []
    assert all(report["answers"] for report in reports)
    assert len({version for version, *_ in answers}) > n_versions / 2


def test_the_reader_tells_a_mixed_answer(tmp_path: Path) -> None:
    """A file changed in place, which publishing never does, is what a mixed answer looks like."""
    first, second = (publish_numbered(tmp_path / "lake", number).version_id for number in range(2))
    versions = tmp_path / "lake" / "versions"
    name = "tables/questions/part-0.parquet"
    (versions / second / name).write_bytes((versions / first / name).read_bytes())
    for kind in KINDS.values():
        assert {found for _version, found in kind(tmp_path / "lake")} == {"0,1"}
    short = pl.read_parquet(versions / first / name).head(3)
    short.write_parquet(versions / second / name)
    for kind in KINDS.values():
        assert {found for _version, found in kind(tmp_path / "lake")} == {"0,1 in [3, 400] rows"}


def test_a_reader_finishes_on_the_version_it_opened(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    publish_numbered(root, 0)
    with duckdb.connect(str(root / "lake.duckdb"), read_only=True) as opened:
        for number in (1, 2):
            publish_numbered(root, number)
            assert opened.sql("SELECT DISTINCT question FROM questions").fetchall() == [("0",)]
        publish_numbered(root, 3)
        with pytest.raises(duckdb.IOException):
            opened.sql("SELECT DISTINCT question FROM questions")
    with duckdb.connect(str(root / "lake.duckdb"), read_only=True) as opened:
        assert opened.sql("SELECT DISTINCT question FROM questions").fetchall() == [("3",)]


def test_a_reader_finishes_on_its_version_when_the_lake_is_rolled_back(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    first = publish_numbered(root, 0).version_id
    publish_numbered(root, 1)
    with duckdb.connect(str(root / "lake.duckdb"), read_only=True) as opened:
        rollback(Lake.at(root), first)
        assert opened.sql("SELECT DISTINCT question FROM questions").fetchall() == [("1",)]
    with duckdb.connect(str(root / "lake.duckdb"), read_only=True) as opened:
        assert opened.sql("SELECT DISTINCT question FROM questions").fetchall() == [("0",)]
