"""What is hashed ahead is what a file is when it is asked for, or is read again."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest

from warehouse.storage import ahead
from warehouse.storage.ahead import hash_ahead, measured
from warehouse.storage.files import measure_file

DAY_NS = 86_400_000_000_000


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test's files are seconds old: let those settle at once, and forget what no test asked for."""
    monkeypatch.setattr(ahead, "SETTLED_NS", -DAY_NS)
    yield
    ahead._read.clear()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read, in order."""
    found: list[Path] = []

    def noted(path: Path) -> tuple[int, str]:
        found.append(path)
        return measure_file(path)

    monkeypatch.setattr(ahead, "measure_file", noted)
    return found


def expected(data: bytes) -> tuple[int, str]:
    return len(data), hashlib.sha256(data).hexdigest()


def hashed(paths: list[Path]) -> None:
    """Hash ahead and wait until all is done."""
    handed_over = threading.Event()

    def given() -> Iterator[Path]:
        yield from paths
        handed_over.set()

    hash_ahead(given)
    assert handed_over.wait(10)
    while not all(path in ahead._read for path in paths):
        time.sleep(0.001)
    wait([ahead._read[path] for path in paths], timeout=10)


def made(folder: Path, n: int = 3) -> list[Path]:
    paths = [folder / f"{number}.bin" for number in range(n)]
    for number, path in enumerate(paths):
        path.write_bytes(bytes([number]) * (number * 1000))
    return paths


def test_what_was_read_ahead_is_not_read_again(tmp_path: Path, reads: list[Path]) -> None:
    paths = made(tmp_path)
    hashed(paths)
    assert [measured(path) for path in paths] == [expected(path.read_bytes()) for path in paths]
    assert reads == paths


def test_it_is_given_once(tmp_path: Path, reads: list[Path]) -> None:
    (path,) = made(tmp_path, 1)
    hashed([path])
    assert measured(path) == measured(path)
    assert reads == [path, path]


def test_what_nobody_read_ahead_is_read(tmp_path: Path, reads: list[Path]) -> None:
    (path,) = made(tmp_path, 1)
    assert measured(path) == expected(path.read_bytes())
    assert reads == [path]


@pytest.mark.parametrize("keeps_time", [True, False])
def test_a_file_that_changed_is_read_again(tmp_path: Path, keeps_time: bool) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"before")
    hashed([path])
    before = path.stat()
    path.write_bytes(b"behind")
    if keeps_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert measured(path) == expected(b"behind")


def test_a_file_that_another_took_the_place_of_is_read_again(tmp_path: Path) -> None:
    path, other = tmp_path / "x", tmp_path / "y"
    path.write_bytes(b"before")
    other.write_bytes(b"behind")
    hashed([path])
    other.replace(path)
    assert measured(path) == expected(b"behind")


def test_a_file_that_changed_a_moment_ago_is_not_trusted(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "SETTLED_NS", DAY_NS)
    (path,) = made(tmp_path, 1)
    hashed([path])
    assert reads == []
    assert measured(path) == expected(path.read_bytes())


def test_what_is_no_file_is_left_to_who_asks(tmp_path: Path, reads: list[Path]) -> None:
    (path,) = made(tmp_path, 1)
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    hashed([tmp_path / "link", tmp_path / "pipe", tmp_path / "gone", tmp_path])
    assert reads == []
    assert measured(tmp_path / "link") == expected(path.read_bytes())
    with pytest.raises(FileNotFoundError):
        measured(tmp_path / "gone")
    with pytest.raises(IsADirectoryError):
        measured(tmp_path)


def test_a_file_whose_turn_has_not_come_is_read_by_who_asks(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = made(tmp_path)
    asked, begun = threading.Event(), threading.Event()

    def slow(path: Path) -> tuple[int, str]:
        if threading.current_thread() is not threading.main_thread() and path == first:
            begun.set()
            asked.wait(10)
        reads.append(path)
        return measure_file(path)

    monkeypatch.setattr(ahead, "measure_file", slow)
    hash_ahead(lambda: [first, second, third])
    assert begun.wait(10)
    assert measured(second) == expected(second.read_bytes())
    assert reads == [second]
    asked.set()
    assert [measured(path) for path in (first, third)] == [expected(path.read_bytes()) for path in (first, third)]
    assert sorted(reads) == [first, second, third]


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 20_000])
def test_a_file_is_hashed_in_pieces(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.storage.files.PIECE_BYTES", 4096)
    path = tmp_path / "x"
    path.write_bytes(os.urandom(size))
    assert measure_file(path) == expected(path.read_bytes())


def test_nobody_waits_for_a_thread_that_died(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = made(tmp_path, 2)
    died = threading.Event()

    def fails(path: Path) -> tuple[int, str]:
        if threading.current_thread() is threading.main_thread():
            return measure_file(path)
        raise MemoryError

    monkeypatch.setattr(threading, "excepthook", lambda _found: died.set())
    monkeypatch.setattr(ahead, "measure_file", fails)
    hash_ahead(lambda: [first, second])
    assert died.wait(10)
    assert [measured(path) for path in (first, second)] == [expected(path.read_bytes()) for path in (first, second)]
