"""The whole report of a lake's current version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pipelines.report.model import Section
from pipelines.report.page import page
from pipelines.report.reading import Reading
from pipelines.report.sections.calibration import calibration_section, sources_with_cells

FOOT: Final = "Every number on this page is one that the SQL below its picture returns. The page holds no script and loads nothing."


def sections_of(reading: Reading) -> list[Section]:
    """Return the parts of the page that the version has something for."""
    return [calibration_section(reading, source) for source in sources_with_cells(reading)]


def report(reading: Reading) -> str:
    """Return the report as one HTML page; the same version gives the same bytes."""
    version = reading.record["version_id"]
    return page(f"Do models know what they know? Version {version}", "", FOOT, sections_of(reading))
