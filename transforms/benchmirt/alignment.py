"""Do the models' rows describe the same items? A table joined by position can hold rows of different questions.

Models that answered the same items agree, more or less, on which are hard, whatever their ability. A model that agrees
with no other, and a group that agrees within and not with the rest, were probably joined to other items. What models
share decides what can be said: those that share too little can not be compared, which is not the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.agreement import Bools, Floats, Rows, mean_correlations, profile_of, to_rows
from transforms.benchmirt.groups import Group, Judgement, find_groups, judge, linked_sets
from transforms.irt.blas import one_blas_thread
from transforms.irt.matrix import Matrix
from transforms.issue_log import shown, shown_all
from warehouse.contracts import TABLES, Issue, Rule
from warehouse.contracts.benchmirt import ALL_ITEMS, SOURCE

LEAST_ITEMS: Final = 50
LEAST_MODELS: Final = 8
_DECIMALS: Final = 9
# So many groups are named one by one; what is beyond them is named together.
_MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Audit:
    """Grain of `table`: benchmark x model."""

    table: pl.DataFrame
    issues: list[Issue]


@dataclass(frozen=True, slots=True)
class _Grouped:
    """A group's number for every model, from 1, and what is said of it. `linked`: whether items link it to group 1."""

    numbers: npt.NDArray[np.int64]
    linked: Bools
    status: npt.NDArray[np.object_]
    judgement: Judgement


def audit_alignment(matrix: Matrix, benchmarks: Sequence[str | None] | None = None) -> Audit:
    """Group the models by which items they find hard, over all items and in each benchmark (one an item, or None).

    Benchmarks with fewer than 50 items that tell models apart, or fewer than 8 models, are left out, unless some of
    their models share no item with the others. Models that are shown to disagree with the largest group are reported;
    over all items, also those that share no item with it, and those that share too little with it.

    The memory needed beside the responses is a few columns a model and item, never models x models.
    """
    rows: list[pl.DataFrame] = []
    issues: list[Issue] = []
    for benchmark, columns in _scopes(matrix, benchmarks):
        scores, models = _answered(matrix, columns)
        with one_blas_thread():
            found = _audit(to_rows(scores), models, benchmark)
        if found is not None:
            rows.append(found)
            issues += _issues(found, benchmark)
    contract = TABLES["benchmirt_alignment"]
    table = pl.concat([contract.empty(), *(_conform(found) for found in rows)])
    return Audit(table.sort(contract.key), issues)


def _conform(found: pl.DataFrame) -> pl.DataFrame:
    return found.select(pl.col(c).cast(dtype) for c, dtype in TABLES["benchmirt_alignment"].polars_schema.items())


def _scopes(matrix: Matrix, benchmarks: Sequence[str | None] | None) -> Iterator[tuple[str, Bools]]:
    yield ALL_ITEMS, np.ones(len(matrix.items), dtype=np.bool_)
    names = np.array(["" if b is None else b for b in benchmarks or []], dtype=object)
    distinct = sorted(set(names) - {"", ALL_ITEMS})
    # One benchmark that is everything would say the same twice.
    if len(distinct) > 1 or "" in set(names):
        for name in distinct:
            yield name, np.asarray(names == name, dtype=np.bool_)


def _answered(matrix: Matrix, columns: Bools) -> tuple[Floats, list[str]]:
    """Return the scores of some items, of the models that answered any of them."""
    scores = matrix.scores if columns.all() else matrix.scores[:, columns]
    there = to_rows(scores).counts > 0
    return (scores if there.all() else scores[there]), [m for m, some in zip(matrix.models, there, strict=True) if some]


def _audit(rows: Rows, models: Sequence[str], benchmark: str) -> pl.DataFrame | None:
    """Return a row a model; None where there is too little to compare, and every model is linked to every other."""
    n_items = _telling_items(rows)
    sets = linked_sets(rows)
    enough = n_items >= LEAST_ITEMS and len(models) >= LEAST_MODELS
    if not enough and len(sets) < 2:
        return None
    found = _grouped(rows, sets, enough)
    everyone = np.ones(len(models), dtype=np.bool_)
    sizes = np.bincount(found.numbers)
    regression, usual = found.judgement.regression, float(found.judgement.usual.slopes[0])
    scale = usual if usual > 0.0 else np.nan
    return pl.DataFrame(
        {
            "benchmark": [benchmark] * len(models),
            "model": list(models),
            "n_items": [n_items] * len(models),
            "n_shared_items": regression.shared.astype(np.int64),
            "model_rest_correlation": _rounded(mean_correlations(rows, everyone, everyone)),
            "alignment_group": found.numbers,
            "group_size": sizes[found.numbers],
            "own_group_correlation": _rounded(_own_correlations(rows, found.numbers)),
            "main_group_correlation": _rounded(mean_correlations(rows, found.numbers == 1, everyone)),
            "main_group_agreement": _rounded(regression.slopes / scale),
            "main_group_agreement_se": _rounded(
                np.where(regression.information > 0, regression.errors / scale, np.nan)
            ),
            "alignment_status": found.status.tolist(),
            "alignment_suspect": found.status == "misaligned",
            "linked": found.linked,
        }
    )


def _rounded(found: Floats) -> pl.Series:
    """Return figures without the last bits, in which machines differ; null where there is none."""
    return pl.Series(np.round(found, _DECIMALS)).fill_nan(None).replace(np.inf, None)


def _telling_items(rows: Rows) -> int:
    """Return how many items not all models answer alike."""
    highest, lowest = np.full(rows.scores.shape[1], -np.inf), np.full(rows.scores.shape[1], np.inf)
    for block in rows.blocks():
        scores = block.residuals + rows.means[block.models, None]
        highest = np.maximum(highest, np.where(block.answered, scores, -np.inf).max(axis=0))
        lowest = np.minimum(lowest, np.where(block.answered, scores, np.inf).min(axis=0))
    return int((highest > lowest + 1e-9).sum())


def _grouped(rows: Rows, sets: Sequence[Bools], enough: bool) -> _Grouped:
    """Number the groups, the largest first, and compare every model with group 1.

    All items take part, those that all answer alike too: of an item that two models answered, leaving it out where they
    agree would leave disagreement.
    """
    none = np.zeros(len(rows.scores), dtype=np.bool_)
    groups = [g for s in sets for g in (find_groups(rows, s) if enough else [Group(s, none, none)])]
    alone = ~np.any([group.members for group in groups], axis=0)
    found = [group.members for group in groups] + [np.arange(len(alone)) == i for i in np.flatnonzero(alone)]
    found.sort(key=lambda members: (-int(members.sum()), int(members.argmax())))
    numbers = np.zeros(len(alone), dtype=np.int64)
    for number, members in enumerate(found, start=1):
        numbers[members] = number
    (linked,) = (s for s in sets if (s & found[0]).any())
    judgement = judge(rows, linked, profile_of(rows, found[0]))
    return _Grouped(numbers, linked, _status(numbers == 1, linked, groups, judgement), judgement)


def _status(main: Bools, linked: Bools, groups: Sequence[Group], judged: Judgement) -> npt.NDArray[np.object_]:
    parted = np.any([group.parted for group in groups], axis=0)
    unchecked = np.any([group.unchecked for group in groups], axis=0)
    aligned = main & judged.shown & ~unchecked
    misaligned = ~main & linked & (judged.apart | parted)
    return np.where(aligned, "aligned", np.where(misaligned, "misaligned", "not_comparable")).astype(object)


def _own_correlations(rows: Rows, numbers: npt.NDArray[np.int64]) -> Floats:
    """Return each model's correlation with the mean of its group's others; NaN for one alone."""
    found = np.full(len(numbers), np.nan)
    for number in np.flatnonzero(np.bincount(numbers) > 1):
        members = numbers == number
        found[members] = mean_correlations(rows, members, members)[members]
    return found


def _issues(found: pl.DataFrame, benchmark: str) -> Iterator[Issue]:
    everywhere = benchmark == ALL_ITEMS
    main = f"the largest group, of {found.filter(alignment_group=1).height} models"
    yield from _misaligned(found, benchmark if not everywhere else None, main)
    # A fit takes part of the models of all items, so only there does it matter what can not be told.
    if everywhere:
        unlinked = found.filter(~pl.col("linked"))
        if unlinked.height:
            yield _issue(
                rules.MODELS_SHARE_NO_ITEM,
                unlinked,
                f"{unlinked.height} models share no item with {main}, nor with models that do: {_names(unlinked)}. "
                "Nothing tells whether their rows describe the same items, or puts their abilities on one scale. A fit "
                "leaves them out unless they are named.",
            )
        unknown = found.filter(pl.col("linked") & (pl.col("alignment_status") == "not_comparable"))
        if unknown.height:
            shared = sorted(unknown["n_shared_items"].to_list())
            yield _issue(
                rules.MODELS_NOT_COMPARABLE,
                unknown,
                f"{unknown.height} models share too little with {main}, to tell whether their rows describe the same "
                f"items: {shared[0]} to {shared[-1]} items, and right and wrong answers on them: {_names(unknown)}. A "
                "fit takes those of group 1.",
            )


def _misaligned(found: pl.DataFrame, benchmark: str | None, main: str) -> Iterator[Issue]:
    where = "over all items" if benchmark is None else f"in benchmark {shown(benchmark)}"
    then = "A fit leaves them out unless they are named" if benchmark is None else "A fit does not leave them out"
    named = pl.min_horizontal("alignment_group", pl.lit(_MOST_NAMED)).alias("named")
    outside = found.filter("alignment_suspect").sort("alignment_group", "model")
    for (number,), rows in outside.group_by(named, maintain_order=True):
        numbers = rows["alignment_group"].unique()
        groups = f"Group {number} does" if len(numbers) == 1 else f"{len(numbers)} groups, from {number} on, do"
        yield _issue(
            rules.MISALIGNED_MODELS,
            rows,
            f"{groups} not agree {where} with {main}, on which items are hard: {_names(rows)}. These rows may describe "
            f"other items; see benchmirt_alignment_audit. {then}.",
            benchmark,
        )


def _names(rows: pl.DataFrame) -> str:
    return shown_all(rows["model"].to_list())


def _issue(rule: Rule, rows: pl.DataFrame, text: str, benchmark: str | None = None) -> Issue:
    model = rows["model"].item() if rows.height == 1 else None
    return rule.issue(text, source=SOURCE, dataset=benchmark, model=model, value=str(rows.height))
