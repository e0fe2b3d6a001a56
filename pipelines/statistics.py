"""The figures that SQL can not compute, once a build: one job a source and model, reused where nothing changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from pipelines.pool import run_jobs
from pipelines.progress import Reporter
from warehouse.catalog import connect_version, table_files, table_view
from warehouse.code import SQL_ROOT, code_hash, code_record, contract_hash
from warehouse.contracts import TABLES
from warehouse.sqltext import load_tables
from warehouse.storage.assemble import DERIVED, SHARED, tables_of
from warehouse.storage.layout import Lake
from warehouse.storage.parquet import FileReport
from warehouse.storage.record import damaged, files_of, read_record
from warehouse.storage.stage import BUILT, SourceReport, Stage

CONSTANT: Final = "t_quantiles"
_CODE: Final = ("transforms/statistics/*.py",)


@dataclass(frozen=True, slots=True)
class Job:
    """One model of one source: files of the stage with its observations, and with which skills were annotated."""

    observations: Path
    annotations: Path


def _start() -> None:
    """Nothing is shared between jobs."""


def _read(path: Path) -> pl.DataFrame:
    # By a path, polars would take `[` and `*` in the name of the lake's folder for a pattern.
    with path.open("rb") as file:
        return pl.read_ipc(file)


def _run(job: Job) -> tuple[Job, dict[str, pl.DataFrame]]:
    # scipy and scikit-learn take a second to import: only where a model's figures are computed.
    from transforms.statistics import statistics_tables

    annotations = _read(job.annotations)
    return job, statistics_tables(
        _read(job.observations), annotations=None if annotations.is_empty() else annotations
    )


def _fitted() -> list[str]:
    """Return the derived tables that Python computes a model at a time."""
    in_sql = {found.name for found in load_tables(SQL_ROOT)}
    return [name for name in tables_of(DERIVED) if name not in in_sql and name != CONSTANT]


def stage_statistics(lake: Lake, stage: Stage, workers: int, reporter: Reporter) -> SourceReport:
    """Stage the derived tables: those of the current version where all they were made from is the same."""
    key = _inputs_key(stage)
    record = _current_record(lake)
    state: Mapping[str, Any] = record["sources"].get(DERIVED, {}).get("state", {})
    known = files_of(record, tables_of(DERIVED)) if state.get("inputs") == key else []
    if known and not damaged(lake.require_current(), known):
        files = stage.reuse(lake.require_current(), known)
        report = SourceReport(DERIVED, BUILT, files, {}, dict(state))
    else:
        files, keys = _compute(lake, stage, workers, reporter, state.get("keys", {}))
        report = SourceReport(DERIVED, BUILT, files, {}, {"inputs": key, "keys": keys})
    stage.report(report, [], TABLES["source_files"].empty())
    return report


def _current_record(lake: Lake) -> dict[str, Any]:
    version_id = lake.current_id()
    return read_record(lake.version(version_id)) if version_id else {"sources": {}, "tables": {}}


def _inputs_key(stage: Stage) -> str:
    """Return the hash of all that the derived tables are made from: the sources' files, code, SQL and contracts."""
    sources = [report for report in stage.reports() if report.source not in {SHARED, DERIVED}]
    files = sorted((file.path, file.sha256) for report in sources for file in report.files)
    code = code_hash(*_CODE) + code_record()["reading"]
    return hashlib.sha256(f"{files}\n{code}".encode()).hexdigest()


def _compute(
    lake: Lake, stage: Stage, workers: int, reporter: Reporter, known_keys: Mapping[str, str]
) -> tuple[list[FileReport], dict[str, str]]:
    """Compute the derived tables, keeping the rows of models whose observations are the same; return files and keys."""
    from transforms.statistics import t_quantiles_table

    jobs, keys = _observations(stage)
    known = {name for name, key in keys.items() if known_keys.get(name) == key}
    kept = _kept_rows(lake, known)
    parts: dict[str, list[pl.DataFrame]] = {name: kept.get(name, []) for name in _fitted()}
    with reporter.step("statistics", len(jobs), "models") as advance:
        advance(len(known))
        todo = [job for name, job in jobs.items() if name not in known]
        for _job, tables in run_jobs(_run, todo, workers, _start):
            for name, rows in tables.items():
                parts[name].append(rows)
            advance(1)
    parts[CONSTANT] = [t_quantiles_table()]
    files = [stage.put(name, pl.concat([TABLES[name].empty(), *rows])) for name, rows in parts.items()]
    return [*files, *_computed_in_sql(stage)], keys


def _computed_in_sql(stage: Stage) -> list[FileReport]:
    """Stage the tables that are a query over the others: parts of views that would be slow to ask each time."""
    files = []
    with connect_version(stage.version) as connection:
        for found in load_tables(SQL_ROOT):
            table = TABLES[found.name]
            files.append(stage.put(found.name, connection.sql(found.sql).pl()))
            connection.execute(table_view(table, table_files(stage.version, table)))
    return files


_OBSERVATIONS: Final = """
FROM confidence_observations WHERE source = $source AND model = $model ORDER BY cell, question_id, unit_id
"""
_ANNOTATIONS: Final = """
SELECT dataset, condition, instance_id AS question_id, skill_is_annotated
FROM question_conditions
WHERE $source = 'sra' AND model = $model AND skill_is_annotated IS NOT NULL
ORDER BY ALL
"""


def _observations(stage: Stage) -> tuple[dict[str, Job], dict[str, str]]:
    """Write each model's observations beside the stage; return the jobs and the key of each: rows, code, contracts."""
    folder = stage.root / "observations"
    folder.mkdir(exist_ok=True)
    code = code_hash(*_CODE) + contract_hash(TABLES[name] for name in _fitted())
    jobs, keys = {}, {}
    with connect_version(stage.version) as connection:
        pairs = connection.execute("SELECT DISTINCT source, model FROM confidence_observations ORDER BY ALL").fetchall()
        for number, (source, model) in enumerate(pairs):
            job = Job(folder / f"{number}.observations.arrow", folder / f"{number}.annotations.arrow")
            digest = hashlib.sha256(code.encode())
            for path, query in ((job.observations, _OBSERVATIONS), (job.annotations, _ANNOTATIONS)):
                connection.sql(query, params={"source": source, "model": model}).pl().write_ipc(path)
                digest.update(path.read_bytes())
            jobs[f"{source}/{model}"], keys[f"{source}/{model}"] = job, digest.hexdigest()
    return jobs, keys


def _kept_rows(lake: Lake, known: set[str]) -> dict[str, list[pl.DataFrame]]:
    """Return the rows that the current version has of the named models, by derived table."""
    if not known:
        return {}
    kept = {}
    for name in _fitted():
        path = lake.require_current() / "tables" / name / "part-0.parquet"
        if path.is_file():
            rows = pl.read_parquet(path, glob=False)
            kept[name] = [rows.filter((pl.col("source") + "/" + pl.col("model")).is_in(sorted(known)))]
    return kept
