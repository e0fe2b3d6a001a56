"""The tables of BenchMIRT: items, models, the long response matrix, and the item response fits of it."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from warehouse.contracts.base import Table, big_count, count, flag, one_of, probability, real, sha256, text

SOURCE: Final = "benchmirt"
IRT_SOURCE: Final = "irt"
LICENCE: Final = (
    "BenchMIRT-eval-data by Ai2: CC BY 4.0, for research and education, under Ai2's responsible-use guidelines. Item "
    "texts come from benchmarks with terms of their own; they are blank unless 'benchmirt_text' was named."
)
BENCHMIRT_TEXT: Final = ("benchmirt_text",)
POLARITIES: Final = ("correct", "incorrect", "refusal", "compliance")
IRT_MODELS: Final = ("1pl", "2pl", "m2pl")
MAX_DIMS: Final = 4
SE_METHODS: Final = ("observed_information", "item_blocks")
ITEM_EXCLUSIONS: Final = ("not_selected", "not_answered", "fractional_score", "low_variance")
ALIGNMENT_STATUSES: Final = ("aligned", "misaligned", "not_comparable")
MODEL_EXCLUSIONS: Final = ("not_selected", "misaligned", "not_comparable", "not_answered")
ITEM_FLAGS: Final = ("not_answered", "one_answer", "all_right", "all_wrong", "slope_at_bound")
MODEL_FLAGS: Final = ("not_answered", "all_right", "all_wrong", "duplicate_responses")
ALL_ITEMS: Final = "all"
# An item is fitted where its mean score is strictly between these.
LOWEST_MEAN: Final = 0.05
HIGHEST_MEAN: Final = 0.95
_SD: Final = "standard deviations of ability"

_ITEM = "Item, as the response table names it; opaque, never split."
_MODEL = "Model, as the response table names it, without the prefix 'acc_norm_'."
_POLARITY = (
    "What a score of 1 means: correct (a right answer), incorrect (a wrong one: wmdp scores 1 minus right, so a model "
    "that knows nothing is safe), refusal (a refused or harmless response) or compliance (an answer to a harmless "
    "request); null where no metadata says which benchmark it is."
)
_FIT = "Fit: model and dimensions, as in 2pl-1d, with the name of a selection of items behind it where one was made."


class BenchmirtItems(dy.Schema):
    """One item with what its publishers say of it and what the responses say."""

    item_id = text(_ITEM, key=True)
    benchmark = text("Benchmark, as the item metadata names it; null without metadata.", nullable=True)
    category = text("General Reasoning or Safety, as published.", nullable=True)
    domain_superset = text("Domain, across benchmarks.", nullable=True)
    subcategory_one = text("The benchmark's own first split.", nullable=True)
    # For strongreject the publishers put the forbidden prompt itself here.
    subcategory_two = text("The benchmark's own second split.", nullable=True, restricted=BENCHMIRT_TEXT)
    subcategory_three = text("The benchmark's own third split.", nullable=True)
    question_type = text("Format of the question.", nullable=True)
    subset = text("Subset, as the response table names it.", nullable=True)
    polarity = one_of(POLARITIES, _POLARITY, nullable=True)
    in_metadata = flag("Whether the item metadata has the item; null where none was given.", nullable=True)
    n_responses = count("Models with a score.", unit="models")
    n_empty = count("Models whose cell is empty.", unit="models")
    n_nan = count("Models whose cell says NaN.", unit="models")
    n_fractional = count("Models whose score lies between 0 and 1.", unit="models")
    mean_score = probability("Mean score over the models that have one; null without any.")
    low_variance = flag(
        "Whether the item is kept out of a fit: not (0.05 < mean_score < 0.95), both strict, or no score at all."
    )
    stored_average_score = real("Mean score as the metadata states it.")
    stored_standard_deviation = real("Standard deviation of the score (n - 1) as the metadata states it.")
    stored_correlation = real("Correlation with the total as the metadata states it.")
    stored_correlation_subset = real(
        "Correlation with the subset's total as the metadata states it; the publishers write 0 where it is undefined."
    )


class BenchmirtItemTexts(dy.Schema):
    """What an item asks, where somebody gave it."""

    item_id = text(_ITEM, key=True)
    question_text = text(
        "Prompt from the item metadata. gpqa's options were shuffled without a seed, so its text cannot be rebuilt.",
        nullable=True,
        restricted=BENCHMIRT_TEXT,
    )
    question = text(
        "The response table's question column as it stands: the text of a Python dict, never evaluated.",
        nullable=True,
        restricted=BENCHMIRT_TEXT,
    )
    unknown_fields = text(
        "Columns of the item metadata that no contract knows, as JSON; null without any.",
        nullable=True,
        restricted=BENCHMIRT_TEXT,
    )


class BenchmirtModels(dy.Schema):
    """One model."""

    model = text(_MODEL, key=True)
    family = text("Model family, as published.", nullable=True)
    size = text("Size, as published.", nullable=True)
    reasoning = text("Whether it is a reasoning model, as published.", nullable=True)
    date = text("Release date, as published.", nullable=True)
    in_metadata = flag("Whether the model metadata has the model; null where none was given.", nullable=True)
    n_responses = count("Items with a score.", unit="items")
    n_empty = count("Items whose cell is empty.", unit="items")
    n_nan = count("Items whose cell says NaN.", unit="items")
    mean_score = probability("Mean score over the items that have one; null without any.")
    unknown_fields = text(
        "Columns of the model metadata that no contract knows, as JSON; null without any.", nullable=True
    )


class Response(dy.Schema):
    """The keys of a response."""

    model = text(_MODEL, key=True)
    item_id = text(_ITEM, key=True)


class BenchmirtResponses(Response):
    """One cell of the response table; a row for every cell the source has, empty ones included."""

    score = probability("Score; null where the cell is empty, NaN where it says NaN.", allow_nan=True)
    polarity = one_of(POLARITIES, _POLARITY, nullable=True)
    may_be_parse_error = flag(
        "Whether the score may hide an answer that could not be parsed: the publishers score that 0 and do not mark "
        "it. False for other scores and for multiple choice by log-probabilities; null without a score.",
        nullable=True,
    )


class BenchmirtAlignment(dy.Schema):
    """Whether a model's rows describe the same items as the other models' rows."""

    benchmark = text("Benchmark, or 'all' for every item together.", key=True)
    model = text(_MODEL, key=True)
    n_items = count("Items that tell models apart.", unit="items")
    n_shared_items = count("Items that the model and another model of group 1 answered.", unit="items")
    model_rest_correlation = real("Pearson correlation of the model's scores with the mean of all other models.")
    alignment_group = count("Group of models that agree on which items are hard; 1 is the largest.")
    group_size = count("Models of that group.", unit="models")
    own_group_correlation = real("The same with the mean of the group's other models; null for one alone.")
    main_group_correlation = real("The same with the mean of the other models of group 1.")
    main_group_agreement = real(
        "Slope of the logit of the model's scores on how easy the other models of group 1 found the items, over the "
        "slope that is usual in group 1: about 1 where rows describe the same items, 0 where not."
    )
    main_group_agreement_se = real("Its standard error, from the items shared.", min=0.0)
    alignment_status = one_of(
        ALIGNMENT_STATUSES,
        "aligned: shown to agree with group 1; misaligned: shown not to; not_comparable: what it shares is too little "
        "to tell.",
    )
    alignment_suspect = flag("Whether the model is misaligned, so that its rows may describe other items.")


def _dimension(what: str, d: int, *, min: float | None = None) -> dy.Float64:
    return real(f"{what} dimension {d}; null beyond the fit's dimensions.", unit="logits", min=min)


def _ability(what: str, d: int, *, min: float | None = None) -> dy.Float64:
    return real(f"{what} dimension {d}; null beyond the fit's dimensions.", unit=_SD, min=min)


class IrtFits(dy.Schema):
    """One fit."""

    fit_id = text(_FIT, key=True)
    irt_model = one_of(
        IRT_MODELS, "1pl: one slope; 2pl: a positive slope an item; m2pl: slopes of either sign in several dimensions."
    )
    dims = count("Dimensions of ability.", max=MAX_DIMS)
    selection = text("Name of the selection of items; null for all.", nullable=True)
    n_models = count("Models fitted.", unit="models")
    n_items = count("Items fitted.", unit="items")
    n_responses = big_count("Responses fitted.", unit="responses")
    log_likelihood = real("Marginal log-likelihood at the estimates, priors left out.", nullable=False, unit="nats")
    n_parameters = big_count("Free item parameters.")
    aic = real("2 n_parameters - 2 log_likelihood.", nullable=False)
    bic = real("ln(n_models) n_parameters - 2 log_likelihood.", nullable=False)
    n_iterations = count("Steps of expectation and maximisation.")
    converged = flag("Whether the parameters stopped moving before the limit of steps.")
    nodes_per_dimension = count("Quadrature nodes a dimension, placed at each model's posterior.")
    se_method = one_of(
        SE_METHODS,
        "observed_information: of all parameters together; item_blocks: of each item, the others taken as known.",
        nullable=True,
    )
    cv_folds = count("Folds of the cross-validation; 0 where none was made.")
    cv_seed = count("Seed of the folds.")
    settings = text("Every setting of the fit, as JSON.")
    responses_sha256 = sha256("Hash of what was fitted: models, items and responses in order.")


class IrtItems(dy.Schema):
    """One item in one fit."""

    fit_id = text(_FIT, key=True)
    item_id = text(_ITEM, key=True)
    in_fit = flag("Whether the item was fitted.")
    exclusion = one_of(ITEM_EXCLUSIONS, "Why not, where it was not.", nullable=True)
    anomaly = one_of(ITEM_FLAGS, "What is odd about the item's responses or estimates.", nullable=True)
    n_responses = count("Responses of the fit's models.", unit="models")
    mean_score = probability("Mean score over the fit's models.")
    intercept = real("Logit of a right answer at ability 0.", unit="logits")
    intercept_se = real("Its standard error.", unit="logits", min=0.0)
    discrimination = real("Slope of the logit; in several dimensions the length of the slopes (MDISC).", unit="logits")
    discrimination_se = real("Its standard error.", unit="logits", min=0.0)
    difficulty = real(
        "Ability of an even chance, -intercept / discrimination; in several dimensions along the item's own direction "
        "(MDIFF).",
        unit=_SD,
    )
    difficulty_se = real("Its standard error.", unit=_SD, min=0.0)
    slope_1 = _dimension("Slope in", 1)
    slope_2 = _dimension("Slope in", 2)
    slope_3 = _dimension("Slope in", 3)
    slope_4 = _dimension("Slope in", 4)
    slope_se_1 = _dimension("Standard error of the slope in", 1, min=0.0)
    slope_se_2 = _dimension("Standard error of the slope in", 2, min=0.0)
    slope_se_3 = _dimension("Standard error of the slope in", 3, min=0.0)
    slope_se_4 = _dimension("Standard error of the slope in", 4, min=0.0)


class IrtModels(dy.Schema):
    """One model in one fit."""

    fit_id = text(_FIT, key=True)
    model = text(_MODEL, key=True)
    in_fit = flag("Whether the model was fitted.")
    exclusion = one_of(MODEL_EXCLUSIONS, "Why not, where it was not.", nullable=True)
    anomaly = one_of(MODEL_FLAGS, "What is odd about the model's responses.", nullable=True)
    n_responses = count("Responses to the fit's items.", unit="items")
    mean_score = probability("Mean score over the fit's items.")
    ability = real(
        "Expected ability (EAP); in several dimensions that of dimension 1, along which the items discriminate most.",
        unit=_SD,
    )
    ability_se = real("Standard deviation of its posterior.", unit=_SD, min=0.0)
    ability_1 = _ability("Expected ability in", 1)
    ability_2 = _ability("Expected ability in", 2)
    ability_3 = _ability("Expected ability in", 3)
    ability_4 = _ability("Expected ability in", 4)
    ability_se_1 = _ability("Posterior standard deviation in", 1, min=0.0)
    ability_se_2 = _ability("Posterior standard deviation in", 2, min=0.0)
    ability_se_3 = _ability("Posterior standard deviation in", 3, min=0.0)
    ability_se_4 = _ability("Posterior standard deviation in", 4, min=0.0)


class IrtPredictions(dy.Schema):
    """One response with the probability predicted by a fit that had not seen it."""

    fit_id = text(_FIT, key=True)
    model = text(_MODEL, key=True)
    item_id = text(_ITEM, key=True)
    fold = count("Fold of the cross-validation the response was held out in, from 0.")
    correct = flag("Whether the score is 1; see the item's polarity for what that means.")
    predicted = probability(
        "Probability of a score of 1 at the expected ability, from the other folds; null where they hold no response "
        "of the model or of the item. Never nearer to 0 or 1 than 1e-7."
    )


TABLES: Final = (
    Table("benchmirt_items", BenchmirtItems, SOURCE, "item", "Items with published and recomputed statistics."),
    Table("benchmirt_item_texts", BenchmirtItemTexts, SOURCE, "item", "What an item asks."),
    Table("benchmirt_models", BenchmirtModels, SOURCE, "model", "Models with what their publishers say of them."),
    Table("benchmirt_responses", BenchmirtResponses, SOURCE, "model x item", "The response matrix, long."),
    Table(
        "benchmirt_alignment", BenchmirtAlignment, SOURCE, "benchmark x model",
        "Which models' rows describe the same items.",
    ),
    Table("irt_fits", IrtFits, IRT_SOURCE, "fit", "Item response fits: likelihood, criteria, settings."),
    Table("irt_items", IrtItems, IRT_SOURCE, "fit x item", "Item parameters with standard errors."),
    Table("irt_models", IrtModels, IRT_SOURCE, "fit x model", "Abilities with standard errors."),
    Table("irt_predictions", IrtPredictions, IRT_SOURCE, "fit x model x item", "Out-of-fold predictions."),
)  # fmt: skip
