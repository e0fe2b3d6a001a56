"""`callake export`: a copy to pass on."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.commands.common import lake_option
from warehouse.catalog import open_lake
from warehouse.export import export
from warehouse.restrictions import LABELS
from warehouse.storage.layout import Lake


@click.command("export")
@click.argument("table")
@lake_option
@click.option("--to", "target", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
@click.option(
    "--include-restricted", "include", multiple=True, type=click.Choice(LABELS), help="Restricted text to leave in."
)
def export_command(table: str, lake: Path, target: Path, include: tuple[str, ...]) -> None:
    """Copy TABLE to a .parquet, .csv or .jsonl file, with its source's licence beside it.

    Restricted text is blank unless its label is named; naming it makes the copy subject to the upstream terms.
    """
    with open_lake(Lake.at(lake)) as connection:
        rows = export(connection, table, target, include)
    click.echo(f"{target}: {rows:,} rows, licence in {target.name}.LICENCE.txt")


COMMANDS = (export_command,)
