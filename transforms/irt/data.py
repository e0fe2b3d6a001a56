"""The responses as the fit reads them: checked, with missing cells as a mask."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from transforms.irt.settings import IrtInputError, Model, Settings, least_items, n_parameters

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
_SHOWN: Final = 10
_CHUNK_CELLS: Final = 1 << 18
_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Responses:
    """A matrix of responses. `right` is 1 where a model solved an item and 0 elsewhere; `seen` is 1 where it answered.

    Both have shape (models, items).
    """

    right: Floats
    seen: Floats
    complete: bool

    @property
    def n_models(self) -> int:
        """Rows."""
        return len(self.right)

    @property
    def n_items(self) -> int:
        """Columns."""
        return int(self.right.shape[1])

    def chunks(self, rows: int) -> Iterator[slice]:
        """Yield slices of the items such that `rows` times a slice stays small. They depend on sizes alone."""
        step = max(1, _CHUNK_CELLS // max(rows, 1))
        for start in range(0, self.n_items, step):
            yield slice(start, min(start + step, self.n_items))

    def by_chunk(self, rows: int, function: Callable[[slice], _Part]) -> list[_Part]:
        """Return `function` of every chunk, in the order of the items whatever thread computed it."""
        chunks = list(self.chunks(rows))
        if len(chunks) == 1:
            return [function(chunks[0])]
        with ThreadPoolExecutor(min(len(chunks), os.cpu_count() or 1)) as threads:
            return list(threads.map(function, chunks))


def check_responses(responses: npt.ArrayLike) -> Responses:
    """Return the matrix (models x items; 1 right, 0 wrong, NaN not answered) ready to be fitted.

    Raises IrtInputError for another shape, for a value that is none of the three, for fewer than two models, for no
    items, and where nothing can be learnt because every response is the same.
    """
    found = np.asarray(responses, dtype=np.float64)
    if found.ndim != 2:
        raise IrtInputError(f"The responses have {found.ndim} dimensions; expected a matrix of models by items.")
    if found.shape[0] < 2:
        raise IrtInputError(f"There are {found.shape[0]} models; a fit needs at least 2 to compare items by.")
    if found.shape[1] < 1:
        raise IrtInputError("There are no items; a fit needs at least one.")
    seen = ~np.isnan(found)
    _refuse_other_values(found, seen)
    answered = found[seen]
    if answered.size == 0 or answered.min() == answered.max():
        raise IrtInputError("Every response is the same, or there is none: nothing tells one model from another.")
    return Responses(np.where(seen, found, 0.0), seen.astype(np.float64), bool(seen.all()))


def _refuse_other_values(found: Floats, seen: Bools) -> None:
    other = seen & (found != 0.0) & (found != 1.0)
    if not other.any():
        return
    items = np.flatnonzero(other.any(axis=0))
    raise IrtInputError(
        f"{int(other.sum())} responses in {len(items)} items (columns {_listed(items)}) are neither 0 nor 1; "
        "leave those items out: a share of a right answer has no Bernoulli likelihood."
    )


def refuse_too_little(data: Responses, model: Model, dims: int) -> None:
    """Refuse responses that a prior alone would make estimates of. Raises IrtInputError with everything that lacks.

    Every dimension needs a model more, the slopes need items that tell models apart, and every parameter a response.
    """
    n, right = data.seen.sum(axis=0), data.right.sum(axis=0)
    n_models, n_items = int(data.seen.any(axis=1).sum()), int((n > 0).sum())
    telling = int(((right > 0) & (right < n)).sum())
    needed, free = least_items(model, dims), n_parameters(model, dims, n_items)
    name = f"{model} in {dims} dimension{'s' if dims > 1 else ''}"
    lacks = []
    if n_models <= dims:
        lacks.append(f"{n_models} models cannot span {dims} dimensions (expected {dims + 1} or more)")
    if telling < needed:
        lacks.append(f"{telling} items have both right and wrong answers ({name} needs {needed} or more)")
    if int(data.seen.sum()) < free:
        lacks.append(f"there are {int(data.seen.sum())} responses for the {free} parameters of {name}")
    if lacks:
        fewer = "ask for fewer dimensions or give" if dims > 1 else "give"
        raise IrtInputError(f"This is too little to fit: {'; '.join(lacks)}. So {fewer} more responses.")


def refuse_without_priors(data: Responses, settings: Settings) -> None:
    """Refuse items whose parameters would be infinite where no prior keeps them finite. Raises IrtInputError."""
    if settings.intercept_prior_sd is not None:
        return
    n, right = data.seen.sum(axis=0), data.right.sum(axis=0)
    constant = np.flatnonzero((right == 0) | (right == n))
    if len(constant):
        raise IrtInputError(
            f"{len(constant)} items (columns {_listed(constant)}) have only right or only wrong answers, or none, "
            "and no prior on the intercept keeps their difficulty finite; leave them out or set intercept_prior_sd."
        )


def _listed(found: npt.NDArray[np.intp]) -> str:
    text = ", ".join(str(int(i)) for i in found[:_SHOWN])
    return text + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
