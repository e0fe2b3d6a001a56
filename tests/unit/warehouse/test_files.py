"""Folder names leave nothing that a path, a glob or SQL treats specially, and can be read back."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.errors import LakeError
from warehouse.storage.files import folder_name, link_or_copy, sha256_file, write_atomic


@given(st.text(min_size=1, max_size=60).filter(lambda t: len(t.encode("utf-8", "surrogatepass")) <= 80))
def test_names_are_plain_and_reversible(name: str) -> None:
    folder = folder_name(name)
    assert set(folder) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-%")
    assert not folder.startswith(".")
    assert unquote(folder, errors="surrogatepass") == name


@pytest.mark.parametrize(("name", "folder"), [("Qwen3.6-35B-A3B", "Qwen3.6-35B-A3B"), ("..", "%2E."), ("a/b", "a%2Fb")])
def test_examples(name: str, folder: str) -> None:
    assert folder_name(name) == folder


@pytest.mark.parametrize("name", ["", "x" * 256, "é" * 50])
def test_names_that_no_file_system_takes_are_refused(name: str) -> None:
    with pytest.raises(LakeError):
        folder_name(name)


def test_write_atomic_replaces_and_leaves_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_link_or_copy_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    link_or_copy(tmp_path / "a", tmp_path / "deep" / "b")
    assert sha256_file(tmp_path / "deep" / "b") == sha256_file(tmp_path / "a")
