"""The report of the sample lake: its numbers are those of its own SQL, and a browser shows it without a complaint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from pipelines.report.cover import cover
from pipelines.report.picture import load_pictures
from pipelines.report.reading import ask, read_lake
from tests.report.browser import Opened, open_page
from tests.report.rows import disagreements, expand, read_page
from warehouse.catalog import open_lake
from warehouse.code import PROJECT
from warehouse.contracts import TABLES
from warehouse.storage.layout import Lake

SHORTEST = 8
"""Restricted strings below this length, such as 12 or TRUE, stand in any page with numbers: canaries test those."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, Result]:
    folder = tmp_path_factory.mktemp("sample")
    done = CliRunner().invoke(cli, ["demo", "--lake", str(folder / "lake"), "--sample", str(folder / "raw")])
    assert done.exit_code == 0, done.output
    return Lake.at(folder / "lake"), done


@pytest.fixture(scope="module")
def lake(demo: tuple[Lake, Result]) -> Lake:
    return demo[0]


@pytest.fixture(scope="module")
def place(lake: Lake) -> Path:
    return lake.root.with_name("lake-report.html")


@pytest.fixture(scope="module")
def connection(lake: Lake) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_lake(lake) as opened:
        yield opened


@pytest.fixture(scope="module")
def frames(connection: duckdb.DuckDBPyConnection) -> dict[str, pl.DataFrame]:
    return ask(connection, load_pictures())


# A build runs an event loop and so does a browser: the lake is there before the browser starts.
@pytest.fixture(scope="module")
def opened(place: Path, chromium: Any) -> Opened:
    return open_page(chromium, place)


def test_the_demo_ends_with_a_report_and_says_how_to_open_it(demo: tuple[Lake, Result], place: Path) -> None:
    assert place.is_file()
    assert str(place) in demo[1].output
    assert place.as_uri() in demo[1].output


def test_every_source_has_its_pictures(place: Path) -> None:
    page = read_page(place.read_text())
    shown = {mark["picture"] for mark in (*page.marks, *page.curves)}
    assert shown == load_pictures().keys()


def test_the_sql_on_the_page_gives_the_numbers_on_the_page(
    place: Path, connection: duckdb.DuckDBPyConnection, frames: dict[str, pl.DataFrame]
) -> None:
    page = read_page(place.read_text())
    queries = {picture.sql: name for name, picture in load_pictures().items()}
    assert {queries[text] for text in page.queries} == load_pictures().keys()
    asked = {queries[text]: connection.sql(text).pl() for text in set(page.queries)}
    assert disagreements([*page.marks, *expand(page.curves)], asked) == []


def test_the_same_version_gives_the_same_bytes(lake: Lake, place: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["report", "--lake", str(lake.root), "--to", str(tmp_path / "again.html")])
    assert done.exit_code == 0
    assert str(tmp_path / "again.html") in done.output
    assert (tmp_path / "again.html").read_bytes() == place.read_bytes()


def test_the_front_page_has_the_picture_of_this_sample(lake: Lake) -> None:
    kept = (PROJECT / "docs" / "reliability.svg").read_text(encoding="utf-8")
    assert kept == cover(read_lake(lake)), "run `make picture`"
    assert "docs/reliability.svg" in (PROJECT / "README.md").read_text(encoding="utf-8")


def test_no_restricted_text_gets_in(place: Path, connection: duckdb.DuckDBPyConnection) -> None:
    text, looked_at = place.read_text(), 0
    for name, table in TABLES.items():
        for column in table.restricted:
            query = f"SELECT DISTINCT {column}::VARCHAR FROM {name} WHERE length({column}::VARCHAR) >= {SHORTEST}"
            values = [value for (value,) in connection.execute(query).fetchall()]
            looked_at += len(values)
            assert [value for value in values if value in text] == []
    assert looked_at > 1000


def test_a_browser_asks_for_nothing_and_complains_of_nothing(opened: Opened, place: Path) -> None:
    assert opened.console == []
    assert opened.requests == [place.as_uri()]


def test_the_marks_in_the_browser_are_the_rows_of_the_views(opened: Opened, frames: dict[str, pl.DataFrame]) -> None:
    found = opened.read()
    said = [*found["marks"], *expand(found["curves"])]
    assert disagreements(said, frames) == []
    figures = opened.page.evaluate(
        "() => [...document.querySelectorAll('.figure')].map((f) => f.querySelectorAll('.m, [data-columns]').length)"
    )
    assert figures
    assert min(figures) > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
def test_it_fits(place: Path, chromium: Any, width: int, scheme: str) -> None:
    opened = open_page(chromium, place, width, scheme)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.close()


def test_it_is_accessible(opened: Opened) -> None:
    """At one width and in one scheme, for a page this long; the made-up lakes are looked at in all four."""
    assert opened.violations() == []


def test_switches_work_without_a_script(opened: Opened) -> None:
    section = "#sra-calibration"
    assert opened.seen(f"{section} .dataset0.condition0") == 10
    assert opened.seen(f"{section} .dataset1") == 0
    opened.page.check(f"{section}-dataset-1")
    assert opened.seen(f"{section} .dataset1.condition0") == 10
    assert opened.seen(f"{section} .dataset0") == 0
    opened.page.check(f"{section}-dataset-all")
    opened.page.check(f"{section}-condition-all")
    assert opened.seen(f"{section} .card") == 5 * 4 * 3 * 2
    assert opened.seen(f"{section} .signal2") > 0
    opened.page.uncheck(f"{section}-signal-2")
    assert opened.seen(f"{section} .signal2") == 0
    assert opened.seen(f"{section} .signal0") > 0


def test_switches_are_reached_by_the_keyboard(place: Path, chromium: Any) -> None:
    opened = open_page(chromium, place)
    opened.page.focus("#sra-effect-signal-0")
    opened.page.keyboard.press("ArrowRight")
    assert opened.page.is_checked("#sra-effect-signal-1")
    assert opened.seen("#sra-effect .signal0") == 0
    assert opened.seen("#sra-effect .signal1") > 0
    opened.page.close()


def test_it_prints(place: Path, chromium: Any) -> None:
    opened = open_page(chromium, place)
    assert opened.page.pdf(format="A4").startswith(b"%PDF")
    opened.page.close()
