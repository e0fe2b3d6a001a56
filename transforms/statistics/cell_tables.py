"""The rows a cell adds to each table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from transforms.statistics.bootstrap import Bootstrapped, interval
from transforms.statistics.cells import Cell
from transforms.statistics.isotonic import corp_blocks
from transforms.statistics.logistic import (
    fit_intercept,
    fit_slope,
    fit_temperature,
    intercept_error,
    slope_errors,
)
from transforms.statistics.recalibration import METHODS, CrossFitted, Scores, corp, corp_in_sample, cross_fit, score
from transforms.statistics.rows import Rows, is_clipped
from transforms.statistics.settings import Settings
from transforms.statistics.significance import bias_test, hosmer_lemeshow, spiegelhalter
from transforms.statistics.smooth_ece import smooth_ece
from transforms.statistics.undefined import Undefined
from transforms.statistics.weights import HashArray, question_folds

Record = dict[str, Any]
CrossFits = Mapping[str, CrossFitted | Undefined]
_NOT_A_PROBABILITY = Undefined("not_a_probability")


def filled(figures: object, names: Mapping[str, str], reason: str) -> Record:
    """Return column -> attribute of `figures` by `names`, all null with the reason beside them if it is `Undefined`."""
    if isinstance(figures, Undefined):
        return {**dict.fromkeys(names), reason: figures.reason}
    return {**{column: getattr(figures, attribute) for column, attribute in names.items()}, reason: None}


def number(figure: float | Undefined, column: str, reason: str) -> Record:
    """Return one figure with its reason."""
    if isinstance(figure, Undefined):
        return {column: None, reason: figure.reason}
    return {column: figure, reason: None}


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


def _counts(cell: Cell) -> Record:
    return {**cell.key, "n": cell.usable.n, "n_questions": cell.usable.n_questions}


def cross_fits(cell: Cell, hashes: HashArray, folds: int) -> CrossFits:
    """Return each method's out-of-fold probabilities of the usable rows; `hashes` are by question code."""
    if not cell.is_probability:
        return dict.fromkeys(METHODS, _NOT_A_PROBABILITY)
    questions, position = np.unique(cell.usable.question, return_inverse=True)
    fold_of_row = question_folds(hashes[questions], folds)[position]
    return {method: cross_fit(cell.usable, fold_of_row, method) for method in METHODS}


def calibration_fits(cell: Cell, fits: CrossFits) -> Record:
    """Return the cell's row of `calibration_fits`."""
    rows = cell.usable
    return {
        **_counts(cell),
        "n_logit_clipped": int(is_clipped(rows.confidence).sum()) if cell.is_probability else None,
        **_smooth_ece(cell),
        **_slope(cell),
        **_intercept(cell),
        **filled(
            fit_temperature(rows.levels) if cell.is_probability else _NOT_A_PROBABILITY,
            {"temperature": "value", "temperature_at_bound": "at_bound"},
            "temperature_reason",
        ),
        **_corp(cell, fits["isotonic"]),
    }


def _why_not(cell: Cell) -> Undefined | None:
    if not cell.is_probability:
        return _NOT_A_PROBABILITY
    return None if cell.usable.n else Undefined("empty")


def _smooth_ece(cell: Cell) -> Record:
    found = _why_not(cell) or smooth_ece(cell.usable)
    return filled(found, {"smooth_ece": "error", "smooth_ece_bandwidth": "bandwidth"}, "smooth_ece_reason")


def _slope(cell: Cell) -> Record:
    fit = _why_not(cell) or fit_slope(cell.usable.levels)
    errors = fit if isinstance(fit, Undefined) else slope_errors(cell.usable, fit)
    fit_names = {"calibration_slope": "slope", "calibration_intercept": "intercept"}
    error_names = {f"calibration_{name}": name for name in ("slope_se", "slope_lo", "slope_hi", "intercept_se")}
    return {
        **filled(fit, fit_names, "calibration_slope_reason"),
        **filled(errors, error_names, "calibration_slope_se_reason"),
    }


def _intercept(cell: Cell) -> Record:
    fit = _why_not(cell) or fit_intercept(cell.usable.levels)
    error = fit if isinstance(fit, Undefined) else intercept_error(cell.usable, fit)
    return {
        **number(fit, "intercept_in_the_large", "intercept_in_the_large_reason"),
        **number(error, "intercept_in_the_large_se", "intercept_in_the_large_se_reason"),
    }


def _corp(cell: Cell, isotonic: CrossFitted | Undefined) -> Record:
    parts = isotonic if isinstance(isotonic, Undefined) else corp(cell.usable, isotonic.probability)
    in_sample = _why_not(cell) or corp_in_sample(cell.usable)
    return {
        **filled(parts, {f"corp_{name}": name for name in ("miscalibration", "discrimination")}, "corp_reason"),
        **filled(
            in_sample,
            {
                "corp_uncertainty": "uncertainty",
                "corp_miscalibration_in_sample": "miscalibration",
                "corp_discrimination_in_sample": "discrimination",
            },
            "corp_in_sample_reason",
        ),
    }


def recalibrated_scores(cell: Cell, fits: CrossFits, settings: Settings) -> list[Record]:
    """Return the cell's rows of `recalibrated_scores`, the confidence as served first."""
    served = _why_not(cell) or CrossFitted(cell.usable.confidence, n_folds=0, n_folds_at_bound=0)
    return [_scores(cell, method, fit, settings) for method, fit in {"none": served, **fits}.items()]


def _scores(cell: Cell, method: str, fit: CrossFitted | Undefined, settings: Settings) -> Record:
    scores = fit if isinstance(fit, Undefined) else score(fit.probability, cell.usable.correct, settings.ece_bins)
    return {
        **_counts(cell),
        "method": method,
        **filled(fit, _same("n_folds", "n_folds_at_bound"), "reason"),
        **filled(scores, _same(*Scores._fields), "reason"),
    }


def corp_reliability(cell: Cell) -> list[Record]:
    """Return the cell's rows of `corp_reliability`, a row a block; none where the signal is not a probability."""
    rows = cell.usable if cell.is_probability else Rows.of([], [])
    return [{**cell.key, "block": at, **block._asdict()} for at, block in enumerate(corp_blocks(rows))]


def calibration_tests(cell: Cell, settings: Settings) -> Record:
    """Return the cell's row of `calibration_tests`."""
    rows, why_not = cell.usable, _why_not(cell)
    return {
        **_counts(cell),
        **filled(
            why_not or spiegelhalter(rows),
            {"spiegelhalter_z": "z", "spiegelhalter_p": "p"},
            "spiegelhalter_reason",
        ),
        **filled(
            why_not or hosmer_lemeshow(rows, settings.hosmer_lemeshow_bins),
            {"hosmer_lemeshow": "statistic", "hosmer_lemeshow_df": "df", "hosmer_lemeshow_p": "p"},
            "hosmer_lemeshow_reason",
        ),
        **filled(
            why_not or bias_test(rows),
            {f"bias_{name}": name for name in ("t", "df", "p", "p_normal")},
            "bias_reason",
        ),
    }


def bootstrap_columns(of: Bootstrapped) -> Record:
    """Return the figure and interval columns shared by both bootstrap tables."""
    return {
        **number(of.estimate, "estimate", "estimate_reason"),
        **filled(interval(of), _same("bootstrap_mean", "bootstrap_bias", "se", "lo", "hi"), "reason"),
        "n_replicates": len(of.defined),
        "n_undefined": len(of.replicates) - len(of.defined),
    }


def bootstrap_intervals(cell: Cell, figures: Mapping[str, Bootstrapped]) -> list[Record]:
    """Return the cell's rows of `bootstrap_intervals`, a row a statistic."""
    return [
        {**cell.key, "statistic": name, "n": of.n, "n_questions": of.n_questions, **bootstrap_columns(of)}
        for name, of in figures.items()
    ]
