"""Measuring a command: its wall time and the peak memory of its whole process tree."""

from __future__ import annotations

import contextlib
import platform
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import psutil

EVERY_SECONDS = 0.05
LIBRARIES = ("polars", "duckdb", "pyarrow", "numpy", "dagster", "isal", "orjson")


@dataclass(frozen=True)
class Measured:
    """A command's wall time in seconds, the peak of its tree's resident memory in bytes, and its output."""

    seconds: float
    peak_bytes: int
    output: str


def tree_bytes(root: psutil.Process) -> int:
    """Return the resident bytes of a process and its descendants; shared pages count once a process."""
    total = 0
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in [root, *root.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
    return total


def run(command: Sequence[str]) -> Measured:
    """Run a command to its end. Raises RuntimeError with its output when it fails."""
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    root, peak = psutil.Process(child.pid), 0
    while child.poll() is None:
        peak = max(peak, tree_bytes(root))
        time.sleep(EVERY_SECONDS)
    seconds = time.monotonic() - started
    output = child.stdout.read() if child.stdout else ""
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}:\n{output}")
    return Measured(seconds, peak, output)


def environment() -> str:
    """Return one line that says what this was measured on."""
    cores, memory = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    machine = f"{platform.system()} {platform.machine()}, {cores} cores, {memory:.0f} GiB"
    return f"{machine}, Python {platform.python_version()}, {libraries}"
