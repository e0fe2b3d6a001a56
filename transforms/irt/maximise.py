"""The M step: one Newton step an item, all items at once, with the weak priors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from transforms.irt.data import Floats, Responses
from transforms.irt.posterior import Items, logistic
from transforms.irt.settings import Model, Settings

_LARGEST_STEP: Final = 1.0
# Where no prior holds a parameter, these do: a slope of 20 is a step, one of 0.02 is flat, an intercept of 30 certain.
LOG_SLOPE_BOUNDS: Final = (-4.0, 3.0)
SLOPE_BOUND: Final = 20.0
INTERCEPT_BOUND: Final = 30.0


@dataclass(frozen=True, slots=True)
class Expected:
    """Gradient (items, 1 + dims) and negative Hessian (items, 1 + dims, 1 + dims) of the expected log-likelihood in
    (intercept, slopes).
    """

    gradient: Floats
    curvature: Floats


def with_one(nodes: Floats) -> Floats:
    """Return nodes with a leading 1, what the intercept is multiplied by."""
    return np.concatenate([np.ones((*nodes.shape[:-1], 1)), nodes], axis=-1)


def squared(basis: Floats) -> Floats:
    """Return the outer product of each row with itself, flattened."""
    return (basis[..., :, None] * basis[..., None, :]).reshape(*basis.shape[:-1], -1)


def expected(data: Responses, items: Items, nodes: Floats, weights: Floats) -> Expected:
    """Return the derivatives at `items`, expected over the posteriors' nodes and weights."""
    n_models, n_nodes, dims = nodes.shape
    flat = nodes.reshape(-1, dims)
    basis = with_one(flat)
    weighted = basis * weights.reshape(-1, 1)
    weighted_squares = squared(basis) * weights.reshape(-1, 1)
    mean_basis = weighted.reshape(n_models, n_nodes, -1).sum(axis=1)

    def part(chunk: slice) -> tuple[Floats, Floats]:
        p = logistic(items.logits(flat, chunk))
        if not data.complete:
            p = (p.reshape(n_models, n_nodes, -1) * data.seen[:, None, chunk]).reshape(len(flat), -1)
        gradient = data.right[:, chunk].T @ mean_basis - p.T @ weighted
        p -= p * p
        return gradient, p.T @ weighted_squares

    parts = data.by_chunk(len(flat), part)
    gradient = np.concatenate([found for found, _ in parts])
    return Expected(gradient, np.concatenate([found for _, found in parts]).reshape(-1, dims + 1, dims + 1))


def maximise(model: Model, items: Items, found: Expected, settings: Settings) -> Items:
    """Return the items after one Newton step of the penalised expected log-likelihood."""
    if model == "m2pl":
        return _signed_step(items, found, settings)
    return _positive_step(items, found, settings, shared=model == "1pl")


def precision_of(sd: float | None) -> float:
    """Return a prior's precision; zero where there is none."""
    return 0.0 if sd is None else 1.0 / sd**2


def _signed_step(items: Items, found: Expected, settings: Settings) -> Items:
    now = np.column_stack([items.intercepts, items.slopes])
    precision = np.full(now.shape[1], precision_of(settings.slope_prior_sd))
    precision[0] = precision_of(settings.intercept_prior_sd)
    gradient = found.gradient - precision * (now - now.mean(axis=0))
    curvature = found.curvature + np.diag(precision + _RIDGE)
    now = now + _bounded(np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0])
    return Items(np.clip(now[:, 1:], -SLOPE_BOUND, SLOPE_BOUND), np.clip(now[:, 0], -INTERCEPT_BOUND, INTERCEPT_BOUND))


# Keeps a system solvable where an item was answered by nobody and no prior is set; far below any information.
_RIDGE: Final = 1e-9


def log_slope_terms(items: Items, found: Expected) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return gradient of intercept and log slope, and the three curvatures, for one positive slope an item."""
    slope = items.slopes[:, 0]
    c = found.curvature
    return (
        found.gradient[:, 0],
        found.gradient[:, 1] * slope,
        c[:, 0, 0],
        c[:, 0, 1] * slope,
        c[:, 1, 1] * slope**2,
    )


def _positive_step(items: Items, found: Expected, settings: Settings, *, shared: bool) -> Items:
    g0, g1, h00, h01, h11 = log_slope_terms(items, found)
    prior = precision_of(settings.intercept_prior_sd)
    g0 = g0 - prior * (items.intercepts - items.intercepts.mean())
    h00 = h00 + prior + _RIDGE
    log_slope = np.log(items.slopes[:, 0])
    if shared:
        # The Schur complement of the intercepts: one slope, moved together with all of them.
        by_item = h01 / h00
        step1 = np.full(len(g0), (g1 - by_item * g0).sum() / ((h11 - by_item * h01).sum() + _RIDGE))
    else:
        prior = precision_of(settings.log_slope_prior_sd)
        g1 = g1 - prior * (log_slope - log_slope.mean())
        h11 = h11 + prior + _RIDGE
        step1 = (h00 * g1 - h01 * g0) / (h00 * h11 - h01**2)
    step1 = _bounded(step1)
    step0 = _bounded((g0 - h01 * step1) / h00)
    slopes = np.exp(np.clip(log_slope + step1, *LOG_SLOPE_BOUNDS))
    return Items(slopes[:, None], np.clip(items.intercepts + step0, -INTERCEPT_BOUND, INTERCEPT_BOUND))


def _bounded(step: Floats) -> Floats:
    return np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
