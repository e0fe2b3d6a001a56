"""`callake demo`: a small sample of every source, a lake built from it, and what to try next."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from pipelines.commands.build import run_build
from pipelines.commands.common import lake_option
from pipelines.progress import Reporter
from pipelines.report.reading import read_lake
from pipelines.report.report import beside, report, write_report
from warehouse.storage.layout import Lake

SampleMaker = Callable[[Path, int, Reporter], Mapping[str, Any]]
"""Writes a source's small sample below a folder; returns the build options that read it."""

NEXT = """
look: open {report} in any browser, or paste this address into one
  {address}

try next
  {callake} tables
  {callake} sql "FROM skill_effect" --lake {lake}
  {callake} sql "SELECT model, dataset, condition, signal, accuracy, ece, auroc FROM calibration_summary" --lake {lake}
  {callake} sql "FROM signal_coverage WHERE status <> 'present'" --lake {lake}
  {callake} status --lake {lake}
"""


def sample_makers() -> list[SampleMaker]:
    """Return a sample maker a source: every module of `pipelines.samples` that holds a `make_sample`."""
    package = importlib.import_module("pipelines.samples")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return [module.make_sample for module in modules if hasattr(module, "make_sample")]


@click.command("demo")
@lake_option
@click.option(
    "--sample", "folder", type=click.Path(file_okay=False, path_type=Path), default="sample", show_default=True,
    help="Folder for the raw sample; written anew.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
def demo(lake: Path, folder: Path, seed: int) -> None:
    """Make a small sample of every source, build a lake from it, write its report, and say what to try next."""
    options: dict[str, Any] = {}
    for make in sample_makers():
        options |= make(folder, seed, Reporter())
    run_build(Lake.at(lake), options)
    found = Lake.at(lake)
    place = beside(found)
    write_report(place, report(read_lake(found)))
    command = "callake" if shutil.which("callake") else Path(sys.argv[0])
    click.echo(NEXT.format(lake=lake, callake=command, report=place, address=place.as_uri()), nl=False)


COMMANDS = (demo,)
