"""The figures of a cell: their names, units and meanings, wherever in the lake they occur."""

from __future__ import annotations

from typing import Final

import dataframely as dy
import polars as pl

from warehouse.contracts.base import Table, count, one_of, real, text
from warehouse.contracts.statistics import REASONS, SOURCE

ROWS_USED: Final = ("all", "without_cap_repair")
_SHARED: Final = ("empty", "not_a_probability", "one_class", "degenerate_expectation", "one_question", "zero_variance")
FIGURE_REASONS: Final = {name: REASONS[name] for name in _SHARED} | {
    "none_correct": "no usable row is right",
    "one_question_in_a_class": "the right rows, or the wrong ones, are all of one question",
    "negative_variance": "the clustered variance comes out below zero, which happens with very few questions",
}
_ROUNDING: Final = 1e-9


def _share(description: str) -> dy.Float64:
    """A figure between 0 and 1 but for the last bits of its rounding."""
    return dy.Float64(
        nullable=True,
        description=description,
        min=-_ROUNDING,
        max=1 + _ROUNDING,
    )


def _se(figure: str) -> dy.Float64:
    return real(f"Standard error of {figure}, clustered by question (CR1).", min=0.0)


def _lo(figure: str) -> dy.Float64:
    return real(f"Lower end of the 95 % interval of {figure}, Student's t with n_questions - 1.")


def _hi(figure: str) -> dy.Float64:
    return real(f"Upper end of the 95 % interval of {figure}.")


def _reason(figures: str) -> dy.String:
    return one_of(tuple(FIGURE_REASONS), f"Why {figures} is null; null where it is not.", nullable=True)


class CalibrationFigures(dy.Schema):
    """One cell's figures: of calibration over confidences in [0, 1], of rank over all that are neither null nor NaN."""

    cell = text("source/model/dataset/condition/signal; a '%' or '/' inside a key is written %25 or %2F.", key=True)
    rows_used = one_of(ROWS_USED, "all rows of the cell, or those that are not cap-repaired.", key=True)
    source = text("Data set the observations are from.")
    model = text("Model whose confidence it is.")
    n = count("Usable rows: known outcome, and a confidence in [0, 1] or, where not a probability, one to rank by.")
    n_questions = count("Questions with a usable row: the clusters.")
    n_correct = count("Right rows among the usable ones.")
    accuracy = _share("Share of the usable rows that are right.")
    accuracy_se = _se("accuracy")
    accuracy_lo = _lo("accuracy")
    accuracy_hi = _hi("accuracy")
    deff = real("Design effect of accuracy: (clustered SE / SE of independent rows)^2.", min=0.0)
    mean_confidence = _share("Mean confidence; null where it is not a probability.")
    mean_confidence_se = _se("mean_confidence")
    mean_confidence_lo = _lo("mean_confidence")
    mean_confidence_hi = _hi("mean_confidence")
    bias = real("Mean confidence minus accuracy; above 0 is over-confident.", min=-1.0 - _ROUNDING)
    bias_se = _se("bias")
    bias_lo = _lo("bias")
    bias_hi = _hi("bias")
    ece = _share(
        "Expected calibration error: mean gap between confidence and accuracy over 10 equal-width bins (lo, hi]."
    )
    ece_equal_mass = _share("The same over 10 equal-mass bins: edges are quantiles, equal edges merged.")
    mce = _share(
        "Maximum calibration error: the largest gap of the 10 equal-width bins. Not GRACE's figure of that name."
    )
    mce_n = count("Rows of the bin that has the largest gap; a gap of few rows is noise.", nullable=True)
    rmsce = _share("Root mean square calibration error over the same bins.")
    rmsce_debiased = _share("The same less what the binomial noise of the bins contributes.")
    overconfidence = _share("The part of ece from bins whose confidence is above their accuracy.")
    underconfidence = _share("The part of ece from bins whose confidence is below their accuracy.")
    brier = _share("Brier score: mean squared difference between confidence and outcome.")
    brier_se = _se("brier")
    brier_lo = _lo("brier")
    brier_hi = _hi("brier")
    reliability = _share("Brier term: squared gap of the 10 equal-width bins.")
    resolution = _share("Brier term: squared distance of the bins' accuracy from the cell's.")
    uncertainty = _share("Brier term: accuracy * (1 - accuracy).")
    within_bin_variance = real("Brier term: variance of the confidence within bins.")
    within_bin_covariance = real("Brier term: twice the covariance of outcome and confidence within bins.")
    brier_skill = real("1 - brier / uncertainty: 0 for always saying the accuracy, 1 for certainty that is right.")
    log_loss = real("Mean log loss, natural logarithm, clipped at 2.220446e-16.", unit="nats", min=0.0)
    log_loss_se = _se("log_loss")
    log_loss_lo = _lo("log_loss")
    log_loss_hi = _hi("log_loss")
    n_clipped = count(
        "Rows whose log loss the clip decides; where not 0, log_loss says more of the clip.", nullable=True
    )
    spiegelhalter_z = real("Spiegelhalter's z. Takes rows as independent, which rollouts of one question are not.")
    spiegelhalter_p = _share("Its two-sided p-value.")
    auroc = _share("How often a right row is surer than a wrong one, a tie counting one half.")
    auroc_se = real("Standard error of auroc, clustered by question (Obuchowski 1997).", min=0.0)
    auroc_lo = _share("Lower end of the 95 % interval of auroc, logit scale, Student's t.")
    auroc_hi = _share("Upper end of the 95 % interval of auroc.")
    average_precision = _share("Average precision of the right rows, one step a distinct confidence.")
    aurc = _share("Area under the risk-coverage curve, ties in expectation over their orders; lower is better.")
    e_aurc = _share("aurc less that of the best order of as many right and wrong rows.")
    augrc = _share("Area under the generalized risk-coverage curve.")
    prr = real("Prediction rejection ratio: 0 for a random order of rejection, 1 for the best.")
    calibration_reason = _reason("every calibration figure")
    brier_skill_reason = _reason("brier_skill")
    spiegelhalter_reason = _reason("spiegelhalter_z")
    auroc_reason = _reason("auroc")
    average_precision_reason = _reason("average_precision")
    aurc_reason = _reason("aurc, e_aurc or augrc")
    prr_reason = _reason("prr")
    accuracy_se_reason = _reason("a standard error of a mean (or it is 0)")
    auroc_se_reason = _reason("auroc_se (or it is 0 and there is no interval)")

    calibration_explained = dy.rule()(lambda _: pl.col("calibration_reason").is_null() == pl.col("ece").is_not_null())
    auroc_explained = dy.rule()(lambda _: pl.col("auroc_reason").is_null() == pl.col("auroc").is_not_null())
    aurc_explained = dy.rule()(lambda _: pl.col("aurc_reason").is_null() == pl.col("aurc").is_not_null())
    prr_explained = dy.rule()(lambda _: pl.col("prr_reason").is_null() == pl.col("prr").is_not_null())


TABLES: Final = (
    Table(
        "calibration_figures", CalibrationFigures, SOURCE, "cell x rows used",
        "Every figure of a cell, over all its rows and without the cap-repaired ones.",
    ),
)  # fmt: skip
