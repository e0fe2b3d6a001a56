"""The tables of a fit: what is left out and why, what is rounded, what is noticed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest

from tests.unit.irt.data import Floats, simulated
from transforms.irt import WITHOUT_PRIORS, FitTables, IrtInputError, Request, Settings, assign_folds, fit, fit_tables
from transforms.irt.tables import RULES
from warehouse.contracts import TABLES

MODELS = [f"org__model-{i:02d}" for i in range(15)]
ITEMS = [f"bench__['bad words']_{i:03d}" for i in range(60)]


def long(scores: Floats, models: list[str] = MODELS, items: list[str] = ITEMS) -> pl.DataFrame:
    """Responses as the lake has them: a row a cell, in no order."""
    rows = pl.DataFrame(
        {
            "model": np.repeat(models, len(items)),
            "item_id": np.tile(items, len(models)),
            "score": scores.ravel(),
        }
    )
    return rows.sample(fraction=1.0, shuffle=True, seed=1)


def scores(seed: int = 0) -> Floats:
    return simulated(15, 60, seed=seed).responses


def aligned(suspects: Sequence[str] = ()) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "benchmark": ["all"] * 15 + ["bbh"],
            "model": [*MODELS, MODELS[0]],
            "alignment_group": [2 if model in suspects else 1 for model in MODELS] + [2],
            "alignment_status": ["misaligned" if model in suspects else "aligned" for model in MODELS] + ["misaligned"],
        }
    )


def quick(**changes: object) -> Request:
    return Request(**{"n_folds": 3, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def found() -> FitTables:
    return fit_tables(long(scores()), quick(), aligned())


def test_tables_keep_their_contracts(found: FitTables) -> None:
    assert set(found.tables) == {"irt_fits", "irt_items", "irt_models", "irt_predictions"}
    for name, frame in found.tables.items():
        TABLES[name].schema.validate(frame)
        assert frame.columns == list(TABLES[name].polars_schema)
        assert frame.equals(frame.sort(TABLES[name].key))


def test_figures_are_those_of_the_fit(found: FitTables) -> None:
    items = found.tables["irt_items"].filter("in_fit")
    models = found.tables["irt_models"].filter("in_fit")
    matrix = scores()[:, [ITEMS.index(item) for item in items["item_id"]]]
    expected = fit(matrix)
    assert items["discrimination"].to_numpy() == pytest.approx(expected.discrimination, abs=1e-6)
    assert items["slope_1"].equals(items["discrimination"].alias("slope_1"))
    assert items["difficulty_se"].to_numpy() == pytest.approx(expected.difficulty_se, abs=1e-6)
    assert items["slope_2"].null_count() == items.height
    assert models["ability"].to_numpy() == pytest.approx(expected.abilities[:, 0], abs=1e-6)
    assert models["mean_score"].to_numpy() == pytest.approx(matrix.mean(axis=1))
    (row,) = found.tables["irt_fits"].to_dicts()
    assert (row["fit_id"], row["n_models"], row["n_items"]) == ("2pl-1d", 15, items.height)
    assert row["log_likelihood"] == pytest.approx(expected.log_likelihood, abs=1e-4)
    assert json.loads(row["settings"])["intercept_prior_sd"] == 3.0


def test_published_numbers_hold_no_more_than_six_decimals(found: FitTables) -> None:
    for name in ("irt_items", "irt_models"):
        figures = found.tables[name].select(pl.col(pl.Float64).exclude("mean_score"))
        rounded = figures.select(pl.all().round(6))
        assert figures.equals(rounded)


def test_predictions_are_out_of_fold_and_never_certain(found: FitTables) -> None:
    rows = found.tables["irt_predictions"]
    items = found.tables["irt_items"].filter("in_fit")["item_id"].to_list()
    matrix = scores()[:, [ITEMS.index(item) for item in items]]
    folds = assign_folds(matrix, 3)
    assert rows.height == matrix.size
    assert rows["fold"].to_list() == folds.ravel().tolist()
    assert rows["correct"].to_list() == (matrix.ravel() == 1.0).tolist()
    assert rows["predicted"].is_between(1e-7, 1 - 1e-7).all()
    in_fold = fit(matrix).predict().ravel()
    assert np.abs(rows["predicted"].to_numpy() - in_fold).max() > 0.01


def test_no_folds_no_predictions() -> None:
    made = fit_tables(long(scores()), quick(n_folds=0))
    assert made.tables["irt_predictions"].is_empty()
    assert made.tables["irt_fits"]["cv_folds"].to_list() == [0]


def test_items_are_left_out_with_their_reason() -> None:
    matrix = scores()
    matrix[:, 0] = 1.0
    matrix[:, 1] = 0.0
    matrix[:, 2] = np.nan
    matrix[4, 3] = 0.5
    matrix[:, 4], matrix[0, 4] = 0.0, 1.0  # 1 of 15 is 0.067: in
    made = fit_tables(long(matrix), quick(items=ITEMS[:50]))
    reasons = dict(made.tables["irt_items"].select("item_id", "exclusion").rows())
    assert [reasons[item] for item in ITEMS[:5]] == [
        "low_variance", "low_variance", "not_answered", "fractional_score", None,
    ]  # fmt: skip
    assert {reasons[item] for item in ITEMS[50:]} == {"not_selected"}
    left_out = made.tables["irt_items"].filter(pl.col("exclusion").is_not_null())
    assert not left_out["in_fit"].any()
    assert left_out["discrimination"].null_count() == left_out.height
    assert ITEMS[3] not in made.tables["irt_predictions"]["item_id"]


@pytest.mark.parametrize(("n_right", "kept"), [(5, False), (6, True), (94, True), (95, False)])
def test_the_filter_is_strict_on_both_sides(n_right: int, kept: bool) -> None:
    models = [f"m{i:03d}" for i in range(100)]
    matrix = simulated(100, 20, seed=1).responses
    matrix[:, 0] = np.arange(100) < n_right
    made = fit_tables(long(matrix, models, ITEMS[:20]), quick(n_folds=0))
    assert made.tables["irt_items"].filter(item_id=ITEMS[0])["in_fit"].item() is kept


def test_misaligned_models_are_left_out_unless_named() -> None:
    without = fit_tables(long(scores()), quick(n_folds=0), aligned(MODELS[:2]))
    reasons = dict(without.tables["irt_models"].select("model", "exclusion").rows())
    assert [reasons[model] for model in MODELS[:3]] == ["misaligned", "misaligned", None]
    assert without.tables["irt_models"].filter(~pl.col("in_fit"))["ability"].null_count() == 2
    named = fit_tables(long(scores()), quick(n_folds=0, models=MODELS[:12]), aligned(MODELS[:2]))
    reasons = dict(named.tables["irt_models"].select("model", "exclusion").rows())
    assert [reasons[model] for model in (MODELS[0], MODELS[12])] == [None, "not_selected"]
    assert named.fit.n_models == 12


def test_models_that_no_item_links_are_left_out_and_models_that_share_little_take_part() -> None:
    alignment = aligned(MODELS[:2]).with_columns(
        alignment_status=pl.when(pl.col("model").is_in(MODELS[:4]))
        .then(pl.lit("not_comparable"))
        .otherwise("alignment_status")
    )
    made = fit_tables(long(scores()), quick(n_folds=0), alignment)
    reasons = dict(made.tables["irt_models"].select("model", "exclusion").rows())
    assert [reasons[model] for model in MODELS[:5]] == ["not_comparable", "not_comparable", None, None, None]


def test_a_model_without_a_response_is_left_out() -> None:
    matrix = scores()
    matrix[3] = np.nan
    made = fit_tables(long(matrix), quick(n_folds=0))
    assert made.tables["irt_models"].filter(model=MODELS[3])["exclusion"].item() == "not_answered"


def test_several_dimensions_fill_their_columns() -> None:
    made = fit_tables(long(scores()), quick(model="m2pl", dims=2, n_folds=0, selection="safety"))
    assert made.tables["irt_fits"]["fit_id"].to_list() == ["m2pl-2d-safety"]
    models = made.tables["irt_models"]
    assert models["ability"].equals(models["ability_1"].alias("ability"))
    assert models["ability_2"].null_count() == 0
    assert models["ability_3"].null_count() == models.height
    items = made.tables["irt_items"].filter("in_fit")
    length = (items["slope_1"] ** 2 + items["slope_2"] ** 2).sqrt()
    assert items["discrimination"].to_numpy() == pytest.approx(length.to_numpy(), abs=2e-6)
    assert items["slope_se_2"].null_count() == 0


def test_another_selection_has_another_name() -> None:
    names = {
        Request().fit_id,
        Request(models=MODELS[:10]).fit_id,
        Request(models=MODELS[:11]).fit_id,
        Request(items=MODELS[:10]).fit_id,
        Request(models=MODELS[:10], items=ITEMS[:9]).fit_id,
        Request(models=MODELS[:10], settings=WITHOUT_PRIORS).fit_id,
        Request(settings=WITHOUT_PRIORS).fit_id,
        Request(selection="mine", models=MODELS[:10]).fit_id,
    }
    assert len(names) == 8
    assert {"2pl-1d", "2pl-1d-no-priors", "2pl-1d-mine"} <= names
    assert Request(models=MODELS[9::-1]).fit_id == Request(models=[*MODELS[:10], MODELS[0]]).fit_id
    made = fit_tables(long(scores()), quick(n_folds=0, models=MODELS[:12]))
    (row,) = made.tables["irt_fits"].to_dicts()
    assert row["fit_id"] == f"2pl-1d-{row['selection']}"
    assert re.fullmatch("selected-[0-9a-f]{8}", row["selection"])


def test_the_hash_is_of_what_was_fitted() -> None:
    def hashed(matrix: Floats, **changes: object) -> str:
        made = fit_tables(long(matrix), quick(n_folds=0, **changes))
        return str(made.tables["irt_fits"]["responses_sha256"].item())

    other = scores()
    other[0, 0] = 1.0 - other[0, 0]
    assert hashed(scores()) == hashed(scores(), model="1pl")
    assert len({hashed(scores()), hashed(other), hashed(scores(), models=MODELS[:12])}) == 3


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"models": ["nobody"]}, "1 models asked for have no responses: 'nobody'"),
        ({"items": ["nothing"]}, "1 items asked for have no responses: 'nothing'"),
        ({"models": MODELS[:1]}, "1 models and .* are left to fit, of 15 and 60; .* 14 not_selected"),
        ({"model": "2pl", "dims": 2}, "2pl has one dimension"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_words(changes: dict[str, object], says: str) -> None:
    with pytest.raises(IrtInputError, match=says):
        fit_tables(long(scores()), quick(n_folds=0, **changes))


def rules_of(matrix: Floats, alignment: pl.DataFrame | None = None, **changes: object) -> set[str]:
    made = fit_tables(long(matrix), quick(n_folds=0, **changes), alignment)
    assert all(issue.source == "irt" and issue.condition == made.tables["irt_fits"]["fit_id"].item()
               for issue in made.issues)  # fmt: skip
    return {issue.rule for issue in made.issues}


def constant_item(matrix: Floats) -> Floats:
    matrix[:, 0] = 1.0
    return matrix


def ordinary(matrix: Floats) -> Floats:
    # Every item has right and wrong answers, so that none is left out.
    matrix[0, :], matrix[1, :] = 1.0, 0.0
    matrix[0, ::2], matrix[1, ::2] = 0.0, 1.0
    return matrix


def twins(matrix: Floats) -> Floats:
    matrix[5] = matrix[6]
    return matrix


def items_twice(matrix: Floats) -> Floats:
    matrix[:, 30:] = matrix[:, :30]
    return matrix


Case = tuple[str, Callable[[Floats], Floats], pl.DataFrame | None, dict[str, object]]
CASES: tuple[Case, ...] = (
    ("irt.models_left_out", ordinary, aligned(MODELS[2:3]), {}),
    ("irt.items_left_out", constant_item, None, {}),
    ("irt.few_models", ordinary, None, {"models": MODELS[:9]}),
    ("irt.not_converged", ordinary, None, {"settings": Settings(max_iterations=2)}),
    ("irt.duplicate_models", lambda m: twins(ordinary(m)), None, {}),
    ("irt.duplicate_items", lambda m: items_twice(ordinary(m)), None, {}),
)


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in RULES} == {case[0] for case in CASES}


@pytest.mark.parametrize(("rule", "change", "alignment", "changes"), CASES, ids=[case[0] for case in CASES])
def test_each_rule_notices_its_case_and_not_an_ordinary_one(
    rule: str, change: Callable[[Floats], Floats], alignment: pl.DataFrame | None, changes: dict[str, object]
) -> None:
    assert rule in rules_of(change(scores()), alignment, **changes)
    assert rules_of(ordinary(scores()), aligned()) == set()
