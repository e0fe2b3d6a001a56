"""The tables of the SRA bundle: one schema a table, from which everything else about it is generated."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from warehouse.contracts.base import (
    Table,
    big_count,
    count,
    entropy,
    flag,
    one_of,
    probability,
    real,
    sha256,
    text,
)

SOURCE: Final = "sra"
LICENCE: Final = (
    "SRA skill-confidence bundle: licence 'other', research use. Questions: SRA-Bench, MIT. MedCalc text comes from "
    "published case reports whose own terms govern its redistribution; it is blank unless 'medcalcbench' was named."
)
ROLLOUTS_PER_QUESTION: Final = 9
MODELS: Final = ("Qwen3.6-35B-A3B", "GLM-4.7-Flash", "Gemma-4-26B-A4B-it", "Qwen3-32B", "Gemma-4-31B-it")
DATASETS: Final = ("champ", "theoremqa", "medcalcbench", "logicbench")
CONDITIONS: Final = ("direct", "llm_select", "gold_skill")
SIGNALS: Final = ("agreement", "ab", "tf", "entropy_whole", "entropy_answer", "entropy_numeric")
SPANS: Final = ("whole", "answer", "numeric")
TF_PRODUCERS: Final = ("hashed", "bare", "tf")
JOIN_BASES: Final = ("answer_sha256", "position")
JOIN_STATUSES: Final = ("joined", "hash_mismatch", "stale_positional_join", "no_rollout")
COVERAGE_STATUSES: Final = ("present", "partial", "not_applicable", "withheld", "missing")
MEDCALC: Final = ("medcalcbench",)

_MODEL = "Model that answered, as the bundle's folder names it."
_DATASET = "Benchmark the question is from."
_CONDITION = "direct (no skill), llm_select (the model picks a skill from a pool) or gold_skill (annotated skill)."
_INSTANCE = "Question, as SRA-Bench names it."
_SAMPLE = "Rollout of the question-condition, 0 to 8."


class Cell(dy.Schema):
    """The keys of a cell, shared by the tables below."""

    model = text(_MODEL, key=True)
    dataset = text(_DATASET, key=True)
    condition = text(_CONDITION, key=True)


class QuestionCondition(Cell):
    """The keys of a question-condition."""

    instance_id = text(_INSTANCE, key=True)


class Rollout(QuestionCondition):
    """The keys of a rollout."""

    # `sample` is a method of dataframely's Schema, hence the alias.
    sample_ = count(_SAMPLE, alias="sample", key=True, max=ROLLOUTS_PER_QUESTION - 1)


class Questions(dy.Schema):
    """SRA-Bench's questions with their gold answers."""

    dataset = text(_DATASET, key=True)
    instance_id = text(_INSTANCE, key=True)
    question = text("Question text as SRA-Bench gives it.", restricted=MEDCALC)
    gold_answer = text("Gold answer as SRA-Bench gives it.")
    answer_kind = text(
        "How the gold answer is compared: TheoremQA's answer_type, MedCalc's output_type, LogicBench's task_type, "
        "'text' for CHAMP."
    )
    calculator_id = count("MedCalc's calculator; null elsewhere.", nullable=True)
    lower_limit = text("MedCalc: lowest answer accepted, as written; null elsewhere.", nullable=True)
    upper_limit = text("MedCalc: highest answer accepted, as written; null elsewhere.", nullable=True)
    skill_ids = dy.List(dy.String(), description="Skills annotated for the question.")


class QuestionConditions(QuestionCondition):
    """One question under one condition: the only grain at which agreement exists."""

    skill_id = text("Skill supplied; null under direct.", nullable=True)
    skill_is_annotated = flag(
        "Whether the skill supplied is one annotated for the question; null under direct.", nullable=True
    )
    native_answer = text("The model's own answer, already extracted.", nullable=True, restricted=MEDCALC)
    native_correct = flag("Whether native_answer is right by the benchmark's own rules.")
    agreement = probability(
        "Share of the nine sampled answers equal to native_answer, as the bundle states it.", nullable=True
    )
    agreement_recomputed = probability("The same share, recomputed from the stored answers.", nullable=False)
    majority_answer = text(
        "Most frequent of the nine stored answers; null on a tie or when none was extracted.",
        nullable=True,
        restricted=MEDCALC,
    )
    majority_correct = flag("Whether majority_answer is right; null where there is none.", nullable=True)
    n_distinct_answers = count("Distinct stored answers among the nine, null counted as one if it occurs.")
    n_rollouts = count("Rollouts of this question-condition.")
    n_correct = count("Rollouts that are right.")
    accuracy = probability("n_correct / n_rollouts.", nullable=False)


class Rollouts(Rollout):
    """The joined table: a rollout with its grade and with each signal that a rollout has."""

    answer = text("Answer as the producer extracted it.", nullable=True, restricted=MEDCALC)
    extracted_answer = text(
        "Answer extracted from the text by the benchmark's rules.", nullable=True, restricted=MEDCALC
    )
    correct = flag("Whether extracted_answer is right by the benchmark's own rules.")
    grade_rule = text("The comparison that decided `correct`.")
    stored_correct = flag("The producer's string comparison, kept for audit; it is not correctness.", nullable=True)
    n_tokens = count("Tokens generated, as the sampling file states it.", nullable=True, unit="tokens")
    finish_reason = text("Why generation stopped.", nullable=True)
    presence_penalty = real("Presence penalty of this sample.", nullable=True)
    cap_repair = flag("Whether the sample was drawn again after it hit the length cap.", nullable=True)
    ab_p_correct = probability("A/B probe: mean over both orders of the probability of 'correct'.")
    ab_p_correct_ab = probability("A/B probe: the same in order AB alone.")
    ab_p_correct_ba = probability("A/B probe: the same in order BA alone.")
    ab_logit = real(
        "A/B probe: mean log-odds of 'correct' over both orders; keeps ranks where the probability saturates.",
        unit="logits",
    )
    ab_letter_mass = probability("A/B probe: probability mass on the two letters, mean over both orders.")
    ab_join_basis = one_of(
        JOIN_BASES, "How the A/B record was bound to this rollout; null where none was.", nullable=True
    )
    tf_p_correct = probability(
        "T/F probe: probability of 'correct'; null where the probe failed or was not joined.", allow_nan=True
    )
    tf_producer = one_of(TF_PRODUCERS, "Schema the T/F record came in; null where none was joined.", nullable=True)
    tf_join_basis = one_of(
        JOIN_BASES, "How the T/F record was bound to this rollout; null where none was.", nullable=True
    )
    entropy_mean = entropy("Mean token entropy of the whole generation. Not comparable between models.")
    entropy_median = entropy("Median token entropy of the whole generation. Not comparable between models.")
    entropy_max = entropy("Largest token entropy of the generation. Not comparable between models.")
    answer_entropy_mean = entropy(
        "Mean entropy of the answer span; null without the span. Not comparable between models."
    )
    numeric_entropy_mean = entropy(
        "Mean entropy of the answer span's tokens that hold a digit; null without any. Not comparable between models."
    )
    n_tokens_answer = count(
        "Tokens of the answer span; 0 without one, null where spans are not known.",
        nullable=True,
        unit="tokens",
    )
    n_tokens_numeric = count(
        "Tokens of the answer span that hold an ASCII digit; null where spans are not known.",
        nullable=True,
        unit="tokens",
    )


class _Verdict(Rollout):
    answer_sha256 = sha256("SHA-256 of the answer the probe judged; null where the producer gave none.", nullable=True)
    join_basis = one_of(JOIN_BASES, "How the record is bound to a rollout.")
    join_status = one_of(JOIN_STATUSES, "What became of the record.")
    path = text("File the record came from.")
    line = big_count("Line of that file, from 1.")


class AbVerdicts(_Verdict):
    """The A/B probe's records as normalised, before the join."""

    producer = one_of(("ab",), "Schema the record came in.")
    ab_p_correct = probability("Mean over both orders of the probability of 'correct'.")
    ab_p_correct_ab = probability("The same in order AB alone.")
    ab_p_correct_ba = probability("The same in order BA alone.")
    ab_logit = real("Mean log-odds of 'correct' over both orders.", unit="logits")
    logp_a_ab = real("Log-probability of letter A in order AB, where A means 'correct'.", unit="nats")
    logp_b_ab = real("Log-probability of letter B in order AB.", unit="nats")
    logp_a_ba = real("Log-probability of letter A in order BA.", unit="nats")
    logp_b_ba = real("Log-probability of letter B in order BA, where B means 'correct'.", unit="nats")
    letter_mass_ab = probability("Probability mass on the two letters in order AB.")
    letter_mass_ba = probability("Probability mass on the two letters in order BA.")


class TfVerdicts(_Verdict):
    """The T/F probe's records as normalised, before the join."""

    producer = one_of(TF_PRODUCERS, "Schema the record came in.")
    tf_p_correct = probability(
        "Probability of 'correct'; null where the probe failed, NaN where the file says NaN.", allow_nan=True
    )
    tf_p_correct_tf = probability(
        "The same in order TF alone, where the probe was asked in two orders.", allow_nan=True
    )
    tf_p_correct_ft = probability("The same in order FT alone.", allow_nan=True)
    mean_rollout_p_correct = probability(
        "Mean of the nine as the file states it; null where it does not.", allow_nan=True
    )


class RolloutEntropies(Rollout):
    """Entropy figures of one span of a rollout, recomputed in double. Not comparable between models."""

    span = one_of(
        SPANS,
        "whole generation, answer (from the last ANSWER: or \\boxed{ on) or numeric (its tokens with a digit).",
        key=True,
    )
    n_tokens = count("Tokens of the span.", unit="tokens")
    mean = entropy("Mean entropy; null for an empty span.")
    median = entropy("Median entropy, linear interpolation.")
    p90 = entropy("90 % quantile, linear interpolation.")
    p99 = entropy("99 % quantile, linear interpolation.")
    max = entropy("Largest entropy.")
    sum = real("Sum of the entropies; 0 for an empty span.", unit="nats", min=0.0)
    share_above_0_5 = probability("Share of the tokens whose entropy is strictly above 0.5 nats.")


class TokenEntropies(Rollout):
    """One generated token with the entropy of the distribution it was drawn from."""

    position = count("Position in the generation, from 0.", key=True)
    token_id = count("Token, by the model's own tokenizer.", restricted=MEDCALC)
    entropy = dy.Float32(
        min_exclusive=0.0,
        description="Entropy over the full vocabulary at temperature 1. Not comparable between models.",
        metadata={"unit": "nats"},
    )
    in_answer = flag("Whether the token is in the answer span; null without a tokenizer.", nullable=True)
    is_numeric = flag(
        "Whether it is also one whose text holds an ASCII digit; null without a tokenizer.", nullable=True
    )


class RolloutTexts(Rollout):
    """What the model generated."""

    text = text("Generated text, special tokens left out.", restricted=MEDCALC)


class UnknownFields(Cell):
    """A value under a key that nobody knows: kept as it came, so that drift loses nothing."""

    path = text("File it stands in.", key=True)
    line = big_count("Line of that file, from 1.", key=True)
    place = count("Number among the line's unknown values, from 0.", key=True)
    instance_id = text(_INSTANCE, nullable=True)
    # `sample` is a method of dataframely's Schema, hence the alias.
    sample_ = big_count(_SAMPLE, alias="sample", nullable=True)
    field = text("The key, behind the keys of the objects it stands in.")
    value = text("The value as JSON.", restricted=MEDCALC)


class SignalCoverage(Cell):
    """Every combination of model, data set, condition and signal, and what became of it."""

    signal = one_of(SIGNALS, "Confidence signal.", key=True)
    status = one_of(
        COVERAGE_STATUSES,
        "present; partial (some values missing); not_applicable (the signal has no meaning for the model); withheld "
        "(by the publisher's design); missing (expected and not there).",
    )
    n_expected = count("Values expected: rollouts, or question-conditions for agreement.")
    n_present = count("Values present.")
    reason = text("Why, in a sentence; null where all values are present and nothing is to be said.", nullable=True)


TABLES: Final = (
    Table("questions", Questions, SOURCE, "question", "SRA-Bench's questions and gold answers."),
    Table(
        "question_conditions", QuestionConditions, SOURCE, "question-condition",
        "Agreement, the native answer's grade and the rollouts' accuracy.", by_cell=True,
    ),
    Table("rollouts", Rollouts, SOURCE, "rollout", "The joined table: grade and every rollout signal.", by_cell=True),
    Table("ab_verdicts", AbVerdicts, SOURCE, "rollout", "A/B probe records before the join.", by_cell=True),
    Table("tf_verdicts", TfVerdicts, SOURCE, "rollout", "T/F probe records before the join.", by_cell=True),
    Table("rollout_entropies", RolloutEntropies, SOURCE, "rollout x span", "Entropy figures a span.", by_cell=True),
    Table(
        "token_entropies", TokenEntropies, SOURCE, "rollout x position",
        "Entropy of every token.", by_cell=True, bulk=True,
    ),
    Table("unknown_fields", UnknownFields, SOURCE, "unknown value", "Values under keys nobody knows.", by_cell=True),
    Table("rollout_texts", RolloutTexts, SOURCE, "rollout", "Generated text.", by_cell=True),
    Table(
        "signal_coverage", SignalCoverage, SOURCE, "model x dataset x condition x signal",
        "What is there, and why the rest is not.",
    ),
)  # fmt: skip
