"""Intervals: what is resampled, against a bootstrap that really resamples, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.statistics import reference
from tests.unit.statistics.observations import cell
from tests.unit.statistics.reference import simulated
from transforms.statistics.bootstrap import Bootstrapped, Interval, bootstrap_cell, difference, interval
from transforms.statistics.cells import Cell, datasets_of
from transforms.statistics.undefined import Undefined
from transforms.statistics.weights import poisson_weights
from warehouse.contracts.statistics import BOOTSTRAP_STATISTICS, CALIBRATION_STATISTICS


def _cell(rows: list[reference.Row], *, is_probability: bool = True) -> tuple[Cell, np.ndarray]:
    confidence, correct, question = zip(*rows, strict=True)
    (dataset,) = datasets_of(cell("ab", confidence, correct, question, is_probability=is_probability))
    return dataset.cells[0], poisson_weights(dataset.hashes, 40, seed=1)


def test_replicates_and_intervals_are_those_of_rows_really_resampled() -> None:
    rows = simulated(11, questions=12, per_question=4, decimals=1)
    of, weights = _cell(rows)
    found = bootstrap_cell(of, weights, 10)
    figures = {
        "accuracy": lambda drawn: sum(y for _, y, _ in drawn) / len(drawn),
        "ece": lambda drawn: reference.ece(drawn, 10),
        "brier": reference.brier,
        "auroc": reference.auroc,
        "aurc": reference.aurc,
        "augrc": reference.augrc,
        "prr": reference.prr,
    }
    for name, figure in figures.items():
        drawn = [figure(reference.repeated(rows, dict(enumerate(column)))) for column in weights.T]
        estimate = figure(rows)
        assert found[name].estimate == pytest.approx(estimate, abs=1e-12), name
        np.testing.assert_allclose(found[name].replicates, drawn, rtol=0, atol=1e-12)
        summary = interval(found[name])
        assert isinstance(summary, Interval)
        replicates = np.array(drawn)
        expected = (
            replicates.mean(),
            replicates.mean() - estimate,
            replicates.std(ddof=1),
            np.percentile(replicates, 2.5),
            np.percentile(replicates, 97.5),
        )
        assert summary == pytest.approx(expected, abs=1e-12), name


def test_the_standard_error_is_the_clustered_one() -> None:
    rows = simulated(12, questions=300)
    confidence, correct, question = zip(*rows, strict=True)
    (dataset,) = datasets_of(cell("ab", confidence, correct, question))
    weights = poisson_weights(dataset.hashes, 1_000, seed=2)
    summary = interval(bootstrap_cell(dataset.cells[0], weights, 10)["accuracy"])
    means = np.array(correct).reshape(300, 9).mean(axis=1)
    clustered = means.std(ddof=1) / np.sqrt(300)
    naive = np.sqrt(np.var(correct) / len(correct))
    assert isinstance(summary, Interval)
    assert summary.se == pytest.approx(clustered, rel=0.1)
    assert summary.se > 1.3 * naive


def test_ece_is_biased_upward() -> None:
    rng = np.random.default_rng(0)
    confidence = rng.random(200)
    rows = [
        (float(c), int(y), q) for q, (c, y) in enumerate(zip(confidence, rng.random(200) < confidence, strict=True))
    ]
    of, weights = _cell(rows)
    summary = interval(bootstrap_cell(of, weights, 10)["ece"])
    assert isinstance(summary, Interval)
    assert summary.bootstrap_bias > 0


def test_every_statistic_is_there_and_an_entropy_has_no_calibration() -> None:
    of, weights = _cell(simulated(13, questions=10), is_probability=False)
    found = bootstrap_cell(of, weights, 10)
    assert tuple(found) == BOOTSTRAP_STATISTICS
    for name, figure in found.items():
        expected = Undefined("not_a_probability") if name in CALIBRATION_STATISTICS else figure.estimate
        assert figure.estimate == expected
        assert isinstance(interval(figure), Undefined) == (name in CALIBRATION_STATISTICS), name
        assert figure.n == (0 if name in CALIBRATION_STATISTICS else 90)


def test_one_class_has_no_auroc_and_says_so() -> None:
    of, weights = _cell([(0.1 * q, 1, q) for q in range(5)])
    found = bootstrap_cell(of, weights, 10)
    for name in ("auroc", "prr"):
        assert interval(found[name]) == Undefined("one_class")
        assert len(found[name].defined) == 0
    assert found["aurc"].estimate == 0.0


def test_replicates_without_a_figure_are_left_out_and_counted() -> None:
    of, weights = _cell([(0.2, 0, 0), (0.9, 1, 1)])
    found = bootstrap_cell(of, weights, 10)
    both = ((weights > 0).all(axis=0)).sum()
    any_row = ((weights > 0).any(axis=0)).sum()
    assert 0 < both < any_row < 40
    assert (len(found["auroc"].defined), len(found["ece"].defined)) == (both, any_row)
    assert isinstance(interval(found["auroc"]), Interval)


def test_no_interval_from_one_question_or_no_replicates() -> None:
    of, weights = _cell([(0.2, 0, 0), (0.9, 1, 0)])
    found = bootstrap_cell(of, weights, 10)
    assert found["auroc"].estimate == 1.0
    assert interval(found["auroc"]) == Undefined("one_question")
    nothing = np.full(10, np.nan)
    assert interval(Bootstrapped(5, 3, 0.5, nothing)) == Undefined("too_few_replicates")


def test_an_empty_cell_has_no_figures() -> None:
    of, weights = _cell([(float("nan"), 1, 0)])
    found = bootstrap_cell(of, weights, 10)
    assert {figure.estimate for figure in found.values()} == {Undefined("empty")}


def test_differences_are_paired() -> None:
    rows = simulated(14, questions=60)
    of, weights = _cell(rows)
    shifted, _ = _cell([(c, y, q) for c, y, q in rows])
    same = difference(bootstrap_cell(shifted, weights, 10)["brier"], bootstrap_cell(of, weights, 10)["brier"])
    assert same.estimate == 0
    assert not same.replicates.any(), "the same data under the same weights differ by nothing in every replicate"

    more, _ = _cell([(min(1.0, c + 0.05), y, q) for c, y, q in rows])
    a, b = (bootstrap_cell(side, weights, 10)["mean_confidence"] for side in (of, more))
    paired, unpaired = interval(difference(b, a)), [interval(a), interval(b)]
    assert isinstance(paired, Interval)
    assert all(isinstance(side, Interval) and paired.se < side.se / 3 for side in unpaired)


def test_a_difference_of_what_is_undefined_is_undefined() -> None:
    defined = Bootstrapped(9, 3, 0.5, np.array([0.4, np.nan, 0.6]))
    undefined = Bootstrapped(0, 0, Undefined("empty"), np.full(3, np.nan))
    for found in (difference(defined, undefined), difference(undefined, defined)):
        assert found.estimate == interval(found) == Undefined("empty")
    one = Bootstrapped(9, 1, 0.2, np.array([0.2, 0.2, np.nan]))
    found = difference(one, defined)
    assert found.n_questions == 1
    assert found.estimate == pytest.approx(-0.3)
    assert len(found.defined) == 1
    assert interval(found) == Undefined("one_question")
