"""Models that share little: sound ones are not flagged, and misaligned ones are found where it can be told."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.unit.benchmirt.matrices import SOUND_KINDS, kept, matrix, shuffled, sound, suspects
from transforms.benchmirt import Matrix, audit_alignment


def wrongly_flagged(kind: str, n_models: int, n_items: int, coverage: float, seeds: range) -> tuple[int, int]:
    """How many of how many sound models are called misaligned, or are left out of a fit."""
    wrong = 0
    for seed in seeds:
        table = audit_alignment(kept(sound(kind, n_models, n_items, seed), coverage, seed)).table
        left_out = (pl.col("alignment_group") != 1) & (pl.col("n_shared_items") > 0)
        wrong += table.filter(pl.col("alignment_suspect") | left_out).height
    return wrong, n_models * len(seeds)


@pytest.mark.parametrize("kind", SOUND_KINDS)
@pytest.mark.parametrize("coverage", [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0])
def test_sound_models_are_not_flagged_however_much_is_missing(kind: str, coverage: float) -> None:
    wrong, n = wrongly_flagged(kind, 30, 400, coverage, range(8))
    assert wrong <= 0.01 * n


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOUND_KINDS)
@pytest.mark.parametrize(("n_models", "n_items"), [(8, 64), (12, 160), (30, 400), (60, 1200), (300, 200)])
@pytest.mark.parametrize("coverage", [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0])
def test_at_most_one_in_a_hundred_sound_models_is_flagged(
    kind: str, n_models: int, n_items: int, coverage: float
) -> None:
    wrong, n = wrongly_flagged(kind, n_models, n_items, coverage, range(max(10, 1200 // n_models)))
    assert wrong <= 0.01 * n


@pytest.mark.parametrize(("n_models", "n_items", "coverage"), [(30, 400, 0.5), (30, 2000, 0.2), (200, 4000, 0.1)])
def test_misaligned_rows_are_found_where_enough_is_shared(n_models: int, n_items: int, coverage: float) -> None:
    planted = 5
    hit = miss = 0
    for seed in range(4):
        found = kept(shuffled(matrix(n_models, n_items, seed), list(range(planted)), seed), coverage, seed)
        table = audit_alignment(found).table
        wrong = set(table.filter("alignment_suspect")["model"])
        hit += len(wrong & set(found.models[:planted]))
        miss += len(wrong - set(found.models[:planted]))
        assert not set(table.filter(alignment_status="aligned")["model"]) & set(found.models[:planted])
    assert hit >= 0.75 * 4 * planted
    assert miss == 0


def test_a_half_that_is_misaligned_is_found_where_single_models_could_not_be() -> None:
    """Half of the models were joined to other items, and each of them answered little."""
    halves = [m for m in range(60) if m % 2]
    found = kept(shuffled(matrix(60, 1000, 3), halves, 3), 0.15, 3)
    assert len({name for _, name in suspects(found)} & {found.models[i] for i in halves}) >= 25


def test_models_that_share_too_little_are_not_comparable_and_take_part_in_a_fit() -> None:
    found = kept(matrix(30, 400), 0.1, 0)
    audit = audit_alignment(found)
    assert set(audit.table["alignment_status"]) <= {"not_comparable", "aligned"}
    unknown = audit.table.filter(alignment_status="not_comparable")
    assert unknown.height > 15
    assert set(unknown["alignment_group"]) == {1}
    assert (unknown["n_shared_items"] > 0).all()
    (issue,) = audit.issues
    assert issue.rule == "benchmirt.models_not_comparable"
    assert f"{unknown.height} models share too little" in issue.message


def test_two_halves_that_share_no_item_are_said_to_share_none() -> None:
    found = matrix(24, 400)
    found.scores[:14, 200:] = np.nan
    found.scores[14:, :200] = np.nan
    audit = audit_alignment(found)
    other = audit.table.filter(alignment_group=2)
    assert other["model"].to_list() == found.models[14:]
    assert set(other["alignment_status"]) == {"not_comparable"}
    assert set(other["n_shared_items"]) == {0}
    assert set(audit.table.filter(alignment_group=1)["alignment_status"]) == {"aligned"}
    (issue,) = audit.issues
    assert (issue.rule, issue.value) == ("benchmirt.models_share_no_item", "10")
    assert "10 models share no item with the largest group, of 14 models" in issue.message


def test_halves_too_small_to_compare_are_still_said_to_share_no_item() -> None:
    found = matrix(4, 20)
    found.scores[:2, 10:] = np.nan
    found.scores[2:, :10] = np.nan
    audit = audit_alignment(found)
    assert audit.table["alignment_group"].to_list() == [1, 1, 2, 2]
    assert set(audit.table["alignment_status"]) == {"not_comparable"}
    assert "benchmirt.models_share_no_item" in {issue.rule for issue in audit.issues}


def halves_that_share(n_shared: int, *, moved: bool, seed: int = 0) -> Matrix:
    """Two halves of 16 models, of 300 items each, that share some; the second half's rows may be of other items."""
    found = matrix(32, 600 - n_shared, seed)
    if moved:
        shuffled(found, list(range(16, 32)), seed)
    found.scores[:16, 300:] = np.nan
    found.scores[16:, : 300 - n_shared] = np.nan
    return found


def test_halves_that_share_a_few_items_agree_within_and_can_not_be_compared() -> None:
    for moved in (False, True):
        table = audit_alignment(halves_that_share(4, moved=moved)).table
        assert table["alignment_suspect"].sum() == 0
        statuses = [set(table[rows]["alignment_status"]) for rows in (range(16), range(16, 32))]
        assert {"not_comparable"} in [set(table["alignment_status"][:16]), set(table["alignment_status"][16:])], (
            statuses
        )


def test_halves_that_share_enough_items_are_compared() -> None:
    assert not suspects(halves_that_share(100, moved=False))
    wrong = {name for _, name in suspects(halves_that_share(100, moved=True))}
    names = halves_that_share(100, moved=True).models
    assert wrong in ({*names[:16]}, {*names[16:]})


def test_models_that_agree_with_nobody_are_no_group() -> None:
    """20 models agree; each of 12 others was joined to other items than every other."""
    found = matrix(32, 500)
    for i in range(20, 32):
        shuffled(found, [i], i)
    table = audit_alignment(found).table
    assert set(table.filter(alignment_group=1)["model"]) == set(found.models[:20])
    assert set(table.filter("alignment_suspect")["group_size"]) == {1}
