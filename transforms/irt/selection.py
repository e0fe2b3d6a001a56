"""Which models and items of the lake take part in a fit, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from transforms.irt.data import Floats
from transforms.irt.matrix import Matrix
from transforms.irt.settings import IrtInputError
from transforms.issue_log import shown_all
from warehouse.contracts.benchmirt import ALL_ITEMS, HIGHEST_MEAN, LOWEST_MEAN


@dataclass(frozen=True, slots=True)
class Chosen:
    """The matrix of everything, why a row or column is left out (None: it is not), and what is left."""

    matrix: Matrix
    model_reasons: list[str | None]
    item_reasons: list[str | None]

    @property
    def kept(self) -> Matrix:
        """The matrix that is fitted."""
        rows = [i for i, reason in enumerate(self.model_reasons) if reason is None]
        columns = [i for i, reason in enumerate(self.item_reasons) if reason is None]
        return Matrix(
            [self.matrix.models[i] for i in rows],
            [self.matrix.items[i] for i in columns],
            self.matrix.scores[np.ix_(rows, columns)],
        )


def choose(
    matrix: Matrix, models: Collection[str] | None, items: Collection[str] | None, alignment: pl.DataFrame | None
) -> Chosen:
    """Return what is left of the matrix, and a reason for every model and item that is not.

    `models` and `items` name what may take part, None everything. A model that `alignment` has outside the largest
    group takes part only if named: its rows may describe other items, or no item links its ability to the others'. One
    inside that could not be compared takes part: nothing speaks against it. Raises IrtInputError for names without
    responses.
    """
    _refuse_unknown(models, matrix.models, "models")
    _refuse_unknown(items, matrix.items, "items")
    outside: dict[str, str] = {}
    if alignment is not None and models is None:
        others = alignment.filter((pl.col("benchmark") == ALL_ITEMS) & (pl.col("alignment_group") != 1))
        outside = dict(others.select("model", "alignment_status").rows())
    selected = None if items is None else set(items)
    columns = [selected is None or item in selected for item in matrix.items]
    answered = np.asarray(~np.isnan(matrix.scores[:, columns]), dtype=np.bool_)
    wanted = None if models is None else set(models)
    model_reasons = [
        "not_selected" if wanted is not None and model not in wanted
        else outside[model] if model in outside
        else None if answered[i].any()
        else "not_answered"
        for i, model in enumerate(matrix.models)
    ]  # fmt: skip
    rows = [reason is None for reason in model_reasons]
    return Chosen(matrix, model_reasons, _item_reasons(matrix.scores[rows], columns))


def _refuse_unknown(wanted: Collection[str] | None, there: Sequence[str], what: str) -> None:
    unknown = sorted(set(wanted or ()) - set(there))
    if unknown:
        raise IrtInputError(f"{len(unknown)} {what} asked for have no responses: {shown_all(unknown)}.")


def _item_reasons(scores: Floats, selected: Sequence[bool]) -> list[str | None]:
    answered = np.asarray(~np.isnan(scores), dtype=np.bool_)
    n = answered.sum(axis=0)
    filled = np.where(answered, scores, 0.0)
    mean = filled.sum(axis=0) / np.maximum(n, 1)
    fractional = set(np.nonzero((filled > 0.0) & (filled < 1.0))[1].tolist())
    reasons: list[str | None] = []
    for i, wanted in enumerate(selected):
        if not wanted:
            reasons.append("not_selected")
        elif n[i] == 0:
            reasons.append("not_answered")
        elif i in fractional:
            reasons.append("fractional_score")
        else:
            reasons.append(None if LOWEST_MEAN < mean[i] < HIGHEST_MEAN else "low_variance")
    return reasons


def counted(reasons: Iterable[str | None]) -> str:
    """Return how often each reason occurs, fit for a message."""
    kinds = [reason for reason in reasons if reason is not None]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))) or "none"
