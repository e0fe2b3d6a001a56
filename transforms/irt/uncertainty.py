"""Standard errors of the item parameters from the observed information, by Louis's identity.

The observed information is the expected information of the complete data less what is missing because ability is not
observed: the posterior covariance of the score.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from transforms.irt.data import Floats, Responses
from transforms.irt.em import Estimate
from transforms.irt.maximise import Expected, expected, precision_of, squared, with_one
from transforms.irt.posterior import Items, Posterior, logistic
from transforms.irt.settings import Model, Settings

Method = Literal["observed_information", "item_blocks"]
_MOST_PARAMETERS: Final = 400
_MOST_SCORES: Final = 10_000_000


def item_covariances(data: Responses, model: Model, found: Estimate, settings: Settings) -> tuple[Floats, Method]:
    """Return each item's covariance of (intercept, slopes), shape (items, 1 + dims, 1 + dims), and how it was got.

    `observed_information` inverts the information of all parameters together; `item_blocks`, where they are too many
    or where the axes may turn, inverts each item's own block, which takes the other items as known. A covariance that
    does not exist is NaN.
    """
    at = found.posterior
    complete = expected(data, found.items, at.nodes, at.weights)
    n_parameters = 2 * data.n_items
    small = n_parameters <= _MOST_PARAMETERS and at.weights.size * n_parameters <= _MOST_SCORES
    if model != "m2pl" and small:
        return _whole(data, model, found, complete, settings), "observed_information"
    blocks = complete.curvature - _missing_blocks(data, found.items, at)
    if model == "m2pl":
        prior = np.full(blocks.shape[1], precision_of(settings.slope_prior_sd))
        prior[0] = precision_of(settings.intercept_prior_sd)
        return _inverse(blocks + np.diag(prior)), "item_blocks"
    return _positive_blocks(model, found.items, complete, blocks, settings), "item_blocks"


def _missing_blocks(data: Responses, items: Items, at: Posterior) -> Floats:
    """Return each item's posterior covariance of its score, summed over models."""
    n_models, n_nodes, dims = at.nodes.shape
    flat = at.nodes.reshape(-1, dims)
    basis = with_one(at.nodes)
    weighted = basis * at.weights[:, :, None]
    weighted_squares = (squared(basis) * at.weights[:, :, None]).reshape(len(flat), -1)

    def part(chunk: slice) -> Floats:
        p = logistic(items.logits(flat, chunk)).reshape(n_models, n_nodes, -1)
        residual = (data.right[:, None, chunk] - p) * data.seen[:, None, chunk]
        mean = np.einsum("ski,skd->sid", residual, weighted)
        residual *= residual
        second = residual.reshape(len(flat), -1).T @ weighted_squares
        return np.asarray(second.reshape(-1, dims + 1, dims + 1) - np.einsum("sid,sie->ide", mean, mean))

    return np.concatenate(data.by_chunk(len(flat), part))


def _to_log_slope(items: Items, complete: Expected, blocks: Floats) -> Floats:
    """Return the blocks in (intercept, log slope), the curvature of the logarithm included."""
    slope = items.slopes[:, 0]
    jacobian = np.stack([np.ones_like(slope), slope], axis=1)
    found = blocks * jacobian[:, :, None] * jacobian[:, None, :]
    found[:, 1, 1] -= complete.gradient[:, 1] * slope
    return found


def _positive_blocks(model: Model, items: Items, complete: Expected, blocks: Floats, settings: Settings) -> Floats:
    found = _to_log_slope(items, complete, blocks)
    found[:, 0, 0] += precision_of(settings.intercept_prior_sd)
    if model == "1pl":
        by_item = found[:, 0, 1] / found[:, 0, 0]
        variance = 1.0 / (found[:, 1, 1] - by_item * found[:, 0, 1]).sum()
        covariance = np.empty_like(found)
        covariance[:, 0, 0] = 1.0 / found[:, 0, 0] + by_item**2 * variance
        covariance[:, 0, 1] = covariance[:, 1, 0] = -by_item * variance
        covariance[:, 1, 1] = variance
    else:
        found[:, 1, 1] += precision_of(settings.log_slope_prior_sd)
        covariance = _inverse(found)
    return _from_log_slope(items, covariance)


def _from_log_slope(items: Items, covariance: Floats) -> Floats:
    scale = np.stack([np.ones(len(covariance)), items.slopes[:, 0]], axis=1)
    return np.asarray(covariance * scale[:, :, None] * scale[:, None, :])


def _inverse(information: Floats) -> Floats:
    """Return the inverses of symmetric matrices; NaN where one is not positive definite."""
    usable = np.linalg.eigvalsh(information)[:, 0] > 0.0
    found = np.full_like(information, np.nan)
    found[usable] = np.linalg.inv(information[usable])
    return found


def _whole(data: Responses, model: Model, found: Estimate, complete: Expected, settings: Settings) -> Floats:
    """Return the items' covariances from the information of all intercepts, then all log slopes, together."""
    n, items = data.n_items, found.items
    blocks = _to_log_slope(items, complete, complete.curvature)
    information = np.block(
        [[np.diag(blocks[:, i, j]) for j in range(2)] for i in range(2)],
    ) - _missing_whole(data, items, found.posterior)
    # The priors act on the distance from the mean of all items.
    centring = np.eye(n) - 1.0 / n
    information[:n, :n] += precision_of(settings.intercept_prior_sd) * centring
    if model == "1pl":
        tie = np.zeros((2 * n, n + 1))
        tie[:n, :n], tie[n:, n] = np.eye(n), 1.0
        covariance = tie @ _inverse((tie.T @ information @ tie)[None])[0] @ tie.T
    else:
        information[n:, n:] += precision_of(settings.log_slope_prior_sd) * centring
        covariance = _inverse(information[None])[0]
    own = np.stack([np.stack([np.diag(covariance[i * n : (i + 1) * n, j * n : (j + 1) * n]) for j in range(2)], axis=1)
                    for i in range(2)], axis=1)  # fmt: skip
    return _from_log_slope(items, own)


def _missing_whole(data: Responses, items: Items, at: Posterior) -> Floats:
    """Return the posterior covariance of the whole score (intercepts, then log slopes), summed over models."""
    p = logistic(items.logits(at.nodes.reshape(-1, 1))).reshape(*at.weights.shape, -1)
    residual = (data.right[:, None, :] - p) * data.seen[:, None, :]
    score = np.concatenate([residual, residual * at.nodes * items.slopes[:, 0]], axis=2)
    mean = np.einsum("skp,sk->sp", score, at.weights)
    flat = (score * np.sqrt(at.weights)[:, :, None]).reshape(at.weights.size, -1)
    return np.asarray(flat.T @ flat - mean.T @ mean)
