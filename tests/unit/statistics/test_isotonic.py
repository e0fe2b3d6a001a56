"""Isotonic fits and CORP blocks against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

from tests.unit.statistics.reference import Row, row_lists, simulated
from transforms.statistics.isotonic import corp_blocks, fit_isotonic
from transforms.statistics.rows import Rows

TIED = Rows.of([0, 0.1, 0.1, 0.2, 0.3], [0, 0, 1, 0, 1])


def test_ties_are_pooled_first_with_their_weight() -> None:
    fit = fit_isotonic(TIED.levels)  # B36
    assert fit.fitted[TIED.levels.of_row].tolist() == [0, 1 / 3, 1 / 3, 1 / 3, 1]
    assert roc_auc_score(TIED.correct, TIED.confidence) == 0.75  # B37: tying changes ranks
    assert roc_auc_score(TIED.correct, fit.fitted[TIED.levels.of_row]) == pytest.approx(0.8333333, abs=5e-8)


@pytest.mark.parametrize("decimals", [None, 2, 1])
def test_fit_and_interpolation_are_scikit_learns(decimals: int | None) -> None:
    confidence, correct, _ = (np.array(column) for column in zip(*simulated(2, decimals=decimals), strict=True))
    reference = IsotonicRegression(out_of_bounds="clip").fit(confidence, correct)
    fit = fit_isotonic(Rows.of(confidence, correct).levels)
    between = np.linspace(-0.1, 1.1, 997)
    np.testing.assert_allclose(fit.predict(confidence), reference.predict(confidence), rtol=0, atol=1e-12)
    np.testing.assert_allclose(fit.predict(between), reference.predict(between), rtol=0, atol=1e-12)


@settings(max_examples=200, deadline=None)
@given(row_lists())
def test_blocks_are_the_optimum(rows: list[Row]) -> None:
    of = Rows.of(*zip(*rows, strict=True))
    blocks = corp_blocks(of)
    fitted = [block.fitted for block in blocks]
    assert fitted == sorted(set(fitted)), "each block lies above the one before"
    assert sum(block.n for block in blocks) == of.n
    assert sum(block.n_correct for block in blocks) == of.n_correct
    for block in blocks:
        inside = (of.confidence >= block.confidence_lo) & (of.confidence <= block.confidence_hi)
        assert inside.sum() == block.n
        assert of.correct[inside].mean() == block.fitted
        assert len(set(of.question[inside])) == block.n_questions
        assert of.confidence[inside].mean() == pytest.approx(block.mean_confidence, abs=1e-15)
        # Optimal: no start of the block is less right than its rest.
        levels = np.unique(of.confidence[inside])
        heads = [of.correct[inside & (of.confidence <= level)].mean() for level in levels]
        assert min(heads) >= block.fitted - 1e-15


def test_equal_neighbours_are_one_block() -> None:
    blocks = corp_blocks(Rows.of([0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.9], [1, 0, 0, 0, 1, 0, 1]))
    assert [(block.n, block.n_correct, block.confidence_hi) for block in blocks] == [(6, 2, 0.2), (1, 1, 0.9)]
    assert corp_blocks(Rows.of([], [])) == []
