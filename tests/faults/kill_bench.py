"""The ground for killing builds: a lake with one version, a bundle for the next, and what either answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from synthetic.grace import synth_release
from synthetic.sra import Job, Spec
from synthetic.sra.faults import apply_fault
from tests.faults.bundles import Files, part_of, write_files

Answer = dict[str, Any]
PROJECT: Final = Path(__file__).resolve().parents[2]
CELL: Final = ("Qwen3-32B", "champ")


def one_cell_bundle(seed: int) -> Files:
    def keep(job: Job) -> bool:
        model, dataset = CELL
        return job.model in {"", model} and job.dataset in {"", dataset} and job.condition != "gold_skill"

    return part_of(Spec("tiny", seed=seed), keep)


class Server:
    """The process that forks builds and kills them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.killed"],
            cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, what: str, **request: Any) -> Answer:
        """Ask for one thing and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"ask": what, **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the server that forks builds has died"
        answer: Answer = json.loads(line)
        return answer

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate(timeout=60)


@dataclass(slots=True)
class KillBench:
    """A lake whose version `before` is current, and the outcome of building the next version undisturbed."""

    folder: Path
    server: Server
    before: Answer = field(default_factory=dict)
    after: Answer = field(default_factory=dict)
    whole: Answer = field(default_factory=dict)

    @classmethod
    def set_up(cls, folder: Path, server: Server) -> KillBench:
        """Publish the first version, keep a copy of the lake, publish the second."""
        bench = cls(folder, server)
        write_files(folder / "a", one_cell_bundle(1))
        write_files(folder / "b", one_cell_bundle(2))
        write_files(folder / "faulty", apply_fault(one_cell_bundle(2), "entropy_zero", 1))
        grace = folder / "grace.zip"
        grace.write_bytes(synth_release(0, n_packets=1, n_questions=3))
        first = bench.build("a", grace=str(grace))
        assert first["status"] == 0, first["log"]
        bench.before = bench.look()
        shutil.copytree(bench.lake, folder / "saved", symlinks=True)
        bench.whole = bench.build("b")
        assert bench.whole["status"] == 0, bench.whole["log"]
        bench.after = bench.look()
        return bench

    @property
    def lake(self) -> Path:
        """Folder of the lake; always the same, since catalogs hold absolute paths."""
        return self.folder / "lake"

    def restore(self) -> None:
        """Put the lake back to where only the first version was published."""
        shutil.rmtree(self.lake)
        shutil.copytree(self.folder / "saved", self.lake, symlinks=True)

    def build(self, bundle: str, *, kill: Mapping[str, Any] | None = None, **options: Any) -> Answer:
        """Build one of the bundles, killed where `kill` says."""
        raw = self.folder / bundle
        given = {"sra": str(raw / "bundle"), "instances": str(raw / "instances")} | options
        return self.server.ask("build", lake=str(self.lake), folder=str(self.folder), options=given, **(kill or {}))

    def command(self, *arguments: str, kill: Mapping[str, Any] | None = None) -> Answer:
        """Run another command on the lake, killed where `kill` says."""
        command = [*arguments, "--lake", str(self.lake)]
        return self.server.ask("build", lake=str(self.lake), folder=str(self.folder), command=command, **(kill or {}))

    def look(self) -> Answer:
        """Read the lake in a process that never saw it before."""
        found = self.server.ask("look", lake=str(self.lake), folder=str(self.folder))
        assert found["status"] == 0, found["log"]
        answer: Answer = found["answer"]
        return answer
