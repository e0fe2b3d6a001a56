"""`callake irt`: fit the responses of the current version; py-irt's files in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl

from pipelines.commands.build import refuse_fit, run_build
from pipelines.commands.common import lake_option, outside
from warehouse.contracts.benchmirt import IRT_MODELS, MAX_DIMS
from warehouse.errors import LakeError
from warehouse.rows import whole_file
from warehouse.storage.layout import Lake
from warehouse.storage.versions import damaged_parts, require_version


@click.group("irt")
def irt() -> None:
    """Item response theory on the BenchMIRT responses."""


@irt.command("fit")
@lake_option
@click.option("--model", type=click.Choice(IRT_MODELS), default="2pl", show_default=True)
@click.option("--dims", type=click.IntRange(1, MAX_DIMS), default=1, show_default=True, help="More than 1: m2pl.")
@click.option("--folds", type=click.IntRange(0), default=10, show_default=True, help="0: no cross-validation.")
@click.option("--only", multiple=True, help="Fit this model of the responses (repeat it); default: the aligned group.")
@click.option(
    "--selection", help="Name of the --only selection, part of the fit's name; default: made from the models."
)
@click.option("--no-priors", is_flag=True, help="Plain maximum likelihood, as published estimates of small tests are.")
@click.option("--max-iterations", type=click.IntRange(1), help="Steps after which a fit ends, converged or not.")
def fit(lake: Path, **given: Any) -> None:  # noqa: ANN401 - click passes the options by name
    """Fit the responses of the current version and publish the result as a new version."""
    refuse_fit(given["model"], given["dims"], given["folds"], ("--dims", "--folds"))
    found = Lake.at(lake)
    require_version(found)
    renamed = {"model": "irt_fit", "only": "irt_models"}
    options = {renamed.get(name, f"irt_{name}"): value for name, value in given.items() if value is not None}
    run_build(found, options | {"irt_models": list(given["only"])})


@irt.command("export")
@lake_option
@click.option("--fit", "fit_id", help="Export this fit's parameters instead of the responses.")
@click.option("--to", "target", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
def export(lake: Path, fit_id: str | None, target: Path) -> None:
    """Write py-irt's files: the responses as JSON lines, or a fit's parameters as JSON."""
    from transforms.benchmirt import write_subjects

    home = Lake.at(lake)
    place = outside(home, target)
    version = require_version(home)
    tables = version / "tables"
    needed = ("irt_fits", "irt_items", "irt_models") if fit_id else ("benchmirt_responses",)
    paths = [tables / name / "part-0.parquet" for name in needed]
    lacking = LakeError(
        f"The current version has no {needed[0]}: build with --benchmirt, and fit with `callake irt fit`."
    )
    if not all(path.is_file() for path in paths):
        raise lacking
    try:
        frames = [pl.read_parquet(path, glob=False) for path in paths]
    except pl.exceptions.PolarsError as problem:
        raise LakeError(
            " ".join(damaged_parts(version, " ".join(map(str, paths)), search=True)) or str(problem)
        ) from problem
    if frames[0].is_empty():
        raise lacking
    data = _parameters(fit_id, *frames) if fit_id else write_subjects(frames[0])
    with whole_file(place) as aside:
        aside.write_bytes(data)
    click.echo(f"wrote {target}")


def _parameters(fit_id: str, fits: pl.DataFrame, items: pl.DataFrame, models: pl.DataFrame) -> bytes:
    """Return a fit's parameters as py-irt's JSON."""
    from transforms.irt import Parameters, write_parameters

    chosen = fits.filter(fit_id=fit_id)
    if chosen.is_empty():
        known = ", ".join(fits["fit_id"].to_list()) or "none"
        raise LakeError(f"There is no fit {fit_id!r} in the current version; there are: {known}.")
    dims = chosen["dims"].item()
    items, models = items.filter(fit_id=fit_id, in_fit=True), models.filter(fit_id=fit_id, in_fit=True)
    slopes = items.select(f"slope_{d}" for d in range(1, dims + 1)).to_numpy()
    abilities = models.select(f"ability_{d}" for d in range(1, dims + 1)).to_numpy()
    names = models["model"].to_list(), items["item_id"].to_list()
    return write_parameters(
        Parameters(chosen["irt_model"].item(), *names, slopes, items["intercept"].to_numpy(), abilities)
    )


COMMANDS = (irt,)
