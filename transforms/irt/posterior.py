"""The E step: each model's posterior of ability by Gauss-Hermite quadrature placed where that posterior is.

Nodes that all models share are spaced ten posterior standard deviations apart once there are thousands of items, so
that each posterior collapses onto one node; nodes placed at each posterior's mode stay exact at any number of items.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

import numpy as np

from transforms.irt.data import Floats, Responses

_MODE_TOLERANCE: Final = 1e-8
_LARGEST_STEP: Final = 1.0


@dataclass(frozen=True, slots=True)
class Items:
    """Item parameters: logit of a right answer = slopes · ability + intercept. Shapes (items, dims) and (items,)."""

    slopes: Floats
    intercepts: Floats

    @property
    def dims(self) -> int:
        """Dimensions of ability."""
        return int(self.slopes.shape[1])

    def logits(self, ability: Floats, chunk: slice = slice(None)) -> Floats:
        """Return the logits (abilities x items of the chunk)."""
        return ability @ self.slopes[chunk].T + self.intercepts[chunk]


@dataclass(frozen=True, slots=True)
class Rule:
    """A Gauss-Hermite product rule for the standard normal: points (nodes, dims) and log-weights that sum to one."""

    points: Floats
    log_weights: Floats


@dataclass(frozen=True, slots=True)
class Posterior:
    """Every model's posterior: nodes (models, nodes, dims), their weights (models, nodes) and modes (models, dims)."""

    nodes: Floats
    weights: Floats
    modes: Floats
    log_likelihood: float

    @property
    def means(self) -> Floats:
        """Expected ability a model (models x dims)."""
        return np.asarray(np.einsum("sk,skd->sd", self.weights, self.nodes))

    @property
    def covariances(self) -> Floats:
        """Posterior covariance a model (models x dims x dims)."""
        centred = self.nodes - self.means[:, None, :]
        return np.asarray(np.einsum("sk,skd,ske->sde", self.weights, centred, centred))


def rule(nodes: int, dims: int) -> Rule:
    """Return the product rule with `nodes` points a dimension."""
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    logs = np.log(weights / weights.sum())
    grid = np.array(list(itertools.product(points, repeat=dims)))
    return Rule(grid, np.array([sum(w) for w in itertools.product(logs, repeat=dims)]))


def default_nodes(n_items: int, dims: int) -> int:
    """Return the nodes a dimension: the more items, the nearer a posterior is to normal and the fewer are needed."""
    if dims == 1:
        return 21 if n_items < 100 else 11 if n_items < 500 else 5 if n_items < 2000 else 3
    if dims == 2:
        return 11 if n_items < 100 else 7 if n_items < 500 else 3
    return 5 if n_items < 100 else 3


def logistic(logits: Floats) -> Floats:
    """Return 1 / (1 + exp(-logits)), overwriting the logits."""
    np.negative(logits, out=logits)
    with np.errstate(over="ignore"):  # the exponential of a large number is infinite and its reciprocal the right 0
        np.exp(logits, out=logits)
    logits += 1.0
    return np.reciprocal(logits, out=logits)


def softplus(logits: Floats) -> Floats:
    """Return log(1 + exp(logits)) without overflow: minus the log-probability of a wrong answer."""
    found = np.abs(logits)
    np.negative(found, out=found)
    np.exp(found, out=found)
    np.log1p(found, out=found)
    found += np.maximum(logits, 0.0)
    return found


def find_modes(data: Responses, items: Items, start: Floats, steps: int = 50) -> tuple[Floats, Floats]:
    """Return every model's posterior mode (models x dims) and the precision there, by Newton's method.

    The posterior is strictly log-concave, so the mode exists and is one: finite also for a model with every answer
    right. Steps are bounded, which keeps a start far away from overshooting.
    """
    modes = start
    precision = np.zeros((*start.shape, start.shape[1]))
    for _ in range(steps):
        gradient, precision = _slope_and_curvature(data, items, modes)
        step = np.linalg.solve(precision, gradient[:, :, None])[:, :, 0]
        modes = modes + np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        if np.abs(step).max() < _MODE_TOLERANCE:
            break
    return modes, precision


def _slope_and_curvature(data: Responses, items: Items, at: Floats) -> tuple[Floats, Floats]:
    def part(chunk: slice) -> tuple[Floats, Floats]:
        slopes = items.slopes[chunk]
        p = logistic(items.logits(at, chunk))
        seen = data.seen[:, chunk]
        variance = p * (1.0 - p) * seen
        squares = (slopes[:, :, None] * slopes[:, None, :]).reshape(len(slopes), -1)
        return (data.right[:, chunk] - p * seen) @ slopes, variance @ squares

    parts = data.by_chunk(data.n_models, part)
    dims = items.dims
    gradient = np.sum([found for found, _ in parts], axis=0) - at
    curvature = np.sum([found for _, found in parts], axis=0).reshape(-1, dims, dims)
    return gradient, curvature + np.eye(dims)


def posterior(data: Responses, items: Items, quadrature: Rule, start: Floats, steps: int = 50) -> Posterior:
    """Return every model's posterior under a standard normal prior of ability, and the marginal log-likelihood."""
    modes, precision = find_modes(data, items, start, steps)
    root = np.linalg.cholesky(precision)
    points = np.broadcast_to(quadrature.points.T, (len(root), *quadrature.points.T.shape))
    offsets = np.linalg.solve(root.transpose(0, 2, 1), points)
    nodes = modes[:, None, :] + offsets.transpose(0, 2, 1)
    log_density = 0.5 * (quadrature.points**2).sum(axis=1) - 0.5 * (nodes**2).sum(axis=2)
    log_scale = -np.log(np.einsum("sdd->sd", root)).sum(axis=1)
    joint = _log_likelihoods(data, items, nodes) + log_density + quadrature.log_weights + log_scale[:, None]
    highest = joint.max(axis=1, keepdims=True)
    weights = np.exp(joint - highest)
    total = weights.sum(axis=1, keepdims=True)
    return Posterior(nodes, weights / total, modes, float((highest + np.log(total)).sum()))


def _log_likelihoods(data: Responses, items: Items, nodes: Floats) -> Floats:
    """Return the log-likelihood of each model's responses at each of its nodes (models x nodes)."""
    n_models, n_nodes, dims = nodes.shape
    flat = nodes.reshape(-1, dims)

    def part(chunk: slice) -> Floats:
        wrong = softplus(items.logits(flat, chunk)).reshape(n_models, n_nodes, -1)
        if data.complete:
            return np.asarray(wrong.sum(axis=2))
        return np.asarray(np.einsum("ski,si->sk", wrong, data.seen[:, chunk]))

    lost = np.sum(data.by_chunk(len(flat), part), axis=0)
    linear = np.einsum("skd,sd->sk", nodes, data.right @ items.slopes) + (data.right @ items.intercepts)[:, None]
    return np.asarray(linear - lost)
