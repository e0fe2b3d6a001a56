"""What was put into simulated responses comes out of the fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.unit.irt.data import root_mean_square, simulated
from transforms.irt import fit


def test_parameters_of_200_models_and_2000_items_are_recovered() -> None:
    drawn = simulated(200, 2000, seed=1)
    found = fit(drawn.responses)
    assert found.converged
    assert root_mean_square(found.predict() - drawn.probabilities) <= 0.045
    assert np.corrcoef(found.abilities[:, 0], drawn.abilities[:, 0])[0, 1] >= 0.99
    assert np.corrcoef(found.difficulty, -drawn.intercepts / drawn.slopes[:, 0])[0, 1] >= 0.96
    assert spearmanr(found.discrimination, drawn.slopes[:, 0])[0] >= 0.85


def test_a_tenth_of_the_cells_missing_costs_little() -> None:
    drawn = simulated(200, 1000, seed=2)
    responses = drawn.responses.copy()
    responses[np.random.default_rng(0).random(responses.shape) < 0.1] = np.nan
    found = fit(responses)
    assert found.n_responses == int((~np.isnan(responses)).sum())
    assert root_mean_square(found.predict() - drawn.probabilities) <= 0.046
    assert np.corrcoef(found.abilities[:, 0], drawn.abilities[:, 0])[0, 1] >= 0.99


def test_one_slope_is_recovered_where_there_is_one() -> None:
    drawn = simulated(200, 300, seed=3)
    logits = 1.3 * drawn.abilities + drawn.intercepts
    responses = (np.random.default_rng(1).random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(float)
    found = fit(responses, "1pl")
    spread = drawn.abilities.std()
    assert found.discrimination == pytest.approx(np.full(300, 1.3 * spread), abs=0.05)
    assert (found.discrimination == found.discrimination[0]).all()


@pytest.mark.parametrize("dims", [2, 3])
def test_several_dimensions_predict_better_than_one(dims: int) -> None:
    drawn = simulated(150, 600, dims=dims, seed=dims)
    several = fit(drawn.responses, "m2pl", dims)
    one = fit(drawn.responses, "2pl")
    assert several.converged
    error = root_mean_square(several.predict() - drawn.probabilities)
    assert error < 0.08
    assert error < 0.7 * root_mean_square(one.predict() - drawn.probabilities)
    # A linear map takes the estimated abilities to the true ones: the axes themselves are arbitrary.
    design = np.column_stack([np.ones(150), several.abilities])
    fitted = design @ np.linalg.lstsq(design, drawn.abilities, rcond=None)[0]
    for d in range(dims):
        assert np.corrcoef(fitted[:, d], drawn.abilities[:, d])[0, 1] >= 0.98


def test_an_item_on_which_able_models_fail_has_a_negative_slope_only_where_slopes_have_signs() -> None:
    drawn = simulated(120, 60, seed=8)
    responses = drawn.responses.copy()
    responses[:, 7] = 1.0 - responses[:, 7]
    assert fit(responses, "m2pl").slopes[7, 0] < 0.0
    assert 0.0 < fit(responses, "2pl").slopes[7, 0] < 0.4


def test_few_models_and_many_items_stay_on_the_scale_of_ability() -> None:
    # Where the priors of the items may move the scale, twelve models are enough for it to run away.
    drawn = simulated(12, 2000, dims=2, seed=4)
    found = fit(drawn.responses, "m2pl", 2)
    assert found.converged
    assert found.abilities.mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-6)
    assert found.abilities.var(axis=0) + (found.ability_se**2).mean(axis=0) == pytest.approx([1.0, 1.0], abs=1e-3)
    assert np.abs(found.slopes).max() < 4.0
