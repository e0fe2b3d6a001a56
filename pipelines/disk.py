"""Looking at inputs on disk: which files are there, through which links, with which bytes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from pipelines.progress import Reporter
from transforms.inputs import POINTER_BYTES, UNREADABLE, FoundFile, is_lfs_pointer, lfs_pointers
from warehouse.contracts import Issue
from warehouse.errors import LakeError
from warehouse.storage.ahead import measured

MAX_GIVEN: Final = 2 << 30
FEW: Final = 10
"""Files of a folder without a listed one that are still looked at, each for itself."""
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


def survey(root: Path, listed: Iterable[str]) -> tuple[list[str], dict[str, int]]:
    """Return the paths below `root` to look at, and the folders to leave alone, each with its number of files.

    Looked at are all listed paths and what stands beside them. A folder with many files of which none is listed, as
    version control and download caches leave them, is not: its path ends in `/`.
    """
    known = {folder for path in listed for folder in _folders(path)}
    strange: dict[str, list[str]] = {}
    paths = set(listed)
    for path in walk(root):
        outermost = next((folder for folder in _folders(path) if folder not in known), None)
        if outermost is not None:
            strange.setdefault(outermost, []).append(path)
        elif path not in known:
            # Else a link is in the place of a folder with listed files, and is told with them.
            paths.add(path)
    for folder, below in list(strange.items()):
        if len(below) <= FEW:
            paths.update(below)
            del strange[folder]
    return sorted(paths), {f"{folder}/": len(below) for folder, below in strange.items()}


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that hold a path, the outermost first."""
    return accumulate(path.split("/")[:-1], "{}/{}".format)


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
    size, sha256 = measured(real)
    is_pointer = size < POINTER_BYTES and is_lfs_pointer(real.read_bytes())
    return FoundFile("file" if real == root / path else "symlink_inside", size, sha256, is_pointer)


def inspect_all(root: Path, listed: Collection[str], workers: int, reporter: Reporter) -> dict[str, FoundFile]:
    """Return what stands at every listed path of a bundle and beside them; see `survey`.

    Files are hashed on threads: hashing releases the interpreter's lock.
    """
    paths, folders = survey(root, listed)
    found = {folder: FoundFile("folder", n_files=n) for folder, n in folders.items()}
    expected = frozenset(listed)
    with reporter.step("verify", len(paths), "files") as advance, ThreadPoolExecutor(workers) as pool:
        for path, file in zip(paths, pool.map(lambda p: inspect(root, p), paths), strict=True):
            advance(1)
            if file is not None:
                found[path] = file
            elif path not in expected:
                # It was walked over, so a link to nowhere stands there: a thing beside the bundle's files.
                found[path] = FoundFile("other")
    return found


@dataclass(frozen=True, slots=True)
class Inputs:
    """The bytes of the files that were named, by path, and what is wrong with the others."""

    data: Mapping[Path, bytes]
    issues: Sequence[Issue]


def read_inputs(paths: Iterable[Path], **where: str) -> Inputs:
    """Read files that were named, all of them before anything is refused. `where` holds for every finding."""
    data, issues, pointers = {}, [], []
    for path in paths:
        try:
            data[path] = regular_bytes(path, MAX_GIVEN)
        except OSError as problem:
            message = f"{path} can not be read ({problem.strerror}): name a regular file that you may read."
            issues.append(UNREADABLE.issue(message, **where, path=str(path)))
            continue
        if is_lfs_pointer(data[path]):
            pointers.append(str(path))
    if pointers:
        issues.append(lfs_pointers(pointers, **where))
    return Inputs(data, issues)


def regular_bytes(path: Path, max_bytes: int) -> bytes:
    """Return a file's bytes. Raises OSError, also for what is large or no file: a pipe would keep the build waiting."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if found.st_size > max_bytes:
        raise OSError(errno.EFBIG, f"its {found.st_size} bytes are more than the {max_bytes} that are read")
    return path.read_bytes()
