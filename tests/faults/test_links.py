"""Symbolic links in a bundle: inside it they are followed, out of it never, whichever part of a path they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.matrix import Bench
from warehouse.contracts import Severity

CELL = "models/Qwen3-32B/champ/direct"
FILES = [
    f"{CELL}/sampling9.jsonl.gz",
    f"{CELL}/token_entropy9.bin",
    "tokenizers/Qwen3-32B/tokenizer.json",
    "BUNDLE_AUDIT.json",
    "aux/report_000.json",
]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench.set_up(tmp_path_factory.mktemp("links"))


@pytest.fixture
def root(clean: Bench) -> Iterator[Path]:
    """The bundle's folder, put back as it was afterwards."""
    folder, saved = clean.folder / "raw" / "bundle", clean.folder / "saved"
    shutil.copytree(folder, saved)
    yield folder
    shutil.rmtree(folder)
    saved.rename(folder)


def found_by(clean: Bench) -> tuple[set[str], dict[str, str]]:
    _lake, stage, built = clean.run({}, {})
    errors = {f"{issue.rule} {issue.path}" for issue in built.issues if issue.severity is Severity.ERROR}
    found = clean.outcome(stage, built)
    assert not found.strays
    return errors, found.files


def replaced(path: Path, elsewhere: Path) -> None:
    elsewhere.parent.mkdir(parents=True, exist_ok=True)
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_is_a_link_out_of_the_bundle(clean: Bench, root: Path, path: str, tmp_path: Path) -> None:
    """The bytes are right, and still they are not the bundle's."""
    replaced(root / path, tmp_path / "outside" / "file")
    errors, files = found_by(clean)
    assert f"manifest.leaves_bundle {path}" in errors
    if CELL in path:
        assert not any(CELL.removeprefix("models/") in name for name in files)


@pytest.mark.parametrize("path", [CELL, "models/Qwen3-32B", "models", "tokenizers"])
def test_a_folder_that_is_a_link_out_of_the_bundle(clean: Bench, root: Path, path: str, tmp_path: Path) -> None:
    below = [p.relative_to(root).as_posix() for p in (root / path).rglob("*") if p.is_file()]
    replaced(root / path, tmp_path / "outside" / "folder")
    _lake, _stage, built = clean.run({}, {})
    (issue,) = [issue for issue in built.issues if issue.rule == "manifest.leaves_bundle"]
    assert issue.value == str(len(below)) and all(word in issue.message for word in ("--local-dir", "cp -rL"))
    assert built.source_files is not None
    status = dict(built.source_files.select("path", "status").iter_rows())
    assert {status[name] for name in below} == {"refused"}
    assert not any(issue.rule == "manifest.unlisted_file" for issue in built.issues)


def test_a_chain_of_links_is_followed_to_its_end(clean: Bench, root: Path, tmp_path: Path) -> None:
    path = root / FILES[0]
    replaced(path, tmp_path / "file")
    (root / "aux" / "step").symlink_to(tmp_path / "file")
    path.unlink()
    path.symlink_to(root / "aux" / "step")
    errors, _files = found_by(clean)
    assert f"manifest.leaves_bundle {FILES[0]}" in errors


@pytest.mark.parametrize("target", ["absolute", "relative"])
def test_a_link_inside_the_bundle_is_followed(clean: Bench, root: Path, target: str) -> None:
    path, elsewhere = root / FILES[0], root / "aux" / "moved"
    path.rename(elsewhere)
    path.symlink_to(elsewhere if target == "absolute" else os.path.relpath(elsewhere, path.parent))
    errors, files = found_by(clean)
    assert errors == set()
    tables = {name: sha256 for name, sha256 in files.items() if "source_files" not in name}
    assert tables.items() <= clean.clean.files.items()


def loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("do", "rule"),
    [
        (loop, "manifest.not_a_file"),
        (dangling, "manifest.missing_file"),
        (device, "manifest.leaves_bundle"),
        (pipe, "manifest.not_a_file"),
    ],
)
def test_what_is_no_file_is_not_opened(clean: Bench, root: Path, do: Callable[[Path], None], rule: str) -> None:
    do(root / FILES[0])
    errors, _files = found_by(clean)
    assert f"{rule} {FILES[0]}" in errors


def test_a_bundle_behind_a_link_is_a_bundle(clean: Bench, root: Path, tmp_path: Path) -> None:
    replaced(root, tmp_path / "bundle")
    try:
        errors, files = found_by(clean)
    finally:
        root.unlink()
        (tmp_path / "bundle").rename(root)
    assert errors == set()
    assert files == clean.clean.files
