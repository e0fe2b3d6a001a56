"""Fitting an item response model to a matrix of responses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from transforms.irt.blas import one_blas_thread
from transforms.irt.data import Floats, Responses, check_responses, refuse_too_little, refuse_without_priors
from transforms.irt.em import Estimate, estimate
from transforms.irt.maximise import LOG_SLOPE_BOUNDS, SLOPE_BOUND
from transforms.irt.orientation import canonical_rotation
from transforms.irt.posterior import Items, logistic
from transforms.irt.settings import IrtInputError, Model, Settings, check_model, n_parameters
from transforms.irt.uncertainty import Method, item_covariances

_AT_BOUND = 1e-6
Flags = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model. logit P(right) = slopes · ability + intercept; ability is standard normal over the models.

    Shapes: `slopes` (items, dims), `intercepts` (items,), `covariances` of (intercept, slopes) an item
    (items, 1 + dims, 1 + dims) or None, `abilities` and `ability_se` (models, dims): mean and standard deviation of
    the posterior. `item_flags` and `model_flags` name what is odd about a row or column, else None.
    """

    model: Model
    dims: int
    settings: Settings
    slopes: Floats
    intercepts: Floats
    covariances: Floats | None
    abilities: Floats
    ability_se: Floats
    log_likelihood: float
    n_responses: int
    iterations: int
    converged: bool
    nodes: int
    se_method: Method | None
    item_flags: Flags
    model_flags: Flags

    @property
    def n_models(self) -> int:
        """Models fitted."""
        return len(self.abilities)

    @property
    def n_items(self) -> int:
        """Items fitted."""
        return len(self.intercepts)

    @property
    def n_parameters(self) -> int:
        """Free item parameters; a rotation of several dimensions is not one."""
        return n_parameters(self.model, self.dims, self.n_items)

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, with the number of models as sample size."""
        return float(np.log(self.n_models)) * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def discrimination(self) -> Floats:
        """The slope; in several dimensions its length (MDISC)."""
        return self.slopes[:, 0] if self.dims == 1 else np.asarray(np.linalg.norm(self.slopes, axis=1))

    @property
    def difficulty(self) -> Floats:
        """The ability at which a right answer has probability one half, -intercept / discrimination; in several
        dimensions measured along the item's own direction (MDIFF). NaN where the slope is zero.
        """
        slope = self.discrimination
        return np.divide(-self.intercepts, slope, out=np.full_like(slope, np.nan), where=slope != 0.0)

    @property
    def parameter_se(self) -> Floats:
        """Standard errors of (intercept, slopes), shape (items, 1 + dims); NaN where there is none."""
        if self.covariances is None:
            return np.full((self.n_items, 1 + self.dims), np.nan)
        return np.asarray(np.sqrt(np.einsum("idd->id", self.covariances)))

    @property
    def discrimination_se(self) -> Floats:
        """Standard errors of the discrimination, by the delta method."""
        return self._delta(np.column_stack([np.zeros(self.n_items), self._direction()]))

    @property
    def difficulty_se(self) -> Floats:
        """Standard errors of the difficulty, by the delta method."""
        slope = np.where(self.discrimination == 0.0, np.nan, self.discrimination)
        by_slope = -self.difficulty[:, None] * self._direction() / slope[:, None]
        return self._delta(np.column_stack([-1.0 / slope, by_slope]))

    def _direction(self) -> Floats:
        """Derivative of the discrimination by the slopes."""
        if self.dims == 1:
            return np.ones((self.n_items, 1))
        length = np.where(self.discrimination == 0.0, np.nan, self.discrimination)
        return np.asarray(self.slopes / length[:, None])

    def _delta(self, gradient: Floats) -> Floats:
        if self.covariances is None:
            return np.full(self.n_items, np.nan)
        return np.asarray(np.sqrt(np.einsum("id,ide,ie->i", gradient, self.covariances, gradient)))

    def logits(self) -> Floats:
        """Return the logit of a right answer (models x items) at the expected abilities."""
        return self.abilities @ self.slopes.T + self.intercepts

    def predict(self) -> Floats:
        """Return the probability of a right answer (models x items) at the expected abilities."""
        return logistic(self.logits())


def fit(responses: npt.ArrayLike, model: Model = "2pl", dims: int = 1, settings: Settings | None = None) -> Fit:
    """Fit a model to responses (models x items; 1 right, 0 wrong, NaN not answered).

    `1pl` has one slope for all items, `2pl` a positive slope an item, `m2pl` slopes of either sign in `dims`
    dimensions, in canonical orientation. The result depends on responses and settings alone: not on the number of
    threads, and there is no random start. Items or models without information are finite, by the priors, and flagged.

    Raises IrtInputError where the input cannot be fitted.
    """
    check_model(model, dims)
    chosen = settings or Settings()
    data = check_responses(responses)
    refuse_too_little(data, model, dims)
    refuse_without_priors(data, chosen)
    with one_blas_thread():
        found = estimate(data, model, dims, chosen)
        covariances, method = item_covariances(data, model, found, chosen) if chosen.standard_errors else (None, None)
    fitted = _assemble(data, model, chosen, found)
    return _orient(replace(fitted, covariances=covariances, se_method=method), data)


def _assemble(data: Responses, model: Model, settings: Settings, found: Estimate) -> Fit:
    return Fit(
        model=model,
        dims=found.items.dims,
        settings=settings,
        slopes=found.items.slopes,
        intercepts=found.items.intercepts,
        covariances=None,
        abilities=found.posterior.means,
        ability_se=np.sqrt(np.einsum("sdd->sd", found.posterior.covariances)),
        log_likelihood=found.posterior.log_likelihood,
        n_responses=int(data.seen.sum()),
        iterations=found.iterations,
        converged=found.converged,
        nodes=found.nodes,
        se_method=None,
        item_flags=_item_flags(data, model, found.items),
        model_flags=_model_flags(data),
    )


def _orient(found: Fit, data: Responses) -> Fit:
    """Return the fit in canonical orientation: the same logits."""
    if found.model != "m2pl":
        return found
    n = data.seen.sum(axis=1)
    accuracy = np.divide(data.right.sum(axis=1), n, out=np.full_like(n, np.nan), where=n > 0)
    return rotate(found, canonical_rotation(found.slopes, found.abilities, accuracy))


def rotate(found: Fit, rotation: Floats) -> Fit:
    """Return the fit with slopes, abilities and their uncertainty turned by an orthogonal matrix (dims x dims).

    Raises IrtInputError for a matrix that is not orthogonal, under which the logits would change.
    """
    if not np.allclose(rotation @ rotation.T, np.eye(found.dims), atol=1e-10):
        raise IrtInputError("The matrix is not orthogonal: turning by it would change every predicted probability.")
    widened = np.eye(found.dims + 1)
    widened[1:, 1:] = rotation
    return replace(
        found,
        slopes=found.slopes @ rotation,
        abilities=found.abilities @ rotation,
        covariances=None if found.covariances is None else widened.T @ found.covariances @ widened,
    )


def _item_flags(data: Responses, model: Model, items: Items) -> Flags:
    n, right = data.seen.sum(axis=0), data.right.sum(axis=0)
    size = np.abs(items.slopes).max(axis=1)
    log_size = np.log(np.maximum(size, 1e-300))
    at_bound = np.abs(log_size - LOG_SLOPE_BOUNDS[0]) < _AT_BOUND if model != "m2pl" else np.zeros(len(n), bool)
    highest = np.exp(LOG_SLOPE_BOUNDS[1]) if model != "m2pl" else SLOPE_BOUND
    return _first(
        {
            "not_answered": n == 0,
            "one_answer": n == 1,
            "all_right": right == n,
            "all_wrong": right == 0,
            "slope_at_bound": at_bound | (size >= highest - _AT_BOUND),
        }
    )


def _model_flags(data: Responses) -> Flags:
    n, right = data.seen.sum(axis=1), data.right.sum(axis=1)
    rows = [(a.tobytes(), b.tobytes()) for a, b in zip(data.right, data.seen, strict=True)]
    times = Counter(rows)
    repeated = np.array([times[row] > 1 for row in rows])
    return _first(
        {"not_answered": n == 0, "all_right": right == n, "all_wrong": right == 0, "duplicate_responses": repeated}
    )


def _first(conditions: dict[str, npt.NDArray[np.bool_]]) -> Flags:
    """Return the name of the first condition that holds, else None."""
    found: Flags = np.full(len(next(iter(conditions.values()))), None, dtype=object)
    for name, holds in reversed(conditions.items()):
        found[holds] = name
    return found
