"""The whole report of a lake's current version."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pipelines.report.model import Section
from pipelines.report.page import page
from pipelines.report.reading import Reading
from pipelines.report.sections.benchmirt import benchmirt_section
from pipelines.report.sections.calibration import calibration_section, sources_with_cells
from pipelines.report.sections.changes import changes_section
from pipelines.report.sections.contents import contents_section
from pipelines.report.sections.effect import effect_section
from pipelines.report.sections.grace import grace_section
from pipelines.report.sections.signals import cap_section, signals_section
from warehouse.storage.files import write_atomic
from warehouse.storage.layout import Lake

FOOT: Final = (
    "Every number on this page is one that the SQL below its picture returns. The page holds no script and loads "
    "nothing."
)


def sections_of(reading: Reading) -> list[Section]:
    """Return the parts of the page that the version has something for."""
    cells = {source: calibration_section(reading, source) for source in sources_with_cells(reading)}
    found = [
        contents_section(reading, reading.record),
        cells.pop("sra", None),
        effect_section(reading),
        signals_section(reading),
        cap_section(reading),
        grace_section(reading),
        cells.pop("grace", None),
        benchmirt_section(reading),
        *cells.values(),
    ]
    return [section for section in found if section]


def report(reading: Reading, changes: Reading | None = None) -> str:
    """Return the report as one HTML page, with what changed since another version where that was read.

    The same versions give the same bytes.
    """
    compared = [changes_section(changes, changes.record)] if changes else []
    sections = sections_of(reading)
    lead = f"Version {reading.record['version_id']} of a calibration lake, in pictures."
    if len(sections) == 1:
        lead += (
            " No source in it has a confidence, a buzz or a fit to draw: `callake build --help` says how to add one."
        )
    return page("Do models know what they know?", lead, FOOT, [*compared, *sections])


def beside(lake: Lake) -> Path:
    """Return where a lake's report stands unless a place is named: next to the lake's folder."""
    return lake.root.with_name(f"{lake.root.name}-report.html")


def write_report(place: Path, text: str) -> int:
    """Write a page so that a reader sees a whole one, and return its size in bytes."""
    data = text.encode()
    write_atomic(place, data)
    return len(data)
