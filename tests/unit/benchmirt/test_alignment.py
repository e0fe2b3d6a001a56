"""Groups of models whose rows do not describe the same items are found, and others are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from tests.unit.benchmirt.files import MODELS_IN_COLUMNS, REAL, needs_real_matrix
from transforms.benchmirt import Matrix, audit_alignment, read_benchmirt
from transforms.benchmirt.alignment import LEAST_ITEMS, LEAST_MODELS, rest_correlations, tetrachoric_correlations

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
    assert (row["model_rest_correlation"], row["alignment_suspect"]) == (None, True)


def test_rest_correlations_are_pearsons_with_the_mean_of_the_others() -> None:
    scores = matrix(9, 80).scores
    scores[2, 10:40] = np.nan
    expected = []
    for i in range(9):
        answered = ~np.isnan(scores[i])
        others = np.nanmean(np.delete(scores, i, axis=0), axis=0)
        expected.append(np.corrcoef(scores[i][answered], others[answered])[0, 1])
    assert rest_correlations(scores) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.4, 0.8])
@pytest.mark.parametrize(("first", "second"), [(0.5, 0.5), (0.3, 0.6), (0.8, 0.7)])
def test_tetrachoric_correlation_is_about_that_of_the_normal_variables_behind(
    correlation: float, first: float, second: float
) -> None:
    cut = norm.ppf([first, second])
    both = multivariate_normal(cov=[[1, correlation], [correlation, 1]]).cdf(cut)
    n = 100_000
    counts = np.round(n * np.array([both, first - both, second - both, 1 - first - second + both])).astype(int)
    scores = np.repeat(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), counts, axis=0).T
    assert tetrachoric_correlations(scores)[0, 1] == pytest.approx(correlation, abs=0.1)


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
