"""Looking at a bundle on disk: which files are there, through which links, with which bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pipelines.progress import Reporter
from transforms.sra.manifest import FoundFile
from warehouse.errors import LakeError
from warehouse.storage.files import sha256_file


def walk(root: Path) -> Iterator[str]:
    """Yield the path below `root`, with `/`, of every file and of every link; links to folders are not entered."""
    for folder, folders, files in os.walk(root, followlinks=False, onerror=_unreadable):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            yield Path(folder, name).relative_to(root).as_posix()


def _unreadable(problem: OSError) -> None:
    raise LakeError(f"{problem.filename} can not be listed ({problem.strerror}): give read permission and try again.")


def inspect(root: Path, path: str) -> FoundFile | None:
    """Return what stands at a path of the bundle, with size and hash where it is a file inside; None for nothing."""
    try:
        real = (root / path).resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return FoundFile("other")
    if not real.is_relative_to(root.resolve()):
        return FoundFile("symlink_outside")
    if not real.is_file():
        return FoundFile("other")
    kind = "file" if real == root.resolve() / path else "symlink_inside"
    try:
        return FoundFile(kind, real.stat().st_size, sha256_file(real))  # type: ignore[arg-type]
    except PermissionError as problem:
        raise LakeError(
            f"{real} can not be read ({problem.strerror}): give read permission and try again."
        ) from problem


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
