"""GRACE as a source of the lake: the encrypted release, and model runs where somebody has them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import polars as pl

from pipelines.disk import read_inputs
from pipelines.options import Option
from pipelines.source import BuildContext, Built, Source
from transforms.grace import (
    Elicitation,
    SourceTables,
    attach_clues,
    check_release,
    is_run_file,
    read_release,
    read_runs,
)
from warehouse.contracts import LICENCES, has_errors
from warehouse.contracts.grace import DEFAULT_PASSWORD
from warehouse.contracts.grace import SOURCE as NAME

OPTIONS: Final = (
    Option("grace", "GRACE release: the encrypted zip; it is read in memory and never unpacked.", "file"),
    Option(
        "grace-password", "Password of the zip; the default is the one its publishers print.", default=DEFAULT_PASSWORD
    ),
    Option(
        "grace-runs",
        "Folder of packetN_model_human_output.json: model confidences, clue by clue.",
        "folder",
        needs=("grace", "elicitation"),
    ),
    Option("elicitation", "What `conf` is in the runs: a log-probability or a probability.", choices=("logit", "verb")),
)


def build(context: BuildContext) -> Built:
    """Stage the GRACE tables."""
    options = context.options
    path = Path(options["grace"])
    runs = sorted(Path(folder).glob("*.json")) if (folder := options.get("grace_runs")) else []
    given = read_inputs([path, *(file for file in runs if is_run_file(file.name))], source=NAME)
    if given.issues:
        return Built(issues=list(given.issues))
    data = given.data[path]
    sha256 = hashlib.sha256(data).hexdigest()
    with context.reporter.step("grace", 1, "release") as advance:
        found = read_release(data, path.name, options.get("grace_password") or DEFAULT_PASSWORD)
        built = Built(issues=list(found.issues), source_files=found.source_files)
        if not has_errors(built.issues):
            built.issues += check_release(sha256, found.tables, path.name)
        # Without bytes what is not one of the release's files, and may be anything.
        tables = _with_runs(options, found, {file.name: given.data.get(file) for file in runs}, built)
        advance(1)
    if not has_errors(built.issues) or context.allow_partial:
        built.files = [context.stage.put(name, rows) for name, rows in tables.items()]
    built.inputs = {"path": str(path), "sha256": sha256, "licence": LICENCES[NAME]}
    return built


def _with_runs(
    options: Mapping[str, Any], found: SourceTables, files: Mapping[str, bytes | None], built: Built
) -> dict[str, pl.DataFrame]:
    """Return the release's tables with the runs' in their place, and every buzz with the clue that runs tell."""
    folder = options.get("grace_runs")
    if not folder:
        return found.tables
    runs = read_runs(files, cast(Elicitation, options["elicitation"]), found.tables["grace_questions"])
    built.issues += runs.issues
    built.source_files = pl.concat([found.source_files, runs.source_files])
    tables = found.tables | runs.tables
    return tables | {"grace_buzzes": attach_clues(tables["grace_buzzes"], tables["grace_runs"])}


SOURCE: Final = Source(NAME, "grace", OPTIONS, build)
