"""BenchMIRT's views against numpy, scipy, pandas and statsmodels, on made-up and on awkward responses."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import bernoulli, rankdata, spearmanr, t
from sklearn.metrics import brier_score_loss
from statsmodels.stats.weightstats import DescrStatsW

from synthetic.benchmirt import make_release
from tests.sql.synthetic import t_quantiles
from transforms.benchmirt import SourceTables, read_benchmirt
from transforms.irt import Request, fit_tables
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqltext import SqlObject, load_sql

VIEWS = sorted(path.stem for kind in ("benchmirt", "irt") for path in (SQL_ROOT / "views").glob(f"{kind}_*.sql"))
Frames = dict[str, pl.DataFrame]


def needed() -> list[SqlObject]:
    """The macros, and these views, each after those it uses."""
    return [found for found in load_sql(SQL_ROOT) if found.kind != "view" or found.name in VIEWS]


def connect(frames: Frames) -> duckdb.DuckDBPyConnection:
    every = {name: table.empty() for name, table in TABLES.items()} | {"t_quantiles": t_quantiles()} | frames
    connection = duckdb.connect()
    for name, frame in every.items():
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE {name} AS FROM frame")
    for found in needed():
        connection.execute(found.sql)
    return connection


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = connection.sql(query).pl().to_dicts()
    return found


def small(text: str, items: str | None = None) -> Frames:
    found = read_benchmirt(("r", text.encode()), None if items is None else ("i", items.encode()))
    assert not any(issue.severity == "error" for issue in found.issues)
    return found.tables


@pytest.fixture(scope="module")
def release() -> SourceTables:
    made = make_release(n_models=20, items_a_benchmark=15, seed=2, missing=0.05)
    return read_benchmirt(("r", made.responses_csv), ("i", made.items_csv), ("m", made.models_csv))


@pytest.fixture(scope="module")
def lake(release: SourceTables) -> duckdb.DuckDBPyConnection:
    frames = dict(release.tables)
    made = [
        fit_tables(frames["benchmirt_responses"], request, frames["benchmirt_alignment"])
        for request in (Request(n_folds=4), Request(model="m2pl", dims=2, n_folds=4))
    ]
    for name in made[0].tables:
        frames[name] = pl.concat([found.tables[name] for found in made])
    return connect(frames)


@pytest.fixture(scope="module")
def wide(release: SourceTables) -> pd.DataFrame:
    """Models x items."""
    long = release.tables["benchmirt_responses"].select("model", "item_id", "score").to_pandas()
    return long.pivot_table(index="model", columns="item_id", values="score", dropna=False)


# ---- every view


def test_these_are_the_views() -> None:
    assert VIEWS == [
        "benchmirt_alignment_audit", "benchmirt_confidence_observations", "benchmirt_group_statistics",
        "benchmirt_item_statistics", "benchmirt_model_statistics", "irt_cross_validation", "irt_informative_items",
        "irt_item_curves", "irt_test_information",
    ]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_an_empty_lake_gives_no_rows(view: str) -> None:
    assert rows(connect({}), f"FROM {view}") == []


@pytest.mark.parametrize("view", VIEWS)
def test_headers_say_what_every_column_is(view: str) -> None:
    (found,) = [found for found in needed() if found.name == view]
    columns = [row["column_name"] for row in rows(connect({}), f"DESCRIBE {view}")]
    assert sorted(columns) == sorted(found.columns)
    assert found.grain
    assert found.description


@pytest.mark.parametrize("view", VIEWS)
def test_the_order_of_rows_and_the_number_of_threads_change_no_bit(view: str, lake: duckdb.DuckDBPyConnection) -> None:
    tables = [name for name in TABLES if name.startswith(("benchmirt_", "irt_"))]
    frames = {name: lake.sql(f"FROM {name}").pl() for name in tables}
    expected = lake.sql(f"FROM {view}").pl()
    for seed, threads in ((1, 1), (2, 4)):
        shuffled = {name: f.sample(fraction=1.0, shuffle=True, seed=seed) for name, f in frames.items()}
        other = connect(shuffled)
        other.execute(f"SET threads = {threads}")
        assert_same_rows(other.sql(f"FROM {view}").pl(), expected)


def assert_same_rows(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    keys = [name for name, dtype in expected.schema.items() if dtype in {pl.String, pl.Int64, pl.Int32, pl.Float64}]
    assert found.sort(keys).equals(expected.sort(keys))


# ---- items


def test_item_statistics_are_those_of_pandas(lake: duckdb.DuckDBPyConnection, wide: pd.DataFrame) -> None:
    found = {row["item_id"]: row for row in rows(lake, "FROM benchmirt_item_statistics")}
    assert sorted(found) == sorted(wide.columns)
    total = wide.mean(axis=1)
    benchmark_of = {item: row["benchmark"] for item, row in found.items()}
    for item, row in found.items():
        rest = wide.drop(columns=item).mean(axis=1)
        mates = [other for other in wide.columns if benchmark_of[other] == row["benchmark"] and other != item]
        scores = wide[item]
        assert row["n"] == scores.notna().sum()
        assert row["difficulty"] == pytest.approx(scores.mean())
        if scores.nunique() < 2:
            assert row["point_biserial"] is None
            continue
        # Series.corr leaves out models without a score on either side.
        assert row["point_biserial"] == pytest.approx(scores.corr(total))
        assert row["item_rest_correlation"] == pytest.approx(scores.corr(rest))
        assert row["item_rest_correlation_benchmark"] == pytest.approx(scores.corr(wide[mates].mean(axis=1)))
        assert row["item_rest_correlation"] < row["point_biserial"]


def test_discrimination_index_is_upper_less_lower_27_percent() -> None:
    # Eleven models of distinct totals: 27 % of them are three.
    header = ",".join(["question_id", *(f"acc_norm_m{i:02d}" for i in range(11))])
    body = "\n".join(f"i{k:02d}," + ",".join("1" if m > k else "0" for m in range(11)) for k in range(10))
    found = {
        row["item_id"]: row for row in rows(connect(small(f"{header}\n{body}\n")), "FROM benchmirt_item_statistics")
    }
    assert found["i05"]["discrimination_index"] == 1.0
    assert found["i00"]["discrimination_index"] == pytest.approx(1 / 3)  # the lower three: 0, 1, 1
    assert found["i09"]["discrimination_index"] == pytest.approx(1 / 3)  # the upper three: 1, 0, 0


def test_models_tied_at_the_cut_count_in_part() -> None:
    # Totals 1, then four models at 0.5, then 0: one model is 27 % of four and of six, two of seven and eight.
    text = (
        "question_id,acc_norm_a,acc_norm_b,acc_norm_c,acc_norm_d,acc_norm_e,acc_norm_f,acc_norm_g\n"
        "x,1,1,0,1,0,0,0\ny,1,0,1,0,1,1,0\n"
    )
    found = {row["item_id"]: row for row in rows(connect(small(text)), "FROM benchmirt_item_statistics")}
    # Upper two: a, and one fifth each of b to f, of whom two solve x; lower two: g, and the same fifth.
    assert found["x"]["discrimination_index"] == pytest.approx((1 + 2 / 5) / 2 - (0 + 2 / 5) / 2)
    assert found["y"]["discrimination_index"] == pytest.approx((1 + 3 / 5) / 2 - (0 + 3 / 5) / 2)
    tied = "question_id,acc_norm_a,acc_norm_b\nx,1,0\ny,0,1\n"
    (x, _) = rows(connect(small(tied)), "FROM benchmirt_item_statistics ORDER BY item_id")
    assert (x["discrimination_index"], x["point_biserial"]) == (0.0, None)


def test_awkward_cells_are_counted_and_left_out() -> None:
    text = "question_id,acc_norm_a,acc_norm_b,acc_norm_c,acc_norm_d\nx,1,0,,NaN\ny,1,0,0.5,0.25\nz,,,,\nw,1,1,1,1\n"
    found = {row["item_id"]: row for row in rows(connect(small(text)), "FROM benchmirt_item_statistics")}
    assert [found["x"][c] for c in ("n", "n_null", "n_nan", "difficulty")] == [2, 1, 1, 0.5]
    assert found["y"]["difficulty"] == 0.4375
    # Totals without y: 1, 1/2, 1 and 1.
    assert found["y"]["item_rest_correlation"] == pytest.approx(np.corrcoef([1, 0, 0.5, 0.25], [1, 0.5, 1, 1])[0, 1])
    assert [found["z"][c] for c in ("n", "n_null", "difficulty", "point_biserial", "low_variance")] == [
        0, 4, None, None, True,
    ]  # fmt: skip
    assert [found["w"][c] for c in ("point_biserial", "item_rest_correlation", "low_variance")] == [None, None, True]


def test_one_item_has_no_rest_and_one_model_no_correlation() -> None:
    (one,) = rows(connect(small("question_id,acc_norm_a,acc_norm_b\nx,1,0\n")), "FROM benchmirt_item_statistics")
    assert one["point_biserial"] == pytest.approx(1.0)
    assert one["item_rest_correlation"] is None
    (single, _) = rows(connect(small("question_id,acc_norm_a\nx,1\ny,0\n")), "FROM benchmirt_item_statistics")
    assert [single[c] for c in ("point_biserial", "item_rest_correlation", "discrimination_index")] == [None] * 3


def test_groups_average_their_items(lake: duckdb.DuckDBPyConnection) -> None:
    items = pd.DataFrame(rows(lake, "FROM benchmirt_item_statistics"))
    found = rows(lake, "FROM benchmirt_group_statistics")
    groups = {(row["scope"], row["scope_name"]): row for row in found}
    assert len(groups) == len(found) == 1 + 2 + 8 + items["domain_superset"].nunique()
    for scope, column in (("category", "category"), ("benchmark", "benchmark"), ("domain", "domain_superset")):
        for name, part in items.groupby(column):
            row = groups[(scope, str(name))]
            assert row["n_items"] == len(part)
            for figure in ("difficulty", "point_biserial", "item_rest_correlation", "discrimination_index"):
                assert row[figure] == pytest.approx(part[figure].astype(float).mean())
            assert row["n_negative"] == (part["item_rest_correlation"].astype(float) < 0).sum()
    assert groups[("all", "all")]["n_responses"] == items["n"].sum()


# ---- models


def test_model_averages_have_the_errors_of_statsmodels(lake: duckdb.DuckDBPyConnection, wide: pd.DataFrame) -> None:
    found = rows(lake, "FROM benchmirt_model_statistics WHERE scope = 'all'")
    assert len(found) == 20
    for row in found:
        scores = wide.loc[row["model"]].dropna().to_numpy()
        described = DescrStatsW(scores)
        low, high = described.tconfint_mean()
        assert row["n"] == row["n_questions"] == len(scores)
        assert row["total"] == scores.sum()
        assert row["average"] == pytest.approx(scores.mean())
        assert row["average_se"] == pytest.approx(described.std_mean)
        assert (row["average_lo"], row["average_hi"]) == (pytest.approx(low), pytest.approx(high))
        assert row["n_null"] == 120 - len(scores)
        assert row["family"] in {"alder", "birch", "cedar", "damson"}
        assert row["alignment_suspect"] is False


def test_averages_by_benchmark_category_domain_and_their_macro_mean(
    lake: duckdb.DuckDBPyConnection, wide: pd.DataFrame, release: SourceTables
) -> None:
    items = release.tables["benchmirt_items"].to_pandas().set_index("item_id")
    found = {(r["model"], r["scope"], r["scope_name"]): r for r in rows(lake, "FROM benchmirt_model_statistics")}
    for scope, column in (("category", "category"), ("benchmark", "benchmark"), ("domain", "domain_superset")):
        expected = wide.T.groupby(items[column]).mean()
        for name in expected.index:
            for model in expected.columns:
                assert found[(model, scope, name)]["average"] == pytest.approx(expected.loc[name, model])
    chosen = items[(items["category"] == "Safety") & ~items["benchmark"].isin(["wmdp", "bbq"])].index
    for model in wide.index:
        benchmarks = [r for (m, scope, _), r in found.items() if m == model and scope == "benchmark"]
        macro = found[(model, "macro", "macro")]
        assert macro["average"] == pytest.approx(np.mean([r["average"] for r in benchmarks]))
        variances = np.array([r["average_se"] ** 2 for r in benchmarks])
        assert macro["average_se"] == pytest.approx(np.sqrt(variances.sum()) / len(benchmarks))
        degrees = np.floor(variances.sum() ** 2 / (variances**2 / [r["n"] - 1 for r in benchmarks]).sum())
        reach = t.ppf(0.975, degrees) * macro["average_se"]
        assert macro["average_hi"] == pytest.approx(macro["average"] + reach)
        assert found[(model, "select_safety", "select_safety")]["average"] == pytest.approx(
            wide.loc[model, chosen].mean()
        )


def test_averages_that_have_no_error_say_why() -> None:
    items = "question_id,benchmark,category\nx,p,General Reasoning\ny,q,Safety\nz,q,Safety\n"
    text = "question_id,acc_norm_a,acc_norm_b\nx,1,\ny,1,NaN\nz,1,\n"
    found = {
        (r["model"], r["scope"], r["scope_name"]): r
        for r in rows(connect(small(text, items)), "FROM benchmirt_model_statistics")
    }
    assert found[("a", "all", "all")]["average_se"] == 0.0
    assert found[("a", "all", "all")]["average_se_reason"] == "zero_variance"
    assert found[("a", "benchmark", "p")]["average_se_reason"] == "one_question"
    assert found[("a", "macro", "macro")]["average"] == 1.0
    assert found[("a", "macro", "macro")]["average_se"] is None
    nothing = found[("b", "all", "all")]
    assert [nothing[c] for c in ("n", "n_null", "n_nan", "average", "average_se_reason")] == [0, 2, 1, None, "empty"]
    assert nothing["alignment_suspect"] is None


# ---- alignment


def test_the_audit_has_a_row_a_group(release: SourceTables) -> None:
    made = make_release(n_models=24, items_a_benchmark=40)
    responses = pl.read_csv(made.responses_csv, infer_schema=False)
    moved = [f"acc_norm_{model}" for model in made.models[:6]]
    order = np.random.default_rng(0).permutation(responses.height)
    responses = responses.with_columns(responses.select(moved)[order.tolist()])
    found = read_benchmirt(("r", responses.write_csv().encode()))
    first, second = rows(connect(found.tables), "FROM benchmirt_alignment_audit ORDER BY alignment_group")
    assert second["models"] == sorted(made.models[:6])
    assert (first["n_models"], second["n_models"]) == (18, 6)
    assert (first["alignment_suspect"], second["alignment_suspect"]) == (False, True)
    assert (first["alignment_status"], second["alignment_status"]) == ("aligned", "misaligned")
    assert first["main_group_agreement"] == pytest.approx(1.0, abs=0.1)
    assert abs(second["main_group_agreement"]) < 0.3
    assert first["n_shared_items"] == found.tables["benchmirt_alignment"]["n_shared_items"].min()
    assert second["main_group_correlation"] < 0.15 < second["own_group_correlation"]
    assert first["n_items"] == found.tables["benchmirt_alignment"]["n_items"][0]
    suspects = rows(connect(found.tables), "FROM benchmirt_model_statistics WHERE scope = 'all' AND alignment_suspect")
    assert sorted(row["model"] for row in suspects) == sorted(made.models[:6])


# ---- predictions


def test_predictions_are_observations_of_confidence(lake: duckdb.DuckDBPyConnection) -> None:
    found = lake.sql("FROM benchmirt_confidence_observations").pl()
    assert found.columns == [
        "cell", "source", "model", "dataset", "condition", "signal", "unit", "unit_id", "question_id", "confidence",
        "is_probability", "correct", "cap_repair",
    ]  # fmt: skip
    predictions = lake.sql("FROM irt_predictions").pl()
    assert found.height == predictions.height
    assert found.select("condition", "model", "unit_id").is_unique().all()
    assert found.select("source", "signal", "unit", "is_probability", "cap_repair").unique().rows() == [
        ("benchmirt", "irt", "response", True, None)
    ]
    joined = found.join(
        predictions, left_on=["condition", "model", "unit_id"], right_on=["fit_id", "model", "item_id"], how="inner"
    )
    assert joined.height == predictions.height
    assert joined["confidence"].equals(joined["predicted"].alias("confidence"), null_equal=True)
    assert (joined["correct"] == joined["correct_right"]).all()
    assert set(found["dataset"]) == {"bbh", "mmlu-pro", "ifeval", "harmbench", "trustllm_jailbreaktrigger", "xstest",
                                     "bbq", "wmdp"}  # fmt: skip
    first = found.row(0, named=True)
    assert first["cell"] == "/".join(first[c] for c in ("source", "model", "dataset", "condition", "signal"))


def test_without_metadata_the_data_set_is_all_and_ids_are_whole() -> None:
    prediction = {
        "fit_id": ["2pl-1d"], "model": ["org/x"], "item_id": ["t__['bad words']_12"], "fold": [0], "correct": [True],
        "predicted": [0.25],
    }  # fmt: skip
    frame = pl.DataFrame(prediction).cast(pl.Schema(TABLES["irt_predictions"].polars_schema))
    (row,) = rows(connect({"irt_predictions": frame}), "FROM benchmirt_confidence_observations")
    assert (row["dataset"], row["question_id"]) == ("all", "t__['bad words']_12")
    assert row["cell"] == "benchmirt/org%2Fx/all/2pl-1d/irt"


def figures(frame: pd.DataFrame) -> dict[str, float]:
    """The figures of one predictor in one scope, from `model, y, p`."""
    known = frame.dropna(subset="p")
    means = known.groupby("model")[["y", "p"]].mean().round(12)
    # BenchMIRT's ranking: Spearman of ranks that share the lowest.
    ranks = [rankdata(means[c], method="min") for c in ("y", "p")]
    return {
        "n": len(known),
        "n_null": len(frame) - len(known),
        "mae": float((known["y"] - known["p"]).abs().mean()),
        "accuracy": float((np.round(known["p"]) == known["y"]).mean()),
        "brier": brier_score_loss(known["y"], known["p"]),
        "rank_correlation": float(np.corrcoef(ranks)[0, 1]),
    }


@pytest.fixture(scope="module")
def predicted(lake: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    query = """
        SELECT p.*, i.benchmark, i.category, p.correct::INTEGER AS y
        FROM irt_predictions AS p JOIN benchmirt_items AS i USING (item_id)
    """
    return lake.sql(query).pl().to_pandas()


@pytest.mark.parametrize("fit_id", ["2pl-1d", "m2pl-2d"])
@pytest.mark.parametrize(
    ("predictor", "keys"),
    [
        ("irt", None),
        ("model_mean", ["model"]),
        ("model_mean_by_category", ["model", "category"]),
        ("model_mean_by_benchmark", ["model", "benchmark"]),
    ],
)
def test_cross_validation_is_that_of_pandas(
    lake: duckdb.DuckDBPyConnection, predicted: pd.DataFrame, fit_id: str, predictor: str, keys: list[str] | None
) -> None:
    frame = predicted[predicted["fit_id"] == fit_id].copy()
    if keys is None:
        frame["p"] = frame["predicted"]
    else:
        everything = frame.groupby(keys)["y"].agg(["sum", "count"])
        fold = frame.groupby([*keys, "fold"])["y"].agg(["sum", "count"])
        known = frame.join(everything, on=keys).join(fold.add_suffix("_fold"), on=[*keys, "fold"])
        frame["p"] = (known["sum"] - known["sum_fold"]) / (known["count"] - known["count_fold"])
    found = {
        (row["scope"], row["scope_name"]): row
        for row in rows(lake, f"FROM irt_cross_validation WHERE fit_id = '{fit_id}' AND predictor = '{predictor}'")
    }
    by_benchmark = {str(name): figures(part) for name, part in frame.groupby("benchmark")}
    assert len(found) == 2 + len(by_benchmark)
    for key, expected in [(("micro", "micro"), figures(frame))] + [
        (("benchmark", name), part) for name, part in by_benchmark.items()
    ]:
        for name, value in expected.items():
            assert found[key][name] == pytest.approx(value), (key, name)
    macro = found[("macro", "macro")]
    for name in ("mae", "accuracy", "brier", "rank_correlation"):
        assert macro[name] == pytest.approx(np.mean([part[name] for part in by_benchmark.values()]))
    assert macro["n_benchmarks"] == len(by_benchmark)


def test_the_fit_beats_the_baselines(lake: duckdb.DuckDBPyConnection) -> None:
    query = "FROM irt_cross_validation WHERE scope = 'micro' AND fit_id = 'm2pl-2d'"
    found = {row["predictor"]: row for row in rows(lake, query)}
    assert all(found["irt"]["brier"] < row["brier"] for name, row in found.items() if name != "irt")


def predictions(*cells: tuple[str, str, int, bool, float | None]) -> Frames:
    frame = pl.DataFrame([("f", *cell) for cell in cells], schema=TABLES["irt_predictions"].polars_schema, orient="row")
    return {"irt_predictions": frame}


def test_a_prediction_of_one_half_counts_as_wrong() -> None:
    frames = predictions(("a", "x", 0, True, 0.5), ("a", "y", 1, False, 0.5), ("a", "z", 1, True, 0.500001))
    (row,) = rows(connect(frames), "FROM irt_cross_validation WHERE predictor = 'irt' AND scope = 'micro'")
    assert row["accuracy"] == pytest.approx(2 / 3)
    assert row["rank_correlation"] is None


def test_what_is_not_predicted_is_counted_and_left_out() -> None:
    frames = predictions(("a", "x", 0, True, None), ("a", "y", 1, False, 0.25), ("b", "x", 0, True, None))
    found = {(row["predictor"], row["scope"]): row for row in rows(connect(frames), "FROM irt_cross_validation")}
    micro = found[("irt", "micro")]
    assert [micro[c] for c in ("n", "n_null", "n_models", "mae")] == [1, 2, 1, 0.25]
    # b's one response is in one fold: its mean over the others does not exist. a's are each other's.
    baseline = found[("model_mean", "micro")]
    assert [baseline[c] for c in ("n", "n_null", "mae", "accuracy")] == [2, 1, 1.0, 0.0]


@pytest.mark.parametrize("seed", range(3))
def test_ties_share_the_lowest_rank(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = [
        (f"m{i}", f"i{j}", j % 2, bool(random.integers(2)), float(random.choice([0.2, 0.4])))
        for i in range(8)
        for j in range(3)
    ]
    frame = pd.DataFrame(cells, columns=["model", "item", "fold", "y", "p"]).astype({"y": float})
    means = frame.groupby("model")[["y", "p"]].mean().round(12)
    expected = np.corrcoef([rankdata(means[c], method="min") for c in ("y", "p")])[0, 1]
    (row,) = rows(connect(predictions(*cells)), "FROM irt_cross_validation WHERE predictor = 'irt' AND scope = 'micro'")
    assert row["rank_correlation"] == pytest.approx(expected)
    assert not np.isclose(expected, spearmanr(means["y"], means["p"])[0])


# ---- information


def item_information(items: pl.DataFrame, ability: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Fisher's information: the variance of an answer, by the square of the slope of its logit."""
    slope, intercept = items["slope_1"].to_numpy(), items["intercept"].to_numpy()
    return np.asarray(slope**2 * bernoulli.var(expit(slope * ability + intercept)))


def test_informative_items_are_ranked_and_summed(lake: duckdb.DuckDBPyConnection) -> None:
    found = lake.sql("FROM irt_informative_items WHERE fit_id = '2pl-1d'").pl()
    items = lake.sql("FROM irt_items WHERE fit_id = '2pl-1d' AND in_fit ORDER BY item_id").pl()
    assert sorted(set(found["ability"])) == [i / 2 for i in range(-6, 7)]
    for ability in (-3.0, 0.5):
        expected = item_information(items, ability)
        order = np.lexsort([items["item_id"].to_numpy(), -expected])
        part = found.filter(ability=ability).sort("rank")
        assert part["rank"].to_list() == list(range(1, items.height + 1))
        assert part["item_id"].to_list() == items["item_id"].to_numpy()[order].tolist()
        assert part["information"].to_numpy() == pytest.approx(expected[order])
        assert part["cumulative_information"].to_numpy() == pytest.approx(expected[order].cumsum())
        assert part["ability_se"].to_numpy() == pytest.approx(1 / np.sqrt(expected[order].cumsum()))
        assert part["benchmark"].null_count() == 0


@pytest.mark.parametrize("fit", ["2pl-1d", "m2pl-2d"])
def test_curves_of_items_and_of_all_of_them(lake: duckdb.DuckDBPyConnection, fit: str) -> None:
    items = lake.sql(f"FROM irt_items WHERE fit_id = '{fit}' AND in_fit ORDER BY item_id").pl()
    slope, intercept = items["slope_1"].to_numpy(), items["intercept"].to_numpy()
    grid = [step / 5 for step in range(-20, 21)]
    found = lake.sql(f"FROM irt_item_curves WHERE fit_id = '{fit}' ORDER BY ability, item_id").pl()
    assert found.height == items.height * len(grid)
    logits = np.array(grid)[:, None] * slope + intercept
    assert found["probability"].to_numpy() == pytest.approx(expit(logits).ravel(), abs=1e-12)
    information = np.concatenate([item_information(items, ability) for ability in grid])
    assert found["information"].to_numpy() == pytest.approx(information, abs=1e-12)
    whole = lake.sql(f"FROM irt_test_information WHERE fit_id = '{fit}' ORDER BY ability").pl()
    sums = information.reshape(len(grid), -1).sum(axis=1)
    assert whole["ability"].to_list() == pytest.approx(grid)
    assert set(whole["n_items"]) == {items.height}
    assert whole["information"].to_numpy() == pytest.approx(sums)
    assert whole["ability_se"].to_numpy() == pytest.approx(1 / np.sqrt(sums))


def test_several_dimensions_are_ranked_along_the_first(lake: duckdb.DuckDBPyConnection) -> None:
    query = "FROM irt_informative_items WHERE fit_id = 'm2pl-2d' AND ability = 1 AND rank = 1"
    (best,) = rows(lake, query)
    items = lake.sql("FROM irt_items WHERE fit_id = 'm2pl-2d' AND in_fit").pl()
    expected = item_information(items, 1.0)
    assert best["information"] == pytest.approx(expected.max())


def test_a_short_benchmark_ranks_models_like_the_whole(lake: duckdb.DuckDBPyConnection) -> None:
    query = """
        SELECT model, mean(score) FILTER (item_id IN (
            SELECT item_id FROM irt_informative_items WHERE fit_id = '2pl-1d' AND ability = 0 AND rank <= 25
        )) AS short, mean(score) AS whole
        FROM benchmirt_responses JOIN irt_items USING (item_id)
        WHERE fit_id = '2pl-1d' AND in_fit GROUP BY model
    """
    found = lake.sql(query).pl()
    abilities = lake.sql("SELECT model, ability FROM irt_models WHERE fit_id = '2pl-1d'").pl()
    joined = found.join(abilities, on="model")
    assert abs(spearmanr(joined["short"], joined["ability"])[0]) > 0.85
