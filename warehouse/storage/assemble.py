"""Bringing the sources of a version together: what was not given is carried over from the current version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl

from warehouse.contracts import TABLES
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.parquet import FileReport
from warehouse.storage.record import damaged, files_of, read_record, way_back
from warehouse.storage.stage import ABSENT, CARRIED, SourceReport, Stage

SHARED: Final = "common"
_SHARED_TABLES: Final = ("ingest_issues", "source_files")
DERIVED: Final = "statistics"


def source_names() -> list[str]:
    """Return the names of the sources, as the contracts register them."""
    return sorted({table.source for table in TABLES.values()} - {SHARED, DERIVED})


def tables_of(source: str) -> list[str]:
    """Return the names of a source's tables."""
    return [table.name for table in TABLES.values() if table.source == source]


def carry_over(lake: Lake, stage: Stage, source: str) -> SourceReport:
    """Put a source's tables of the current version into the stage, unchanged; absent where there are none."""
    version_id = lake.current_id()
    record = read_record(lake.version(version_id)) if version_id else {"sources": {}, "tables": {}}
    known = record["sources"].get(source, {"status": ABSENT})
    if known["status"] == ABSENT or version_id is None:
        report = SourceReport(source, ABSENT)
        stage.report(report, [], TABLES["source_files"].empty())
        return report
    origin = lake.version(version_id)
    listed = files_of(record, tables_of(source))
    _refuse_damaged(origin, [*listed, *files_of(record, _SHARED_TABLES)], source)
    files = stage.reuse(origin, listed)
    report = SourceReport(source, CARRIED, files, known["inputs"], known["state"])
    issues, sources = (_of_source(lake, name, source) for name in _SHARED_TABLES)
    stage.report(report, issues, sources)
    return report


def _refuse_damaged(version: Path, files: Sequence[FileReport], source: str) -> None:
    bad = damaged(version, files)
    if bad:
        raise LakeError(
            f"{source} can not be carried over: {len(bad)} of its files are not as they were published, the first is "
            f"{version / bad[0].path}. Give the source again; or {way_back(version)}."
        )


def _of_source(lake: Lake, table: str, source: str) -> pl.DataFrame:
    path = lake.require_current() / "tables" / table / "part-0.parquet"
    return pl.read_parquet(path, glob=False).filter(pl.col("source") == source)


def assemble_shared(lake: Lake, stage: Stage) -> SourceReport:
    """Write the tables that every source adds to, carrying over the sources that nobody built."""
    reported = {report.source for report in stage.reports()}
    for source in source_names():
        if source not in reported:
            carry_over(lake, stage, source)
    issues = pl.concat([TABLES["ingest_issues"].empty(), *stage.frames("issues")])
    files = pl.concat([TABLES["source_files"].empty(), *stage.frames("files")])
    written = [stage.put("ingest_issues", issues), stage.put("source_files", files)]
    report = SourceReport(SHARED, "built", written)
    stage.report(report, [], TABLES["source_files"].empty())
    return report
