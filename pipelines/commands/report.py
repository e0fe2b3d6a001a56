"""`callake report`: one page that shows what the current version says."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.commands.common import lake_option, outside, size
from pipelines.report.reading import compare, read_lake
from pipelines.report.report import beside, write_report
from pipelines.report.report import report as make_report
from pipelines.terminal import printable
from warehouse.storage.layout import Lake


@click.command("report")
@lake_option
@click.option("--to", "target", type=click.Path(dir_okay=False, path_type=Path),
              help="File to write; default: LAKE-report.html, beside the lake.")  # fmt: skip
@click.option("--compare", "version_id", metavar="VERSION", help="Show what changed since this version too.")
def report(lake: Path, target: Path | None, version_id: str | None) -> None:
    """Write one HTML page with the current version's pictures: it needs no network and holds no script."""
    found = Lake.at(lake)
    place = outside(found, target or beside(found))
    changes = compare(found, version_id) if version_id else None
    written = write_report(place, make_report(read_lake(found), changes))
    click.echo(f"wrote {printable(str(place))}, {size(written)}: open it in any browser")


COMMANDS = (report,)
