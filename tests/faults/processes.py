"""`callake` as a process of its own: with limits on what it may write, and without root's right to everything."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

PROJECT: Final = Path(__file__).resolve().parents[2]
_CAPBSET_DROP: Final = 24
_OVERRIDING: Final = (1, 2, 3)
"""The capabilities by which root reads and writes whatever it wants: DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER."""


def callake(
    *arguments: str, before: Callable[[], Any] | None = None, **kwargs: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command; `before` runs in the child just before it starts."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return subprocess.run(
        [sys.executable, "-m", "pipelines.cli", *arguments],
        cwd=PROJECT, env=environment, capture_output=True, text=True, preexec_fn=before, check=False, **kwargs,
    )  # fmt: skip


def started(*arguments: str, **kwargs: Any) -> subprocess.Popen[str]:
    """Start a command and do not wait for it."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli", *arguments],
        cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs,
    )  # fmt: skip


def limit_file_size(size: int) -> Callable[[], None]:
    """Return what lets a child write no file beyond a size; the system then refuses as it does on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def drop_rights() -> None:
    """In a child of root: what is run next is held to the permissions of files, like anybody else."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in _OVERRIDING:
            if libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "a capability can not be dropped")


def rights_can_be_dropped(folder: Path) -> bool:
    """Tell whether permissions hold for a child here: containers may forbid to give up root's rights."""
    probe = folder / "probe"
    probe.touch(mode=0)
    command = [sys.executable, "-c", f"open({str(probe)!r})"]
    try:
        ended = subprocess.run(command, preexec_fn=drop_rights, capture_output=True, check=False)
    except subprocess.SubprocessError:
        return False
    finally:
        probe.unlink()
    return ended.returncode != 0


def mount_small(folder: Path, size: str) -> None:
    """Mount a small file system in memory on a folder, or skip the test where that is not allowed."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command to make a small file system with")
    if ended.returncode != 0:
        pytest.skip(f"a small file system can not be mounted here: {ended.stderr.strip()}")


def unmount(folder: Path) -> None:
    """Take a mounted file system away."""
    subprocess.run(["umount", str(folder)], check=True)
