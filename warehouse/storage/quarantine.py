"""What a refused build noticed is kept, so that nothing vanishes: findings and file statuses, never input text."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import polars as pl

from warehouse.contracts import TABLES, Issue, issues_frame
from warehouse.storage.layout import Lake
from warehouse.storage.parquet import write_table

KEEP: Final = 10


def quarantine(lake: Lake, issues: Sequence[Issue], files: Sequence[pl.DataFrame]) -> Path:
    """Keep what a refused build noticed as Parquet, with the last ten refusals before it; return the folder."""
    aside = lake.staging / "quarantine"
    write_table(aside, TABLES["ingest_issues"], issues_frame(issues))
    write_table(aside, TABLES["source_files"], pl.concat([TABLES["source_files"].empty(), *files]))
    lake.quarantine.mkdir(exist_ok=True)
    folder = lake.quarantine / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    aside.rename(folder)
    for old in sorted(lake.quarantine.iterdir())[:-KEEP]:
        shutil.rmtree(old)
    return folder
