"""Building the bundle's source alone, over and over into one lake, and what each build read anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from pipelines.progress import Reporter
from pipelines.source import BuildContext, Built
from pipelines.sources.sra import OPTIONS, build
from pipelines.sra import worker
from pipelines.sra.jobs import CellJob, CellOutcome
from tests.faults.bundles import write_files
from warehouse.contracts import has_errors
from warehouse.storage.assemble import assemble_shared
from warehouse.storage.layout import Lake
from warehouse.storage.publish import Published, publish
from warehouse.storage.record import files_of, read_record
from warehouse.storage.stage import BUILT, SourceReport, Stage

CODE: Final = {"version": "0", "building": "b", "reading": "r"}


def _no_catalog(version: Path) -> list[dict[str, Any]]:
    (version / "lake.duckdb").touch()
    return []


@dataclass(slots=True)
class Done:
    """One build: what it noticed, what was published, and which halves of which cells were read anew."""

    built: Built
    published: Published | None
    tokens: set[str] = field(default_factory=set)
    answers: set[str] = field(default_factory=set)


@dataclass(slots=True)
class SraLake:
    """A lake that holds nothing but a bundle's tables."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch

    @property
    def lake(self) -> Lake:
        """The lake."""
        return Lake.at(self.folder / "lake")

    def write(self, files: Mapping[str, bytes | None]) -> None:
        """Write files of the bundle and of the questions; None removes one."""
        write_files(self.folder / "raw", files)

    def build(self, **settings: Any) -> Done:
        """Build the bundle as it stands and publish it, unless something is an error and nothing says otherwise."""
        lake = self.lake
        lake.create()
        version_id = lake.current_id()
        state = read_record(lake.version(version_id))["sources"]["sra"]["state"] if version_id else {}
        stage = Stage.begin(lake)
        raw = self.folder / "raw"
        options = {option.key: option.default for option in OPTIONS}
        options |= {"sra": str(raw / "bundle"), "instances": str(raw / "instances")} | settings
        done = Done(Built(), None)
        with self.monkeypatch.context() as patch:
            patch.setattr("pipelines.sra.worker.run", self._noted(done))
            done.built = build(BuildContext(lake, stage, options, state, Reporter(quiet=True), workers=1))
        if not has_errors(done.built.issues) or settings.get("allow_partial"):
            self._publish(stage, done)
        return done

    @staticmethod
    def _noted(done: Done) -> Any:
        run = worker.run

        def noted(job: CellJob) -> CellOutcome:
            done.answers.add(job.cell.name)
            if job.tokens is None and job.tokens_key is not None:
                done.tokens.add(job.cell.name)
            return run(job)

        return noted

    def _publish(self, stage: Stage, done: Done) -> None:
        built = done.built
        report = SourceReport("sra", BUILT, built.files, built.inputs, built.state)
        assert built.source_files is not None
        stage.report(report, built.issues, built.source_files)
        assemble_shared(self.lake, stage)
        done.published = publish(self.lake, stage, _no_catalog, CODE, 3)

    @property
    def record(self) -> dict[str, Any]:
        """The current version's `lake.json`."""
        return read_record(self.lake.require_current())

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of every table file of the current version."""
        return {file.path: file.sha256 for file in files_of(self.record)}

    def inodes(self) -> dict[str, int]:
        """Return the inode of every table file of the current version: the same where a file was reused."""
        current = self.lake.require_current()
        return {file.path: (current / file.path).stat().st_ino for file in files_of(self.record)}
