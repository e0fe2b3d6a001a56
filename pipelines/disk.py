"""Looking at a bundle on disk: which files are there, through which links, with which bytes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from pipelines.progress import Reporter
from transforms.sra.manifest import FoundFile
from warehouse.errors import LakeError
from warehouse.storage.ahead import measured

MAX_GIVEN: Final = 2 << 30
_UNREADABLE: Final = frozenset({errno.EACCES, errno.EPERM, errno.EIO})


def walk(root: Path) -> Iterator[str]:
    """Yield the path below `root`, with `/`, of every file and of every link; links to folders are not entered.

    Of a folder that can not be listed its own path is yielded, for what it holds is not known.
    """
    unlisted: list[OSError] = []
    for folder, folders, files in os.walk(root, followlinks=False, onerror=unlisted.append):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            yield Path(folder, name).relative_to(root).as_posix()
    for problem in unlisted:
        if Path(problem.filename) == root:
            raise LakeError(f"{root} can not be listed ({problem.strerror}): name a folder that you may read.")
        yield Path(problem.filename).relative_to(root).as_posix()


def inspect(root: Path, path: str) -> FoundFile | None:
    """Return what stands at a path of the bundle, with size and hash where it is a file inside; None for nothing."""
    try:
        return _inspect(root.resolve(), path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        return FoundFile("unreadable" if problem.errno in _UNREADABLE else "other")
    except (RuntimeError, ValueError):
        return FoundFile("other")


def _inspect(root: Path, path: str) -> FoundFile:
    real = (root / path).resolve(strict=True)
    if not real.is_relative_to(root):
        return FoundFile("symlink_outside")
    if not real.is_file():
        return FoundFile("other")
    return FoundFile("file" if real == root / path else "symlink_inside", *measured(real))


def inspect_all(root: Path, listed: Iterable[str], workers: int, reporter: Reporter) -> dict[str, FoundFile]:
    """Hash every file below `root` and every listed path, on threads: hashing releases the interpreter's lock."""
    paths = sorted({*walk(root), *listed})
    with reporter.step("verify", len(paths), "files") as advance, ThreadPoolExecutor(workers) as pool:
        found = {}
        for path, file in zip(paths, pool.map(lambda p: inspect(root, p), paths), strict=True):
            advance(1)
            if file is not None:
                found[path] = file
    return found


def regular_bytes(path: Path, max_bytes: int) -> bytes:
    """Return a file's bytes. Raises OSError, also for what is large or no file: a pipe would keep the build waiting."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if found.st_size > max_bytes:
        raise OSError(errno.EFBIG, f"its {found.st_size} bytes are more than the {max_bytes} that are read")
    return path.read_bytes()


def given_bytes(path: Path) -> bytes:
    """Return the bytes of a file that was named. Raises LakeError where it can not be read or is too large."""
    try:
        return regular_bytes(path, MAX_GIVEN)
    except OSError as problem:
        raise LakeError(
            f"{path} can not be read ({problem.strerror}): name a regular file that you may read."
        ) from problem
