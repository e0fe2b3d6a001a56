"""Do the models' rows describe the same items? A table joined by position can hold rows of different questions.

Models that answered the same items agree, more or less, on which are hard, whatever their ability. So a model that
agrees with no other, and a group that agrees within and not with the rest, were probably joined to other items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.cluster.hierarchy import ClusterNode, linkage, to_tree
from scipy.spatial.distance import squareform

from transforms.benchmirt import rules
from transforms.irt.blas import one_blas_thread
from transforms.irt.matrix import Matrix
from transforms.issue_log import shown, shown_all
from warehouse.contracts import TABLES, Issue
from warehouse.contracts.benchmirt import ALL_ITEMS, SOURCE

Floats = npt.NDArray[np.float64]
LEAST_REST_CORRELATION: Final = 0.1
LEAST_SHARE: Final = 0.5
LEAST_ITEMS: Final = 50
LEAST_MODELS: Final = 8


@dataclass(frozen=True, slots=True)
class Audit:
    """Grain of `table`: benchmark x model."""

    table: pl.DataFrame
    issues: list[Issue]


@dataclass(frozen=True, slots=True)
class _Group:
    members: npt.NDArray[np.intp]
    number: int


def audit_alignment(matrix: Matrix, benchmarks: Sequence[str | None] | None = None) -> Audit:
    """Group the models by which items they find hard, over all items and in each benchmark (one an item, or None).

    Benchmarks with fewer than 50 items that tell models apart, or fewer than 8 models, which chance sets apart, are
    left out. Every group but the largest is reported as `benchmirt.misaligned_models`.
    """
    rows: list[pl.DataFrame] = []
    issues: list[Issue] = []
    for benchmark, columns in _scopes(matrix, benchmarks):
        scores, models = _informative(matrix.scores[:, columns], matrix.models)
        if scores.shape[1] >= LEAST_ITEMS and scores.shape[0] >= LEAST_MODELS:
            with one_blas_thread():
                table, groups = _audit(scores, models, benchmark)
            rows.append(table)
            issues += _issues(groups, models, benchmark)
    contract = TABLES["benchmirt_alignment"]
    found = pl.concat([contract.empty(), *(r.cast(pl.Schema(contract.polars_schema)) for r in rows)])
    return Audit(found.sort(contract.key), issues)


def _scopes(matrix: Matrix, benchmarks: Sequence[str | None] | None) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    yield ALL_ITEMS, np.ones(len(matrix.items), dtype=np.bool_)
    names = np.array(["" if b is None else b for b in benchmarks or []], dtype=object)
    distinct = sorted(set(names) - {"", ALL_ITEMS})
    # One benchmark that is everything would say the same twice.
    if len(distinct) > 1 or "" in set(names):
        for name in distinct:
            yield name, np.asarray(names == name, dtype=np.bool_)


def _informative(scores: Floats, models: Sequence[str]) -> tuple[Floats, list[str]]:
    """Leave out items on which all agree, and models that answered none of the rest."""
    answered = ~np.isnan(scores)
    n, total = answered.sum(axis=0), np.where(answered, scores, 0.0).sum(axis=0)
    squares = np.where(answered, scores * scores, 0.0).sum(axis=0)
    kept = scores[:, n * squares > total * total]
    there = np.flatnonzero((~np.isnan(kept)).any(axis=1)).tolist()
    return kept[there], [models[i] for i in there]


def _audit(scores: Floats, models: Sequence[str], benchmark: str) -> tuple[pl.DataFrame, list[_Group]]:
    rest = rest_correlations(scores)
    agreement = tetrachoric_correlations(scores)
    groups = group_models(agreement, rest, scores.shape[1])
    of_model = np.empty(len(models), dtype=np.int64)
    for group in groups:
        of_model[group.members] = group.number
    sizes = {group.number: len(group.members) for group in groups}
    table = pl.DataFrame(
        {
            "benchmark": [benchmark] * len(models),
            "model": list(models),
            "n_items": [scores.shape[1]] * len(models),
            "model_rest_correlation": _rounded(rest),
            "alignment_group": of_model,
            "group_size": [sizes[number] for number in of_model.tolist()],
            "own_group_correlation": _rounded(_mean_with(agreement, of_model[:, None] == of_model[None, :])),
            "main_group_correlation": _rounded(_mean_with(agreement, np.tile(of_model == 1, (len(models), 1)))),
            "alignment_suspect": of_model != 1,
        }
    )
    return table, groups


def _rounded(found: Floats) -> pl.Series:
    """Return figures without the last bits, in which machines differ; null where there is none."""
    return pl.Series(np.round(found, 9)).fill_nan(None)


def rest_correlations(scores: Floats) -> Floats:
    """Return each model's Pearson correlation, over the items it answered, with the mean of all other models.

    `scores` is models x items, NaN where not answered; NaN where either side is constant.
    """
    answered = ~np.isnan(scores)
    filled = np.where(answered, scores, 0.0)
    n, total = answered.sum(axis=0), filled.sum(axis=0)
    found = np.full(len(scores), np.nan)
    for i, row in enumerate(filled):
        both = answered[i] & (n > 1)
        others = (total - row)[both] / (n[both] - 1)
        x, y = row[both] - row[both].mean(), others - others.mean()
        size = np.sqrt((x @ x) * (y @ y)) if both.any() else 0.0
        if size > 0.0:
            found[i] = (x @ y) / size
    return found


def tetrachoric_correlations(scores: Floats) -> Floats:
    """Return the tetrachoric correlation of every two models over the items both answered, by the cosine of the odds
    ratio, with half an item added to each of the four counts. A share of a right answer counts as that share.

    Unlike Pearson's it does not shrink when one model is right almost always and the other almost never.
    """
    answered = (~np.isnan(scores)).astype(np.float64)
    right = np.where(answered > 0, scores, 0.0)
    wrong = answered - right
    both, neither = right @ right.T + 0.5, wrong @ wrong.T + 0.5
    one, other = right @ wrong.T + 0.5, wrong @ right.T + 0.5
    found = np.cos(np.pi / (1.0 + np.sqrt(both * neither / (one * other))))
    np.fill_diagonal(found, 1.0)
    return np.asarray((found + found.T) / 2.0)


def group_models(agreement: Floats, rest: Floats, n_items: int) -> list[_Group]:
    """Return the groups, the largest first.

    A model that correlates with the rest below 0.1, and below half of what is usual, by more than a standard error, is
    a group of its own. The others are clustered by average linkage, and a cluster is split where its two halves agree
    with each other less than half as well as the better of them agrees within, by more than two standard errors.
    """
    error = 1.0 / np.sqrt(n_items)
    usual = float(np.nanmedian(rest)) if np.isfinite(rest).any() else 0.0
    least = min(LEAST_REST_CORRELATION, LEAST_SHARE * usual) - error
    lone, placed = np.flatnonzero(~(rest >= least)), np.flatnonzero(rest >= least)
    found = [np.array([i]) for i in lone]
    if len(placed) > 1:
        inner = agreement[np.ix_(placed, placed)]
        tree = to_tree(linkage(squareform(1.0 - inner, checks=False), "average"))
        found += [placed[np.array(cluster)] for cluster in _split(tree, inner, 2.0 * error)]
    elif len(placed):
        found.append(placed)
    found.sort(key=lambda members: (-len(members), members.min()))
    return [_Group(members, number) for number, members in enumerate(found, start=1)]


def _split(node: ClusterNode, agreement: Floats, allowance: float) -> list[list[int]]:
    left, right = node.get_left(), node.get_right()
    if left is None or right is None:
        return [[node.id]]
    one, other = sorted(left.pre_order()), sorted(right.pre_order())
    across = float(agreement[np.ix_(one, other)].mean())
    within = max(_mean_within(agreement, one), _mean_within(agreement, other))
    if across >= LEAST_SHARE * within - allowance:
        return [sorted(one + other)]
    return _split(left, agreement, allowance) + _split(right, agreement, allowance)


def _mean_within(agreement: Floats, members: Sequence[int]) -> float:
    n = len(members)
    if n < 2:
        return 0.0
    return float((agreement[np.ix_(members, members)].sum() - n) / (n * (n - 1)))


def _mean_with(agreement: Floats, chosen: npt.NDArray[np.bool_]) -> Floats:
    """Return each model's mean agreement with the chosen others (models x models); NaN without any."""
    chosen = chosen & ~np.eye(len(agreement), dtype=np.bool_)
    n = chosen.sum(axis=1)
    total = np.where(chosen, agreement, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0))


def _issues(groups: Sequence[_Group], models: Sequence[str], benchmark: str) -> Iterator[Issue]:
    everywhere = benchmark == ALL_ITEMS
    where = "over all items" if everywhere else f"in benchmark {shown(benchmark)}"
    then = "A fit leaves them out unless they are named" if everywhere else "A fit does not leave them out"
    for group in groups[1:]:
        names = [models[i] for i in group.members]
        yield rules.MISALIGNED_MODELS.issue(
            f"Group {group.number} does not agree {where} with the largest group, of {len(groups[0].members)} models, "
            f"on which items are hard: {shown_all(names)}. These rows may describe other items; see "
            f"benchmirt_alignment_audit. {then}.",
            source=SOURCE,
            dataset=None if everywhere else benchmark,
            model=names[0] if len(names) == 1 else None,
            value=str(len(names)),
        )
