"""The real response matrix of ChemBench, end to end."""

from __future__ import annotations

import pytest
from scipy.stats import spearmanr

from tests.unit.benchmirt.files import MODELS_IN_COLUMNS, REAL, needs_real_matrix
from tests.unit.benchmirt.test_alignment import GROUP_OF_TWELVE
from transforms.benchmirt import SourceTables, read_benchmirt
from transforms.irt import Request, fit_tables
from warehouse.contracts import TABLES

pytestmark = needs_real_matrix


@pytest.fixture(scope="module")
def real() -> SourceTables:
    return read_benchmirt((REAL.name, REAL.read_bytes()), hints=MODELS_IN_COLUMNS)


def test_its_unnamed_first_column_needs_to_be_told_which_side_the_models_are_on() -> None:
    found = read_benchmirt((REAL.name, REAL.read_bytes()))
    (refused,) = found.issues
    assert refused.rule == "benchmirt.unknown_side"
    assert "22 models in columns" in refused.message
    assert "2854 models in rows" in refused.message


def test_shape_and_filter(real: SourceTables) -> None:
    items = real.tables["benchmirt_items"]
    assert real.tables["benchmirt_responses"].height == 22 * 2854
    assert (items.height, int((~items["low_variance"]).sum())) == (2854, 2631)
    assert int((items["mean_score"] == 0.0).sum()) == 134
    assert int((items["mean_score"] == 1.0).sum()) == 0
    for name, frame in real.tables.items():
        TABLES[name].schema.validate(frame)


@pytest.mark.parametrize(("model", "dims"), [("1pl", 1), ("2pl", 1), ("m2pl", 2)])
def test_the_group_of_twelve_fits_and_abilities_rank_with_accuracy(real: SourceTables, model: str, dims: int) -> None:
    request = Request(model=model, dims=dims, n_folds=0)  # type: ignore[arg-type]
    found = fit_tables(real.tables["benchmirt_responses"], request, real.tables["benchmirt_alignment"])
    models = found.tables["irt_models"].filter("in_fit")
    assert set(models["model"]) == GROUP_OF_TWELVE
    assert found.fit.converged
    assert spearmanr(models["ability"], models["mean_score"])[0] >= 0.95


def test_predictions_are_calibrated_in_the_large(real: SourceTables) -> None:
    found = fit_tables(real.tables["benchmirt_responses"], Request(n_folds=5), real.tables["benchmirt_alignment"])
    rows = found.tables["irt_predictions"]
    predicted, correct = rows["predicted"].to_numpy(), rows["correct"].to_numpy()
    assert predicted.mean() == pytest.approx(correct.mean(), abs=0.01)
    assert ((predicted > 0.5) == correct).mean() > 0.7
