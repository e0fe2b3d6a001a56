"""Small file operations that survive a power cut: written aside, flushed, then named."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import time
from pathlib import Path
from typing import Final

from warehouse.errors import LakeError

LONGEST_NAME: Final = 255
REMOVALS: Final = 20
PIECE_BYTES: Final = 8 << 20
_PLAIN: Final = re.compile(rb"[A-Za-z0-9_.-]")


def sha256_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, lower-case hexadecimal."""
    return measure_file(path)[1]


def measure_file(path: Path) -> tuple[int, str]:
    """Return the number and the SHA-256 of the bytes that one reading of a file gives.

    In larger pieces than `hashlib.file_digest` reads: between two pieces a thread may have to wait for the interpreter.
    """
    digest, size = hashlib.sha256(), 0
    with path.open("rb", buffering=0) as handle:
        piece = bytearray(min(max(os.fstat(handle.fileno()).st_size, 1), PIECE_BYTES))
        while n := handle.readinto(piece):
            digest.update(memoryview(piece)[:n])
            size += n
    return size, digest.hexdigest()


def fsync_directory(path: Path) -> None:
    """Make a rename inside `path` durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_file(path: Path) -> None:
    """Make the bytes of `path` durable."""
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader sees the old bytes or the new ones, never a part."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with aside.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    aside.replace(path)
    fsync_directory(path.parent)


def remove_tree(path: Path) -> None:
    """Remove a folder with all it holds, trying again where a process that is ending adds to it meanwhile."""
    for _attempt in range(REMOVALS):
        try:
            shutil.rmtree(path)
        except OSError as problem:
            if problem.errno != errno.ENOTEMPTY:
                raise
            time.sleep(0.2)
        else:
            return
    shutil.rmtree(path)


def link_or_copy(source: Path, target: Path) -> None:
    """Give an immutable file a second name; copy it where the file system has no hard links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        target.write_bytes(source.read_bytes())
        fsync_file(target)


def folder_name(name: str) -> str:
    """Return a folder name for a model, data set or condition: itself where plain, else percent-encoded.

    The encoding is reversible and leaves nothing that a path, a glob or SQL text treats specially.
    Raises LakeError for an empty name and for one that no file system would take.
    """
    encoded = b"".join(
        byte if _PLAIN.match(byte) else b"%%%02X" % ord(byte)
        for byte in (bytes([value]) for value in name.encode("utf-8", "surrogatepass"))
    ).decode("ascii")
    if encoded.startswith("."):
        encoded = "%2E" + encoded[1:]
    if not encoded:
        raise LakeError("An empty name can not be a folder: name the model, data set or condition.")
    if len(encoded) > LONGEST_NAME:
        raise LakeError(
            f"The name {name[:40]!r}… needs {len(encoded)} bytes as a folder and a file system takes {LONGEST_NAME}: "
            "use a shorter name."
        )
    return encoded
