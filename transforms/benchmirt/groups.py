"""Groups of models whose rows describe the same items, and what can be said of each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import false_discovery_control, t

from transforms.benchmirt.agreement import (
    Bools,
    Floats,
    Profile,
    Regression,
    Rows,
    profile_of,
    regress,
    regress_together,
)
from transforms.benchmirt.bisection import larger_half

# A model is suspected below this share of the usual slope.
LEAST_SHARE: Final = 0.5
# How much the slopes of models that agree differ, in shares of the usual one. It is estimated, within these bounds: a
# dozen slopes tell little of it, and those of models that do not agree would hide behind a larger one.
LEAST_SPREAD: Final = 0.15
MOST_SPREAD: Final = 0.25
# The same of two halves, whose one difference tells nothing of it.
HALVES_SPREAD: Final = 0.2
# The largest expected share of chance among the models that are said to disagree, or to agree (Benjamini, Hochberg).
FALSE_DISCOVERIES: Final = 0.02
# Chance of parting two halves that agree.
FALSE_CUTS: Final = 0.001
_MOST_STEPS: Final = 20
_MOST_GROUPS: Final = 20


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of every model: whether it is shown to disagree with a group (apart), or to agree with it (shown)."""

    regression: Regression
    usual: Regression
    apart: Bools
    shown: Bools


@dataclass(frozen=True, slots=True)
class Group:
    """Models that agree.

    `parted`: models outside that are shown to disagree with it together, where none of them is alone. `unchecked`:
    members that agree with one another, and share too little with the other members to be compared with them.
    """

    members: Bools
    parted: Bools
    unchecked: Bools


@dataclass(frozen=True, slots=True)
class _Halves:
    core: Bools
    other: Bools
    apart: bool
    shown: bool


def judge(rows: Rows, models: Bools, profile: Profile) -> Judgement:
    """Compare models with a group, each with the group's other models."""
    found = regress(rows, models | profile.members, profile)
    members = found.of(profile.members)
    usual = members.together()
    low, high = _chances(found, usual, _spread(members, usual))
    suspected = found.slopes < LEAST_SHARE * usual.slopes
    return Judgement(found, usual, _discovered(low, models) & suspected, _discovered(high, models) & ~suspected)


def _discovered(chances: Floats, models: Bools) -> Bools:
    found = np.zeros(len(models), dtype=np.bool_)
    found[models] = false_discovery_control(chances[models]) < FALSE_DISCOVERIES
    return found


def _spread(members: Regression, usual: Regression) -> float:
    """Return how much the slopes of models that agree differ beyond their errors (DerSimonian and Laird)."""
    known = np.isfinite(members.errors)
    weights = members.errors[known] ** -2.0
    if len(weights) < 2:
        return LEAST_SPREAD
    slope = float(usual.slopes[0])
    size = weights.sum() - (weights**2).sum() / weights.sum()
    excess = (weights * (members.slopes[known] - slope) ** 2).sum() - (len(weights) - 1)
    found = float(np.sqrt(max(excess / size, 0.0)))
    return min(max(found / slope if slope > 0.0 else 0.0, LEAST_SPREAD), MOST_SPREAD)


def _chances(found: Regression, usual: Regression, spread: float) -> tuple[Floats, Floats]:
    """Return the chance of so low a slope where a model agrees as usual, and of so high a one where it does not."""
    known = np.isfinite(found.errors) & (found.shared > 2) & bool(usual.slopes[0] > 0.0)
    freedom = np.where(known, found.shared - 2.0, 1.0)
    slopes, errors = np.where(known, found.slopes, 0.0), np.where(known, found.errors, 1.0)
    usual_slope, usual_error = (usual.slopes[0], usual.errors[0]) if known.any() else (1.0, 0.0)
    reach = np.sqrt(errors**2 + usual_error**2 + (spread * usual_slope) ** 2)
    low, high = t.cdf((slopes - usual_slope) / reach, freedom), t.sf(slopes / errors, freedom)
    return np.where(known, low, 1.0), np.where(known, high, 1.0)


def linked_sets(rows: Rows) -> list[Bools]:
    """Return the sets of models that items link, the largest first: two that answered one item are in one set."""
    labels = np.arange(len(rows.scores))
    while True:
        of_item = np.full(rows.scores.shape[1], len(labels))
        for block in rows.blocks():
            of_model = np.where(block.answered, labels[block.models, None], len(labels))
            of_item = np.minimum(of_item, of_model.min(axis=0))
        found = labels.copy()
        for block in rows.blocks():
            of_model = np.where(block.answered, of_item, len(labels)).min(axis=1)
            found[block.models] = np.minimum(found[block.models], of_model)
        # A label is a model of the same set, whose own label may be smaller: chains grow short in few steps.
        found = found[found]
        if (found == labels).all():
            break
        labels = found
    names, sizes = np.unique(labels, return_counts=True)
    return [labels == name for name in names[np.argsort(-sizes, kind="stable")]]


def find_groups(rows: Rows, pool: Bools) -> list[Group]:
    """Return the groups among linked models in the order in which they are found; some models may be in none.

    The first group takes in whoever is not shown to disagree; later ones whoever is shown to agree.
    """
    found = [_group(rows, pool)]
    rest = pool & ~found[0].members
    while rest.sum() > 1 and len(found) < _MOST_GROUPS:
        other = _group(rows, rest)
        agreeing = _agreeing(rows, other.members)
        if agreeing.sum() < 2:
            break
        found.append(Group(agreeing, other.parted, other.unchecked & agreeing))
        rest &= ~agreeing
    return found


def _agreeing(rows: Rows, members: Bools) -> Bools:
    """Return the members that are shown to agree with the others, at least half as well as usual by an error more."""
    judged = judge(rows, members, profile_of(rows, members))
    found = judged.regression
    surely = np.subtract(found.slopes, found.errors, out=np.full_like(found.errors, -np.inf), where=members)
    return judged.shown & (surely > LEAST_SHARE * judged.usual.slopes)


def _group(rows: Rows, pool: Bools) -> Group:
    """Cut the models in two, let the larger half take in whoever agrees, and again, until nothing is left out."""
    group, parted, unchecked = pool, np.zeros_like(pool), np.zeros_like(pool)
    while group.sum() > 2:
        halves = _halves(rows, group)
        parted = parted | (halves.other & halves.apart)
        found = _grow(rows, pool, halves.core, parted)
        unchecked = found & halves.other & (not halves.shown)
        if not 0 < found.sum() < group.sum():
            break
        group = found
    return Group(group, parted & ~group, unchecked & group)


def _halves(rows: Rows, group: Bools) -> _Halves:
    """Cut the models in two, and tell whether the halves are shown to disagree (apart) or to agree.

    Halves are made to differ. So they are cut by every other item, in order of easiness, and compared on the rest.
    """
    everything = profile_of(rows, group)
    order = np.argsort(everything.totals / np.maximum(everything.answers, 1), kind="stable")
    cutting = np.zeros(len(order), dtype=np.bool_)
    cutting[order[::2]] = True
    core = larger_half(rows, group, cutting)
    other, profile = group & ~core, profile_of(rows, core)
    found, usual = _compared(rows, core, other, profile, ~cutting)
    apart = _chances(found, usual, HALVES_SPREAD)[0][0] < FALSE_CUTS and found.slopes[0] < LEAST_SHARE * usual.slopes[0]
    shown = _chances(*_compared(rows, core, other, profile), HALVES_SPREAD)[1][0] < FALSE_DISCOVERIES
    return _Halves(core, other, bool(apart), bool(shown))


def _compared(
    rows: Rows, core: Bools, other: Bools, profile: Profile, items: Bools | None = None
) -> tuple[Regression, Regression]:
    """Return the other half's slope on the core's easiness, and what is usual in the core."""
    usual = regress(rows, core, profile, items).of(core).together()
    return regress_together(rows, other, profile, items), usual


def _grow(rows: Rows, pool: Bools, core: Bools, parted: Bools) -> Bools:
    """Take in whoever is not shown to disagree with the members, again until nothing changes.

    Models that were parted from the core together have to be shown to agree.
    """
    members = core
    for _ in range(_MOST_STEPS):
        judged = judge(rows, pool, profile_of(rows, members))
        found = pool & ~judged.apart & (judged.shown | ~parted)
        if not found.any() or (found == members).all():
            break
        members = found
    return members
