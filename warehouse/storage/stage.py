"""Where a build puts finished files until they are published: one folder a build, one report a source."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import polars as pl

from warehouse.contracts import TABLES, Issue, issues_frame
from warehouse.storage.files import link_or_copy, remove_tree
from warehouse.storage.layout import Cell, Lake
from warehouse.storage.parquet import FileReport, write_empty, write_table

BUILT: Final = "built"
CARRIED: Final = "carried over"
ABSENT: Final = "absent"


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source put into a version.

    `inputs` describes what was read (paths, hashes, settings, licence) and goes into `lake.json`. `state` is what a
    later build needs to know: cell keys, positional-join memory, acceptances.
    """

    source: str
    status: str
    files: Sequence[FileReport] = ()
    inputs: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON holds it."""
        return {
            "source": self.source,
            "status": self.status,
            "inputs": self.inputs,
            "state": self.state,
            "files": [file.as_dict() for file in self.files],
        }

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> SourceReport:
        """Return the report that `as_dict` wrote."""
        return cls(**{**found, "files": [FileReport.from_dict(file) for file in found["files"]]})


@dataclass(frozen=True, slots=True)
class Stage:
    """The folder of the build under way. `root/version` becomes the version when it is published."""

    root: Path

    @classmethod
    def begin(cls, lake: Lake) -> Stage:
        """Make an empty stage, removing what a build that did not finish left. The caller holds the lake's lock.

        Its folder has a name of its own: a process of a build that was killed may live for another moment and must
        not write into this one.
        """
        if lake.staging.exists():
            remove_tree(lake.staging)
        stage = cls(lake.staging / f"build-{uuid4().hex[:12]}")
        for folder in (stage.version, stage.root / "reports", stage.root / "frames"):
            folder.mkdir(parents=True)
        return stage

    @property
    def version(self) -> Path:
        """Folder that becomes the version."""
        return self.root / "version"

    def put(self, table: str, rows: pl.DataFrame, cell: Cell | None = None) -> FileReport:
        """Write one table file into the stage."""
        return write_table(self.version, TABLES[table], rows, cell)

    def put_empty(self, but: Collection[str]) -> list[FileReport]:
        """Write a file without rows for every table but those named."""
        return [write_empty(self.version, table) for table in TABLES.values() if table.name not in but]

    def reuse(self, origin: Path, files: Iterable[FileReport]) -> list[FileReport]:
        """Give files of an earlier version a second name in the stage: same bytes, nothing recomputed.

        That they are as they were written is for the caller to know: `damaged`.
        """
        reused = list(files)
        for file in reused:
            link_or_copy(origin / file.path, self.version / file.path)
        return reused

    def report(self, report: SourceReport, issues: Iterable[Issue] | pl.DataFrame, files: pl.DataFrame) -> None:
        """Record what a source built, what it noticed and which files it read."""
        noticed = issues if isinstance(issues, pl.DataFrame) else issues_frame(issues)
        noticed.write_parquet(self.root / "frames" / f"{report.source}.issues.parquet")
        files.write_parquet(self.root / "frames" / f"{report.source}.files.parquet")
        target = self.root / "reports" / f"{report.source}.json"
        target.write_text(json.dumps(report.as_dict(), ensure_ascii=False), encoding="utf-8")

    def reports(self) -> list[SourceReport]:
        """Return the reports so far, by source name."""
        paths = sorted((self.root / "reports").glob("*.json"))
        return [SourceReport.from_dict(json.loads(path.read_text(encoding="utf-8"))) for path in paths]

    def frames(self, kind: str) -> list[pl.DataFrame]:
        """Return the sources' frames of one kind: `issues` or `files`."""
        return [pl.read_parquet(path, glob=False) for path in sorted((self.root / "frames").glob(f"*.{kind}.parquet"))]

    def remove(self) -> None:
        """Remove the stage. What can not be removed now is removed by the next build."""
        shutil.rmtree(self.root.parent, ignore_errors=True)
