"""Items that were given twice are told from items that are equal by chance."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.irt.data import LSAT6, Floats, simulated
from transforms.irt import Settings, fit
from transforms.irt.repeated import Repeated, repeated_items

SIZES = ((5, 60), (8, 200), (12, 400), (20, 400), (60, 300))


def found(responses: Floats) -> Repeated:
    return repeated_items(responses, fit(responses, settings=Settings(standard_errors=False)).predict())


def drawn(n_models: int, n_items: int, seed: int, missing: float) -> Floats:
    responses = simulated(n_models, n_items, seed=seed).responses
    responses[np.random.default_rng(seed).random(responses.shape) < missing] = np.nan
    return responses[:, np.nanstd(responses, axis=0) > 0.0] if not missing else responses


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("n_models", "n_items"), SIZES)
def test_items_given_once_are_not_noticed_however_few_models_there_are(
    n_models: int, n_items: int, missing: float
) -> None:
    for seed in range(3):
        once = found(drawn(n_models, n_items, seed, missing))
        assert not once.suspicious
        assert len(once.items) == pytest.approx(once.expected, abs=3.0 * np.sqrt(2.0 * once.expected) + 5.0)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("n_models", "n_items"), SIZES)
def test_items_that_were_all_given_twice_are_noticed(n_models: int, n_items: int, missing: float) -> None:
    responses = drawn(n_models, n_items, 1, missing)
    twice = found(np.hstack([responses, responses]))
    assert twice.suspicious
    assert len(twice.items) == 2 * responses.shape[1]


def test_one_pair_among_many_models_is_noticed() -> None:
    responses = simulated(100, 50, seed=3).responses
    assert not found(responses).suspicious
    twice = found(np.hstack([responses, responses[:, 20:21]]))
    assert twice.suspicious
    assert twice.items.tolist() == [20, 50]


def test_errors_of_ability_shrink_where_items_are_given_twice() -> None:
    """What the warning says: by the root of two."""
    responses = simulated(60, 300, seed=2).responses
    once, twice = fit(responses), fit(np.hstack([responses, responses]))
    assert np.median(twice.ability_se / once.ability_se) == pytest.approx(np.sqrt(0.5), abs=0.03)


def test_a_test_of_people_is_not_noticed() -> None:
    assert not found(LSAT6).suspicious
