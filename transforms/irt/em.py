"""Marginal maximum likelihood by expectation and maximisation, with the latent scale re-estimated in every step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from transforms.irt.data import Floats, Responses
from transforms.irt.maximise import expected, maximise
from transforms.irt.posterior import Items, Posterior, default_nodes, posterior, rule
from transforms.irt.settings import Model, Settings

_START_STEPS: Final = 3
_MODE_STEPS: Final = 50
_MODE_STEPS_WITHIN: Final = 2
_LEAST_VARIANCE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Estimate:
    """Items at the end, the standardised posteriors under them, quadrature nodes a dimension, and how it ended."""

    items: Items
    posterior: Posterior
    nodes: int
    iterations: int
    converged: bool


def estimate(data: Responses, model: Model, dims: int, settings: Settings) -> Estimate:
    """Return the item parameters that maximise the penalised expected likelihood given standardised abilities.

    In every step the posteriors are put on a scale where ability has mean zero and unit covariance over the models,
    before the items are fitted to them. Without priors this is maximum likelihood, and quick. With them it keeps the
    priors of thousands of items from outvoting the one of a hundred models, which would move the scale of ability,
    slowly, to several times its unit.
    """
    nodes = settings.nodes or default_nodes(data.n_items, dims)
    quadrature = rule(nodes, dims)
    modes = start_abilities(data, dims)
    items = _start_items(data, model, modes, settings)
    iterations, converged = 0, False
    while iterations < settings.max_iterations and not converged:
        found = posterior(data, items, quadrature, modes, _MODE_STEPS_WITHIN if iterations else _MODE_STEPS)
        scaled = standardise(found)
        following = maximise(model, items, expected(data, items, scaled.nodes, scaled.weights), settings)
        following, modes = align(following, scaled.modes, items)
        change = _change(items, following)
        items, iterations, converged = following, iterations + 1, change < settings.tolerance
    found = standardise(posterior(data, items, quadrature, modes))
    return Estimate(items, found, nodes, iterations, converged)


def start_abilities(data: Responses, dims: int) -> Floats:
    """Return where ability starts: the principal components of the standardised residuals, of unit variance.

    In one dimension these are replaced by the standardised share of right answers, whose sign is known.
    """
    n = np.maximum(data.seen.sum(axis=0), 1.0)
    p = (data.right.sum(axis=0) + 0.5) / (n + 1.0)
    residual = (data.right - p * data.seen) / np.sqrt(p * (1.0 - p))
    if dims == 1:
        start = (residual.sum(axis=1) / np.sqrt(np.maximum(data.seen.sum(axis=1), 1.0)))[:, None]
    else:
        start = np.linalg.eigh(residual @ residual.T)[1][:, ::-1][:, :dims]
    start = start - start.mean(axis=0)
    return np.asarray(start / np.maximum(start.std(axis=0), _LEAST_VARIANCE))


def _start_items(data: Responses, model: Model, ability: Floats, settings: Settings) -> Items:
    n = data.seen.sum(axis=0)
    p = (data.right.sum(axis=0) + 0.5) / (n + 1.0)
    slopes = np.zeros((data.n_items, ability.shape[1])) if model == "m2pl" else np.ones((data.n_items, 1))
    items = Items(slopes, np.log(p / (1.0 - p)))
    nodes, weights = ability[:, None, :], np.ones((data.n_models, 1))
    for _ in range(_START_STEPS):
        items = maximise(model, items, expected(data, items, nodes, weights), settings)
    return items


def standardise(found: Posterior) -> Posterior:
    """Return the posteriors on the scale where ability has mean zero and unit covariance over the models.

    The root of the covariance is the symmetric one, which does not rotate.
    """
    mean = found.means.mean(axis=0)
    centred = found.nodes - mean
    covariance = np.einsum("sk,skd,ske->de", found.weights, centred, centred) / len(found.weights)
    values, vectors = np.linalg.eigh(covariance)
    inverse = (vectors / np.sqrt(np.maximum(values, _LEAST_VARIANCE))) @ vectors.T
    return replace(found, nodes=centred @ inverse, modes=(found.modes - mean) @ inverse)


def align(items: Items, modes: Floats, reference: Items) -> tuple[Items, Floats]:
    """Return items and modes rotated as near to `reference` as an orthogonal matrix brings them.

    The likelihood does not change under rotation, so without this the axes turn for ever by the same small angle and
    no step is ever small.
    """
    if items.dims == 1:
        return items, modes
    left, _, right = np.linalg.svd(items.slopes.T @ reference.slopes)
    rotation = left @ right
    return Items(items.slopes @ rotation, items.intercepts), modes @ rotation


def _change(before: Items, after: Items) -> float:
    moved = np.column_stack([after.slopes - before.slopes, after.intercepts - before.intercepts])
    return float(np.sqrt((moved**2).mean()))
