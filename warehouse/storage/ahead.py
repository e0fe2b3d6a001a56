"""Hashing files before they are asked for, on a thread of its own, while the rest of the program is still loading."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from stat import S_ISREG
from typing import Final, NamedTuple

from warehouse.storage.files import measure_file

SETTLED_NS: Final = 2_000_000_000
"""A file that changed later than this before it was read may change again without its times showing it."""


class _Identity(NamedTuple):
    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class _Read(NamedTuple):
    """What a file was just before it was read, and its size and SHA-256; nothing where it could not be read."""

    identity: _Identity
    measured: tuple[int, str]


_read: dict[Path, Future[_Read | None]] = {}


def hash_ahead(paths: Callable[[], Iterable[Path]]) -> None:
    """Begin to hash the regular files among the paths; `measured` gives the results. Does not wait."""
    threading.Thread(target=_hash_all, args=(paths,), daemon=True).start()


def _hash_all(paths: Callable[[], Iterable[Path]]) -> None:
    waiting = {path: Future[_Read | None]() for path in paths()}
    _read.update(waiting)
    for path, future in waiting.items():
        if future.set_running_or_notify_cancel():
            found = None
            try:
                found = _read_settled(path)
            finally:
                # Whatever happens to this thread, nobody waits for it: who asks reads the file himself.
                future.set_result(found)


def _read_settled(path: Path) -> _Read | None:
    try:
        found = path.lstat()
        # A pipe would keep this waiting, and what a link leads to has a path of its own.
        if not S_ISREG(found.st_mode) or found.st_ctime_ns > time.time_ns() - SETTLED_NS:
            return None
        return _Read(_identity(found), measure_file(path))
    except OSError:
        # Who asks for the file reads it again, and says what is wrong with it.
        return None


def _identity(found: os.stat_result) -> _Identity:
    return _Identity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def measured(path: Path) -> tuple[int, str]:
    """Return the size and the SHA-256 of a file's bytes: as read ahead where it is still the same file, or read now.

    What was read ahead is given once. Raises OSError.
    """
    future = _read.pop(path, None)
    if future is not None and not future.cancel():
        known = future.result()
        if known is not None and known.identity == _identity(path.lstat()):
            return known.measured
    return measure_file(path)
