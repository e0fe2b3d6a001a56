"""The data dictionary: complete, from the contracts and headers, and its page up to date."""

from __future__ import annotations

import polars as pl
import pytest

from warehouse.code import PROJECT, SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.dictionary import describe, markdown, overview
from warehouse.errors import LakeError
from warehouse.sqltext import load_sql


def test_everything_has_a_row_and_a_description() -> None:
    found = overview(internal=True)
    assert set(found["name"]) == set(TABLES) | {each.name for each in load_sql(SQL_ROOT)}
    assert found.filter(found["description"] == "").is_empty()


def test_internal_macros_are_listed_only_if_asked_for() -> None:
    internal = {each.name for each in load_sql(SQL_ROOT) if each.internal}
    shown, everything = overview(), overview(internal=True)
    assert set(everything["name"]) - set(shown["name"]) == internal
    assert everything.height - shown.height == len(internal)
    assert not any(f"| `{name}` |" in markdown() for name in internal)


def test_views_and_tables_come_first_by_source() -> None:
    found = overview()
    kinds = found["kind"].to_list()
    macros = kinds.index("table macro")
    assert set(kinds[:macros]) == {"view", "table"}
    assert set(kinds[macros:]) == {"table macro", "macro"}
    groups = found.head(macros).select("source", "kind").unique(maintain_order=True).rows()
    sources = ["all", "benchmirt", "grace", "irt", "sra"]
    assert groups == [(source, kind) for source in sources for kind in ("view", "table")]
    assert set(found.tail(-macros)["source"]) == {None}


@pytest.mark.parametrize(
    ("name", "source"),
    [("calibration_summary", "all"), ("bootstrap_intervals", "all"), ("source_files", "all"), ("rollouts", "sra"),
     ("entropy_by_span", "sra"), ("grace_calscore", "grace"), ("irt_fits", "irt")],
)  # fmt: skip
def test_a_source_is_that_of_the_table_or_view(name: str, source: str) -> None:
    assert overview().filter(pl.col("name") == name, pl.col("kind").is_in(["view", "table"]))["source"].to_list() == [
        source
    ]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_column_of_a_table_is_described(name: str) -> None:
    columns = describe(name)
    assert columns["column"].to_list() == list(TABLES[name].polars_schema)
    assert columns.filter(columns["description"].str.len_chars() < 5).is_empty()


@pytest.mark.parametrize("name", [each.name for each in load_sql(SQL_ROOT) if each.kind == "view"])
def test_every_column_of_a_view_is_described(name: str) -> None:
    assert describe(name).height > 0


def test_macros_are_described_and_unknown_names_refused() -> None:
    assert "(returns)" in describe("auroc")["column"].to_list()
    with pytest.raises(LakeError, match="callake tables"):
        describe("no_such_thing")


def test_the_page_is_up_to_date() -> None:
    page = (PROJECT / "docs" / "data_dictionary.md").read_text(encoding="utf-8")
    assert page == markdown(), "run `make docs`"
