"""The bytes that were hashed are the bytes that are read: a file that changes in between is found, whatever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.disk import inspect_all
from pipelines.sra import bundle as bundle_module
from pipelines.sra.bundle import VerifiedBundle
from tests.faults.matrix import Bench
from warehouse.contracts import Severity

CELL = "models/Qwen3-32B/champ/direct"
IN_A_CELL = [f"{CELL}/{name}" for name in (
    "sampling9.jsonl.gz", "ab_logprob9.jsonl.gz", "tf_logprob9.jsonl.gz", "token_entropy9.bin",
    "token_entropy9.index.jsonl.gz",
)]  # fmt: skip
RULE = "bundle.changed_since_verified"


def shrink(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def change(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


CHANGES = [
    pytest.param(shrink),
    *(pytest.param(do, marks=pytest.mark.slow) for do in (grow, change, Path.unlink, replace_by_folder)),
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench.set_up(tmp_path_factory.mktemp("changing"))


@pytest.fixture
def kept(bench: Bench) -> Iterator[Path]:
    """The bundle's folder, put back as it was afterwards."""
    root = bench.folder / "raw" / "bundle"
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    yield root
    for path, data in before.items():
        if path.is_dir():
            path.rmdir()
        path.write_bytes(data)


def changed_paths(bench: Bench) -> set[str | None]:
    _lake, stage, built = bench.run({}, {})
    found = bench.outcome(stage, built)
    assert not found.strays
    assert all(f"/{CELL.removeprefix('models/')}/" not in path for path in found.files)
    return {issue.path for issue in built.issues if issue.rule == RULE and issue.severity is Severity.ERROR}


@pytest.mark.parametrize("path", IN_A_CELL)
@pytest.mark.parametrize("do", CHANGES)
def test_a_cells_file_that_changes_after_it_was_verified(
    bench: Bench, kept: Path, monkeypatch: pytest.MonkeyPatch, path: str, do: Callable[[Path], Any]
) -> None:
    verify = bundle_module.verify_bundle

    def then_change(*arguments: Any) -> VerifiedBundle:
        found = verify(*arguments)
        do(kept / path)
        return found

    monkeypatch.setattr("pipelines.sources.sra.verify_bundle", then_change)
    assert changed_paths(bench) == {path}


@pytest.mark.parametrize("path", ["tokenizers/Qwen3-32B/tokenizer.json", "BUNDLE_AUDIT.json"])
@pytest.mark.parametrize("do", CHANGES)
def test_a_file_of_the_whole_bundle_that_changes_after_it_was_hashed(
    bench: Bench, kept: Path, monkeypatch: pytest.MonkeyPatch, path: str, do: Callable[[Path], Any]
) -> None:
    def then_change(*arguments: Any) -> Any:
        found = inspect_all(*arguments)
        do(kept / path)
        return found

    monkeypatch.setattr("pipelines.sra.bundle.inspect_all", then_change)
    _lake, _stage, built = bench.run({}, {})
    assert {issue.path for issue in built.issues if issue.rule == RULE} == {path}


def test_a_tokenizer_that_changes_before_a_worker_reads_it(
    bench: Bench, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "tokenizers/Qwen3-32B/tokenizer.json"
    verify = bundle_module.verify_bundle

    def then_change(*arguments: Any) -> VerifiedBundle:
        found = verify(*arguments)
        grow(kept / path)
        return found

    monkeypatch.setattr("pipelines.sources.sra.verify_bundle", then_change)
    monkeypatch.setattr("pipelines.sra.worker._vocabulary", _uncached())
    assert changed_paths(bench) == {path}


def _uncached() -> Callable[..., Any]:
    from pipelines.sra import worker

    return worker._vocabulary.__wrapped__


def test_a_bundle_left_alone_is_read_as_it_was_verified(bench: Bench, kept: Path) -> None:
    _lake, stage, built = bench.run({}, {})
    assert bench.outcome(stage, built).files == bench.clean.files
    assert all(issue.rule != RULE for issue in built.issues)


def test_the_manifest_and_the_questions_are_read_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read once cannot be another the second time."""
    opened: list[str] = []
    read_bytes = Path.read_bytes

    def noted(path: Path) -> bytes:
        opened.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    bench.run({}, {})
    assert [opened.count(name) for name in ("MANIFEST.csv", "champ.json", "theoremqa.json")] == [1, 1, 1]
