"""The data dictionary: complete, from the contracts and headers, and its page up to date."""

from __future__ import annotations

import pytest

from warehouse.code import PROJECT, SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.dictionary import describe, markdown, overview
from warehouse.errors import LakeError
from warehouse.sqltext import load_sql


def test_everything_has_a_row_and_a_description() -> None:
    found = overview()
    assert set(found["name"]) == set(TABLES) | {each.name for each in load_sql(SQL_ROOT)}
    assert found.filter(found["description"] == "").is_empty()


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
