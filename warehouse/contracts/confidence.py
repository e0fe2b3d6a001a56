"""What the calibration views are made of: observations counted by cell, by distinct confidence and by question.

Each table is a query over `confidence_observations`, asked once when a version is built (`sql/tables/`). Every published
figure is a function of these rows, so the views answer in milliseconds and a user can follow a number to its parts.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy

from warehouse.contracts.base import Table, big_count, count, flag, one_of, probability, real, text
from warehouse.contracts.sra import SPANS
from warehouse.contracts.statistics import SOURCE

ENTROPY_STATISTICS: Final = ("mean", "median", "p90", "max", "share_above_0_5")
_CELL: Final = "source/model/dataset/condition/signal; a '%' or '/' inside a key is written %25 or %2F."
_RANKED: Final = "with a known outcome and a confidence that is neither null nor NaN"


class ConfidenceCells(dy.Schema):
    """A cell with its keys and what became of each of its observations."""

    cell = text(_CELL, key=True)
    source = text("Data set the observations are from.")
    model = text("Model whose confidence it is.")
    dataset = text("Benchmark the questions are from.")
    condition = text("Condition the model answered under.")
    signal = text("Confidence signal.")
    unit = text("What one observation is: question_condition, rollout, clue or response.")
    is_probability = flag("Whether the confidence is a probability; else only its order means anything.")
    n_rows = count("Observations. The four counts that follow add up to it.")
    n_in_range = count("Observations with a known outcome and a confidence in [0, 1].")
    n_out_of_range = count("Observations with a known outcome and a confidence outside [0, 1].")
    n_nan = count("Observations with a known outcome and a NaN confidence.")
    n_null = count("Observations whose confidence or outcome is null.")
    n_cap_repair = count("Observations drawn again after hitting the length cap, or with such a rollout among their nine.")

    every_row_counted_once = dy.rule()(
        lambda cls: cls.n_rows.col == cls.n_in_range.col + cls.n_out_of_range.col + cls.n_nan.col + cls.n_null.col
    )


class ConfidenceGroups(dy.Schema):
    """The observations of a cell that share one confidence: ties are pooled here, once."""

    cell = text(_CELL, key=True)
    confidence = dy.Float64(primary_key=True, allow_inf=True, description="Confidence; higher is surer.")
    source = text("Data set the observations are from.")
    model = text("Model whose confidence it is.")
    n = count(f"Observations at this confidence, {_RANKED}.")
    n_correct = count("Right ones among them.")
    n_above = count("Observations of the cell at a higher confidence.")
    n_correct_above = count("Right ones among them.")
    n_cap_repair = count("Cap-repaired observations among n.")
    n_correct_cap_repair = count("Right ones among them.")
    n_cap_repair_above = count("Cap-repaired observations among n_above.")
    n_correct_cap_repair_above = count("Right ones among them.")

    correct_are_some = dy.rule()(lambda cls: cls.n_correct.col <= cls.n.col)
    correct_above_are_some = dy.rule()(lambda cls: cls.n_correct_above.col <= cls.n_above.col)
    repaired_are_some = dy.rule()(lambda cls: cls.n_cap_repair.col <= cls.n.col)


class ConfidenceClusters(dy.Schema):
    """The observations of a cell that belong to one question: what clustered standard errors are made of."""

    cell = text(_CELL, key=True)
    question_id = text("Question: the cluster.", key=True)
    source = text("Data set the observations are from.")
    model = text("Model whose confidence it is.")
    n_correct = count(f"Right observations {_RANKED}.")
    n_wrong = count(f"Wrong observations {_RANKED}.")
    score_sum = dy.Float64(allow_inf=True, allow_nan=True, description="Sum of their confidences.")
    wrong_above_correct = big_count(
        "Over the right observations of the question: twice the wrong ones of the cell above, once the tied ones, summed."
    )
    correct_above_wrong = big_count(
        "Over the wrong observations of the question: twice the right ones of the cell above, once the tied ones, summed."
    )
    n_in_range = count("Observations with a known outcome and a confidence in [0, 1].")
    n_correct_in_range = count("Right ones among them.")
    confidence_sum = real("Sum of the confidences in [0, 1].", nullable=False, min=0.0)
    brier_sum = real("Sum of the squared differences between confidence and outcome.", nullable=False, min=0.0)
    log_loss_sum = real("Sum of the log losses, clipped at 2.220446e-16.", nullable=False, unit="nats", min=0.0)

    in_range_are_some = dy.rule()(lambda cls: cls.n_in_range.col <= cls.n_correct.col + cls.n_wrong.col)
    correct_are_some = dy.rule()(lambda cls: cls.n_correct_in_range.col <= cls.n_in_range.col)


class EntropyRanks(dy.Schema):
    """How well one figure of the entropies of a span tells right rollouts from wrong ones, inside one cell."""

    model = text("Model that answered, as the bundle's folder names it.", key=True)
    dataset = text("Benchmark the question is from.", key=True)
    condition = text("Condition the model answered under.", key=True)
    span = one_of(SPANS, "Tokens the figure is over.", key=True)
    statistic = one_of(ENTROPY_STATISTICS, "Figure of the span's entropies, as rollout_entropies names it.", key=True)
    n = count("Rollouts that have the span.")
    n_null = count("Rollouts that do not.")
    n_questions = count("Questions among the n: the clusters.")
    n_correct = count("Right rollouts among the n.")
    auroc = probability("AUROC of minus the figure against correctness; null with one class.")
    auroc_se = probability("Its standard error, clustered by question (Obuchowski).")
    auroc_lo = probability("Lower end of its 95 % interval, logit scale.")
    auroc_hi = probability("Upper end of its 95 % interval, logit scale.")
    median_value = real("Median over the rollouts of the figure itself. Not comparable between models.")


TABLES: Final = (
    Table("confidence_cells", ConfidenceCells, SOURCE, "cell", "Every cell with its keys and counts."),
    Table(
        "confidence_groups", ConfidenceGroups, SOURCE, "cell x distinct confidence",
        "Ties pooled and ranked: what every calibration and rank figure is made of.",
    ),
    Table(
        "confidence_clusters", ConfidenceClusters, SOURCE, "cell x question",
        "Sums by question: what clustered standard errors and paired differences are made of.",
    ),
    Table(
        "entropy_ranks", EntropyRanks, SOURCE, "model x dataset x condition x span x statistic",
        "AUROC of minus each figure of the entropies against correctness.",
    ),
)  # fmt: skip
