"""The long form: `python -m tests.fuzz [TARGET …] [--runs N] [--seconds S]`, a process a parser, a line a parser.

Exit code 1 where anything was found; the inputs are then under `build/fuzz/<target>/`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.fuzz.targets import TARGETS

ROOT: Final = Path(__file__).resolve().parents[2]
_UNITS: Final = re.compile(r"stat::number_of_executed_units: *(\d+)")
_STATUS: Final = re.compile(r"^#(\d+)\s.*?\bcov: (\d+) ft: (\d+)", re.MULTILINE)
_ENDS: Final = {"ALARM": "took too long", "out-of-memory": "took too much memory", "deadly signal": "ended the process"}


@dataclass(frozen=True)
class Outcome:
    """What fuzzing one parser came to: executions, seconds, edges and features reached, and what was found."""

    executions: int
    seconds: float
    edges: int
    features: int
    findings: list[str]


def fuzz(name: str, runs: int, seconds: int, seed: int, findings: Path) -> Outcome:
    """Fuzz one target in a process of its own."""
    shutil.rmtree(findings, ignore_errors=True)
    findings.mkdir(parents=True)
    options = [
        f"-runs={runs}", f"-seed={seed}", f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=3000",
        f"-artifact_prefix={findings}/", "-print_final_stats=1", "-verbosity=1",
    ]  # fmt: skip
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as corpus:
        command = [sys.executable, "-m", "tests.fuzz.one", name, str(findings), corpus, *options]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False,
            env=os.environ | {"RUST_BACKTRACE": "0"},
        )  # fmt: skip
    told = [json.loads(path.read_text())["what"] for path in sorted(findings.glob("*.json"))]
    if done.returncode:
        told.append(_how_it_ended(done.stderr, done.returncode, findings))
    executions, edges, features = _counted(done.stderr)
    return Outcome(executions, time.monotonic() - start, edges, features, told)


def _how_it_ended(log: str, code: int, findings: Path) -> str:
    why = next((end for sign, end in _ENDS.items() if sign in log), f"exit code {code}")
    (findings / "log.txt").write_text(log[-20_000:])
    return f"an input {why}, see {findings.relative_to(ROOT)}"


def _counted(log: str) -> tuple[int, int, int]:
    units, status = _UNITS.search(log), _STATUS.findall(log)
    executions = int(units[1]) if units else int(status[-1][0]) if status else 0
    return (executions, int(status[-1][1]), int(status[-1][2])) if status else (executions, 0, 0)


def main() -> int:
    """Fuzz the targets one after the other and print a line a parser."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all without any")
    parser.add_argument("--runs", type=int, default=100_000, help="executions a parser")
    parser.add_argument("--seconds", type=int, default=0, help="most seconds a parser, 0 for as long as it takes")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if unknown := set(given.targets) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    if sys.platform != "linux":
        print("The fuzzer runs on Linux only; the tests of tests/fuzz run everywhere.", file=sys.stderr)
        return 2
    print(f"{'parser':<20} {'executions':>10} {'seconds':>8} {'edges':>6} {'features':>8}  findings")
    n_findings = 0
    for name in given.targets or TARGETS:
        found = fuzz(name, given.runs, given.seconds, given.seed, ROOT / "build" / "fuzz" / name)
        n_findings += len(found.findings)
        figures = f"{found.executions:>10,} {found.seconds:>8.1f} {found.edges:>6,} {found.features:>8,}"
        print(f"{name:<20} {figures}  {len(found.findings) or 'none'}", flush=True)
        for finding in found.findings:
            print(f"    {finding}", flush=True)
    return 1 if n_findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
