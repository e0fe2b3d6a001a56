"""How far a model finds hard what others find hard, with the error that the items they share leave.

For a model i with mean score m_i and variance v_i over its items, the residual of a response is r_ij = y_ij - m_i. Of a
set of models, an item's easiness on the logit scale is estimated by sum_i r_ij / (sum_i v_i + 1 / s²): one step of
Newton's method from 0 with a normal prior of variance s², which is estimated (method of moments). So an item that few
answered is drawn towards the middle, and the regression of another model's responses on it is not flattened by its
error (Berkson). A model's slope is the score statistic of that logistic regression over its information; a model is
never compared with its own responses. It is about the same for all models whose rows describe the same items, however
able they are, and 0 where the rows describe others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]
_BLOCK_CELLS: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Block:
    """Some models: residuals (0 where not answered), whether answered (both models x items), variances (models,)."""

    models: Indices
    residuals: Floats
    answered: Bools
    variances: Floats


@dataclass(frozen=True, slots=True)
class Rows:
    """The models' responses (models x items, NaN where not answered), and mean, variance and count of each row.

    Everything is computed a few models at a time: nothing here is as large as the responses.
    """

    scores: Floats
    means: Floats
    variances: Floats
    counts: Floats

    def blocks(self, models: Bools | None = None) -> Iterator[Block]:
        """Yield the chosen models, a few at a time."""
        chosen = np.arange(len(self.scores)) if models is None else np.flatnonzero(models)
        step = max(1, _BLOCK_CELLS // max(self.scores.shape[1], 1))
        for start in range(0, len(chosen), step):
            part = chosen[start : start + step]
            residuals = self.scores[part] - self.means[part, None]
            answered = ~np.isnan(residuals)
            residuals[~answered] = 0.0
            yield Block(part, residuals, answered, self.variances[part])


def to_rows(scores: Floats) -> Rows:
    """Return the responses with the figures of each row; a row's variance has n - 1 below, and is 0 for one answer."""
    plain = Rows(scores, *(np.zeros(len(scores)) for _ in range(3)))
    means, variances, counts = plain.means.copy(), plain.variances.copy(), plain.counts.copy()
    for block in plain.blocks():
        n = block.answered.sum(axis=1)
        mean = block.residuals.sum(axis=1) / np.maximum(n, 1)
        squares = np.where(block.answered, (block.residuals - mean[:, None]) ** 2, 0.0).sum(axis=1)
        means[block.models], counts[block.models] = mean, n
        variances[block.models] = squares / np.maximum(n - 1, 1)
    return Rows(scores, means, variances, counts)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a set of models found easy: sums over them, an item each, and the precision of the prior (1 / s²)."""

    members: Bools
    totals: Floats
    information: Floats
    answers: Floats
    precision: float


def profile_of(rows: Rows, members: Bools) -> Profile:
    """Return the easiness of the items for these models; the precision is infinite where items do not differ."""
    totals, information, answers, alone = (np.zeros(rows.scores.shape[1]) for _ in range(4))
    for block in rows.blocks(members):
        totals += block.residuals.sum(axis=0)
        information += block.variances @ block.answered
        alone += block.variances**2 @ block.answered
        answers += block.answered.sum(axis=0)
    # Two models' residuals on an item go together as far as items differ; a model's square says nothing of it.
    excess, size = float((totals**2 - information).sum()), float((information**2 - alone).sum())
    return Profile(members, totals, information, answers, size / excess if excess > 0.0 else np.inf)


@dataclass(frozen=True, slots=True)
class Regression:
    """Each model's score statistic, its information and variance, and the items shared with the profile's models."""

    scores: Floats
    information: Floats
    variances: Floats
    shared: Floats

    @property
    def slopes(self) -> Floats:
        """Slope of the logit on the easiness; NaN where nothing is known."""
        return np.divide(self.scores, self.information, out=np.full_like(self.scores, np.nan), where=self._known)

    @property
    def errors(self) -> Floats:
        """Standard errors of the slopes; infinite where nothing is known."""
        found = np.full_like(self.scores, np.inf)
        return np.divide(np.sqrt(self.variances), self.information, out=found, where=self._known)

    @property
    def _known(self) -> Bools:
        return self.information > 1e-12

    def of(self, models: Bools) -> Regression:
        """Return the figures of some of the models."""
        return Regression(self.scores[models], self.information[models], self.variances[models], self.shared[models])

    def together(self) -> Regression:
        """Return the one slope of models that were each regressed on the others of them.

        Every pair of them counts twice, so the variance is twice that of independent terms.
        """
        return Regression(
            self.scores.sum(keepdims=True),
            self.information.sum(keepdims=True),
            2.0 * self.variances.sum(keepdims=True),
            self.shared.max(keepdims=True, initial=0.0),
        )


def regress(rows: Rows, models: Bools, profile: Profile, items: Bools | None = None) -> Regression:
    """Regress each model's responses on the easiness of the items for the profile's other models.

    The result has a figure for every model of `rows`, 0 for those that are not among `models`.
    """
    found = Regression(*(np.zeros(len(rows.scores)) for _ in range(4)))
    for block in rows.blocks(models):
        centred, both, precisions = _easiness(block, profile, items)
        squares = centred**2
        found.scores[block.models] = (block.residuals * centred).sum(axis=1)
        found.information[block.models] = block.variances * squares.sum(axis=1)
        uncertain = np.divide(squares, precisions, out=np.zeros_like(squares), where=both).sum(axis=1)
        noise = _noise(rows.means[block.models], block.variances, centred, squares)
        found.variances[block.models] = noise + block.variances**2 * uncertain
        found.shared[block.models] = both.sum(axis=1)
    return found


def _noise(means: Floats, variances: Floats, centred: Floats, squares: Floats) -> Floats:
    """Return the variance of the score statistics of models that agree: responses are surer on items of either end."""
    expected = np.clip(means[:, None] + variances[:, None] * centred, 0.0, 1.0)
    even = means * (1.0 - means)
    # A share of a right answer varies less than an answer that is right or wrong.
    scale = np.divide(variances, even, out=np.zeros_like(even), where=even > 0.0)
    return np.asarray(scale * (expected * (1.0 - expected) * squares).sum(axis=1))


def regress_together(rows: Rows, models: Bools, profile: Profile, items: Bools | None = None) -> Regression:
    """Return the one slope of models that are not the profile's; the errors of the easiness are common to them."""
    score = information = 0.0
    weights, noise = np.zeros(rows.scores.shape[1]), np.zeros(rows.scores.shape[1])
    shared = np.zeros(rows.scores.shape[1], dtype=np.bool_)
    for block in rows.blocks(models):
        centred, both, precisions = _easiness(block, profile, items)
        score += float((block.residuals * centred).sum())
        information += float(block.variances @ (centred**2).sum(axis=1))
        weights += block.variances @ centred
        noise = np.maximum(noise, np.where(both, 1.0 / precisions, 0.0).max(axis=0))
        shared |= both.any(axis=0)
    variance = information + float((weights**2 * noise).sum())
    return Regression(*(np.array([x]) for x in (score, information, variance, float(shared.sum()))))


def _easiness(block: Block, profile: Profile, items: Bools | None) -> tuple[Floats, Bools, Floats]:
    """Return the centred easiness without the model itself, where it is known, and its precision (models x items)."""
    own = profile.members[block.models][:, None] & block.answered
    both = block.answered & (profile.answers - own > 0)
    if items is not None:
        both &= items
    precisions = profile.information - block.variances[:, None] * own + profile.precision
    easiness = np.where(both, (profile.totals - block.residuals * own) / precisions, 0.0)
    means = easiness.sum(axis=1) / np.maximum(both.sum(axis=1), 1)
    return np.where(both, easiness - means[:, None], 0.0), both, precisions


def mean_correlations(rows: Rows, members: Bools, models: Bools) -> Floats:
    """Return each model's Pearson correlation, over the items it answered, with the mean of the other members.

    NaN for models not asked for, and where either side is constant.
    """
    found = np.full(len(rows.scores), np.nan)
    totals, answers = (np.zeros(rows.scores.shape[1]) for _ in range(2))
    for block in rows.blocks(members):
        totals += (block.residuals + np.where(block.answered, rows.means[block.models, None], 0.0)).sum(axis=0)
        answers += block.answered.sum(axis=0)
    for block in rows.blocks(models):
        own = members[block.models][:, None] & block.answered
        both = block.answered & (answers - own > 0)
        scores = np.where(block.answered, block.residuals + rows.means[block.models, None], 0.0)
        others = np.where(both, totals - scores * own, 0.0) / np.maximum(answers - own, 1)
        x, y = _centred(scores, both), _centred(others, both)
        size = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
        part = np.full(len(size), np.nan)
        found[block.models] = np.divide((x * y).sum(axis=1), size, out=part, where=size > 1e-9)
    return found


def _centred(values: Floats, known: Bools) -> Floats:
    means = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(known, values - means[:, None], 0.0)
