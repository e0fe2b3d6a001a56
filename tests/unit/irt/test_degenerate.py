"""Inputs without information: refused by name, or finite and flagged."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.irt.data import LSAT7, Floats, simulated
from transforms.irt import WITHOUT_PRIORS, Fit, IrtInputError, Settings, fit
from transforms.irt.settings import MAX_DIMS

MODELS = ("1pl", "2pl", "m2pl")


@pytest.fixture
def responses() -> Floats:
    return simulated(20, 60, seed=11).responses


def assert_finite(found: Fit) -> None:
    for values in (found.slopes, found.intercepts, found.abilities, found.ability_se, found.difficulty):
        assert np.isfinite(values).all()
    assert np.isfinite(found.predict()).all()
    assert np.isfinite(found.log_likelihood)
    assert np.isfinite(found.parameter_se).all()


def flagged(found: Fit) -> dict[int, str]:
    return {i: flag for i, flag in enumerate(found.item_flags) if flag is not None}


@pytest.mark.parametrize("model", MODELS)
def test_ordinary_responses_have_no_flag(responses: Floats, model: str) -> None:
    found = fit(responses, model)  # type: ignore[arg-type]
    assert_finite(found)
    assert not flagged(found)
    assert all(flag is None for flag in found.model_flags)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("value", "flag"), [(1.0, "all_right"), (0.0, "all_wrong")])
def test_a_constant_column_is_finite_by_the_prior_and_flagged(
    responses: Floats, model: str, value: float, flag: str
) -> None:
    responses[:, 5] = value
    found = fit(responses, model)  # type: ignore[arg-type]
    assert_finite(found)
    assert flagged(found) == {5: flag}
    others = np.delete(found.intercepts, 5)
    assert (found.intercepts[5] > others.max()) if value else (found.intercepts[5] < others.min())


@pytest.mark.parametrize("model", MODELS)
def test_a_model_with_every_answer_right_has_the_highest_ability(responses: Floats, model: str) -> None:
    responses[4], responses[9] = 1.0, 0.0
    found = fit(responses, model)  # type: ignore[arg-type]
    assert_finite(found)
    assert found.abilities[:, 0].argmax() == 4
    assert found.abilities[:, 0].argmin() == 9
    assert (found.model_flags[4], found.model_flags[9]) == ("all_right", "all_wrong")


def test_models_with_equal_responses_are_flagged_and_equal(responses: Floats) -> None:
    responses[7] = responses[2]
    found = fit(responses)
    assert_finite(found)
    assert [i for i, flag in enumerate(found.model_flags) if flag == "duplicate_responses"] == [2, 7]
    assert found.abilities[7] == pytest.approx(found.abilities[2])


def test_models_that_are_all_equal_tell_nothing_and_are_refused() -> None:
    one = simulated(1, 40, seed=1).responses
    with pytest.raises(IrtInputError, match=r"0 items have both right and wrong answers \(2pl in 1 dimension needs 3"):
        fit(np.repeat(one, 6, axis=0))


@pytest.mark.parametrize("model", MODELS)
def test_an_item_that_one_model_answered_is_finite_and_flagged(responses: Floats, model: str) -> None:
    responses[1:, 3] = np.nan
    found = fit(responses, model)  # type: ignore[arg-type]
    assert_finite(found)
    assert flagged(found) == {3: "one_answer"}


@pytest.mark.parametrize("model", MODELS)
def test_an_item_that_nobody_answered_is_finite_and_flagged(responses: Floats, model: str) -> None:
    responses[:, 3] = np.nan
    found = fit(responses, model)  # type: ignore[arg-type]
    assert_finite(found)
    assert flagged(found) == {3: "not_answered"}
    assert found.intercepts[3] == pytest.approx(found.intercepts.mean(), abs=0.05)


def test_a_model_that_answered_nothing_has_the_prior(responses: Floats) -> None:
    responses[6] = np.nan
    found = fit(responses)
    assert_finite(found)
    assert found.model_flags[6] == "not_answered"
    assert found.abilities[6, 0] == pytest.approx(0.0, abs=0.05)
    assert found.ability_se[6, 0] == pytest.approx(1.0, abs=0.05)


def test_two_models_are_enough() -> None:
    found = fit(simulated(2, 50, seed=3).responses)
    assert_finite(found)


def test_a_slope_that_runs_away_is_held_and_flagged() -> None:
    # Guttman's perfect scale: without a prior every slope is infinite.
    scale = (np.arange(12)[:, None] > np.arange(1, 11)[None, :]).astype(float)
    found = fit(scale, "2pl", settings=WITHOUT_PRIORS)
    assert np.isfinite(found.slopes).all()
    assert set(flagged(found).values()) == {"slope_at_bound"}
    assert (np.diff(found.abilities[:, 0]) >= 0.0).all()


def test_a_fit_stopped_early_says_so() -> None:
    stopped = fit(LSAT7, settings=Settings(max_iterations=3))
    assert (stopped.converged, stopped.iterations) == (False, 3)
    assert fit(LSAT7).converged


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (np.ones(5), "1 dimensions; expected a matrix"),
        (np.ones((2, 2, 2)), "3 dimensions; expected a matrix"),
        (np.array([[1.0, 0.0, 1.0]]), "1 models; a fit needs at least 2"),
        (np.empty((0, 3)), "0 models"),
        (np.empty((3, 0)), "no items"),
        (np.ones((4, 3)), "Every response is the same"),
        (np.full((4, 3), np.nan), "or there is none"),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), r"1 responses in 1 items \(columns 1\) are neither 0 nor 1"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), "neither 0 nor 1"),
        (np.array([[1.0, np.inf], [0.0, 1.0]]), "neither 0 nor 1"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_words(found: Floats, says: str) -> None:
    with pytest.raises(IrtInputError, match=says):
        fit(found)


def test_many_columns_are_counted_and_not_all_listed() -> None:
    responses = np.full((3, 40), 0.5)
    with pytest.raises(IrtInputError, match=r"120 responses in 40 items .* 9 and 30 more"):
        fit(responses)


def test_constant_items_are_refused_where_no_prior_keeps_them_finite(responses: Floats) -> None:
    responses[:, 5] = 1.0
    responses[:, 8] = np.nan
    with pytest.raises(IrtInputError, match=r"2 items \(columns 5, 8\) have only right or only wrong answers, or none"):
        fit(responses, settings=WITHOUT_PRIORS)


@pytest.mark.parametrize(
    ("model", "dims", "says"),
    [
        ("3pl", 1, "no model '3pl'; expected one of 1pl, 2pl, m2pl"),
        ("2pl", 2, "2pl has one dimension and 2 were asked for; use m2pl"),
        ("1pl", 3, "1pl has one dimension"),
        ("m2pl", 0, "0 dimensions were asked for; expected 1 to 4"),
        ("m2pl", MAX_DIMS + 1, "5 dimensions were asked for"),
    ],
)
def test_a_model_that_does_not_exist_is_refused(responses: Floats, model: str, dims: int, says: str) -> None:
    with pytest.raises(IrtInputError, match=says):
        fit(responses, model, dims)  # type: ignore[arg-type]


# Ledermann (1937): the most factors that so many variables identify; a single slope needs two items.
LEAST_ITEMS = {("1pl", 1): 2, ("2pl", 1): 3, ("m2pl", 1): 3, ("m2pl", 2): 5, ("m2pl", 3): 6, ("m2pl", 4): 8}


@pytest.mark.parametrize(("model", "dims"), LEAST_ITEMS)
@pytest.mark.parametrize("others", [0, 30])
def test_too_few_items_that_tell_models_apart_are_refused(model: str, dims: int, others: int) -> None:
    n = LEAST_ITEMS[(model, dims)]
    responses = simulated(60, n, dims, seed=2).responses
    assert (np.ptp(responses, axis=0) == 1.0).all()
    constant = np.ones((60, others))
    quick = Settings(max_iterations=3)
    assert_finite(fit(np.hstack([responses, constant]), model, dims, quick))  # type: ignore[arg-type]
    with pytest.raises(IrtInputError, match=f"{n - 1} items have both right and wrong .* needs {n} or more"):
        fit(np.hstack([responses[:, 1:], constant]), model, dims, quick)  # type: ignore[arg-type]


@pytest.mark.parametrize("dims", [2, 3, 4])
def test_as_many_dimensions_as_models_are_refused(dims: int) -> None:
    with pytest.raises(
        IrtInputError, match=rf"{dims} models cannot span {dims} dimensions \(expected {dims + 1} or more"
    ):
        fit(simulated(dims, 60, seed=5).responses, "m2pl", dims)
    enough = fit(simulated(dims + 1, 60, seed=5).responses, "m2pl", dims, Settings(max_iterations=3))
    assert_finite(enough)


def test_a_model_without_answers_spans_no_dimension() -> None:
    responses = simulated(3, 60, seed=5).responses
    responses[2] = np.nan
    with pytest.raises(IrtInputError, match="2 models cannot span 2 dimensions"):
        fit(responses, "m2pl", 2)


def test_fewer_responses_than_parameters_are_refused() -> None:
    """Every item was answered by two of 20 models: 80 responses, and two parameters an item and a rotation."""
    responses = np.full((20, 40), np.nan)
    responses[np.arange(40) % 20, np.arange(40)] = 1.0
    responses[(np.arange(40) + 1) % 20, np.arange(40)] = 0.0
    quick = Settings(max_iterations=3)
    assert_finite(fit(responses, "2pl", 1, quick))
    with pytest.raises(IrtInputError, match="80 responses for the 119 parameters of m2pl in 2 dimensions") as caught:
        fit(responses, "m2pl", 2, quick)
    assert "ask for fewer dimensions" in str(caught.value)


def test_all_that_lacks_is_said_at_once() -> None:
    with pytest.raises(IrtInputError, match=r"2 models cannot span 3 .*; 3 items have both .*; there are 6 resp"):
        fit(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), "m2pl", 3)
