"""The long responses as a matrix of models by items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl


@dataclass(frozen=True, slots=True)
class Matrix:
    """Scores of shape (models, items), both sorted by name; NaN where there is no score."""

    models: list[str]
    items: list[str]
    scores: npt.NDArray[np.float64]


def to_matrix(responses: pl.DataFrame) -> Matrix:
    """Return the scores of rows (`model, item_id, score`), one a cell, as a matrix."""
    models = responses["model"].unique().sort()
    items = responses["item_id"].unique().sort()
    scores = np.full((len(models), len(items)), np.nan)
    row = responses["model"].cast(pl.Enum(models)).to_physical().to_numpy()
    column = responses["item_id"].cast(pl.Enum(items)).to_physical().to_numpy()
    scores[row, column] = responses["score"].fill_null(np.nan).to_numpy()
    return Matrix(models.to_list(), items.to_list(), scores)
