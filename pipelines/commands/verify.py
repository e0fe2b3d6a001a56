"""`callake verify`: check a bundle against its manifest and audit, and read every line, without a lake."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click
import polars as pl

from pipelines.build import sentences
from pipelines.progress import Reporter
from pipelines.source import BuildContext, configured_options
from pipelines.sources.sra import build
from pipelines.sra.bundle import verify_bundle
from warehouse.contracts import TABLES, Issue, Severity, has_errors
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.stage import Stage


@click.command("verify")
@click.argument("bundle", type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path))
@click.option(
    "--instances",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="SRA-Bench's questions: with them every file is read too, as a build would, and nothing is kept.",
)
@click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count())
def verify(bundle: Path, instances: str | None, workers: int) -> None:
    """Check BUNDLE against its manifest: a line for each thing wrong, all of them.

    With --instances the content is checked as well, and the audit's counts against what the files hold.
    """
    reporter = Reporter()
    if instances is None:
        found = verify_bundle(bundle, workers, reporter)
        issues, files = found.issues, found.source_files
    else:
        issues, files = _read_all(bundle, instances, workers, reporter)
    for severity in Severity:
        for line in sentences(issues, severity):
            click.echo(f"{severity}: {line}", err=severity is Severity.ERROR)
    _conclude(bundle, issues, files.filter(status="ok").height)


def _read_all(bundle: Path, instances: str, workers: int, reporter: Reporter) -> tuple[list[Issue], pl.DataFrame]:
    options = configured_options({"sra": str(bundle), "instances": instances})
    with tempfile.TemporaryDirectory(prefix="callake-verify-") as folder:
        lake = Lake.at(folder)
        lake.create()
        built = build(BuildContext(lake, Stage.begin(lake), options, {}, reporter, workers))
    files = TABLES["source_files"].empty() if built.source_files is None else built.source_files
    return built.issues, files


def _conclude(bundle: Path, issues: list[Issue], sound: int) -> None:
    if has_errors(issues):
        errors = sum(issue.severity is Severity.ERROR for issue in issues)
        raise LakeError(f"{bundle}: {errors} errors; {sound} files are as the manifest says.")
    click.echo(f"{bundle}: {sound} files are as the manifest says, {len(issues)} things noticed")


COMMANDS = (verify,)
