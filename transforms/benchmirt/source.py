"""BenchMIRT as tables: responses, items, item texts, models, and the audit of whether rows belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.alignment import audit_alignment
from transforms.benchmirt.hints import Hints
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.metadata import Metadata, read_item_metadata, read_model_metadata
from transforms.benchmirt.names import ITEM_NUMBERS, ITEM_TEXTS, MODEL_TEXTS
from transforms.benchmirt.polarity import may_be_parse_error, polarity
from transforms.benchmirt.responses import Responses, read_responses
from transforms.irt.matrix import Matrix, to_matrix
from transforms.issue_log import shown_all
from warehouse.contracts import TABLES, Issue, Rule, has_errors
from warehouse.contracts.benchmirt import HIGHEST_MEAN, LOWEST_MEAN, SOURCE

File = tuple[str, bytes]
_STORED_TOLERANCE: Final = 1e-6
_TABLES: Final = (
    "benchmirt_items", "benchmirt_item_texts", "benchmirt_models", "benchmirt_responses", "benchmirt_alignment",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceTables:
    """The tables of the source by name, everything that was noticed, and the files they came from.

    Where an error is among the issues the tables are empty. `reading` says of each file what was decided about how it
    is written and, of the responses, what its columns are.
    """

    tables: dict[str, pl.DataFrame]
    issues: list[Issue]
    source_files: pl.DataFrame
    reading: dict[str, Mapping[str, object]]


def read_benchmirt(
    responses: File,
    items_csv: File | None = None,
    models_csv: File | None = None,
    limits: Limits | None = None,
    hints: Hints | None = None,
) -> SourceTables:
    """Read a release: a response table in any of its shapes and, where given, the item and model metadata.

    Files are (name, bytes); `hints` say what the response table leaves open. Nothing is raised for what a file holds:
    every finding is an issue.
    """
    items = None if items_csv is None else read_item_metadata(items_csv[1], items_csv[0], limits)
    models = None if models_csv is None else read_model_metadata(models_csv[1], models_csv[0], limits)
    read = read_responses(responses[1], responses[0], limits, _informed(hints or Hints(), items, models))
    issues = [*read.issues, *(items.issues if items else []), *(models.issues if models else [])]
    given = {"responses": responses, "item_metadata": items_csv, "model_metadata": models_csv}
    files = _source_files({kind: file for kind, file in given.items() if file is not None}, issues)
    known = {"responses": read.reading}
    known |= {name: found.reading for name, found in (("items", items), ("models", models)) if found is not None}
    if has_errors(issues):
        return SourceTables({name: TABLES[name].empty() for name in _TABLES}, issues, files, known)
    tables, noticed = _tables(read, items, models)
    return SourceTables(tables, [*issues, *noticed], files, known)


def _informed(hints: Hints, items: Metadata | None, models: Metadata | None) -> Hints:
    """Return hints with the names that the metadata has, models' also as the release's columns write them."""
    known_items, known_models = (
        () if found is None or found.frame is None else found.frame.to_series(0).to_list() for found in (items, models)
    )
    spelled = frozenset(spelling for name in known_models for spelling in (name, name.replace("/", "__")))
    return replace(hints, known_items=frozenset(known_items), known_models=spelled)


def _source_files(given: dict[str, File], issues: Sequence[Issue]) -> pl.DataFrame:
    refused = {issue.path for issue in issues if issue.severity == "error"}
    contract = TABLES["source_files"]
    rows = [
        {
            "source": SOURCE,
            "path": name,
            "kind": kind,
            "bytes_actual": len(data),
            "sha256_actual": hashlib.sha256(data).hexdigest(),
            "status": "refused" if name in refused else "ok",
        }
        for kind, (name, data) in given.items()
    ]
    return pl.DataFrame(rows, schema=contract.polars_schema).sort(contract.key)


def _tables(
    read: Responses, items: Metadata | None, models: Metadata | None
) -> tuple[dict[str, pl.DataFrame], list[Issue]]:
    matrix = to_matrix(read.responses)
    item_frame = _items(read, matrix, items)
    model_frame = _models(read, matrix, models)
    benchmarks = pl.DataFrame({"item_id": matrix.items}).join(item_frame, on="item_id", how="left")["benchmark"]
    audit = audit_alignment(matrix, benchmarks.to_list())
    found = {
        "benchmirt_items": item_frame,
        "benchmirt_item_texts": _texts(read, items),
        "benchmirt_models": model_frame,
        "benchmirt_responses": _responses(read.responses, item_frame),
        "benchmirt_alignment": audit.table,
    }
    issues = [
        *_unmatched(item_frame, "item_id", rules.ITEM_WITHOUT_METADATA, rules.ITEM_WITHOUT_RESPONSES),
        *_unmatched(model_frame, "model", rules.MODEL_WITHOUT_METADATA, rules.MODEL_WITHOUT_RESPONSES),
        *_differing_statistics(item_frame, matrix),
        *audit.issues,
    ]
    return {name: _conform(name, found[name]) for name in _TABLES}, issues


def _conform(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with the columns of a table, in its order and dtypes, sorted by its key."""
    contract = TABLES[name]
    columns = [
        (pl.col(c) if c in frame.columns else pl.lit(None)).cast(dtype).alias(c)
        for c, dtype in contract.polars_schema.items()
    ]
    found = frame.select(columns)
    return found if name == "benchmirt_responses" else found.sort(contract.key)


def _counts(read: Responses, key: str) -> pl.DataFrame:
    score = pl.col("score")
    return read.responses.group_by(key).agg(
        (score.is_not_null() & score.is_not_nan()).sum().alias("n_responses"),
        score.is_null().sum().alias("n_empty"),
        score.is_nan().sum().alias("n_nan"),
        ((score > 0.0) & (score < 1.0)).sum().alias("n_fractional"),
    )


def _means(matrix: Matrix, axis: int) -> pl.Series:
    answered = ~np.isnan(matrix.scores)
    n = answered.sum(axis=axis)
    total = np.where(answered, matrix.scores, 0.0).sum(axis=axis)
    return pl.Series(np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)).fill_nan(None)


def _with_counts(frame: pl.DataFrame, counts: pl.DataFrame, key: str) -> pl.DataFrame:
    joined = frame.join(counts, on=key, how="left")
    return joined.with_columns(pl.col("n_responses", "n_empty", "n_nan", "n_fractional").fill_null(0))


def _items(read: Responses, matrix: Matrix, metadata: Metadata | None) -> pl.DataFrame:
    """Return a row an item of the responses or of the metadata."""
    counts = _counts(read, "item_id").join(
        pl.DataFrame({"item_id": matrix.items, "mean_score": _means(matrix, 0)}), on="item_id"
    )
    known = _known(metadata, "item_id", [*ITEM_TEXTS, *ITEM_NUMBERS])
    names = pl.concat([known.select("item_id"), counts.select("item_id")]).unique()
    found = names.join(known, on="item_id", how="left")
    if not read.items.is_empty():
        found = found.join(read.items.select("item_id", "subset"), on="item_id", how="left")
    mean = pl.col("mean_score")
    return _with_counts(found, counts, "item_id").with_columns(
        polarity().alias("polarity"),
        _membership(metadata),
        # Both comparisons are strict and a mean that does not exist keeps an item out.
        ((mean > LOWEST_MEAN) & (mean < HIGHEST_MEAN)).not_().fill_null(value=True).alias("low_variance"),
        *(pl.col(name).alias(f"stored_{name}") for name in ITEM_NUMBERS),
    )


def _known(metadata: Metadata | None, key: str, columns: Sequence[str]) -> pl.DataFrame:
    if metadata is not None and metadata.frame is not None:
        return metadata.frame.with_columns(pl.lit(value=True).alias("known"))
    dtypes: dict[str, Any] = {name: pl.Float64 if name in ITEM_NUMBERS else pl.String for name in columns}
    return pl.DataFrame(schema={key: pl.String, **dtypes, "unknown_fields": pl.String, "known": pl.Boolean})


def _membership(metadata: Metadata | None) -> pl.Expr:
    if metadata is None:
        return pl.lit(None, dtype=pl.Boolean).alias("in_metadata")
    return pl.col("known").fill_null(value=False).alias("in_metadata")


def _models(read: Responses, matrix: Matrix, metadata: Metadata | None) -> pl.DataFrame:
    """Return a row a model of the responses or of the metadata."""
    counts = _counts(read, "model").join(
        pl.DataFrame({"model": matrix.models, "mean_score": _means(matrix, 1)}), on="model"
    )
    known = _known(metadata, "model", MODEL_TEXTS)
    known = _as_responses_name_them(known, set(matrix.models))
    names = pl.concat([known.select("model"), counts.select("model")]).unique()
    found = names.join(known, on="model", how="left")
    return _with_counts(found, counts, "model").with_columns(_membership(metadata))


def _as_responses_name_them(known: pl.DataFrame, models: set[str]) -> pl.DataFrame:
    """Return the metadata under the response table's names, where `org/name` is written `org__name`."""

    def rename(name: str) -> str:
        replaced = name.replace("/", "__")
        return replaced if name not in models and replaced in models else name

    renamed = pl.Series([rename(name) for name in known["model"].to_list()], dtype=pl.String)
    # A name that both spellings would claim stays with the row that has it as it is.
    return known.with_columns(pl.when(renamed.is_duplicated()).then("model").otherwise(renamed).alias("model"))


def _texts(read: Responses, metadata: Metadata | None) -> pl.DataFrame:
    known = _known(metadata, "item_id", [*ITEM_TEXTS, *ITEM_NUMBERS])
    found = known.select("item_id", "question_text", "unknown_fields").join(
        read.items.select("item_id", "question"), on="item_id", how="full", coalesce=True
    )
    return found.filter(pl.any_horizontal(pl.col("question_text", "unknown_fields", "question").is_not_null()))


def _responses(responses: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    of_item = items.select("item_id", "polarity", "question_type")
    joined = responses.join(of_item, on="item_id", how="left", maintain_order="left")
    return joined.with_columns(may_be_parse_error().alias("may_be_parse_error"))


def _unmatched(frame: pl.DataFrame, key: str, without_metadata: Rule, without_responses: Rule) -> Iterator[Issue]:
    answered = pl.col("n_responses") + pl.col("n_empty") + pl.col("n_nan") > 0
    for rule, rows, what in (
        (without_metadata, answered & pl.col("in_metadata").not_(), "have responses and are not in the metadata"),
        (without_responses, answered.not_(), "are in the metadata and have no responses"),
    ):
        names = frame.filter(rows)[key].sort().to_list()
        if names:
            yield rule.issue(
                f"{len(names)} {'items' if key == 'item_id' else 'models'} {what}: {shown_all(names)}.",
                source=SOURCE,
                value=str(len(names)),
                **{"instance_id" if key == "item_id" else "model": names[0]},
            )


def _differing_statistics(items: pl.DataFrame, matrix: Matrix) -> Iterator[Issue]:
    """Compare the stored mean and standard deviation with the responses'."""
    n = np.maximum((~np.isnan(matrix.scores)).sum(axis=0), 1)
    mean = np.where(np.isnan(matrix.scores), 0.0, matrix.scores).sum(axis=0) / n
    squares = np.where(np.isnan(matrix.scores), 0.0, (matrix.scores - mean) ** 2).sum(axis=0)
    recomputed = pl.DataFrame(
        {
            "item_id": matrix.items,
            "average_score": pl.Series(mean),
            "standard_deviation": pl.Series(np.sqrt(squares / np.maximum(n - 1, 1))),
            "usable": pl.Series(n > 1),
        }
    )
    joined = items.select("item_id", "stored_average_score", "stored_standard_deviation").join(recomputed, on="item_id")
    for name in ("average_score", "standard_deviation"):
        far = (pl.col(f"stored_{name}") - pl.col(name)).abs() > _STORED_TOLERANCE
        names = joined.filter(far & pl.col("usable"))["item_id"].sort().to_list()
        if names:
            yield rules.STORED_STATISTIC_DIFFERS.issue(
                f"The stored {name} of {len(names)} items is not what the responses give; what is served is "
                f"recomputed. Items: {shown_all(names)}.",
                source=SOURCE,
                instance_id=names[0],
                value=str(len(names)),
            )
