"""What an item response fit may be told, and why it refuses an input."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

Model = Literal["1pl", "2pl", "m2pl"]
MODELS: Final[tuple[Model, ...]] = ("1pl", "2pl", "m2pl")
MAX_DIMS: Final = 4


class IrtInputError(ValueError):
    """An input that cannot be fitted; the sentence says what was found, what was expected and what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides a fit besides the responses. Equal settings and responses give equal results.

    The priors are weak and act on each item's distance from the mean of all items, which is estimated, so that they
    cannot move the scale of ability. `None` turns a prior off: plain maximum likelihood.
    """

    intercept_prior_sd: float | None = 3.0
    log_slope_prior_sd: float | None = 0.5
    """Of the logarithm of a slope, for `2pl`, whose slopes are positive; `1pl` has no prior on its one slope."""
    slope_prior_sd: float | None = 0.7
    """Of a slope, for `m2pl`, whose slopes have either sign."""
    nodes: int | None = None
    """Quadrature nodes a dimension; by default 3 to 21, fewer the more items and dimensions there are."""
    tolerance: float = 1e-5
    """A fit has converged when the root mean square change of the item parameters in a step is below this."""
    max_iterations: int = 1000
    standard_errors: bool = True

    @property
    def priors(self) -> bool:
        """Whether any prior is on."""
        return any(p is not None for p in (self.intercept_prior_sd, self.log_slope_prior_sd, self.slope_prior_sd))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as JSON would hold them."""
        return asdict(self)


WITHOUT_PRIORS: Final = Settings(intercept_prior_sd=None, log_slope_prior_sd=None, slope_prior_sd=None)


def check_model(model: str, dims: int) -> None:
    """Refuse a model that does not exist or cannot have that many dimensions. Raises IrtInputError."""
    if model not in MODELS:
        raise IrtInputError(f"There is no model {model[:60]!r}; expected one of {', '.join(MODELS)}.")
    if not 1 <= dims <= MAX_DIMS:
        raise IrtInputError(f"{dims} dimensions were asked for; expected 1 to {MAX_DIMS}.")
    if dims > 1 and model != "m2pl":
        raise IrtInputError(f"{model} has one dimension and {dims} were asked for; use m2pl for more.")


def n_parameters(model: Model, dims: int, n_items: int) -> int:
    """Return the free item parameters of a model; a rotation of several dimensions is not one."""
    if model == "1pl":
        return n_items + 1
    return n_items * (1 + dims) - dims * (dims - 1) // 2


def least_items(model: Model, dims: int) -> int:
    """Return how many items identify the slopes: two for one slope, else Ledermann's bound for so many dimensions.

    n items have n (n - 1) / 2 pairs, and n dims - dims (dims - 1) / 2 slopes are free: 3, 5, 6 and 8 items at least.
    """
    if model == "1pl":
        return 2
    n = dims + 1
    while n * (n - 1) < 2 * n * dims - dims * (dims - 1):
        n += 1
    return n
