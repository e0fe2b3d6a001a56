"""What stands where an input should: on disk, and in the bytes themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from transforms.issue_log import of_files
from warehouse.contracts import Issue, Rule, Severity

LFS_POINTER = Rule("input.lfs_pointer", Severity.ERROR, "A Git LFS pointer stands where a file should.")
UNREADABLE = Rule("input.unreadable", Severity.ERROR, "A file that was named can not be read.")
RULES: Final = (LFS_POINTER, UNREADABLE)

POINTER_BYTES: Final = 1024
"""A pointer is shorter than this, by its specification."""
_POINTER: Final = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")
_FETCH: Final = "Fetch the content with `git lfs pull`, or download the file itself."
POINTER_MESSAGE: Final = f"This is a Git LFS pointer, not the file. {_FETCH}"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """What stands at a path of a folder. Size and hash are of the bytes read, none where nothing was read.

    `symlink_inside` is a path that reaches a file of the folder through a link; `symlink_outside` one whose real
    place, followed to its end, is not below the folder, whichever part of the path the link is. `unreadable` is there
    and may not, or can not, be read. `folder` stands for all files below it, `n_files` of them, that nobody asked for.
    """

    kind: Literal["file", "symlink_inside", "symlink_outside", "other", "unreadable", "folder"]
    size: int | None = None
    sha256: str | None = None
    is_pointer: bool = False
    n_files: int = 1


def is_lfs_pointer(data: bytes) -> bool:
    """Tell whether bytes are a Git LFS pointer: the few lines that Git has in the place of a large file."""
    return len(data) < POINTER_BYTES and data.startswith(_POINTER)


def lfs_pointers(paths: Iterable[str], **where: str | int | None) -> Issue:
    """Return the finding that files are Git LFS pointers."""
    one, many = "This is a Git LFS pointer, not the file.", "are Git LFS pointers, not the files"
    return of_files(LFS_POINTER, dict.fromkeys(paths, 1), one, many, _FETCH, **where)
