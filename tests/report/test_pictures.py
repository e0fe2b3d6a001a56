"""Every picture has its words, and its words stand on the page beside the SQL that made it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.report.picture import load_comparisons, load_pictures, parse_picture

PICTURES = {**load_pictures(), **load_comparisons()}
HEADER = "-- picture: p\n-- title: t\n-- shows: What it shows.\n-- hides: Not all.\n"


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_picture_says_what_it_shows_and_what_not(name: str) -> None:
    picture = PICTURES[name]
    for words in (picture.shows, picture.hides):
        assert words[0].isupper()
        assert words.endswith(".")
    assert picture.hides.startswith("Not ")
    assert "ORDER BY" in picture.sql
    assert not picture.of or picture.of in PICTURES


def test_items_go_on_over_lines() -> None:
    found = parse_picture(HEADER.replace("Not all.", "Not\n--     all.") + "SELECT 1 AS one;")
    assert found.hides == "Not all."
    assert found.sql == "SELECT 1 AS one"
    assert found.of == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEADER.replace("-- hides: Not all.\n", "") + "SELECT 1", "this one does not"),
        ("-- view: v\nSELECT 1", "is no item"),
    ],
)
def test_a_header_that_says_too_little_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_picture(text)


def test_a_file_is_named_after_its_picture(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(HEADER + "SELECT 1")
    with pytest.raises(ValueError, match="one name"):
        load_pictures(tmp_path)
