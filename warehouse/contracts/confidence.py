"""What the calibration views are made of: observations counted by cell, by distinct confidence and by question.

Each table is a query over `confidence_observations`, asked once when a version is built (`sql/tables/`). Every
published figure is a function of these rows, so the views answer in milliseconds and a user can follow a number to its
parts.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import polars as pl

from warehouse.contracts.base import Table, big_count, count, flag, one_of, probability, real, text
from warehouse.contracts.sra import SPANS, Cell
from warehouse.contracts.statistics import SOURCE

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
    n_cap_repair = count(
        "Observations drawn again after hitting the length cap, or with such a rollout among their nine."
    )

    every_row_counted_once = dy.rule()(
        lambda _: (
            pl.col("n_rows") == pl.col("n_in_range") + pl.col("n_out_of_range") + pl.col("n_nan") + pl.col("n_null")
        )
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

    correct_are_some = dy.rule()(lambda _: pl.col("n_correct") <= pl.col("n"))
    correct_above_are_some = dy.rule()(lambda _: pl.col("n_correct_above") <= pl.col("n_above"))


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
        "Over the right observations of the question: twice the cell's wrong ones above, once the tied ones, summed."
    )
    correct_above_wrong = big_count(
        "Over the wrong observations of the question: twice the cell's right ones above, once the tied ones, summed."
    )
    n_in_range = count("Observations with a known outcome and a confidence in [0, 1].")
    n_correct_in_range = count("Right ones among them.")
    confidence_sum = real("Sum of the confidences in [0, 1].", nullable=False, min=0.0)
    brier_sum = real("Sum of the squared differences between confidence and outcome.", nullable=False, min=0.0)
    log_loss_sum = real("Sum of the log losses, clipped at 2.220446e-16.", nullable=False, unit="nats", min=0.0)

    in_range_are_some = dy.rule()(lambda _: pl.col("n_in_range") <= pl.col("n_correct") + pl.col("n_wrong"))
    correct_are_some = dy.rule()(lambda _: pl.col("n_correct_in_range") <= pl.col("n_in_range"))


class ReliabilityBins(dy.Schema):
    """Mean confidence against accuracy in one of 10 equal-width bins."""

    cell = text(_CELL, key=True)
    bin = count("Bin, from 1 in order of confidence.", key=True)
    source = text("Data set the observations are from.")
    model = text("Model whose confidence it is.")
    lo = probability("Lower edge, outside the bin but for the first.", nullable=False)
    hi = probability("Upper edge, inside the bin.", nullable=False)
    n = count("Usable rows in the bin; 0 for an empty one.")
    n_questions = count("Questions among them.")
    n_correct = count("Right rows among them.")
    mean_confidence = real("Mean confidence of the bin's rows: it stands for the bin, not the bin's middle.")
    accuracy = probability("Share of the bin's rows that are right.")
    gap = real("mean_confidence - accuracy; above 0 is over-confident.")
    deff = real("Design effect of the accuracy; null where the bin's rows are all right, all wrong or of one question.")
    n_effective = real("n / deff, never above n; the number of questions where deff is null.", min=0.0)
    accuracy_lo = probability("Lower end of Wilson's 95 % interval of the accuracy, on n_effective rows.")
    accuracy_hi = probability("Upper end of that interval.")
    accuracy_reason = one_of(("empty",), "empty where the bin holds no row; else null.", nullable=True)

    shown_though_empty = dy.rule()(lambda _: (pl.col("n") == 0) == pl.col("accuracy").is_null())


class EntropySpanFigures(Cell):
    """Middles of the entropies of a span, and how well they tell right rollouts from wrong ones, inside one cell."""

    span = one_of(SPANS, "Tokens the figures are over.", key=True)
    n = count("Rollouts that have the span.")
    n_without_span = count("Rollouts that do not: no marker, no digit, or no tokenizer to find them with.")
    n_tokens = big_count("Tokens of the span, over all rollouts.", unit="tokens")
    median_of_mean = real("Median over rollouts of the mean entropy. Not comparable between models.", unit="nats")
    median_of_median = real("Median over rollouts of the median entropy, likewise.", unit="nats")
    median_of_p90 = real("Median over rollouts of the 90 % quantile, likewise.", unit="nats")
    median_of_max = real("Median over rollouts of the largest entropy, likewise.", unit="nats")
    median_of_share_above_0_5 = probability("Median over rollouts of the share of tokens above 0.5 nats, likewise.")
    auroc_median = probability("AUROC of minus the median entropy against correctness; null with one class.")
    auroc_p90 = probability("AUROC of minus the 90 % quantile.")
    auroc_max = probability("AUROC of minus the largest entropy.")
    auroc_share_above_0_5 = probability("AUROC of minus the share of tokens above 0.5 nats.")


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
        "reliability_bins", ReliabilityBins, SOURCE, "cell x bin",
        "The reliability diagram of every cell whose confidence is a probability, empty bins included.",
    ),
    Table(
        "entropy_span_figures", EntropySpanFigures, SOURCE, "model x dataset x condition x span",
        "Middles and AUROCs of the entropies of a span.",
    ),
)  # fmt: skip
