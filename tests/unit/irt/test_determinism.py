"""Equal inputs give equal bits, whatever the number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tests.unit.irt.data import simulated
from transforms.irt import fit


@pytest.mark.parametrize(("model", "dims"), [("1pl", 1), ("2pl", 1), ("m2pl", 2)])
def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch, model: str, dims: int) -> None:
    responses = simulated(60, 1500, dims=2, seed=1).responses
    found = []
    for threads in (1, 2, 4):
        monkeypatch.setattr("os.cpu_count", lambda n=threads: n)
        with threadpool_limits(threads, user_api="blas"):
            found.append(fit(responses, model, dims))  # type: ignore[arg-type]
    for other in found[1:]:
        assert np.array_equal(other.slopes, found[0].slopes)
        assert np.array_equal(other.intercepts, found[0].intercepts)
        assert np.array_equal(other.abilities, found[0].abilities)
        assert np.array_equal(other.parameter_se, found[0].parameter_se)
        assert other.log_likelihood == found[0].log_likelihood


@pytest.mark.parametrize(("model", "dims"), [("2pl", 1), ("m2pl", 2)])
def test_the_order_of_rows_and_columns_changes_nothing_but_rounding(model: str, dims: int) -> None:
    responses = simulated(40, 150, dims=2, seed=2).responses
    random = np.random.default_rng(0)
    rows, columns = random.permutation(40), random.permutation(150)
    straight = fit(responses, model, dims)  # type: ignore[arg-type]
    shuffled = fit(responses[rows][:, columns], model, dims)  # type: ignore[arg-type]
    assert shuffled.slopes == pytest.approx(straight.slopes[columns], abs=1e-4)
    assert shuffled.abilities == pytest.approx(straight.abilities[rows], abs=1e-4)
    assert shuffled.log_likelihood == pytest.approx(straight.log_likelihood, abs=1e-2)
