"""The report of the mini bundle, which is published: a browser reads from it what the views hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipelines.commands.build import run_build
from pipelines.report.picture import load_pictures
from pipelines.report.reading import ask, read_lake
from pipelines.report.report import report
from tests.pipelines.conftest import options
from tests.report.browser import open_page
from tests.report.rows import disagreements, expand
from tests.shared_data import shared
from warehouse.catalog import open_lake
from warehouse.storage.layout import Lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    bundle, instances = shared("bundles/mini"), shared("sra-bench/instances")
    found = Lake.at(tmp_path_factory.mktemp("mini") / "lake")
    run_build(found, options(sra=str(bundle), instances=str(instances)), quiet=True)
    return found


# A build runs an event loop and so does a browser: the lake is there before the browser starts.
@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_holds_what_the_views_hold(lake: Lake, chromium: Any, tmp_path: Path, width: int) -> None:
    place = tmp_path / "report.html"
    place.write_text(report(read_lake(lake)), encoding="utf-8")
    opened = open_page(chromium, place, width)
    assert opened.console == []
    assert opened.requests == [place.as_uri()]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert width == 1600 or opened.violations() == []
    found = opened.read()
    with open_lake(lake) as connection:
        frames = ask(connection, load_pictures())
    assert disagreements([*found["marks"], *expand(found["curves"])], frames) == []
    opened.page.close()
