"""The statistics tables, one source and model at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np
import polars as pl
from scipy.special import stdtrit

from transforms.statistics import cell_tables, contrast_tables
from transforms.statistics.bootstrap import bootstrap_cell
from transforms.statistics.cell_tables import Record
from transforms.statistics.cells import Dataset, datasets_of
from transforms.statistics.settings import DEFAULTS, Settings
from transforms.statistics.weights import WeightArray, poisson_weights
from warehouse.contracts import TABLES, statistics, statistics_contrasts
from warehouse.contracts.statistics import MAX_T_DF

_BY_MODEL: Final = (*statistics.TABLES, *statistics_contrasts.TABLES)
_OF_OBSERVATIONS: Final = tuple(table.name for table in _BY_MODEL if table.name != "t_quantiles")


def t_quantiles_table() -> pl.DataFrame:
    """Return the 97.5 % quantile of Student's t, a row for each whole number of degrees of freedom up to 10,000."""
    df = np.arange(1, MAX_T_DF + 1)
    return pl.DataFrame({"df": df, "q975": stdtrit(df, 0.975)}, schema=TABLES["t_quantiles"].polars_schema)


def statistics_tables(
    observations: pl.DataFrame, settings: Settings = DEFAULTS, annotations: pl.DataFrame | None = None
) -> dict[str, pl.DataFrame]:
    """Return every table but `t_quantiles` for the observations of one source and model, sorted by key.

    `observations` has a row an observation, as the view `confidence_observations`. `annotations` says which questions
    were supplied a skill that is annotated for them: `dataset, condition, question_id, skill_is_annotated`, of the same
    model; without it `skill_effect_tests` has the subset `all` alone. Rows of any order give the same bits.

    Raises ValueError where a column is missing, a key or question is null, there is more than one source or model, or
    a cell mixes probabilities with other scores.
    """
    records: dict[str, list[Record]] = defaultdict(list)
    for dataset in datasets_of(observations):
        for name, found in _dataset_records(dataset, settings, annotations):
            records[name].extend(found)
    return {name: _frame(name, records[name]) for name in _OF_OBSERVATIONS}


def _dataset_records(
    dataset: Dataset, settings: Settings, annotations: pl.DataFrame | None
) -> Iterable[tuple[str, list[Record]]]:
    weights = _weights(dataset.hashes.tobytes(), settings.replicates, settings.seed)
    figures = {}
    for cell in dataset.cells:
        fits = cell_tables.cross_fits(cell, dataset.hashes, settings.folds)
        figures[cell.condition, cell.signal] = bootstrap_cell(cell, weights, settings.ece_bins)
        yield "calibration_fits", [cell_tables.calibration_fits(cell, fits)]
        yield "recalibrated_scores", cell_tables.recalibrated_scores(cell, fits, settings)
        yield "corp_reliability", cell_tables.corp_reliability(cell)
        yield "calibration_tests", [cell_tables.calibration_tests(cell, settings)]
        yield "bootstrap_intervals", cell_tables.bootstrap_intervals(cell, figures[cell.condition, cell.signal])
    for name, direct, other in contrast_tables.contrasts(dataset.cells):
        masks = contrast_tables.subsets(dataset, other.condition, annotations)
        sides = [(cell, figures[cell.condition, cell.signal]) for cell in (direct, other)]
        yield "bootstrap_differences", contrast_tables.bootstrap_differences(name, sides[0], sides[1])
        yield "skill_effect_tests", contrast_tables.skill_effect_tests(name, direct, other, masks)


@lru_cache(maxsize=32)
def _weights(hashes: bytes, replicates: int, seed: int) -> WeightArray:
    """Draw the weights of a data set's questions once for all the models that answered them."""
    weights = poisson_weights(np.frombuffer(hashes, dtype=np.uint64), replicates, seed)
    weights.flags.writeable = False
    return weights


def _frame(name: str, records: list[Record]) -> pl.DataFrame:
    table = TABLES[name]
    return pl.DataFrame(records, schema=table.polars_schema, orient="row").sort(table.key)
