"""What a skill changes: the statistics tables that compare two conditions of one model."""

from __future__ import annotations

from typing import Final

import dataframely as dy
import polars as pl

from warehouse.contracts.base import Table, count, one_of, probability, real, text
from warehouse.contracts.statistics import BOOTSTRAP_STATISTICS, SOURCE, explained, reason

CONTRASTS: Final = ("llm_select - direct", "gold_skill - direct")
SKILL_SUBSETS: Final = ("all", "annotated", "not_annotated")


class _Contrast(dy.Schema):
    """The keys of a comparison of two conditions of one model."""

    source = text("Data set the observations are from.", key=True)
    model = text("Model whose confidence it is.", key=True)
    dataset = text("Benchmark the questions are from.", key=True)
    signal = text("Confidence signal.", key=True)
    contrast = one_of(CONTRASTS, "Which condition minus which.", key=True)


class BootstrapDifferences(_Contrast):
    """The same for the difference of two conditions: one set of weights for both, so it is paired."""

    statistic = one_of(BOOTSTRAP_STATISTICS, "Figure, named as in calibration_summary.", key=True)
    n_pairs = count("Questions with a usable row under both conditions.")
    n_direct_only = count("Questions with one under direct alone.")
    n_skill_only = count("Questions with one under the other condition alone.")
    estimate = real("Figure of the other condition minus figure of direct, each over its own usable rows.")
    estimate_reason = reason("the difference is")
    bootstrap_mean = real("Mean over the replicates in which both figures are defined.")
    bootstrap_bias = real("bootstrap_mean - estimate.")
    se = real("Standard deviation over the same replicates.", min=0.0)
    lo = real("2.5 % quantile of the same replicates, linear interpolation.")
    hi = real("97.5 % quantile of the same replicates.")
    n_replicates = count("Replicates in which both figures are defined.")
    n_undefined = count("Replicates in which one is not.")
    reason = reason("the interval is")

    estimate_explained = explained("estimate_reason", "estimate")
    interval_explained = explained("reason", "bootstrap_mean", "bootstrap_bias", "se", "lo", "hi")
    ends_are_ordered = dy.rule()(lambda _: pl.col("lo") <= pl.col("hi"))


class SkillEffectTests(_Contrast):
    """Paired by question, does a skill change accuracy, confidence and bias, and do they move together?"""

    skill_subset = one_of(
        SKILL_SUBSETS,
        "all questions; those whose supplied skill is annotated for them; those whose skill is not.",
        key=True,
    )
    n_pairs = count("Questions with a usable row under both conditions.")
    n_direct_only = count("Questions with one under direct alone.")
    n_skill_only = count("Questions with one under the other condition alone.")
    d_accuracy = real("Mean over the pairs of the change in accuracy.")
    d_accuracy_t = real("The change divided by its standard error, sd / sqrt(n_pairs).")
    d_accuracy_p = probability("Two-sided p-value, Student's t with n_pairs - 1.")
    d_accuracy_p_normal = probability("The same, normal.")
    d_accuracy_reason = reason("the test is")
    d_confidence = real("Mean over the pairs of the change in confidence, in the unit of the signal.")
    d_confidence_t = real("The change divided by its standard error.")
    d_confidence_p = probability("Two-sided p-value, Student's t with n_pairs - 1.")
    d_confidence_p_normal = probability("The same, normal.")
    d_confidence_reason = reason("the test is")
    d_bias = real("Mean over the pairs of the change in confidence minus accuracy; null where not a probability.")
    d_bias_t = real("The change divided by its standard error.")
    d_bias_p = probability("Two-sided p-value, Student's t with n_pairs - 1.")
    d_bias_p_normal = probability("The same, normal.")
    d_bias_reason = reason("the test is")
    n_same_sign = count("Pairs whose accuracy and confidence both rise or both fall.")
    n_opposite_sign = count("Pairs of which one rises and the other falls.")
    sign_agreement = probability("n_same_sign / (n_same_sign + n_opposite_sign).")
    sign_agreement_p = probability("Its exact two-sided binomial p-value against one half.")
    sign_agreement_reason = reason("the two are")
    pearson_r = real("Correlation over the pairs of the change in accuracy with that in confidence.", min=-1.0)
    pearson_p = probability("Its two-sided p-value, t with n_pairs - 2.")
    pearson_reason = reason("Pearson's correlation is")
    spearman_rho = real("The same of the mid-ranks.", min=-1.0)
    spearman_p = probability("Its two-sided p-value, t with n_pairs - 2.")
    spearman_reason = reason("Spearman's correlation is")
    mcnemar_direct_only_right = count("Native answers right under direct and wrong with the skill.", nullable=True)
    mcnemar_skill_only_right = count("Native answers wrong under direct and right with the skill.", nullable=True)
    mcnemar_p = probability("McNemar's exact two-sided p-value; 1 where no pair is discordant.")
    mcnemar_reason = reason("McNemar's test is")

    d_accuracy_explained = explained("d_accuracy_reason", "d_accuracy_t", "d_accuracy_p", "d_accuracy_p_normal")
    d_confidence_explained = explained(
        "d_confidence_reason", "d_confidence_t", "d_confidence_p", "d_confidence_p_normal"
    )
    d_bias_explained = explained("d_bias_reason", "d_bias_t", "d_bias_p", "d_bias_p_normal")
    sign_explained = explained("sign_agreement_reason", "sign_agreement", "sign_agreement_p")
    pearson_explained = explained("pearson_reason", "pearson_r", "pearson_p")
    spearman_explained = explained("spearman_reason", "spearman_rho", "spearman_p")
    mcnemar_explained = explained(
        "mcnemar_reason", "mcnemar_direct_only_right", "mcnemar_skill_only_right", "mcnemar_p"
    )


_PAIR: Final = "source x model x dataset x signal x contrast"
TABLES: Final = (
    Table(
        "bootstrap_differences", BootstrapDifferences, SOURCE, f"{_PAIR} x statistic",
        "Cluster-bootstrap intervals of the difference a skill makes, paired by the weights.",
    ),
    Table(
        "skill_effect_tests", SkillEffectTests, SOURCE, f"{_PAIR} x skill_subset",
        "p-values and correlations of the change a skill makes, paired by question.",
    ),
)  # fmt: skip
