"""BenchMIRT as a source of the lake: a response table, and metadata of its items and models."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pipelines.disk import read_inputs
from pipelines.options import Option
from pipelines.source import BuildContext, Built, Source
from warehouse.contracts import LICENCES, has_errors
from warehouse.contracts.benchmirt import SOURCE as NAME

if TYPE_CHECKING:
    from transforms.benchmirt import Hints

_GIVEN: Final = ("benchmirt",)
_SIDES: Final = ("columns", "rows")
OPTIONS: Final = (
    Option("benchmirt", "Response table: wide or long, CSV or Parquet, or py-irt JSON lines; gzipped or not.", "file"),
    Option("benchmirt-items", "Item metadata: a CSV with question_id, benchmark, category, …", "file", needs=_GIVEN),
    Option(
        "benchmirt-models", "Model metadata: a CSV with Model, family, size, reasoning, date.", "file", needs=_GIVEN
    ),
    Option(
        "benchmirt-models-in",
        "Side of a wide response table that the models are on. Needed where its first column has no name.",
        choices=_SIDES,
        needs=_GIVEN,
    ),
    Option("benchmirt-item-column", "Column of the response table that names the items.", needs=_GIVEN),
    Option("benchmirt-model-column", "Column of the response table that names the models.", needs=_GIVEN),
    Option(
        "benchmirt-score-column",
        "Column of the response table that holds scores, whatever its name says; may be repeated.",
        multiple=True,
        needs=_GIVEN,
    ),
    Option(
        "benchmirt-ignored-column",
        "Column of the response table that is not read; may be repeated.",
        multiple=True,
        needs=_GIVEN,
    ),
)
_FILES: Final = tuple(option for option in OPTIONS if option.kind == "file")


def build(context: BuildContext) -> Built:
    """Stage the BenchMIRT tables."""
    # Reading needs scipy, which takes its time to import: only in builds that have this source.
    from transforms.benchmirt import read_benchmirt

    hints = _hints(context.options)
    paths = [Path(p) if (p := context.options.get(option.key)) else None for option in _FILES]
    given = read_inputs([path for path in paths if path], source=NAME)
    if given.issues:
        return Built(issues=list(given.issues))
    responses, items, models = [(path.name, given.data[path]) if path else None for path in paths]
    assert responses is not None
    with context.reporter.step("benchmirt", 1, "table") as advance:
        found = read_benchmirt(responses, items, models, hints=hints)
        advance(1)
    built = Built(issues=list(found.issues), source_files=found.source_files)
    if not has_errors(built.issues) or context.allow_partial:
        built.files = [context.stage.put(name, rows) for name, rows in found.tables.items()]
    built.inputs = {
        "path": str(paths[0]),
        "sha256": hashlib.sha256(responses[1]).hexdigest(),
        "licence": LICENCES[NAME],
        "reading": found.reading,
    }
    return built


def _hints(options: Mapping[str, Any]) -> Hints:
    from transforms.benchmirt import Hints

    return Hints(
        models_in=options.get("benchmirt_models_in"),
        item_column=options.get("benchmirt_item_column"),
        model_column=options.get("benchmirt_model_column"),
        score_columns=tuple(options.get("benchmirt_score_column") or ()),
        ignored_columns=tuple(options.get("benchmirt_ignored_column") or ()),
    )


SOURCE: Final = Source(NAME, "benchmirt", OPTIONS, build)
