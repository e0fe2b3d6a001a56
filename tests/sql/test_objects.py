"""Every SQL object says what it is, runs, and is found from wherever it is asked."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from tests.sql.database import Connection, database, derive, observe, put, rows
from tests.sql.synthetic import lake_tables
from warehouse.code import PROJECT, SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqldocs import macros_page
from warehouse.sqltext import SqlObject, load_checks, load_glossary, load_sql, load_tables, parse_object

OBJECTS = [*load_sql(SQL_ROOT), *load_tables(SQL_ROOT), *load_checks(SQL_ROOT)]
MACROS = [found for found in OBJECTS if "macro" in found.kind]
VIEWS = [found for found in OBJECTS if found.kind == "view"]


def name_of(found: SqlObject) -> str:
    return f"{found.kind}:{found.name}"


@pytest.mark.parametrize("found", OBJECTS, ids=name_of)
def test_a_header_says_what_the_object_is(found: SqlObject) -> None:
    assert len(found.description) > 20 or (found.kind == "macro" and found.grain)
    assert found.grain or found.kind == "check"
    assert len(found.comment) > 20


@pytest.mark.parametrize("found", MACROS, ids=name_of)
def test_a_macro_has_an_example(found: SqlObject) -> None:
    assert f"{found.name}(" in found.example


@pytest.fixture(scope="module")
def sample() -> Connection:
    questions = {"champ": 3, "theoremqa": 3, "medcalcbench": 3, "logicbench": 3}
    connection = derive(database(lake_tables(questions, seed=2)))
    cells = ["direct"] * 4 + ["llm_select"] * 4
    observe(connection, [0.1, 0.4, 0.8, 0.9] * 2, [0, 1, 0, 1, 1, 1, 0, 1], question=[0, 1, 2, 3] * 2, cell=cells)
    connection.execute("ALTER TABLE t ADD COLUMN human_share DOUBLE DEFAULT 0.5")
    return connection


@pytest.mark.parametrize("found", [*MACROS, *VIEWS], ids=name_of)
def test_the_example_runs(sample: Connection, found: SqlObject) -> None:
    if found.example:
        sample.sql(found.example).pl()


def test_the_example_of_a_figure_gives_the_figure(sample: Connection) -> None:
    examples = {found.name: found.example for found in MACROS}
    (row, *_) = rows(sample, examples["auroc"])
    assert row["cell"] in {"direct", "llm_select"}
    assert row["auroc"] is not None


@pytest.mark.parametrize("view", VIEWS, ids=name_of)
def test_every_column_of_a_view_is_described(db: Connection, view: SqlObject) -> None:
    names = [name for name, *_ in db.execute(f"DESCRIBE {view.name}").fetchall()]
    comments = view.column_comments(names)
    assert list(comments) == names
    assert all(comment.endswith(".") for comment in comments.values())


def test_a_column_nobody_describes_is_an_error() -> None:
    view = parse_object("-- view: v\n-- grain: model\n-- What it is.\nCREATE VIEW v AS SELECT 1 AS unheard_of")
    with pytest.raises(ValueError, match="unheard_of"):
        view.column_comments(["unheard_of"])


def test_columns_take_their_meaning_in_order() -> None:
    text = (
        "-- view: v\n-- column accuracy: mine [share]\n--   alone\nCREATE VIEW v AS SELECT * FROM calibration_figures"
    )
    view = parse_object(text)
    comments = view.column_comments(["accuracy", "ece", "auroc_se", "accuracy_change", "ece_reason"])
    assert comments["accuracy"] == "Mine [share] alone."
    assert comments["ece"].startswith("Expected calibration error")
    assert comments["auroc_se"].startswith("Standard error of auroc")
    assert comments["accuracy_change"].startswith("Accuracy of these rows less")
    assert "ece" in comments["ece_reason"]


def test_a_unit_stands_behind_the_description() -> None:
    view = parse_object("-- view: v\n-- column h: mean entropy [nats]\nCREATE VIEW v AS SELECT 1 AS h")
    assert view.column_comments(["h"]) == {"h": "Mean entropy. Unit: nats."}


def test_a_macro_may_be_internal() -> None:
    text = "-- macro: m\n-- kind: scalar\n{0}-- returns: one\n-- What it is.\nCREATE MACRO m() AS 1"
    inside, offered = (parse_object(text.format(line)) for line in ("-- internal\n", ""))
    assert (inside.internal, offered.internal) == (True, False)
    assert (inside.description, inside.comment) == ("What it is.", f"Internal. {offered.comment}")


def test_an_internal_macro_is_a_step_of_something() -> None:
    called = {name for found in OBJECTS for name in found.words}
    assert {macro.name for macro in MACROS if macro.internal} <= called


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("SELECT 1", "starts with"),
        ("-- grain: x\nSELECT 1", "names a view, macro, table or check"),
        ("-- macro: m\n-- kind: window\nCREATE MACRO m() AS 1", "kind: scalar"),
        ("-- macro: m\nCREATE MACRO m() AS 1", "kind: scalar"),
    ],
)
def test_a_header_that_says_too_little_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_object(text)


def write(root: Path, **files: str) -> Path:
    (root / "glossary.tsv").write_text("column\tunit\tdescription\n")
    for name, text in files.items():
        folder, stem = name.split("__", 1)
        (root / folder).mkdir(exist_ok=True)
        (root / folder / f"{stem}.sql").write_text(text)
    return root


def test_objects_come_after_what_they_need(tmp_path: Path) -> None:
    macro = "-- macro: {0}\n-- kind: scalar\nCREATE MACRO {0}(x) AS {1};\n"
    root = write(
        tmp_path,
        macros__a=macro.format("a", "b(x) + 1"),
        macros__b=macro.format("b", "c(x) + 1"),
        macros__c=macro.format("c", "x"),
        views__v="-- view: v\nCREATE VIEW v AS SELECT a(x) AS x FROM w",
        views__w="-- view: w\nCREATE VIEW w AS SELECT 1 AS x",
    )
    found = load_sql(root)
    assert [item.name for item in found] == ["c", "b", "a", "w", "v"]
    with duckdb.connect() as connection:
        for item in found:
            connection.execute(item.sql)
        assert connection.execute("FROM v").fetchall() == [(3,)]


def test_objects_that_need_each_other_are_an_error(tmp_path: Path) -> None:
    view = "-- view: {0}\nCREATE VIEW {0} AS SELECT * FROM {1}"
    root = write(tmp_path, views__a=view.format("a", "b"), views__b=view.format("b", "a"))
    with pytest.raises(ValueError, match="need each other"):
        load_sql(root)


def test_a_file_is_named_after_its_object(tmp_path: Path) -> None:
    root = write(tmp_path, views__a="-- view: b\nCREATE VIEW b AS SELECT 1 AS x")
    with pytest.raises(ValueError, match="one name"):
        load_sql(root)


def test_a_new_source_joins_the_observations_by_its_name(tmp_path: Path) -> None:
    source = "-- view: {0}_confidence_observations\nCREATE VIEW {0}_confidence_observations AS SELECT '{0}' AS source"
    union = "-- view: confidence_observations\nCREATE VIEW confidence_observations AS SELECT source FROM {0}"
    root = write(
        tmp_path,
        views__a_confidence_observations=source.format("a"),
        views__z_confidence_observations=source.format("z"),
        views__confidence_observations=union.format("every_confidence_observations"),
    )
    with duckdb.connect() as connection:
        for item in load_sql(root):
            connection.execute(item.sql)
        assert connection.execute("FROM confidence_observations ORDER BY ALL").fetchall() == [("a",), ("z",)]


def test_the_observations_are_the_union_of_the_sources(db: Connection) -> None:
    sources = {view.name for view in VIEWS if view.name.endswith("_confidence_observations")}
    (union,) = [view for view in VIEWS if view.name == "confidence_observations"]
    assert sources <= union.words
    assert {"sra_confidence_observations", "grace_confidence_observations"} <= sources


def test_macros_work_over_an_attached_read_only_lake(tmp_path: Path) -> None:
    path = tmp_path / "lake.duckdb"
    with database(path=str(path)) as connection:
        observe(connection, [0.2, 0.9, 0.6], [0, 1, 1], name="stored")
    with duckdb.connect(str(path), read_only=True) as connection:
        assert rows(connection, "SELECT auroc FROM auroc('stored')") == [{"auroc": 1.0}]
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS lake (READ_ONLY)")
        connection.execute("FROM lake.calibration_summary").fetchall()
        connection.execute("USE lake")
        connection.execute("CREATE TEMP TABLE mine AS SELECT * FROM stored WHERE confidence > 0.5")
        connection.execute("CREATE TEMP VIEW seen AS SELECT * FROM mine")
        for relation in ("mine", "seen"):
            assert rows(connection, f"SELECT n, ece FROM calibration_error('{relation}')")[0]["n"] == 2
        query = "WITH r AS (SELECT * FROM stored LIMIT 1) SELECT n FROM calibration_error('r', n_bins := 5)"
        assert rows(connection, query) == [{"n": 1}]
        assert rows(connection, "SELECT mean_lo FROM clustered_mean('stored')")[0]["mean_lo"] is not None


def test_parameters_have_names_and_places(db: Connection) -> None:
    observe(db, [0.2, 0.9, 0.6], [0, 1, 1])
    by_name = rows(db, "FROM calibration_error('t', n_bins := 4, strategy := 'equal_mass')")
    assert rows(db, "FROM calibration_error('t', 4, 'equal_mass')") == by_name


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("FROM calibration_error('t', strategy := 'quantile')", "strategy is quantile"),
        ("FROM calibration_error('t', n_bins := 0)", "n_bins is 0"),
        ("FROM bootstrap_ci('t', 'mode')", "stat is mode"),
        ("FROM auroc('partial')", "expected true, false, 1 or 0"),
    ],
)
def test_a_wrong_argument_is_refused_in_a_sentence(db: Connection, query: str, complaint: str) -> None:
    observe(db, [0.2, 0.9], [0, 1])
    db.execute(
        "CREATE OR REPLACE TABLE partial AS SELECT 'c' AS cell, 'q' AS question_id, .5 AS confidence, .5 AS correct"
    )
    with pytest.raises(duckdb.InvalidInputException, match=complaint):
        db.execute(query).fetchall()


def test_columns_of_other_types_will_do(db: Connection) -> None:
    db.execute(
        "CREATE OR REPLACE TABLE typed AS "
        "SELECT 1 AS cell, i AS question_id, (i / 4)::DECIMAL(4, 3) AS confidence, i % 2 AS correct "
        "FROM range(5) AS r (i)"
    )
    assert rows(db, "SELECT cell, n, auroc FROM auroc('typed')") == [{"cell": 1, "n": 5, "auroc": 0.5}]


def test_a_table_computed_in_sql_has_a_contract() -> None:
    assert {found.name for found in load_tables(SQL_ROOT)} <= TABLES.keys()


def test_the_glossary_does_not_repeat_a_figure() -> None:
    assert not load_glossary(SQL_ROOT).keys() & (
        TABLES["calibration_figures"].polars_schema.keys() - {"cell", "source", "model"}
    )


def test_the_page_of_the_macros_is_what_their_headers_say() -> None:
    page = (PROJECT / "docs" / "macros.md").read_text()
    offered, internal = (set(re.findall(rf"^{opening} `(\w+)`", page, re.MULTILINE)) for opening in ("###", r"\|"))
    assert offered == {macro.name for macro in MACROS if not macro.internal}
    assert internal == {macro.name for macro in MACROS if macro.internal}
    assert page == macros_page(load_sql(SQL_ROOT)), "run `python -m warehouse.sqldocs`"


def test_put_replaces(db: Connection) -> None:
    observe(db, [0.5], [1])
    put(db, "t", TABLES["t_quantiles"].empty())
    assert rows(db, "FROM t") == []
