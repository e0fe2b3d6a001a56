"""BenchMIRT as a source of the lake: a response table, and metadata of its items and models."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from pipelines.disk import given_bytes
from pipelines.source import BuildContext, Built, Option, Source
from warehouse.contracts import LICENCES, has_errors
from warehouse.contracts.benchmirt import SOURCE as NAME

OPTIONS: Final = (
    Option("benchmirt", "Response table: CSV, gzipped CSV, Parquet, a bare matrix or py-irt JSON lines.", "file"),
    Option(
        "benchmirt-items", "Item metadata: a CSV with question_id, benchmark, category, …", "file", needs=("benchmirt",)
    ),
    Option(
        "benchmirt-models",
        "Model metadata: a CSV with Model, family, size, reasoning, date.",
        "file",
        needs=("benchmirt",),
    ),
)


def build(context: BuildContext) -> Built:
    """Stage the BenchMIRT tables."""
    # Reading needs scipy, which takes its time to import: only in builds that have this source.
    from transforms.benchmirt import read_benchmirt

    paths = [Path(p) if (p := context.options.get(option.key)) else None for option in OPTIONS]
    responses, items, models = [(path.name, given_bytes(path)) if path else None for path in paths]
    assert responses is not None
    with context.reporter.step("benchmirt", 1, "table") as advance:
        found = read_benchmirt(responses, items, models)
        advance(1)
    built = Built(issues=list(found.issues), source_files=found.source_files)
    if not has_errors(built.issues) or context.allow_partial:
        built.files = [context.stage.put(name, rows) for name, rows in found.tables.items()]
    built.inputs = {
        "path": str(paths[0]),
        "sha256": hashlib.sha256(responses[1]).hexdigest(),
        "licence": LICENCES[NAME],
    }
    return built


SOURCE: Final = Source(NAME, "benchmirt", OPTIONS, build)
