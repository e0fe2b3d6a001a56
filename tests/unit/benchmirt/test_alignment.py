"""Groups of models whose rows do not describe the same items are found, and others are not."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest
import statsmodels.api as statsmodels
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from synthetic.benchmirt import BENCHMARKS, make_release
from tests.unit.benchmirt.files import MODELS_IN_COLUMNS, REAL, needs_real_matrix
from tests.unit.irt.data import Floats, simulated
from transforms.benchmirt import Matrix, audit_alignment, read_benchmirt
from transforms.benchmirt.agreement import mean_correlations, profile_of, regress, regress_together, to_rows
from transforms.benchmirt.alignment import LEAST_ITEMS, LEAST_MODELS
from transforms.benchmirt.groups import linked_sets

GROUP_OF_TWELVE = {
    "Mistral-Large-2", "Command-R+", "Llama-3.1-405B-Instruct", "Llama-3.1-8B-Instruct", "GPT-4o", "PaperQA2",
    "Gemma-1.1-7B-it", "Gemma-2-9B-it", "Llama-3-8B-Instruct", "o1", "Phi-3-Medium-4k-Instruct",
    "GPT-3.5 Turbo Zero-T",
}  # fmt: skip


def matrix(n_models: int, n_items: int, seed: int = 0) -> Matrix:
    random = np.random.default_rng(seed)
    ability = random.normal(size=n_models)
    scores = random.random((n_models, n_items)) < expit(ability[:, None] - random.normal(0, 1.2, n_items))
    return Matrix([f"m{i:02d}" for i in range(n_models)], [f"i{i:04d}" for i in range(n_items)], scores.astype(float))


def shuffled(found: Matrix, rows: list[int], seed: int = 1) -> Matrix:
    """Join these models' rows to other items: one permutation for all of them."""
    order = np.random.default_rng(seed).permutation(len(found.items))
    found.scores[rows] = found.scores[rows][:, order]
    return found


def suspects(found: Matrix, benchmarks: list[str | None] | None = None) -> set[tuple[str, str]]:
    table = audit_alignment(found, benchmarks).table.filter("alignment_suspect")
    return set(table.select("benchmark", "model").rows())


@pytest.mark.parametrize("seed", range(8))
def test_models_that_answered_the_same_items_are_one_group(seed: int) -> None:
    random = np.random.default_rng(seed)
    found = matrix(int(random.integers(8, 40)), int(random.integers(100, 800)), seed)
    audit = audit_alignment(found)
    assert set(audit.table["alignment_group"]) == {1}
    assert audit.issues == []


def test_a_group_joined_to_other_items_is_found_and_named() -> None:
    audit = audit_alignment(shuffled(matrix(20, 500), [1, 2, 3, 4, 5]))
    groups = {
        number: set(rows["model"]) for (number,), rows in audit.table.group_by("alignment_group", maintain_order=True)
    }
    assert groups[2] == {"m01", "m02", "m03", "m04", "m05"}
    assert len(groups[1]) == 15
    (issue,) = audit.issues
    assert "'m01', 'm02', 'm03', 'm04', 'm05'" in issue.message
    second = audit.table.filter(alignment_group=2)
    assert (second["own_group_correlation"] > 0.2).all()
    assert (second["main_group_correlation"].abs() < 0.15).all()


def test_one_model_joined_to_other_items_stands_alone() -> None:
    audit = audit_alignment(shuffled(matrix(20, 800), [7]))
    lone = audit.table.filter("alignment_suspect").to_dicts()
    assert [row["model"] for row in lone] == ["m07"]
    assert lone[0]["group_size"] == 1
    assert lone[0]["own_group_correlation"] is None
    assert abs(lone[0]["model_rest_correlation"]) < 0.1


def test_missing_cells_are_left_out_pair_by_pair() -> None:
    found = shuffled(matrix(20, 600, seed=3), [0, 1, 2])
    found.scores[np.random.default_rng(5).random(found.scores.shape) < 0.3] = np.nan
    assert suspects(found) == {("all", "m00"), ("all", "m01"), ("all", "m02")}


def test_a_benchmark_joined_wrongly_is_found_in_that_benchmark() -> None:
    found = matrix(16, 600)
    order = np.random.default_rng(2).permutation(200)
    found.scores[:4, :200] = found.scores[:4, :200][:, order]
    benchmarks: list[str | None] = ["bbh"] * 200 + ["math"] * 380 + [None] * 20
    assert {s for s in suspects(found, benchmarks) if s[0] == "bbh"} == {("bbh", f"m{i:02d}") for i in range(4)}
    assert not {s for s in suspects(found, benchmarks) if s[0] == "math"}
    issues = [issue for issue in audit_alignment(found, benchmarks).issues if issue.dataset == "bbh"]
    assert "in benchmark 'bbh'" in issues[0].message


def test_one_benchmark_that_is_everything_is_audited_once() -> None:
    found = matrix(10, 100)
    assert set(audit_alignment(found, ["bbh"] * 100).table["benchmark"]) == {"all"}


@pytest.mark.parametrize(("n_models", "n_items"), [(LEAST_MODELS - 1, 300), (20, LEAST_ITEMS - 1), (1, 1)])
def test_too_little_to_tell_gives_no_row(n_models: int, n_items: int) -> None:
    audit = audit_alignment(matrix(n_models, n_items))
    assert audit.table.is_empty()
    assert audit.issues == []


def test_models_without_variance_do_not_break_it() -> None:
    found = matrix(12, 200)
    found.scores[3] = 1.0
    found.scores[5] = np.nan
    table = audit_alignment(found).table
    assert "m05" not in table["model"]
    row = table.filter(model="m03").to_dicts()[0]
    assert (row["model_rest_correlation"], row["alignment_suspect"]) == (None, False)
    assert (row["alignment_group"], row["alignment_status"], row["main_group_agreement"]) == (1, "not_comparable", None)


def test_correlations_are_pearsons_with_the_mean_of_the_others() -> None:
    scores = matrix(9, 80).scores
    scores[2, 10:40] = np.nan
    everyone = np.ones(9, dtype=np.bool_)
    some = np.arange(9) < 5
    for members in (everyone, some):
        expected = []
        for i in range(9):
            others = np.nanmean(scores[members & (np.arange(9) != i)], axis=0)
            known = ~np.isnan(scores[i]) & ~np.isnan(others)
            expected.append(np.corrcoef(scores[i][known], others[known])[0, 1])
        assert mean_correlations(to_rows(scores), members, everyone) == pytest.approx(np.array(expected))


def test_slopes_and_their_errors_are_a_score_test_of_logistic_regression() -> None:
    """Beside 0 the slope of one step is the maximum's, and its error's share for the model itself that of the test."""
    scores = matrix(30, 600, seed=4).scores
    scores[0] = scores[0][np.random.default_rng(0).permutation(600)]
    rows, others = to_rows(scores), np.arange(30) > 0
    profile = profile_of(rows, others)
    found = regress(rows, ~others, profile)
    easiness = profile.totals / (profile.information + profile.precision)
    expected = statsmodels.Logit(scores[0], statsmodels.add_constant(easiness)).fit(disp=0)
    assert found.slopes[0] == pytest.approx(expected.params[1], abs=0.02)
    assert found.errors[0] == pytest.approx(expected.bse[1], rel=0.2)
    assert found.shared[0] == 600


@pytest.mark.parametrize("coverage", [0.2, 1.0])
def test_the_error_of_a_slope_is_how_much_slopes_differ(coverage: float) -> None:
    """Of models that answered the same items, over many draws; one by one, and a half taken together."""
    each, together = [], []
    for seed in range(60):
        scores = kept(matrix(20, 300, seed), coverage, seed).scores
        rows, core = to_rows(scores), np.arange(20) < 10
        profile = profile_of(rows, core)
        one, half = regress(rows, ~core, profile), regress_together(rows, ~core, profile)
        each += list(((one.slopes - 1.0) / one.errors)[10:])
        together += list((half.slopes - 1.0) / half.errors)
    assert np.std(each) == pytest.approx(0.95, abs=0.15)
    assert np.std(together) == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("coverage", [0.1, 0.3, 1.0])
def test_the_slope_of_models_that_agree_is_about_one_whatever_is_missing(coverage: float) -> None:
    slopes = []
    for seed in range(8):
        rows = to_rows(kept(matrix(30, 2000, seed), coverage, seed).scores)
        everyone = np.ones(30, dtype=np.bool_)
        slopes += list(regress(rows, everyone, profile_of(rows, everyone)).together().slopes)
    assert np.mean(slopes) == pytest.approx(1.1, abs=0.2)


def test_linked_sets_are_the_components_of_who_answered_what() -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        scores = np.where(random.random((25, 40)) < 0.04, 1.0, np.nan)
        graph = networkx(scores)
        found = {frozenset(np.flatnonzero(one).tolist()) for one in linked_sets(to_rows(scores))}
        assert found == graph
    chain = np.full((50, 51), np.nan)
    for i in random.permutation(50):
        chain[i, [i, i + 1]] = 1.0
    assert [one.sum() for one in linked_sets(to_rows(chain))] == [50]


def networkx(scores: Floats) -> set[frozenset[int]]:
    """The components by scipy, of the models and items as one graph."""
    n, items = scores.shape
    graph = np.zeros((n + items, n + items))
    graph[:n, n:] = ~np.isnan(scores)
    _, labels = connected_components(csr_matrix(graph), directed=False)
    return {frozenset(np.flatnonzero(labels[:n] == label).tolist()) for label in set(labels[:n])}


# ---- sparse matrices

SOUND_KINDS = ("rasch", "2pl", "two abilities")


def sound(kind: str, n_models: int, n_items: int, seed: int) -> Matrix:
    """Responses to the same items: one ability, items of different slopes, or two abilities that do not correlate."""
    if kind == "rasch":
        return matrix(n_models, n_items, seed)
    if kind == "two abilities":
        release = make_release(n_models, n_items // len(BENCHMARKS), seed, missing=0.0)
        return Matrix([f"m{i:02d}" for i in range(n_models)], release.items, release.scores)
    scores = simulated(n_models, n_items, seed=seed).responses
    return Matrix([f"m{i:02d}" for i in range(n_models)], [f"i{i:04d}" for i in range(n_items)], scores)


def kept(found: Matrix, coverage: float, seed: int) -> Matrix:
    """Each response is kept with this probability."""
    found.scores[np.random.default_rng(1000 + seed).random(found.scores.shape) >= coverage] = np.nan
    return found


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


def test_three_groups_of_one_size_are_three() -> None:
    found = shuffled(shuffled(matrix(30, 600), list(range(10, 20)), 1), list(range(20, 30)), 2)
    table = audit_alignment(found).table
    groups = [set(table.filter(alignment_group=number)["model"]) for number in (1, 2, 3)]
    assert sorted(map(sorted, groups)) == [found.models[:10], found.models[10:20], found.models[20:]]


def test_many_groups_of_one_are_counted_in_one_sentence() -> None:
    found = matrix(90, 400)
    for i in range(60, 90):
        shuffled(found, [i], i)
    named = [issue for issue in audit_alignment(found).issues if issue.rule == "benchmirt.misaligned_models"]
    assert len(named) <= 20
    assert sum(int(issue.value or 0) for issue in named) == len(suspects(found)) >= 28
    assert "groups, from 20 on" in named[-1].message


def test_the_audit_is_no_square_of_the_models() -> None:
    """Memory beside the responses: the models' pairs alone would be 32 MB."""
    found = matrix(2000, 60)
    tracemalloc.start()
    try:
        audit_alignment(found)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_the_order_of_models_and_items_changes_nothing() -> None:
    found = shuffled(matrix(14, 300), [0, 1, 2])
    once = audit_alignment(found).table
    columns = np.random.default_rng(9).permutation(300)
    again = audit_alignment(Matrix(found.models, found.items, found.scores[:, columns])).table
    assert again.equals(once)


@needs_real_matrix
def test_the_real_matrix_has_a_group_of_twelve_one_of_eight_and_two_alone() -> None:
    found = read_benchmirt((REAL.name, REAL.read_bytes()), hints=MODELS_IN_COLUMNS)
    table = found.tables["benchmirt_alignment"]
    groups = [
        set(rows["model"]) for _, rows in table.sort("alignment_group").group_by("alignment_group", maintain_order=True)
    ]
    assert groups[0] == GROUP_OF_TWELVE
    assert len(groups[1]) == 8
    assert sorted(map(sorted, groups[2:])) == [["Galatica-120b"], ["Llama-2-70B Chat"]]
    named = [issue for issue in found.issues if issue.rule == "benchmirt.misaligned_models"]
    assert [issue.value for issue in named] == ["8", "1", "1"]
    assert {issue.severity for issue in found.issues} == {"info", "warning"}
