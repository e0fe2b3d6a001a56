"""GRACE's views and macros against the definitions, independent libraries and the public release."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from synthetic.grace import synth_release, synth_runs
from tests.unit.grace.made import needs_release, question, release, run, run_question, unhurried
from tests.unit.grace.published import published_tables
from tests.unit.grace.reference import WORKED_EXAMPLE, scores, verbalized
from transforms.grace import KNOWN_RELEASES, Elicitation, SourceTables, read_release, read_runs
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES

VIEWS = sorted(path.stem for path in (SQL_ROOT / "views").glob("grace_*.sql"))
MADE = (5, 3, 12)


def t_quantiles() -> pl.DataFrame:
    df = np.arange(1, 301)
    return pl.DataFrame({"df": df, "q975": stats.t.ppf(0.975, df)}, schema={"df": pl.Int32, "q975": pl.Float64})


def connect(*sources: SourceTables) -> duckdb.DuckDBPyConnection:
    """A database with every table of the contracts, the macros, and GRACE's views."""
    frames = {name: table.empty() for name, table in TABLES.items()} | {"t_quantiles": t_quantiles()}
    for source in sources:
        frames |= source.tables
    frames["source_files"] = pl.concat([TABLES["source_files"].empty(), *(source.source_files for source in sources)])
    connection = duckdb.connect()
    for name, frame in frames.items():
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE {name} AS FROM frame")
    for statement in objects():
        connection.execute(statement)
    return connection


@functools.cache
def objects() -> tuple[str, ...]:
    """GRACE's views and the macros they and the tests below use, each after those it uses."""
    files = {path.stem: path.read_text() for kind in ("macros", "views") for path in (SQL_ROOT / kind).glob("*.sql")}
    uses = {name: (set(re.findall(r"(\w+)\(", code(text))) & set(files)) - {name} for name, text in files.items()}
    needed, waiting = set(), {*VIEWS, "cal_score", "calibration_error", "auroc", "brier_decomposition"}
    while waiting:
        needed |= waiting
        waiting = {used for name in waiting for used in uses[name]} - needed
    order = TopologicalSorter({name: uses[name] for name in needed}).static_order()
    return tuple(files[name] for name in order)


def code(text: str) -> str:
    """A file without its comments."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = connection.sql(query).pl().to_dicts()
    return found


def worked(elicitation: Elicitation = "logit", **changes: object) -> duckdb.DuckDBPyConnection:
    text = " ".join(f"w{n}" for n in range(80))
    made = release([question("exh-2", question=text, question_buzzpoints=text, position=[])])
    item = (WORKED_EXAMPLE if elicitation == "logit" else verbalized(WORKED_EXAMPLE)) | changes
    files = {"packet1_model_human_output.json": json.dumps([item]).encode()}
    return connect(made, read_runs(files, elicitation, made.tables["grace_questions"]))


@pytest.mark.parametrize("elicitation", ["logit", "verb"])
def test_the_worked_example(elicitation: Elicitation) -> None:
    found = rows(worked(elicitation), "FROM grace_calscore")
    assert [(row["model"], row["elicitation"], row["n"], row["n_questions"]) for row in found] == [
        ("M1", elicitation, 4, 1), ("M2", elicitation, 4, 1), ("M3", elicitation, 0, 0),
    ]  # fmt: skip
    assert [row["grace_mce"] for row in found] == [pytest.approx(0.45), pytest.approx(0.0), None]
    assert [row["cal_score"] for row in found] == [pytest.approx(0.775), pytest.approx(0.5), None]
    assert [row["n_questions_without_runs"] for row in found] == [0, 0, 1]
    assert [row["cal_score_reason"] for row in found] == [None, None, "empty"]
    by_question = rows(worked(elicitation), "FROM grace_question_scores")
    assert [row["cal_score"] for row in by_question] == [pytest.approx(0.775), pytest.approx(0.5), None]
    assert [row["n_humans_correct"] for row in by_question] == [2, 2, None]


def test_the_worked_example_without_a_human_buzzer() -> None:
    found = rows(worked(position=[{"30": "[M1, -]"}]), "FROM grace_calscore")
    assert [row["cal_score"] for row in found] == [pytest.approx(0.45), pytest.approx(0.0), None]


def synthetic(elicitation: Elicitation) -> tuple[SourceTables, SourceTables]:
    made = read_release(synth_release(*MADE), "made.zip")
    return made, read_runs(synth_runs(*MADE, elicitation), elicitation, made.tables["grace_questions"])


@pytest.mark.parametrize("elicitation", ["logit", "verb"])
def test_each_model_is_averaged_over_its_own_questions(elicitation: Elicitation) -> None:
    connection = connect(*synthetic(elicitation))
    items = [item for data in synth_runs(*MADE, elicitation).values() for item in json.loads(data)]
    for row in rows(connection, "FROM grace_calscore"):
        each = [scores(item, row["model"], elicitation) for item in items]
        known = np.array([pair for pair in each if pair])
        assert row["n_questions"] == len(known)
        assert row["n_questions_without_runs"] == len(each) - len(known)
        for place, name in enumerate(("grace_mce", "cal_score")):
            values = known[:, place]
            low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
            assert row[name] == pytest.approx(values.mean(), abs=1e-12)
            assert row[f"{name}_se"] == pytest.approx(stats.sem(values), rel=1e-9)
            assert (row[f"{name}_lo"], row[f"{name}_hi"]) == pytest.approx((low, high), rel=1e-9)
    missing = rows(connection, "SELECT * FROM grace_calscore WHERE n_questions_without_runs > 0")
    assert missing, "the made-up runs have an empty list"


RUN = st.fixed_dictionaries(
    {"correctness": st.booleans(), "conf": st.sampled_from([0.0, 0.25, 0.5, 1.0])},
    optional={"position_items": st.dictionaries(st.sampled_from(["H1", "H2", "M1"]), st.sampled_from(["+", "-"]))},
)


@pytest.fixture(scope="module")
def small() -> duckdb.DuckDBPyConnection:
    """A database whose tables a test replaces: making the macros anew for every example is slow."""
    return connect()


@settings(unhurried, max_examples=40)
@given(st.lists(st.tuples(st.lists(RUN, max_size=4), st.lists(RUN, max_size=4)), min_size=1, max_size=3))
def test_any_runs_score_as_defined(small: duckdb.DuckDBPyConnection, lists: list[tuple[list[Any], list[Any]]]) -> None:
    made = release([question(n) for n in range(len(lists))])
    items = [run_question(n, M1=first, M2=second) for n, (first, second) in enumerate(lists)]
    files = {"packet1_model_human_output.json": json.dumps(items).encode()}
    played = read_runs(files, "verb", made.tables["grace_questions"])
    for name, frame in (made.tables | played.tables).items():
        small.register("frame", frame)
        small.execute(f"CREATE OR REPLACE TABLE {name} AS FROM frame")
    for row in rows(small, "FROM grace_question_scores"):
        expected = scores(items[row["ordinal"]], row["model"], "verb")
        assert (row["grace_mce"] is None) == (expected is None)
        if expected:
            assert (row["grace_mce"], row["cal_score"]) == pytest.approx(expected, abs=1e-12)
            assert row["cal_score"] >= row["grace_mce"]


def relation(connection: duckdb.DuckDBPyConnection, name: str, values: list[tuple[Any, ...]]) -> None:
    schema = {"cell": pl.String, "question_id": pl.String, "confidence": pl.Float64, "correct": pl.Boolean}
    connection.register(name, pl.DataFrame(values, schema=schema | {"human_share": pl.Float64}, orient="row"))


@pytest.mark.parametrize("name", ["t", "_runs", "_scores", "_rows", "runs"])
def test_macros_take_any_relation_and_count_what_they_leave_out(name: str) -> None:
    connection = connect()
    relation(
        connection,
        name,
        [
            ("a", "q1", 0.5, False, 0.0), ("a", "q1", 0.5, True, 0.5), ("a", "q2", 1.0, True, 0.0),
            ("a", "q2", None, True, 0.0), ("a", "q2", math.nan, True, 0.0), ("a", "q2", 1.5, True, 0.0),
            ("a", "q3", 0.5, None, 0.0), ("b", "q1", 2.0, True, 0.0),
        ],
    )  # fmt: skip
    first, second = rows(connection, f"FROM grace_mce('{name}') ORDER BY cell")
    assert first["grace_mce"] == pytest.approx((0.75 + 0.0) / 2)
    assert {key: first[key] for key in ("n", "n_null", "n_nan", "n_out_of_range", "n_questions")} == {
        "n": 3, "n_null": 2, "n_nan": 1, "n_out_of_range": 1, "n_questions": 2,
    }  # fmt: skip
    assert first["grace_mce_se"] == pytest.approx(stats.sem([0.75, 0.0]))
    assert (second["n"], second["grace_mce"], second["grace_mce_reason"]) == (0, None, "empty")
    [adjusted, _] = rows(connection, f"FROM cal_score('{name}') ORDER BY cell")
    assert adjusted["cal_score"] == pytest.approx((0.875 + 0.0) / 2)


def test_one_question_has_a_score_and_no_interval() -> None:
    connection = connect()
    relation(connection, "t", [("a", "q1", 0.5, True, 0.0)])
    [row] = rows(connection, "FROM cal_score('t')")
    assert (row["cal_score"], row["cal_score_se"], row["cal_score_lo"]) == (0.5, None, None)
    assert row["cal_score_se_reason"] == "one_question"


def played_pairs(source: SourceTables) -> pl.DataFrame:
    """Independent of the views: a row for each question a team played, with its buzz."""
    questions, buzzes = source.tables["grace_questions"], source.tables["grace_buzzes"]
    teams = buzzes.select("packet", "team", "team_kind").unique()
    pairs = teams.join(questions, on="packet").join(buzzes, on=["packet", "ordinal", "team", "team_kind"], how="left")
    return pairs.with_columns(
        question=pl.format("{}/{}", "packet", "ordinal"),
        earliness=1 - pl.col("share_heard"),
        tenth=((pl.col("word_index") + 1) * 10 / pl.col("n_words")).ceil(),
    ).sort("packet", "ordinal", "team")


def check_mean(row: Mapping[str, Any], name: str, values: pl.Series, clusters: pl.Series) -> None:
    """One figure of a row against statsmodels: mean, clustered standard error and t interval."""
    if values.is_empty():
        assert row[name] is None
        return
    assert row[name] == pytest.approx(values.mean(), abs=1e-12)
    if clusters.n_unique() == 1:
        assert row[f"{name}_se"] is None
        return
    groups = np.unique(clusters.to_numpy(), return_inverse=True)[1]
    y = values.cast(pl.Float64).to_numpy()
    fit = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    n_groups = groups.max() + 1
    se = float(fit.bse[0]) * math.sqrt(n_groups / (n_groups - 1))
    assert row[f"{name}_se"] == pytest.approx(se, rel=1e-9, abs=1e-12)
    reach = stats.t.ppf(0.975, n_groups - 1) * se
    assert row[f"{name}_hi"] - row[name] == pytest.approx(reach, rel=1e-9, abs=1e-12)
    assert row[name] - row[f"{name}_lo"] == pytest.approx(reach, rel=1e-9, abs=1e-12)


def check_human_model(source: SourceTables) -> None:
    pairs = played_pairs(source)
    found = rows(connect(source), "FROM grace_human_model")
    groups = {"all", *pairs["category_group"]}
    assert len(found) == len({(r["team_kind"], r["category_group"], r["tenth"]) for r in found}) == 2 * len(groups) * 11
    for row in found:
        mine = pairs.filter(team_kind=row["team_kind"])
        if row["category_group"] != "all":
            mine = mine.filter(category_group=row["category_group"])
        buzzed = (
            pl.col("tenth").is_not_null()
            if row["tenth"] is None
            else (pl.col("tenth") == row["tenth"]).fill_null(False)
        )
        there = mine.filter(buzzed)
        assert (row["n"], row["n_correct"]) == (there.height, there["correct"].sum())
        assert (row["n_team_questions"], row["n_questions_played"]) == (mine.height, mine["question"].n_unique())
        assert row["n_questions"] == there["question"].n_unique()
        check_mean(row, "accuracy", there["correct"], there["question"])
        check_mean(row, "earliness", there["earliness"], there["question"])
        check_mean(row, "buzz_rate", mine.select(buzzed).to_series(), mine["question"])


def test_humans_and_models_side_by_side() -> None:
    check_human_model(synthetic("verb")[0])


@needs_release
def test_humans_and_models_side_by_side_in_the_release() -> None:
    check_human_model(published_tables())
    whole = rows(connect(published_tables()), "FROM grace_human_model WHERE category_group = 'all' AND tenth IS NULL")
    assert [(row["team_kind"], row["n"], row["n_correct"]) for row in whole] == [
        ("human", 1_371, 1_079), ("model", 378, 268),
    ]  # fmt: skip


def test_a_buzz_on_an_edge_is_in_the_lower_tenth() -> None:
    """Ten words: the buzz after word k of 10 is in tenth k, though k / 10 is no double."""
    words = [f"w{n}" for n in range(10)]
    position = [{str(n): f"[H{n + 1}, +]"} for n in range(10)]
    marked = " ".join(f"{word} [H{n + 1}, +]" for n, word in enumerate(words))
    made = release([question(question=" ".join(words), position=position, question_buzzpoints=marked)])
    found = rows(connect(made), "FROM grace_human_model WHERE category_group = 'all' AND tenth IS NOT NULL")
    assert [row["n"] for row in found] == [1] * 10
    curve = rows(connect(made), "FROM grace_buzz_curve")
    assert [row["n"] for row in curve] == [percent // 10 for percent in range(101)]


def check_curve(source: SourceTables) -> None:
    pairs = played_pairs(source)
    found = rows(connect(source), "FROM grace_buzz_curve")
    assert [(row["team_kind"], row["percent_heard"]) for row in found] == [
        (kind, percent) for kind in ("human", "model") for percent in range(101)
    ]
    for row in found:
        mine = pairs.filter(team_kind=row["team_kind"])
        right, wrong = (mine.filter(correct=value) for value in (True, False))
        by_then = 100 * (pl.col("word_index") + 1) <= row["percent_heard"] * pl.col("n_words")
        assert row["n_correct"] == right.filter(by_then).height
        assert row["n_wrong"] == wrong.filter(by_then).height
        assert row["n"] == row["n_correct"] + row["n_wrong"]
        assert row["correct_share"] == pytest.approx(row["n_correct"] / right.height)
        assert row["wrong_share"] == pytest.approx(row["n_wrong"] / wrong.height)
        assert row["correct_rate"] == pytest.approx(row["n_correct"] / mine.height)
        assert row["wrong_rate"] == pytest.approx(row["n_wrong"] / mine.height)
        assert row["accuracy"] == (pytest.approx(row["n_correct"] / row["n"]) if row["n"] else None)
        if row["percent_heard"] in {40, 75, 100}:
            heard = mine.select((by_then & pl.col("correct")).fill_null(False)).to_series()
            check_mean(row, "correct_rate", heard, mine["question"])
            missed = mine.select((by_then & ~pl.col("correct")).fill_null(False)).to_series()
            check_mean(row, "wrong_rate", missed, mine["question"])


def test_buzzes_add_up_along_the_question() -> None:
    check_curve(synthetic("verb")[0])


@needs_release
def test_buzzes_of_the_release_add_up_along_the_question() -> None:
    check_curve(published_tables())


OBSERVATION = {
    "cell": "VARCHAR", "source": "VARCHAR", "model": "VARCHAR", "dataset": "VARCHAR", "condition": "VARCHAR",
    "signal": "VARCHAR", "unit": "VARCHAR", "unit_id": "VARCHAR", "question_id": "VARCHAR", "confidence": "DOUBLE",
    "is_probability": "BOOLEAN", "correct": "BOOLEAN", "cap_repair": "BOOLEAN",
}  # fmt: skip


@pytest.mark.parametrize(("elicitation", "signal"), [("verb", "verbalized"), ("logit", "logprob")])
def test_runs_are_observations_of_confidence(elicitation: Elicitation, signal: str) -> None:
    made, played = synthetic(elicitation)
    connection = connect(made, played)
    types = connection.execute("SELECT * FROM grace_confidence_observations LIMIT 0").description
    assert {name: str(kind) for name, kind, *_ in types} == OBSERVATION
    found = connection.sql("FROM grace_confidence_observations").pl()
    table = played.tables["grace_runs"]
    assert found.height == table.height == found.select("model", "unit_id").n_unique()
    assert found["confidence"].sum() == pytest.approx(table["confidence"].sum())
    constant = found.select("source", "dataset", "condition", "signal", "unit", "is_probability", "cap_repair").unique()
    assert constant.rows() == [("grace", "grace", "clue", signal, "clue", True, None)]
    assert set(found["cell"]) == {f"grace/{model}/grace/clue/{signal}" for model in table["model"]}
    assert set(found["question_id"]) == {f"{p}/{o}" for p, o in table.select("packet", "ordinal").rows()}


def test_every_macro_runs_on_the_runs() -> None:
    connection = connect(*synthetic("verb"))
    for macro, figure in (("calibration_error", "ece"), ("auroc", "auroc"), ("brier_decomposition", "brier")):
        found = rows(connection, f"FROM {macro}('grace_confidence_observations')")
        assert len(found) == 6
        assert all(0 < row[figure] < 1 for row in found)


def test_an_error_row_has_no_value_in_any_figure() -> None:
    made = release([question()])
    content = json.dumps([run_question(M1=[run(conf=0.5), run(conf=1.5)])]).encode()
    played = read_runs({"packet1_model_human_output.json": content}, "verb", made.tables["grace_questions"])
    [row] = rows(connect(made, played), "FROM grace_calscore")
    assert (row["n"], row["n_null"], row["grace_mce"]) == (1, 1, 0.5)


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_an_empty_lake_are_empty_or_null(view: str) -> None:
    found = rows(connect(), f"FROM {view}")
    if view == "grace_release_check":
        assert [(row["found"], row["agrees"]) for row in found] == [(0, None)] * 6
    else:
        assert found == []


def test_models_that_buzz_and_have_no_runs_have_rows_of_nulls() -> None:
    found = rows(connect(synthetic("verb")[0]), "FROM grace_calscore")
    assert [(row["model"], row["n_questions"]) for row in found] == [("M1", 0), ("M2", 0), ("M3", 0)]
    assert all(row["grace_mce"] is None and row["cal_score"] is None for row in found)
    assert {row["cal_score_reason"] for row in found} == {"empty"}


@needs_release
def test_the_release_has_what_it_is_known_for() -> None:
    found = rows(connect(published_tables()), "FROM grace_release_check")
    assert {row["figure"]: row["found"] for row in found} == next(iter(KNOWN_RELEASES.values()))
    assert all(row["agrees"] for row in found)


def test_counts_of_another_release_neither_agree_nor_disagree() -> None:
    found = rows(connect(synthetic("verb")[0]), "FROM grace_release_check")
    assert {row["agrees"] for row in found} == {None}
    assert {row["figure"]: row["stated"] for row in found} == next(iter(KNOWN_RELEASES.values()))


def test_a_known_release_that_lost_a_buzz_is_found_out() -> None:
    made = synthetic("verb")[0]
    known = made.source_files.with_columns(sha256_actual=pl.lit(next(iter(KNOWN_RELEASES))))
    found = rows(connect(SourceTables(made.tables, [], known)), "FROM grace_release_check")
    assert {row["agrees"] for row in found} == {False}


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_the_same_to_the_last_bit(view: str) -> None:
    """One thread and four, the rows in another order: equal bytes."""
    answers = []
    for threads, order in ((1, "hash(packet, ordinal)"), (4, "-packet, -ordinal"), (2, "ordinal")):
        connection = connect(*synthetic("logit"))
        for table in ("grace_questions", "grace_buzzes", "grace_runs", "grace_run_lists"):
            connection.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY {order}")
        connection.execute(f"SET threads = {threads}")
        columns = ", ".join(f'"{name}"' for name in connection.sql(f"FROM {view}").pl().columns)
        answers.append(connection.sql(f"FROM {view} ORDER BY {columns}").pl())
    for answer in answers[1:]:
        assert answer.equals(answers[0])
        assert repr(answer.rows()) == repr(answers[0].rows())


PAGE = (SQL_ROOT.parent / "docs" / "grace.md").read_text()
EXAMPLES = re.findall(r"```sql\n(.*?)```\n\n((?:\|[^\n]*\n)*)", PAGE, re.DOTALL)


def as_table(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """The answer as the page writes it."""
    found = connection.sql(query)
    answer = [[str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in row] for row in found.fetchall()]
    head, *body = (f"| {' | '.join(line)} |\n" for line in (found.columns, *answer))
    return "".join([head, "|" + "---|" * len(found.columns) + "\n", *body])


@needs_release
def test_the_pages_answers_are_those_of_the_release() -> None:
    connection = connect(published_tables())
    answered = [(query, answer) for query, answer in EXAMPLES if answer]
    assert len(answered) == 3
    for query, answer in answered:
        assert as_table(connection, query) == answer


def test_the_pages_queries_run_and_the_last_run_is_the_publishers() -> None:
    made, played = synthetic("verb")
    connection = connect(made, played)
    for query, answer in EXAMPLES:
        found = rows(connection, query)
        assert found
        if not answer:
            for row in found:
                last = played.tables["grace_runs"].filter(model=row["cell"]).group_by("packet", "ordinal").last()
                assert row["n"] == last.height


@pytest.mark.parametrize("name", [*VIEWS, "grace_mce", "cal_score"])
def test_every_column_of_a_view_is_described_in_its_file(name: str) -> None:
    folder = "views" if name in VIEWS else "macros"
    header = (SQL_ROOT / folder / f"{name}.sql").read_text().splitlines()
    assert header[0] == f"-- {folder[:-1]}: {name}"
    if name in VIEWS:
        columns = connect().sql(f"FROM {name}").pl().columns
        described = [line.split(":")[0].removeprefix("-- column ") for line in header if line.startswith("-- column")]
        assert described == columns
