"""A server that forks builds and kills them: at an operation, at a call, at a time. Speaks a JSON object a line.

It is a process of its own because only one that has imported everything and started no thread can fork at will; the
forked child then is a build from its first step on, with nothing of the test in its way but what kills it.
"""

from __future__ import annotations

import importlib
import json
import mmap
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final

import psutil

from pipelines.assets import all_assets
from pipelines.cli import cli
from pipelines.commands.build import run_build
from pipelines.source import all_options
from warehouse.catalog import open_lake
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.versions import list_versions, verify_version

PHASES: Final = {
    "verify": "pipelines.sources.sra:verify_bundle",
    "parse": "pipelines.sra.worker:run",
    "stage": "pipelines.sra.worker:write_table",
    "audit": "warehouse.storage.parquet:audit_file",
    "statistics": "pipelines.build:stage_statistics",
    "publish": "pipelines.build:publish",
    "catalog": "pipelines.build:build_catalog",
}
CHANGES: Final = frozenset(
    {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink", "os.link", "os.utime", "shutil.rmtree"}
)
LEFT: Final = frozenset({".lock", ".published", "CURRENT", "current", "lake.duckdb", "versions"})
"""All that may stand in a lake once a build has ended."""

_phase = mmap.mmap(-1, 64)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    return {option.key: option.default for option in all_options()} | {"workers": "1", "keep": "1"} | given


def _die(scope: str) -> None:
    if scope == "group":
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _replace(target: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    module, _, path = target.partition(":")
    owner: Any = importlib.import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    setattr(owner, name, wrap(getattr(owner, name)))


def _note_phases() -> None:
    """Keep the name of the innermost phase where the parent can read it after a kill."""

    def noted(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
            # Under its own name it can still be sent to a worker, which then runs the original.
            @wraps(function)
            def run(*args: Any, **kwargs: Any) -> Any:
                before = _phase[:64]
                _phase[:64] = name.encode().ljust(64, b"\0")
                result = function(*args, **kwargs)
                _phase[:64] = before
                return result

            return run

        return wrap

    for name, target in PHASES.items():
        _replace(target, noted(name))


def _at_call(call: str, when: str, nth: int) -> None:
    """Kill the process before or after the nth call of a function."""
    calls = {"n": 0}

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            calls["n"] += 1
            if when == "before" and calls["n"] == nth:
                _die("group")
            result = function(*args, **kwargs)
            if when == "after" and calls["n"] == nth:
                _die("group")
            return result

        return run

    _replace(call, wrap)


def _at_operation(root: str, nth: int, counted: mmap.mmap) -> None:
    """Kill the process before the nth operation that changes anything below `root`; count them all."""

    def hook(event: str, args: tuple[Any, ...]) -> None:
        is_write = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        # Removing a tree names its files relative to a folder that is open.
        is_inside = event in {"os.remove", "os.rmdir"} and args[-1] != -1
        if not (is_write or event in CHANGES) or not (is_inside or any(str(arg).startswith(root) for arg in args)):
            return
        n = int.from_bytes(counted[:8], "little") + 1
        counted[:8] = n.to_bytes(8, "little")
        if n == nth:
            _die("group")

    sys.addaudithook(hook)


def _child(task: Callable[[], Any], log: str, answer: str) -> None:
    """Run a task in this fork, in a process group of its own, and write what it returns."""
    os.setsid()
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    status = 1
    try:
        Path(answer).write_text(json.dumps(task()))
        status = 0
    except BaseException:  # noqa: BLE001 - whatever it is, it is written down and the fork ends here
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _forked(task: Callable[[], Any], folder: str, after: float | None = None, scope: str = "group") -> dict[str, Any]:
    """Fork a task; kill it `after` seconds where given. Return how it ended and what is left of its processes."""
    log, answer = f"{folder}/log", f"{folder}/answer"
    Path(answer).unlink(missing_ok=True)
    _phase[:64] = b"start".ljust(64, b"\0")
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _child(task, log, answer)
    if after is not None:
        time.sleep(after)
        children = psutil.Process(pid).children(recursive=True)
        (os.kill if scope == "parent" else os.killpg)(pid, signal.SIGKILL)
    else:
        children = []
    _pid, status = os.waitpid(pid, 0)
    return {
        "killed": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL,
        "status": os.waitstatus_to_exitcode(status),
        "seconds": time.monotonic() - started,
        "phase": _phase[:64].rstrip(b"\0").decode(),
        "children": [child.pid for child in children],
        "log": Path(log).read_text()[-4000:],
        "answer": json.loads(Path(answer).read_text()) if status == 0 else None,
    }


# --- what a client asks for -----------------------------------------------------------------------------------------


def build(request: dict[str, Any]) -> dict[str, Any]:
    """Build, or run another `command`.

    `call`, `when` and `nth`, or `operation`, or `after` say where to kill it, none of them not at all.
    """
    counted = mmap.mmap(-1, 8)

    def task() -> str:
        _note_phases()
        _at_operation(request["lake"], request.get("operation", 0), counted)
        if "call" in request:
            _at_call(request["call"], request["when"], request["nth"])
        if "command" in request:
            return str(cli.main(request["command"], standalone_mode=False))
        return run_build(Lake.at(request["lake"]), _options(request["options"]))

    found = _forked(task, request["folder"], request.get("after"), request.get("scope", "group"))
    return found | {"operations": int.from_bytes(counted[:8], "little")}


def look(request: dict[str, Any]) -> dict[str, Any]:
    """Read a lake as anybody would (CURRENT, the views, the versions), and list all that stands in it."""
    return _forked(lambda: _look(Path(request["lake"])), request["folder"])


def _look(root: Path) -> dict[str, Any]:
    lake = Lake.at(root)
    current = (root / "CURRENT").read_text().strip()
    with open_lake(lake) as connection:
        connection.execute("SET threads = 1")
        (located,) = connection.execute("SELECT version_id FROM lake_location").fetchone()
        views = connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL").fetchall()
        answers = {
            name: str(connection.execute(f'SELECT count(*), sum(hash(v)) FROM "{name}" AS v').fetchone())
            for (name,) in views
        }
    return {
        "current": current,
        "located": located,
        "views": answers,
        "listed": [info.version_id for info in list_versions(lake)],
        "problems": verify_version(lake.require_current()),
        "litter": _litter(lake),
    }


def _litter(lake: Lake) -> list[str]:
    """Return everything in a lake that no published version needs."""
    published = published_ids(lake)
    found = [path.name for path in lake.root.iterdir() if path.name not in LEFT]
    found += [f"versions/{p.name}" for p in lake.versions.iterdir() if p.name not in published]
    found += [f".published/{p.name}" for p in lake.published.iterdir() if p.name not in published]
    return found + [problem for name in published for problem in verify_version(lake.version(name))]


def alive(request: dict[str, Any]) -> dict[str, Any]:
    """Return which of some processes are still there after at most `seconds`."""
    gone_by = time.monotonic() + request["seconds"]
    while left := [pid for pid in request["pids"] if psutil.pid_exists(pid)]:
        if time.monotonic() > gone_by:
            break
        time.sleep(0.05)
    return {"alive": left}


def main() -> None:
    """Answer requests until there are no more."""
    all_assets()
    asked = {"build": build, "look": look, "alive": alive}
    for line in sys.stdin:
        request = json.loads(line)
        sys.stdout.write(json.dumps(asked[request["ask"]](request)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
