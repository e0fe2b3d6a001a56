"""The SRA bundle as a source of the lake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from pipelines.options import Option
from pipelines.pool import run_jobs
from pipelines.source import BuildContext, Built, Source
from pipelines.sra import worker
from pipelines.sra.bundle import DEFAULT_MAX_BYTES, VerifiedBundle, listed_paths, verify_bundle
from pipelines.sra.jobs import CellJob, CellOutcome, Half, Shared
from pipelines.sra.keys import answers_key, tokenizers_key, tokens_key
from pipelines.sra.question_files import QuestionFiles, read_question_files
from transforms.sra.audit import check_audit
from transforms.sra.coverage import coverage_frame
from transforms.sra.join import ACCEPTED, STALE, TfMemory
from transforms.sra.layout import CellKey
from transforms.sra.questions import questions_frame
from transforms.sra.sampling import missing_questions
from warehouse.contracts import LICENCES, TABLES, Issue, Rule, Severity, has_errors
from warehouse.contracts.sra import SOURCE as NAME
from warehouse.errors import LakeError
from warehouse.storage.layout import table_file
from warehouse.storage.parquet import FileReport
from warehouse.storage.record import damaged

NAME_TOO_LONG = Rule("layout.name_too_long", Severity.ERROR, "A name of a cell can not be a folder's name.")
NOT_ACCEPTED = Rule(
    "tf.nothing_to_accept", Severity.WARNING, "A cell named in --accept-positional is not in the bundle."
)
RULES: Final = (NAME_TOO_LONG, NOT_ACCEPTED)

OPTIONS: Final = (
    Option("sra", "Raw SRA bundle: the folder that holds MANIFEST.csv.", "folder", needs=("instances",)),
    Option("instances", "SRA-Bench's questions: the folder that holds <dataset>.json.", "folder"),
    Option("accept-positional", "Cell whose stale positional T/F join to accept.", "cell", multiple=True),
    Option(
        "entropy-layout",
        "How tokens stand in token_entropy9.bin.",
        choices=("blocked", "interleaved"),
        default="blocked",
    ),
    Option(
        "max-file-bytes",
        "Most bytes of one file that are read, also once it is inflated.",
        "count",
        default=str(DEFAULT_MAX_BYTES),
    ),
)


@dataclass(slots=True)
class _Cells:
    """The cells of a build as they come in."""

    outcomes: dict[CellKey, CellOutcome] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    left_out: dict[CellKey, set[str]] = field(default_factory=dict)
    asked: dict[CellKey, Sequence[str]] = field(default_factory=dict)


def build(context: BuildContext) -> Built:
    """Stage the SRA tables: verify the bundle, read every sound cell, hold the audit against what was found."""
    max_bytes = int(context.options["max_file_bytes"])
    bundle = verify_bundle(
        Path(context.options["sra"]), context.workers, context.reporter, max_bytes, _faultless_tokenizers(context)
    )
    _unnameable(bundle)
    questions = read_question_files(Path(context.options["instances"]), bundle, max_bytes)
    built = Built(source_files=pl.concat([bundle.source_files, questions.source_files]))
    cells = _read_cells(context, bundle, questions)
    _leave_out_incomplete(context, cells)
    built.issues = [*bundle.issues, *questions.issues, *cells.issues, *_audit(bundle, cells)]
    built.issues += _unknown_acceptances(context, bundle)
    if has_errors(built.issues) and not (context.allow_partial and cells.outcomes):
        return built
    built.files = [file for outcome in cells.outcomes.values() for file in outcome.files]
    built.files += _whole_tables(context, bundle, questions, cells)
    built.inputs = _inputs(context, bundle, questions)
    built.state = _state(context, bundle, cells)
    return built


def _faultless_tokenizers(context: BuildContext) -> Sequence[str]:
    """Return the hashes of the tokenizers that this code read before without a finding."""
    known = context.previous.get("tokenizers", {})
    faultless: Sequence[str] = known.get("faultless", ()) if known.get("code") == tokenizers_key() else ()
    return faultless


def _unnameable(bundle: VerifiedBundle) -> None:
    """Set cells aside whose names no folder can have."""
    for cell in list(bundle.cells):
        try:
            table_file(TABLES["rollouts"], (cell.model, cell.dataset, cell.condition))
        except LakeError as problem:
            bundle.issues.append(
                NAME_TOO_LONG.issue(str(problem), source=NAME, path=bundle.cells[cell]["sampling"].path)
            )
            bundle.unsound[cell] = set(bundle.cells.pop(cell))


# --- cells ----------------------------------------------------------------------------------------------------------


def _read_cells(context: BuildContext, bundle: VerifiedBundle, questions: QuestionFiles) -> _Cells:
    """Read every sound cell, reusing the halves whose key the current version knows."""
    cells = _Cells(left_out=dict(bundle.unsound))
    known = _known_halves(context)
    jobs = []
    for cell in bundle.cells:
        job, reused = _job(context, bundle, questions, cell, known.get(cell.name, {}))
        if reused is None:
            jobs.append(job)
        else:
            _take(cells, reused)
    by_cell = {job.cell: job for job in jobs}
    jobs.sort(key=lambda job: -_weight(bundle, job))
    shared = Shared(
        bundle.root,
        context.stage.version,
        questions.questions,
        context.options["entropy_layout"],
        int(context.options["max_file_bytes"]),
    )
    with context.reporter.step("cells", len(bundle.cells), "cells") as advance:
        advance(len(cells.outcomes))
        for outcome in run_jobs(worker.run, jobs, context.workers, worker.start, (shared,)):
            _take(cells, _with_key(outcome, by_cell[outcome.cell], questions))
            advance(1)
    cells.outcomes = dict(sorted(cells.outcomes.items()))
    # Stable: findings about one line stay in the order they were made, causes first.
    cells.issues.sort(key=lambda issue: (issue.path or "", issue.line or 0))
    return cells


def _take(cells: _Cells, outcome: CellOutcome) -> None:
    cells.issues += outcome.issues
    if outcome.asked is not None:
        cells.asked[outcome.cell] = outcome.asked
    if has_errors(outcome.issues):
        cells.left_out[outcome.cell] = set()
    else:
        cells.outcomes[outcome.cell] = outcome


def _with_key(outcome: CellOutcome, job: CellJob, questions: QuestionFiles) -> CellOutcome:
    """Give the second half its key: with the memory as it is from now on, so that the next build finds it."""
    sha256 = questions.sha256.get(job.cell.dataset)
    acceptance = outcome.memory if _was_accepted(outcome) else job.acceptance
    key = answers_key(job.cell, job.files, sha256, job.tokens_key, outcome.memory, acceptance)
    return replace(outcome, answers=replace(outcome.answers, key=key))


def _weight(bundle: VerifiedBundle, job: CellJob) -> int:
    """Return the bytes to read: the largest cells start first, so that no worker ends alone."""
    return sum(file.size for file in job.files.values())


def _known_halves(context: BuildContext) -> dict[str, dict[str, Half]]:
    """Return the halves that the current version's state describes and that are there as they were written."""
    kept: Mapping[str, Mapping[str, Any]] = context.previous.get("cells", {})
    found = {name: {half: Half.from_dict(one) for half, one in cell.items()} for name, cell in kept.items()}
    if not found:
        return {}
    files = [file for halves in found.values() for half in halves.values() for file in half.files]
    bad = {file.path for file in damaged(context.lake.require_current(), files)}
    return {name: {k: h for k, h in halves.items() if not _touches(h, bad)} for name, halves in found.items()}


def _touches(half: Half, paths: set[str]) -> bool:
    return any(file.path in paths for file in half.files)


def _job(
    context: BuildContext, bundle: VerifiedBundle, questions: QuestionFiles, cell: CellKey, known: Mapping[str, Half]
) -> tuple[CellJob, CellOutcome | None]:
    """Return the job of a cell, and its outcome where both of its halves are known."""
    files = bundle.cells[cell]
    tokenizer = bundle.tokenizers.get(cell.model) if "entropy_bin" in files else None
    memory, acceptance = (_remembered(context, kind, cell) for kind in ("tf_memory", "acceptances"))
    first = tokens_key(cell, files, tokenizer, context.options["entropy_layout"])
    second = answers_key(cell, files, questions.sha256.get(cell.dataset), first, memory, acceptance)
    tokens, answers = (_reusable(known.get(half), key) for half, key in (("tokens", first), ("answers", second)))
    accepted = cell.name in _accepted(context)
    if accepted and answers is not None and any(issue.rule == STALE.name for issue in answers.issues):
        answers = None
    if tokens is not None:
        context.stage.reuse(context.lake.require_current(), tokens.files)
    job = CellJob(cell, files, tokenizer, memory, accepted, acceptance, first, tokens)
    if answers is None or (first is not None and tokens is None):
        return job, None
    context.stage.reuse(context.lake.require_current(), answers.files)
    return job, CellOutcome(cell, tokens, answers, memory)


def _reusable(known: Half | None, key: str | None) -> Half | None:
    """Return a known half whose key is this one."""
    return known if known is not None and key is not None and known.key == key else None


def _remembered(context: BuildContext, kind: str, cell: CellKey) -> TfMemory | None:
    kept = context.previous.get(kind, {}).get(cell.name)
    return TfMemory(**kept) if kept else None


def _was_accepted(outcome: CellOutcome) -> bool:
    return any(issue.rule == ACCEPTED.name for issue in outcome.issues)


def _accepted(context: BuildContext) -> list[str]:
    return sorted(set(context.options.get("accept_positional") or ()))


def _unknown_acceptances(context: BuildContext, bundle: VerifiedBundle) -> list[Issue]:
    names = {cell.name for cell in (*bundle.cells, *bundle.unsound)}
    message = "--accept-positional names the cell {!r}, which the bundle has not: name MODEL/DATASET/CONDITION."
    return [NOT_ACCEPTED.issue(message.format(name), source=NAME) for name in _accepted(context) if name not in names]


def _leave_out_incomplete(context: BuildContext, cells: _Cells) -> None:
    """Leave out cells that lack a question which other cells of the data set have."""
    for cell in cells.outcomes.keys() - cells.asked.keys():
        cells.asked[cell] = _question_ids(context, cell)
    for issue in missing_questions(cells.asked):
        cells.issues.append(issue)
        cell = CellKey(str(issue.model), str(issue.dataset), str(issue.condition))
        if cells.outcomes.pop(cell, None) is not None:
            cells.left_out[cell] = set()
            worker.discard(context.stage.version, cell)


def _question_ids(context: BuildContext, cell: CellKey) -> list[str]:
    path = table_file(TABLES["question_conditions"], (cell.model, cell.dataset, cell.condition))
    return pl.read_parquet(context.stage.version / path, columns=["instance_id"], glob=False)["instance_id"].to_list()


# --- what is of no one cell -----------------------------------------------------------------------------------------


def _audit(bundle: VerifiedBundle, cells: _Cells) -> list[Issue]:
    """Hold the publisher's counts against what was found; pointless where some cell could not be counted."""
    if cells.left_out:
        return []
    counts = {cell: worker.counts_of(outcome.answers.facts) for cell, outcome in cells.outcomes.items()}
    return check_audit(bundle.audit, counts)


def _whole_tables(
    context: BuildContext, bundle: VerifiedBundle, questions: QuestionFiles, cells: _Cells
) -> list[FileReport]:
    everything = [question for by_id in questions.questions.values() for question in by_id.values()]
    named = [*bundle.cells, *bundle.unsound]
    observed = {cell: worker.coverage_of(outcome.answers.facts) for cell, outcome in cells.outcomes.items()}
    coverage = coverage_frame(
        [cell.model for cell in named], [cell.dataset for cell in named], [cell.condition for cell in named],
        observed, cells.left_out,
    )  # fmt: skip
    stage = context.stage
    return [stage.put("questions", questions_frame(everything)), stage.put("signal_coverage", coverage)]


def _inputs(context: BuildContext, bundle: VerifiedBundle, questions: QuestionFiles) -> dict[str, Any]:
    return {
        "path": str(bundle.root),
        "instances_path": str(context.options["instances"]),
        "manifest_sha256": bundle.manifest_sha256,
        "questions_sha256": questions.sha256,
        "entropy_layout": context.options["entropy_layout"],
        "licence": LICENCES[NAME],
    }


def _state(context: BuildContext, bundle: VerifiedBundle, cells: _Cells) -> dict[str, Any]:
    """Return what later builds need: halves by key, tokenizers, positional-join memory, acceptances with hashes."""
    memory = {c.name: o.memory._asdict() for c, o in cells.outcomes.items() if o.memory is not None}
    kept = {name: m for name, m in context.previous.get("tf_memory", {}).items() if name not in memory}
    accepted = {c.name: memory[c.name] for c, o in cells.outcomes.items() if _was_accepted(o)}
    return {
        "tf_memory": dict(sorted((kept | memory).items())),
        "acceptances": context.previous.get("acceptances", {}) | accepted,
        "tokenizers": {"code": tokenizers_key(), "faultless": sorted(bundle.faultless_tokenizers)},
        "cells": {cell.name: _halves(outcome) for cell, outcome in cells.outcomes.items()},
    }


def _halves(outcome: CellOutcome) -> dict[str, Any]:
    halves: Sequence[tuple[str, Half | None]] = (("tokens", outcome.tokens), ("answers", outcome.answers))
    return {name: half.as_dict() for name, half in halves if half is not None}


def _hashed(options: Mapping[str, Any]) -> Iterable[Path]:
    root = Path(options["sra"]).resolve()
    return [root / path for path in sorted(listed_paths(root))]


SOURCE: Final = Source(NAME, "sra", OPTIONS, build, hashed=_hashed)
