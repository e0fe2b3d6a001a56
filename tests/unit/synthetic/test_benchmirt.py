"""The made-up release is read without a complaint and says what it was drawn from."""

from __future__ import annotations

import numpy as np

from synthetic.benchmirt import BENCHMARKS, Release, make_release
from transforms.benchmirt import SourceTables, read_benchmirt, to_matrix
from warehouse.contracts.benchmirt import POLARITIES


def read(release: Release) -> SourceTables:
    return read_benchmirt(
        ("responses.csv", release.responses_csv),
        ("question_metadata.csv", release.items_csv),
        ("model_metadata.csv", release.models_csv),
    )


def test_it_is_read_with_nothing_but_information() -> None:
    found = read(make_release())
    assert {issue.rule for issue in found.issues} == {
        "benchmirt.form",
        "benchmirt.score_formats",
        "benchmirt.empty_score",
    }
    assert set(found.tables["benchmirt_alignment"]["alignment_group"]) == {1}


def test_what_is_read_is_what_was_drawn() -> None:
    release = make_release(n_models=10, items_a_benchmark=12, seed=4)
    found = read(release)
    matrix = to_matrix(found.tables["benchmirt_responses"])
    rows = [release.models.index(model) for model in matrix.models]
    columns = [release.items.index(item) for item in matrix.items]
    assert np.array_equal(matrix.scores, release.scores[np.ix_(rows, columns)], equal_nan=True)
    items = found.tables["benchmirt_items"]
    assert set(items["benchmark"]) == {benchmark.name for benchmark in BENCHMARKS}
    assert set(items["polarity"]) == set(POLARITIES)
    assert found.tables["benchmirt_item_texts"].height == len(release.items)
    assert found.tables["benchmirt_models"]["family"].null_count() == 0


def test_equal_arguments_give_equal_bytes_and_another_seed_others() -> None:
    assert make_release(seed=3).responses_csv == make_release(seed=3).responses_csv
    assert make_release(seed=3).items_csv == make_release(seed=3).items_csv
    assert make_release(seed=3).responses_csv != make_release(seed=4).responses_csv


def test_names_are_distinct_at_the_size_of_the_release() -> None:
    release = make_release(n_models=100, items_a_benchmark=3)
    assert len(set(release.models)) == 100
    assert len(set(release.items)) == len(release.items)
