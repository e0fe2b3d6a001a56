"""Lakes of any shape give a page worth reading: hostile names, one model, fifty, no T/F, and nothing at all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pipelines.report.cover import cover
from pipelines.report.page import policy
from pipelines.report.reading import Reading
from pipelines.report.report import report
from pipelines.terminal import printable
from tests.report.browser import open_page
from tests.report.made import HOSTILE, five_models, named, reading, with_canaries, without
from tests.report.rows import areas, areas_of, disagreements, expand, read_page
from tests.sql.database import database, derive
from warehouse.contracts.sra import MODELS


@pytest.fixture(scope="module")
def five() -> Reading:
    return five_models()


@pytest.fixture(scope="module")
def hostile(five: Reading) -> Reading:
    return named(five, HOSTILE)


def checked(found: Reading) -> str:
    """Return a page after comparing each of its marks with the rows of the queries."""
    text = report(found)
    page = read_page(text)
    assert disagreements([*page.marks, *expand(page.curves)], found.frames) == []
    assert not page.tags & {"script", "iframe", "object", "embed", "link", "img", "image", "foreignobject", "form"}
    assert not [name for name in page.attributes if name.startswith("on") or name in {"style", "src"}]
    return text


def test_every_mark_is_a_row_and_every_row_a_mark(five: Reading) -> None:
    assert all(model in checked(five) for model in MODELS)


def test_the_same_rows_give_the_same_bytes(five: Reading) -> None:
    again = five_models()
    assert report(five) == report(again)
    assert cover(five) == cover(again)


def test_a_value_that_is_moved_is_noticed(five: Reading) -> None:
    text = report(five)
    value = re.search(r'data-accuracy="(0\.\d{4,})"', text)
    assert value
    moved = text.replace(value[0], f'data-accuracy="{float(value[1]) + 1e-8!r}"')
    page = read_page(moved)
    assert "no row equals" in " ".join(disagreements([*page.marks, *expand(page.curves)], five.frames))


def test_a_row_that_is_not_drawn_is_noticed(five: Reading) -> None:
    page = read_page(report(five))
    marks = [mark for mark in page.marks if not (mark["picture"] == "reliability" and mark["bin"] == "3")]
    assert "rows are not shown" in " ".join(disagreements(marks, five.frames))


@pytest.mark.parametrize(
    ("picture", "column"),
    [
        ("risk_coverage", "selective_risk"),
        ("risk_coverage_lines", "oracle_risk"),
        ("risk_coverage_lines", "random_risk"),
    ],
)
def test_thinning_keeps_the_area(five: Reading, picture: str, column: str) -> None:
    drawn = areas(list(expand(read_page(report(five)).curves)), picture, column)
    whole = areas_of(five.frame(picture), column)
    assert drawn.keys() == whole.keys()
    assert all(abs(drawn[key] - whole[key]) <= 1e-4 for key in drawn)


def test_hostile_names_are_text(hostile: Reading) -> None:
    text = checked(hostile)
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "𝔐𝔬𝔡𝔢𝔩-🦙" in text
    assert "<script" not in cover(hostile)


def test_one_model_and_fifty(five: Reading) -> None:
    assert "only" in checked(named(five, ["only"]))
    fifty = [f"model-{number:02}" for number in range(50)]
    text = checked(named(five, fifty))
    assert all(name in text for name in fifty)


def test_no_tf_at_all(five: Reading) -> None:
    text = checked(without(five, "tf"))
    assert "missing 4" in text
    assert 'data-signal="tf"' not in text.split('id="sra-calibration"')[1]


def test_no_restricted_text_gets_in() -> None:
    found, words = with_canaries()
    text = report(found) + cover(found)
    assert len(words) > 10
    assert [word for word in words if word in text] == []


def test_a_lake_without_a_row_says_what_it_is() -> None:
    found = reading(derive(database()))
    text = checked(found)
    assert found.record["version_id"] in text
    assert "callake build --help" in text
    assert "holds no confidence" in cover(found)


def test_the_policy_allows_the_style_and_nothing_else(five: Reading) -> None:
    text = report(five)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    said = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert style
    assert said
    assert said[1].replace("&#39;", "'") == policy(style[1])
    assert said[1].startswith("default-src")
    assert "unsafe" not in said[1]
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_hostile_names_and_runs_none(
    chromium: Any, hostile: Reading, tmp_path: Path, width: int, scheme: str
) -> None:
    place = tmp_path / "report.html"
    place.write_text(report(hostile), encoding="utf-8")
    opened = open_page(chromium, place, width, scheme)
    assert opened.console == []
    assert opened.requests == [place.as_uri()]
    assert opened.page.evaluate("window.ran") is None
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    shown = opened.page.evaluate("document.body.innerText")
    assert all(printable(name) in shown for name in HOSTILE)
    assert opened.violations() == []


def test_fifty_models_fit(chromium: Any, five: Reading, tmp_path: Path) -> None:
    names = [f"{number:02}-{'long-name-' * 8}"[:80] for number in range(50)]
    place = tmp_path / "report.html"
    place.write_text(report(named(five, names)), encoding="utf-8")
    for width in (400, 1600):
        opened = open_page(chromium, place, width)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.seen("#sra-calibration .figure:nth-of-type(2) .card") == 50
        opened.page.close()
