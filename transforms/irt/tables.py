"""A fit of the lake's responses as tables: what was left out and why, parameters, abilities, predictions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from transforms.irt.data import Floats
from transforms.irt.fitting import Fit, fit
from transforms.irt.matrix import Matrix, to_matrix
from transforms.irt.repeated import repeated_items
from transforms.irt.request import Request
from transforms.irt.selection import Chosen, choose, counted
from transforms.irt.settings import IrtInputError
from transforms.irt.validation import CrossValidation, cross_validate
from transforms.issue_log import shown, shown_all
from warehouse.contracts import TABLES, Issue, Rule, Severity
from warehouse.contracts.benchmirt import IRT_SOURCE, MAX_DIMS

# Figures are rounded to what the tolerance of a fit leaves meaningful, so that machines whose last bits differ agree.
_DECIMALS: Final = 6
_PREDICTED_DECIMALS: Final = 7
_LEAST_PREDICTED: Final = 1e-7
_FEW_MODELS: Final = 10

MODELS_LEFT_OUT = Rule("irt.models_left_out", Severity.WARNING, "Models were left out of a fit.")
ITEMS_LEFT_OUT = Rule("irt.items_left_out", Severity.INFO, "Items were left out of a fit.")
FEW_MODELS = Rule("irt.few_models", Severity.WARNING, "A fit has fewer than 10 models, so its abilities say little.")
NOT_CONVERGED = Rule("irt.not_converged", Severity.WARNING, "A fit stopped at its limit of steps.")
DUPLICATE_MODELS = Rule("irt.duplicate_models", Severity.WARNING, "Models have the same responses throughout.")
DUPLICATE_ITEMS = Rule(
    "irt.duplicate_items", Severity.WARNING, "More items have the responses of another throughout than chance makes."
)
RULES: Final = (MODELS_LEFT_OUT, ITEMS_LEFT_OUT, FEW_MODELS, NOT_CONVERGED, DUPLICATE_MODELS, DUPLICATE_ITEMS)


@dataclass(frozen=True, slots=True)
class FitTables:
    """The fit's tables by name (`irt_fits`, `irt_items`, `irt_models`, `irt_predictions`), the fit, and findings."""

    tables: dict[str, pl.DataFrame]
    fit: Fit
    issues: list[Issue]


def fit_tables(responses: pl.DataFrame, request: Request, alignment: pl.DataFrame | None = None) -> FitTables:
    """Fit the rows of `benchmirt_responses` and return the tables.

    Models that `benchmirt_alignment` finds outside the largest group are left out unless named. Of the rest, items
    whose mean is not strictly between 0.05 and 0.95, items with a fractional score and items nobody answered are left
    out: a row for each says why. Raises IrtInputError where what is left cannot be fitted.
    """
    chosen = choose(to_matrix(responses), request.models, request.items, alignment)
    kept = chosen.kept
    if not kept.items or len(kept.models) < 2:
        raise IrtInputError(
            f"{len(kept.models)} models and {len(kept.items)} items are left to fit, of {len(chosen.matrix.models)} "
            f"and {len(chosen.matrix.items)}; items left out: {counted(chosen.item_reasons)}; models left out: "
            f"{counted(chosen.model_reasons)}."
        )
    found = fit(kept.scores, request.model, request.dims, request.settings)
    validation = None
    if request.n_folds:
        validation = cross_validate(
            kept.scores, request.model, request.dims, request.settings, n_folds=request.n_folds, seed=request.seed
        )
    tables = {
        "irt_fits": _fits(request, kept, found),
        "irt_items": _items(request, chosen, found),
        "irt_models": _models(request, chosen, found),
        "irt_predictions": _predictions(request, kept, validation),
    }
    return FitTables({name: _conform(name, t) for name, t in tables.items()}, found, _issues(request, chosen, found))


def _conform(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    contract = TABLES[name]
    return frame.select(pl.col(c).cast(dtype) for c, dtype in contract.polars_schema.items()).sort(contract.key)


def _fits(request: Request, kept: Matrix, found: Fit) -> pl.DataFrame:
    settings = {**request.settings.as_dict(), "nodes": found.nodes}
    return pl.DataFrame(
        {
            "fit_id": request.fit_id,
            "irt_model": found.model,
            "dims": found.dims,
            "selection": [request.name],
            "n_models": found.n_models,
            "n_items": found.n_items,
            "n_responses": found.n_responses,
            "log_likelihood": round(found.log_likelihood, 4),
            "n_parameters": found.n_parameters,
            "aic": round(found.aic, 4),
            "bic": round(found.bic, 4),
            "n_iterations": found.iterations,
            "converged": found.converged,
            "nodes_per_dimension": found.nodes,
            "se_method": [found.se_method],
            "cv_folds": request.n_folds,
            "cv_seed": request.seed,
            "settings": json.dumps(settings, sort_keys=True),
            "responses_sha256": _hash(kept),
        }
    )


def _hash(matrix: Matrix) -> str:
    digest = hashlib.sha256()
    for names in (matrix.models, matrix.items):
        digest.update(json.dumps(names).encode())
    digest.update(np.ascontiguousarray(matrix.scores, dtype="<f8").tobytes())
    return digest.hexdigest()


def _figures(columns: dict[str, Floats]) -> dict[str, pl.Series]:
    """Return figures rounded, and null where there is none."""
    return {
        name: pl.Series(name, np.round(values, _DECIMALS)).fill_nan(None).replace([np.inf, -np.inf], None)
        for name, values in columns.items()
    }


def _by_dimension(name: str, values: Floats) -> dict[str, Floats]:
    absent = np.full(len(values), np.nan)
    return {f"{name}_{d + 1}": values[:, d] if d < values.shape[1] else absent for d in range(MAX_DIMS)}


def _items(request: Request, chosen: Chosen, found: Fit) -> pl.DataFrame:
    errors = found.parameter_se
    fitted = pl.DataFrame(
        {
            "item_id": chosen.kept.items,
            "anomaly": pl.Series(found.item_flags.tolist(), dtype=pl.String),
            **_figures(
                {
                    "intercept": found.intercepts,
                    "intercept_se": errors[:, 0],
                    "discrimination": found.discrimination,
                    "discrimination_se": found.discrimination_se,
                    "difficulty": found.difficulty,
                    "difficulty_se": found.difficulty_se,
                    **_by_dimension("slope", found.slopes),
                    **_by_dimension("slope_se", errors[:, 1:]),
                }
            ),
        }
    )
    rows = [i for i, reason in enumerate(chosen.model_reasons) if reason is None]
    everything = _described(request, "item_id", chosen.matrix.items, chosen.item_reasons, chosen.matrix.scores[rows].T)
    return everything.join(fitted, on="item_id", how="left")


def _models(request: Request, chosen: Chosen, found: Fit) -> pl.DataFrame:
    fitted = pl.DataFrame(
        {
            "model": chosen.kept.models,
            "anomaly": pl.Series(found.model_flags.tolist(), dtype=pl.String),
            **_figures(
                {
                    "ability": found.abilities[:, 0],
                    "ability_se": found.ability_se[:, 0],
                    **_by_dimension("ability", found.abilities),
                    **_by_dimension("ability_se", found.ability_se),
                }
            ),
        }
    )
    columns = [i for i, reason in enumerate(chosen.item_reasons) if reason is None]
    everything = _described(
        request, "model", chosen.matrix.models, chosen.model_reasons, chosen.matrix.scores[:, columns]
    )
    return everything.join(fitted, on="model", how="left")


def _described(
    request: Request, key: str, names: Sequence[str], reasons: Sequence[str | None], scores: Floats
) -> pl.DataFrame:
    """Return a row a name: whether it was fitted and, of its scores (a row a name), how many and their mean."""
    answered = ~np.isnan(scores)
    n = answered.sum(axis=1)
    total = np.where(answered, scores, 0.0).sum(axis=1)
    mean = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    return pl.DataFrame(
        {
            "fit_id": [request.fit_id] * len(names),
            key: list(names),
            "in_fit": [reason is None for reason in reasons],
            "exclusion": pl.Series(list(reasons), dtype=pl.String),
            "n_responses": n,
            "mean_score": pl.Series(mean).fill_nan(None),
        }
    )


def _predictions(request: Request, kept: Matrix, found: CrossValidation | None) -> pl.DataFrame:
    if found is None:
        return TABLES["irt_predictions"].empty()
    rows, columns = np.nonzero(found.folds >= 0)
    predicted = np.round(found.predicted[rows, columns], _PREDICTED_DECIMALS)
    return pl.DataFrame(
        [
            pl.Series("fit_id", [request.fit_id]).gather(np.zeros(len(rows), dtype=np.uint32)),
            pl.Series("model", kept.models).gather(_indices(rows)),
            pl.Series("item_id", kept.items).gather(_indices(columns)),
            pl.Series("fold", found.folds[rows, columns]),
            pl.Series("correct", kept.scores[rows, columns] == 1.0),
            pl.Series("predicted", np.clip(predicted, _LEAST_PREDICTED, 1.0 - _LEAST_PREDICTED)).fill_nan(None),
        ]
    )


def _indices(found: npt.NDArray[np.intp]) -> npt.NDArray[np.uint32]:
    return found.astype(np.uint32)


def _issues(request: Request, chosen: Chosen, found: Fit) -> list[Issue]:
    where: dict[str, Any] = {"source": IRT_SOURCE, "condition": request.fit_id}
    name = shown(request.fit_id)
    issues = []
    out = [m for m, reason in zip(chosen.matrix.models, chosen.model_reasons, strict=True) if reason is not None]
    if out:
        text = f"Fit {name} leaves out {len(out)} models ({counted(chosen.model_reasons)}): {shown_all(out)}."
        issues.append(MODELS_LEFT_OUT.issue(text, value=str(len(out)), **where))
    n_items = sum(reason is not None for reason in chosen.item_reasons)
    if n_items:
        text = f"Fit {name} leaves out {n_items} items: {counted(chosen.item_reasons)}."
        issues.append(ITEMS_LEFT_OUT.issue(text, value=str(n_items), **where))
    if found.n_models < _FEW_MODELS:
        text = f"Fit {name} has {found.n_models} models; with fewer than {_FEW_MODELS} the items tell little."
        issues.append(FEW_MODELS.issue(text, value=str(found.n_models), **where))
    if not found.converged:
        text = f"Fit {name} had not converged after {found.iterations} steps: give a larger --max-iterations."
        issues.append(NOT_CONVERGED.issue(text, value=str(found.iterations), **where))
    twins = [m for m, flag in zip(chosen.kept.models, found.model_flags, strict=True) if flag == "duplicate_responses"]
    if twins:
        text = f"In fit {name} these models answered as another did throughout; was one read twice? {shown_all(twins)}."
        issues.append(DUPLICATE_MODELS.issue(text, value=str(len(twins)), **where))
    repeated = repeated_items(chosen.kept.scores, found.predict())
    if repeated.suspicious:
        names = [chosen.kept.items[i] for i in repeated.items]
        text = (
            f"In fit {name} {len(names)} of {found.n_items} items have the responses of another throughout; by chance "
            f"it would be about {repeated.expected:.0f}. Were items given twice, under another name? Then every "
            f"ability_se is too small. Items: {shown_all(names)}."
        )
        issues.append(DUPLICATE_ITEMS.issue(text, value=str(len(names)), **where))
    return issues
