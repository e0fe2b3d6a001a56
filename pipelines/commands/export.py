"""`callake export`: a copy to pass on."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.commands.common import lake_option, outside
from warehouse.catalog import open_lake
from warehouse.errors import LakeError
from warehouse.export import export, refuse_ending
from warehouse.restrictions import LABELS
from warehouse.storage.layout import Lake


def _sound_ending(_context: click.Context, _option: click.Parameter, target: Path) -> Path:
    try:
        refuse_ending(target)
    except LakeError as problem:
        raise click.BadParameter(str(problem)) from problem
    return target


@click.command("export")
@click.argument("table")
@lake_option
@click.option(
    "--to", "target", required=True, type=click.Path(dir_okay=False, path_type=Path), callback=_sound_ending,
    help="File to write: .parquet, .csv or .jsonl.",
)  # fmt: skip
@click.option(
    "--include-restricted", "include", multiple=True, type=click.Choice(LABELS), help="Restricted text to leave in."
)
def export_command(table: str, lake: Path, target: Path, include: tuple[str, ...]) -> None:
    """Copy TABLE to a .parquet, .csv or .jsonl file, with its source's licence beside it.

    Restricted text is blank unless its label is named; naming it makes the copy subject to the upstream terms.
    """
    found = Lake.at(lake)
    place = outside(found, target)
    outside(found, place.with_name(f"{place.name}.LICENCE.txt"))
    with open_lake(found) as connection:
        rows = export(connection, table, place, include)
    click.echo(f"{target}: {rows:,} rows, licence in {target.name}.LICENCE.txt")


COMMANDS = (export_command,)
