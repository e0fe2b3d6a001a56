"""The derived tables, once a build: a job a group of observations, and only for those that changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import polars as pl

from pipelines.figures import (
    BESIDE,
    CONSTANT,
    FITTING,
    QUERYING,
    Group,
    Outcome,
    Wanted,
    fitted,
    groups,
    queried,
    run,
    start,
    stop,
)
from pipelines.pool import run_jobs
from pipelines.progress import Reporter
from warehouse.code import SQL_ROOT, code_hash, code_record
from warehouse.contracts import TABLES
from warehouse.sqltext import UNION_SUFFIX, load_sql
from warehouse.storage.assemble import DERIVED, SHARED, tables_of
from warehouse.storage.layout import Lake, table_file
from warehouse.storage.parquet import FileReport
from warehouse.storage.record import damaged, files_of, read_record
from warehouse.storage.stage import BUILT, SourceReport, Stage

Keys = Mapping[str, str]
_CELLS: Final = "confidence_cells"
ROWS_A_JOB: Final = 200_000
"""Observations in memory at a time, by process: a job has as many groups as fit, and one at least."""


def stage_statistics(lake: Lake, stage: Stage, workers: int, reporter: Reporter) -> SourceReport:
    """Stage the derived tables: those of the current version where all they were made from is the same."""
    record = _current_record(lake)
    state: Mapping[str, Any] = record["sources"].get(DERIVED, {}).get("state", {})
    listed = files_of(record, tables_of(DERIVED))
    is_sound = bool(listed) and not damaged(lake.require_current(), listed)
    key = _inputs_key(stage)
    if is_sound and state.get("inputs") == key:
        files = stage.reuse(lake.require_current(), listed)
        report = SourceReport(DERIVED, BUILT, files, {}, dict(state))
    else:
        known = state.get("groups", {}) if is_sound else {}
        try:
            files, keys = _compute(lake, stage, workers, reporter, known)
        finally:
            stop()
        report = SourceReport(DERIVED, BUILT, files, {}, {"inputs": key, "groups": keys})
    stage.report(report, [], TABLES["source_files"].empty())
    return report


def _current_record(lake: Lake) -> dict[str, Any]:
    version_id = lake.current_id()
    return read_record(lake.version(version_id)) if version_id else {"sources": {}, "tables": {}}


def _code() -> str:
    """Return the hash of all code that the derived tables come from, contracts and SQL included."""
    return code_hash(*FITTING, *QUERYING) + code_record()["reading"]


def _inputs_key(stage: Stage) -> str:
    """Return the hash of all that the derived tables are made from: the sources' files, code, SQL and contracts."""
    files = sorted((file.path, file.sha256) for report in _sources(stage) for file in report.files)
    return hashlib.sha256(f"{files}\n{_code()}".encode()).hexdigest()


def _sources(stage: Stage) -> list[SourceReport]:
    return [report for report in stage.reports() if report.source not in {SHARED, DERIVED}]


def _compute(
    lake: Lake, stage: Stage, workers: int, reporter: Reporter, known: Mapping[str, Keys]
) -> tuple[list[FileReport], dict[str, Keys]]:
    """Compute the derived tables, keeping the rows of groups made from the same; return the files and the keys."""
    # scipy takes half a second to import: only where something is computed.
    from transforms.statistics import t_quantiles_table

    constant = stage.put(CONSTANT, t_quantiles_table())
    made = _made_from(stage)
    before = {group: known.get(group_name(group), {}) for group in made}
    keys = {group: before[group] for group in made if before[group].get("inputs") == made[group].key}
    tables: dict[str, list[pl.DataFrame]] = {table: [] for table in (*fitted(), *queried())}
    with reporter.step("statistics", len(made), "groups of observations") as advance:
        advance(len(keys))
        todo = {group: before[group] for group in made if group not in keys}
        for outcome in run_jobs(*_jobs(stage, workers, made, todo, constant)):
            for table, rows in outcome.tables.items():
                tables[table].append(rows)
            keys |= {group: {"inputs": made[group].key, **found} for group, found in outcome.keys.items()}
            advance(len(outcome.keys))
    for part, names in (("fitted", fitted()), ("queried", queried())):
        same = [group for group in made if keys[group][part] == before[group].get(part)]
        for table in names if same else ():
            tables[table].append(_rows_of(lake.require_current(), table, same))
    files = [stage.put(table, pl.concat([TABLES[table].empty(), *rows])) for table, rows in tables.items()]
    return [constant, *files], dict(sorted((group_name(group), found) for group, found in keys.items()))


def group_name(group: Group) -> str:
    """Return a group's name, as the first parts of a cell's: nothing in a key is taken for the sign between two."""
    return "/".join(quote(key, safe=" ") for key in group)


def _jobs(
    stage: Stage, workers: int, made: Mapping[Group, Made], todo: Mapping[Group, Keys], constant: FileReport
) -> tuple[Callable[[Sequence[Wanted]], Outcome], list[list[Wanted]], int, Callable[..., None], tuple[Path, int]]:
    """Return what `run_jobs` takes: jobs of as many groups as make `ROWS_A_JOB` observations, and one at least."""
    files = _cell_files(stage)
    jobs: list[list[Wanted]] = []
    n_rows = ROWS_A_JOB
    # Those of one data set follow on another: they share the weights of its questions.
    for group in sorted(todo, key=lambda group: group[::-1]):
        if n_rows + made[group].n_rows > ROWS_A_JOB:
            jobs.append([])
            n_rows = 0
        beside = _hash([constant.sha256, *_of(files, group, BESIDE)])
        jobs[-1].append(Wanted(group, beside, todo[group]))
        n_rows += made[group].n_rows
    threads = (os.cpu_count() or 1) // max(1, min(workers, len(jobs)))
    return run, jobs, workers, start, (stage.version, max(1, threads))


# --- what a group is made from --------------------------------------------------------------------------------------


class Made(NamedTuple):
    """What a group is made from, as one hash, and its observations."""

    key: str
    n_rows: int


def _made_from(stage: Stage) -> dict[Group, Made]:
    """Return every group with the hash of all that its observations can depend on; more than they do at worst."""
    start(stage.version, os.cpu_count() or 1)
    cells = _cell_files(stage)
    whole = {report.source: _whole_files(stage, report) for report in _sources(stage)}
    code = _code()
    found, read = {}, {source: sorted(_read_by(source)) for source in whole}
    for group, n_rows in groups().items():
        rows = [text for source in read[group.source] for text in whole[source](group)]
        found[group] = Made(_hash([code, *_of(cells, group), *rows]), n_rows)
    return found


def _read_by(source: str) -> set[str]:
    """Return the sources whose tables the observations of a source are made from: fits are of a source of their own."""
    objects = {found.name: found for found in load_sql(SQL_ROOT)}
    tables: set[str] = set()
    waiting = [f"{source}{UNION_SUFFIX}"]
    # The list grows while it is walked: a view may read another.
    for name in waiting:
        words = objects[name].words if name in objects else frozenset()
        tables |= words & TABLES.keys()
        waiting += (words & objects.keys()) - set(waiting)
    return ({TABLES[table].source for table in tables} - {SHARED, DERIVED}) | {source}


def _cell_files(stage: Stage) -> list[tuple[str, FileReport]]:
    """Return the files by cell with their sources."""
    return [(r.source, file) for r in _sources(stage) for file in r.files if file.cell is not None]


def _of(files: Iterable[tuple[str, FileReport]], group: Group, tables: Sequence[str] | None = None) -> list[str]:
    """Return the paths and hashes of a group's files, of the named tables or of all."""
    return sorted(
        f"{file.path} {file.sha256}"
        for source, file in files
        if file.cell is not None and (source, *file.cell[:2]) == group and (tables is None or file.table in tables)
    )


def _whole_files(stage: Stage, report: SourceReport) -> Callable[[Group], list[str]]:
    """Return what gives, of a group, its rows of the tables that name model and data set, and the others' hashes."""
    frames, others = [], []
    for file in (file for file in report.files if file.cell is None):
        if {"model", "dataset"} <= TABLES[file.table].polars_schema.keys():
            frames.append(pl.read_parquet(stage.version / file.path, glob=False))
        else:
            others.append(file.sha256)

    def of_group(group: Group) -> list[str]:
        rows = [frame.filter(model=group.model, dataset=group.dataset) for frame in frames]
        return [*others, *(row.write_json() for row in rows)]

    return of_group


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


# --- what is kept ---------------------------------------------------------------------------------------------------


def _rows_of(version: Path, table: str, groups: Sequence[Group]) -> pl.DataFrame:
    """Return the rows of some groups in a version's derived table."""
    rows = pl.read_parquet(version / table_file(TABLES[table], None), glob=False)
    wanted = pl.DataFrame(groups, schema=list(Group._fields), orient="row")
    if "dataset" not in rows.columns:
        cells = _rows_of(version, _CELLS, groups)
        return rows.join(cells, on="cell", how="semi")
    if "source" not in rows.columns:
        wanted = wanted.filter(source=TABLES[BESIDE[0]].source)
    return rows.join(wanted, on=[key for key in Group._fields if key in rows.columns], how="semi")
