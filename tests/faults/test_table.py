"""The page of faults is what the registry says."""

from __future__ import annotations

from tests.faults.table import page
from warehouse.code import PROJECT


def test_the_page_is_up_to_date() -> None:
    assert (PROJECT / "docs" / "faults.md").read_text(encoding="utf-8") == page(), "run `make docs`"
