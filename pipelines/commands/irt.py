"""`callake irt`: fit the responses of the current version; py-irt's files in and out."""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from pipelines.commands.build import run_build
from pipelines.commands.common import lake_option
from transforms.benchmirt import write_subjects
from transforms.irt.settings import MAX_DIMS, MODELS
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake


@click.group("irt")
def irt() -> None:
    """Item response theory on the BenchMIRT responses."""


@irt.command("fit")
@lake_option
@click.option("--model", type=click.Choice(MODELS), default="2pl", show_default=True)
@click.option("--dims", type=click.IntRange(1, MAX_DIMS), default=1, show_default=True, help="More than 1: m2pl.")
@click.option("--folds", type=click.IntRange(0), default=10, show_default=True, help="0: no cross-validation.")
@click.option("--only", multiple=True, help="Fit this model of the responses (repeat it); default: the aligned group.")
@click.option("--selection", help="Name of the --only selection, part of the fit's name.")
def fit(lake: Path, model: str, dims: int, folds: int, only: tuple[str, ...], selection: str | None) -> None:
    """Fit the responses of the current version and publish the result as a new version."""
    found = Lake.at(lake)
    found.require_current()
    options = {"irt_fit": model, "irt_dims": str(dims), "irt_folds": str(folds), "irt_models": list(only)}
    run_build(found, options | ({"irt_selection": selection} if selection else {}))


@irt.command("export")
@lake_option
@click.option("--to", "target", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
def export(lake: Path, target: Path) -> None:
    """Write the responses of the current version as py-irt's JSON lines."""
    path = Lake.at(lake).require_current() / "tables" / "benchmirt_responses" / "part-0.parquet"
    if not path.is_file():
        raise LakeError("The current version has no responses: build with --benchmirt first.")
    target.write_bytes(write_subjects(pl.read_parquet(path)))
    click.echo(f"wrote {target}")


COMMANDS = (irt,)
