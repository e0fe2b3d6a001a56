"""One build at a time: an advisory lock that the system drops when its owner dies."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from warehouse.errors import LakeError
from warehouse.storage.files import write_atomic
from warehouse.storage.layout import Lake

# Who only asks whether the lock is free holds it for an instant: a build does not take that for another build.
_PROBE_SECONDS: Final = 1


def holder(lake: Lake) -> dict[str, Any] | None:
    """Return who holds the lake (pid, host, since), or None where nobody does."""
    probe = FileLock(lake.lock)
    try:
        probe.acquire(timeout=0)
    except Timeout:
        return _owner(lake)
    except (FileNotFoundError, PermissionError, OSError):
        return None
    probe.release()
    return None


def _owner_file(lake: Lake) -> Path:
    return lake.root / ".lock.owner"


def _owner(lake: Lake) -> dict[str, Any]:
    with suppress(FileNotFoundError, json.JSONDecodeError):
        found: dict[str, Any] = json.loads(_owner_file(lake).read_text(encoding="utf-8"))
        return found
    return {"pid": None, "host": None, "since": None}


@contextmanager
def hold(lake: Lake, *, wait: bool, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lake for the length of the block.

    `say` is told once who holds it when the lock is taken. Raises LakeError when it is taken and `wait` is false.
    A lock whose owner died is free: the system released it.
    """
    lock = FileLock(lake.lock)
    try:
        lock.acquire(timeout=_PROBE_SECONDS)
    except Timeout:
        owner = _owner(lake)
        who = f"process {owner['pid']} on {owner['host']} since {owner['since']}"
        if not wait:
            raise LakeError(f"{lake.root} is held by {who}: wait for it, or leave out --no-wait.") from None
        say(f"{lake.root} is held by {who}; waiting for it.")
        lock.acquire()
    try:
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now(UTC).isoformat("T", "seconds")}
        write_atomic(_owner_file(lake), json.dumps(owner).encode())
        yield
    finally:
        _owner_file(lake).unlink(missing_ok=True)
        lock.release()
