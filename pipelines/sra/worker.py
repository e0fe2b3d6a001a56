"""What runs in a worker process: read a cell's files, hash what was read, transform it, write its tables."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from pipelines.sra.jobs import CellJob, CellOutcome, FileRef, Half, Shared
from pipelines.sra.reading import ChangedError, read_verified
from transforms.sra.audit import CellCounts, JoinCounts, count_records
from transforms.sra.cell import AnswersInput, File, HalfResult, read_answers, read_tokens
from transforms.sra.coverage import CellCoverage, observe_cell
from transforms.sra.join import TfMemory
from transforms.sra.layout import CellKey, is_applicable
from transforms.sra.tokenizers import Vocabulary, parse_tokenizer
from warehouse.contracts import TABLES, has_errors
from warehouse.contracts.sra import SOURCE
from warehouse.errors import LakeError
from warehouse.storage.layout import table_file
from warehouse.storage.parquet import FileReport, write_table

_shared: dict[str, Shared] = {}


def start(shared: Shared) -> None:
    """Remember what all jobs of this process have in common."""
    pa.set_cpu_count(1)
    _shared["build"] = shared


def _read(reference: FileRef) -> File:
    return reference.path, read_verified(_shared["build"].bundle, reference)


@lru_cache(maxsize=2)
def _vocabulary(reference: FileRef) -> Vocabulary | None:
    """Return a model's vocabulary. That the file is a tokenizer was checked, in this build or an earlier one."""
    vocabulary, issues = parse_tokenizer(_read(reference)[1], reference.path)
    if has_errors(issues):
        raise LakeError(
            f"{reference.path} is remembered as a sound tokenizer and is none ({issues[0].message}): lake.json of the "
            "current version was changed by hand. Roll back to another version, or build in another folder."
        )
    return vocabulary


def run(job: CellJob) -> CellOutcome:
    """Read one cell and write its tables. With an error anywhere nothing of the cell stays in the stage.

    The second half comes back without a key: that depends on what is remembered of the cell from now on.
    """
    try:
        return _run(job)
    except ChangedError as problem:
        issue = problem.issue.at(**job.cell.columns)
        discard(_shared["build"].stage, job.cell)
        return CellOutcome(job.cell, job.tokens, Half(""), job.memory, [issue])


def discard(stage: Path, cell: CellKey) -> None:
    """Remove everything of a cell from the stage: a version holds a cell whole or not at all."""
    for table in (table for table in TABLES.values() if table.source == SOURCE and table.by_cell):
        folder = (stage / table_file(table, (cell.model, cell.dataset, cell.condition))).parent
        if folder.is_dir():
            shutil.rmtree(folder)


def _run(job: CellJob) -> CellOutcome:
    tokens, index = (job.tokens, None) if job.tokens else _tokens(job)
    answers, memory, asked = _answers(job, tokens, index)
    outcome = CellOutcome(job.cell, tokens, answers, memory, asked=asked)
    if has_errors(outcome.issues):
        discard(_shared["build"].stage, job.cell)
    return outcome


def _tokens(job: CellJob) -> tuple[Half | None, HalfResult | None]:
    """Return the first half, None where the cell has no entropies, and what was read, of which the index is needed."""
    if job.tokens_key is None:
        return None, None
    shared = _shared["build"]
    vocabulary = _vocabulary(job.tokenizer) if job.tokenizer else None
    files = _read(job.files["entropy_bin"]), _read(job.files["entropy_index"])
    result = read_tokens(job.cell, *files, vocabulary, shared.layout, shared.max_inflated)
    half = Half(job.tokens_key, _write(job.cell, result), result.issues, {"n_tokens": result.n_tokens})
    return half, result


def _write(cell: CellKey, result: HalfResult) -> list[FileReport]:
    key = (cell.model, cell.dataset, cell.condition)
    return [write_table(_shared["build"].stage, TABLES[name], rows, key) for name, rows in result.tables.items()]


def _answers(
    job: CellJob, tokens: Half | None, index: HalfResult | None
) -> tuple[Half, TfMemory | None, list[str] | None]:
    """Return the second half, what is to be remembered, and the questions of a sound sampling file."""
    shared = _shared["build"]
    entropies = _entropies(job.cell) if tokens is not None and not has_errors(tokens.issues) else None
    given = AnswersInput(
        sampling=_read(job.files["sampling"]),
        ab=_read(job.files["ab"]) if "ab" in job.files and is_applicable(job.cell, "ab") else None,
        tf=_read(job.files["tf"]) if "tf" in job.files else None,
        questions=shared.questions.get(job.cell.dataset, {}),
        entropies=entropies,
        index=_read(job.files["entropy_index"]) if entropies is not None else None,
        index_lines=index.index if index else None,
        index_unread=index.unread if index else (),
        memory=job.memory,
        accepted=job.accepted,
        acceptance=job.acceptance,
        max_bytes=shared.max_inflated,
    )
    result, memory = read_answers(job.cell, given)
    facts = _facts(job, result.tables, entropies, tokens) if result.tables else {}
    sound = result.tables and not (tokens and has_errors(tokens.issues))
    return Half("", _write(job.cell, result) if sound else [], result.issues, facts), memory, result.asked


def _entropies(cell: CellKey) -> pl.DataFrame:
    path = table_file(TABLES["rollout_entropies"], (cell.model, cell.dataset, cell.condition))
    return pl.read_parquet(_shared["build"].stage / path, glob=False)


def _facts(
    job: CellJob, tables: Mapping[str, Any], entropies: pl.DataFrame | None, tokens: Half | None
) -> dict[str, Any]:
    """Return what the audit and the coverage count, as JSON holds it."""
    rollouts, questions = tables["rollouts"], tables["question_conditions"]
    coverage = observe_cell(
        job.files, questions, rollouts, tables.get("tf_verdicts"), has_tokenizer=job.tokenizer is not None
    )
    counts = CellCounts(
        questions.height,
        rollouts.height,
        count_records(tables.get("ab_verdicts")),
        count_records(tables.get("tf_verdicts")),
        None if entropies is None or tokens is None else (rollouts.height, tokens.facts["n_tokens"]),
    )
    return {
        "coverage": asdict(coverage) | {"kinds": sorted(coverage.kinds)},
        "counts": asdict(counts),
    }


def coverage_of(facts: Mapping[str, Any]) -> CellCoverage:
    """Return the coverage that `run` counted."""
    found = facts["coverage"]
    return CellCoverage(**{**found, "kinds": frozenset(found["kinds"])})


def counts_of(facts: Mapping[str, Any]) -> CellCounts:
    """Return the counts that `run` made for the audit."""
    found = facts["counts"]
    entropy = tuple(found["entropy"]) if found["entropy"] else None
    return CellCounts(
        found["question_conditions"], found["rollouts"], JoinCounts(**found["ab"]), JoinCounts(**found["tf"]), entropy
    )
