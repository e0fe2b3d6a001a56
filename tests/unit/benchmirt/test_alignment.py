"""Groups of models whose rows do not describe the same items are found, and others are not."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tests.unit.benchmirt.files import MODELS_IN_COLUMNS, REAL, needs_real_matrix
from tests.unit.benchmirt.matrices import matrix, shuffled, suspects
from transforms.benchmirt import Matrix, audit_alignment, read_benchmirt
from transforms.benchmirt.alignment import LEAST_ITEMS, LEAST_MODELS

GROUP_OF_TWELVE = {
    "Mistral-Large-2", "Command-R+", "Llama-3.1-405B-Instruct", "Llama-3.1-8B-Instruct", "GPT-4o", "PaperQA2",
    "Gemma-1.1-7B-it", "Gemma-2-9B-it", "Llama-3-8B-Instruct", "o1", "Phi-3-Medium-4k-Instruct",
    "GPT-3.5 Turbo Zero-T",
}  # fmt: skip


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
