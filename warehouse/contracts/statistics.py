"""The tables computed once from the others or from mathematics, so that SQL can look them up."""

from __future__ import annotations

from typing import Final

import dataframely as dy
import polars as pl

from warehouse.contracts.base import Table, count, flag, one_of, probability, real, text

SOURCE: Final = "statistics"
MAX_T_DF: Final = 10_000
RECALIBRATIONS: Final = ("none", "platt", "temperature", "isotonic")
CALIBRATION_STATISTICS: Final = ("mean_confidence", "bias", "ece", "brier", "log_loss")
RANK_STATISTICS: Final = ("auroc", "aurc", "e_aurc", "augrc", "prr")
BOOTSTRAP_STATISTICS: Final = ("accuracy", *CALIBRATION_STATISTICS, *RANK_STATISTICS)
REASONS: Final = {
    "empty": "no usable row",
    "not_a_probability": "only the order of this signal means anything",
    "one_class": "all usable rows are right, or all are wrong",
    "one_question": "one question is one cluster: nothing can be said about spread",
    "constant_signal": "the signal does not vary enough for the figure to be identified",
    "separation": "right and wrong rows do not overlap: the maximum likelihood estimate does not exist",
    "not_converged": "the maximum of the likelihood is too flat or too far away to be found in double precision",
    "zero_variance": "the standard error is zero",
    "degenerate_expectation": "the expected variance is zero in a bin (Hosmer-Lemeshow) or altogether (Spiegelhalter)",
    "fold_without_fit": "the model fitted on the other folds does not exist for at least one fold",
    "too_few_pairs": "too few questions under both conditions",
    "not_finite": "a confidence is infinite",
    "no_change": "accuracy and confidence change together in no pair",
    "no_native_answers": "native answers stand beside agreement only",
    "too_few_replicates": "the figure is defined in fewer than two bootstrap replicates",
}


def reason(of: str) -> dy.String:
    """Return a column that says why figures are null, by a key of `REASONS`."""
    return one_of(tuple(REASONS), f"Why {of} null; null where not.", nullable=True)


def explained(reason_column: str, *figures: str) -> object:
    """Return a rule: `figures` are all there where the reason is null, and none is where it is not."""
    there = [pl.col(figure).is_not_null() for figure in figures]
    absent = [pl.col(figure).is_null() for figure in figures]
    is_explained = (
        pl.when(pl.col(reason_column).is_null()).then(pl.all_horizontal(there)).otherwise(pl.all_horizontal(absent))
    )
    return dy.rule()(lambda _: is_explained)


class _Signal(dy.Schema):
    """The keys of a cell of `confidence_observations`."""

    source = text("Data set the observations are from.", key=True)
    model = text("Model whose confidence it is.", key=True)
    dataset = text("Benchmark the questions are from.", key=True)
    condition = text("Condition the model answered under.", key=True)
    signal = text("Confidence signal.", key=True)


class TQuantiles(dy.Schema):
    """Student's t: how many standard errors a 95 % interval reaches to each side."""

    df = count("Degrees of freedom: questions less one. Every whole number from 1.", key=True, max=MAX_T_DF)
    q975 = real("The 97.5 % quantile of Student's t with `df` degrees of freedom.", nullable=False, min=1.959)


class CalibrationFits(_Signal):
    """Figures of calibration that need a fit or a kernel."""

    n = count("Usable rows, as in calibration_summary.")
    n_questions = count("Questions among them: the clusters.")
    n_logit_clipped = count(
        "Rows whose confidence is moved to 2.220446e-16 or 1 - 2.220446e-16 so that it has a logit.", nullable=True
    )
    smooth_ece = probability("Smooth ECE: kernel-smoothed calibration error at the fixed-point bandwidth.")
    smooth_ece_bandwidth = probability("Bandwidth of that kernel, by ten halvings from 1.")
    smooth_ece_reason = reason("smooth_ece is")
    calibration_slope = real("Slope of the logistic regression of correct on logit(confidence); 1 is ideal.")
    calibration_slope_se = real("Its standard error, clustered by question (CR1).", min=0.0)
    calibration_slope_lo = real("Lower end of its 95 % interval, t with n_questions - 1.")
    calibration_slope_hi = real("Upper end of its 95 % interval.")
    calibration_intercept = real("Intercept of the same regression; 0 is ideal.", unit="logits")
    calibration_intercept_se = real("Its standard error, clustered by question (CR1).", unit="logits", min=0.0)
    calibration_slope_reason = reason("slope and intercept are")
    calibration_slope_se_reason = reason("their standard errors and the interval are")
    intercept_in_the_large = real(
        "Intercept with the slope held at 1 (offset logit(confidence)); below 0 is over-confident.", unit="logits"
    )
    intercept_in_the_large_se = real("Its standard error, clustered by question (CR1).", unit="logits", min=0.0)
    intercept_in_the_large_reason = reason("intercept_in_the_large is")
    intercept_in_the_large_se_reason = reason("its standard error is")
    temperature = real("T > 0 that minimises the log loss of sigma(logit(confidence) / T).", min=0.0)
    temperature_at_bound = flag(
        "Whether the log loss still falls at the bound (0.001 or 1000) where T stands.", nullable=True
    )
    temperature_reason = reason("temperature is")
    corp_miscalibration = real(
        "Brier score minus that of the isotonic recalibration, cross-fitted by question; may be negative."
    )
    corp_discrimination = real("Uncertainty minus the Brier score of the same recalibration; may be negative.")
    corp_reason = reason("the two cross-fitted parts are")
    corp_uncertainty = real(
        "accuracy * (1 - accuracy). Brier = miscalibration - discrimination + uncertainty.", min=0.0
    )
    corp_miscalibration_in_sample = real(
        "Miscalibration with the recalibration fitted and judged on the same rows, as CORP defines it: optimistic.",
        min=0.0,
    )
    corp_discrimination_in_sample = real("Discrimination, likewise in sample.", min=0.0)
    corp_in_sample_reason = reason("uncertainty and the two parts in sample are")

    smooth_ece_explained = explained("smooth_ece_reason", "smooth_ece", "smooth_ece_bandwidth")
    slope_explained = explained("calibration_slope_reason", "calibration_slope", "calibration_intercept")
    slope_se_explained = explained(
        "calibration_slope_se_reason",
        "calibration_slope_se",
        "calibration_slope_lo",
        "calibration_slope_hi",
        "calibration_intercept_se",
    )
    in_the_large_explained = explained("intercept_in_the_large_reason", "intercept_in_the_large")
    in_the_large_se_explained = explained("intercept_in_the_large_se_reason", "intercept_in_the_large_se")
    temperature_explained = explained("temperature_reason", "temperature", "temperature_at_bound")
    corp_explained = explained("corp_reason", "corp_miscalibration", "corp_discrimination")
    corp_in_sample_explained = explained(
        "corp_in_sample_reason",
        "corp_uncertainty",
        "corp_miscalibration_in_sample",
        "corp_discrimination_in_sample",
    )


class RecalibratedScores(_Signal):
    """How good a probability is after a recalibration that never saw the question it is judged on."""

    method = one_of(
        RECALIBRATIONS,
        "none (as served), platt (slope and intercept on the logit), temperature, or isotonic.",
        key=True,
    )
    n = count("Usable rows, as in calibration_summary: all are judged.")
    n_folds = count(
        "Folds of questions: a model is fitted on the others and judged on each. 0 for none.", nullable=True
    )
    n_folds_at_bound = count("Folds whose temperature stands at a bound.", nullable=True)
    n_clipped = count("Rows whose log loss is decided by the clip at 2.220446e-16.", nullable=True)
    ece = probability("Expected calibration error, 10 equal-width bins (lo, hi].")
    brier = probability("Mean squared difference to the outcome.")
    log_loss = real("Mean negative log-likelihood, natural logarithm.", unit="nats", min=0.0)
    reason = reason("the figures are")

    figures_explained = explained("reason", "n_folds", "n_folds_at_bound", "n_clipped", "ece", "brier", "log_loss")


class CorpReliability(_Signal):
    """The isotonic reliability curve: what the confidence of a block would have to be."""

    block = count("Block of the pool-adjacent-violators fit, from 0 in order of confidence.", key=True)
    confidence_lo = probability("Lowest confidence of the block.", nullable=False)
    confidence_hi = probability("Highest confidence of the block.", nullable=False)
    n = count("Rows of the block.")
    n_correct = count("Right rows of the block.")
    n_questions = count("Questions with a row in the block.")
    mean_confidence = probability("Mean confidence of the block.", nullable=False)
    fitted = probability("n_correct / n: the recalibrated probability, rising from block to block.", nullable=False)

    ends_are_ordered = dy.rule()(lambda _: pl.col("confidence_lo") <= pl.col("confidence_hi"))
    counts_are_ordered = dy.rule()(lambda _: pl.col("n_correct") <= pl.col("n"))


class CalibrationTests(_Signal):
    """Tests of calibration. Only the test of the bias allows for nine rollouts of one question."""

    n = count("Usable rows, as in calibration_summary.")
    n_questions = count("Questions among them: the clusters.")
    spiegelhalter_z = real("Spiegelhalter's z. Rows are taken as independent.")
    spiegelhalter_p = probability("Its two-sided normal p-value.")
    spiegelhalter_reason = reason("z and p are")
    hosmer_lemeshow = real("Hosmer-Lemeshow statistic over 10 equal-mass bins. Rows are taken as independent.", min=0.0)
    hosmer_lemeshow_df = count(
        "Non-empty bins: the degrees of freedom, for the score was not fitted on these rows.", nullable=True
    )
    hosmer_lemeshow_p = probability("Upper tail of chi-squared with that many degrees of freedom.")
    hosmer_lemeshow_reason = reason("the statistic and p are")
    bias_t = real("Bias divided by its standard error, clustered by question (CR1).")
    bias_df = count("Questions - 1.", nullable=True)
    bias_p = probability("Two-sided p-value of bias_t, Student's t with bias_df.")
    bias_p_normal = probability("The same, normal.")
    bias_reason = reason("the test of the bias is")

    spiegelhalter_explained = explained("spiegelhalter_reason", "spiegelhalter_z", "spiegelhalter_p")
    hosmer_lemeshow_explained = explained(
        "hosmer_lemeshow_reason", "hosmer_lemeshow", "hosmer_lemeshow_df", "hosmer_lemeshow_p"
    )
    bias_explained = explained("bias_reason", "bias_t", "bias_df", "bias_p", "bias_p_normal")


class BootstrapIntervals(_Signal):
    """Cluster bootstrap of a figure: questions are resampled with all their rows."""

    statistic = one_of(BOOTSTRAP_STATISTICS, "Figure, named as in calibration_summary.", key=True)
    n = count("Rows the figure is of; 0 where it is not one of this signal's.")
    n_questions = count("Questions among them: what is resampled.")
    estimate = real("The figure itself.")
    estimate_reason = reason("the figure is")
    bootstrap_mean = real("Mean over the replicates in which the figure is defined.")
    bootstrap_bias = real("bootstrap_mean - estimate; ECE is biased upward in every replicate.")
    se = real("Standard deviation over the same replicates.", min=0.0)
    lo = real("2.5 % quantile of the same replicates, linear interpolation.")
    hi = real("97.5 % quantile of the same replicates.")
    n_replicates = count("Replicates in which the figure is defined.")
    n_undefined = count("Replicates in which it is not.")
    reason = reason("the interval is")

    estimate_explained = explained("estimate_reason", "estimate")
    interval_explained = explained("reason", "bootstrap_mean", "bootstrap_bias", "se", "lo", "hi")
    ends_are_ordered = dy.rule()(lambda _: pl.col("lo") <= pl.col("hi"))


_CELL: Final = "source x model x dataset x condition x signal"
TABLES: Final = (
    Table("t_quantiles", TQuantiles, SOURCE, "degrees of freedom", "Student's t quantiles for 95 % intervals."),
    Table("calibration_fits", CalibrationFits, SOURCE, _CELL, "Smooth ECE, slope, intercept, temperature, CORP."),
    Table(
        "recalibrated_scores", RecalibratedScores, SOURCE, f"{_CELL} x method",
        "ECE, Brier and log loss after a recalibration cross-fitted by question.",
    ),
    Table("corp_reliability", CorpReliability, SOURCE, f"{_CELL} x block", "The isotonic reliability curve."),
    Table("calibration_tests", CalibrationTests, SOURCE, _CELL, "Spiegelhalter, Hosmer-Lemeshow and the bias's t."),
    Table(
        "bootstrap_intervals", BootstrapIntervals, SOURCE, f"{_CELL} x statistic",
        "Cluster-bootstrap intervals: questions resampled with all their rows.",
    ),
)  # fmt: skip
