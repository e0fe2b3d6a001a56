"""`callake build`: run the Dagster assets in this process and say how it went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipelines.build import sentences
from pipelines.commands.common import is_typed, lake_option, option_of
from pipelines.options import OptionError
from pipelines.progress import Reporter, use_reporter
from pipelines.source import all_options, all_sources, command_options, nothing_given
from pipelines.sources.irt import fit_problems
from warehouse.catalog import open_lake
from warehouse.contracts import Severity
from warehouse.errors import LakeError, RefusedError
from warehouse.storage.ahead import hash_ahead
from warehouse.storage.layout import Lake
from warehouse.storage.record import files_of, read_record

if TYPE_CHECKING:
    import dagster as dg

SHOWN = 200


def _with_source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(all_options()):
        command = option_of(option)(command)
    return command


@click.command("build")
@lake_option
@_with_source_options
@click.option("--no-wait", is_flag=True, help="Refuse rather than wait when another build holds the lake.")
@click.option("--quiet", is_flag=True, help="Say nothing on success but the version's id.")
def build(lake: Path, no_wait: bool, quiet: bool, **options: Any) -> None:  # noqa: ANN401
    """Build a version from the sources given and publish it; the others are carried over.

    Everything is looked at before a build is refused, and every thing wrong is a sentence on standard error.

    An option that is not given is taken from its variable, as in a Dagster run. A variable for an option that may be
    repeated has a value a line, or is a JSON array: CALLAKE_IRT_MODELS='["my model", "llama3:8b"]'.
    """
    context = click.get_current_context()
    try:
        chosen = command_options({key: value for key, value in options.items() if is_typed(context, key)})
    except OptionError as problem:
        raise click.UsageError(str(problem)) from problem
    if not any(source.given(chosen) for source in all_sources()):
        raise click.UsageError(nothing_given(lambda option: option.flag))
    hash_ahead(lambda: _hashed(Lake.at(lake), chosen))
    run_build(Lake.at(lake), chosen, wait=not no_wait, quiet=quiet)


def _hashed(lake: Lake, options: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files that the build is going to hash: of the sources given, and of the version it may reuse."""
    try:
        for source in all_sources():
            if source.given(options):
                yield from source.hashed(options)
        version_id = lake.current_id()
        if version_id is not None:
            yield from (
                lake.version(version_id) / file.path for file in files_of(read_record(lake.version(version_id)))
            )
    except LakeError:
        # The build comes to the same and says it.
        return


def refuse_fit(model: str, dims: int, folds: int, names: tuple[str, str]) -> None:
    """Refuse a fit that can not be, as `fit_problems` has it."""
    options = {"irt_fit": model, "irt_dims": dims, "irt_folds": folds}
    for problem in fit_problems(options, dict(zip(("irt_dims", "irt_folds"), names, strict=True))):
        raise click.UsageError(problem)


def run_build(lake: Lake, options: Mapping[str, Any], *, wait: bool = True, quiet: bool = False) -> str:
    """Build and publish; return the version's id. Raises LakeError after printing what was wrong.

    Raises KeyboardInterrupt where the process was asked to stop, by SIGINT or SIGTERM, before anything was published.
    """
    reporter = Reporter(quiet=quiet)
    use_reporter(reporter)
    result = _materialize(lake, options, wait)
    if reporter.problems:
        raise _tell(reporter.problems)
    if reporter.published is None:
        if _was_interrupted(result):
            raise KeyboardInterrupt
        raise LakeError("The build failed:\n" + "\n".join(_failures(result)))
    _tell_published(lake, reporter)
    return reporter.published.version_id


def _materialize(lake: Lake, options: Mapping[str, Any], wait: bool) -> dg.ExecuteInProcessResult:
    # Dagster takes most of a second to import, in which files are hashed already.
    import dagster as dg

    from pipelines.assets import all_assets
    from pipelines.resources import BuildResource

    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    given = {name: value for name, value in options.items() if value is not None}
    resource = BuildResource(lake=str(lake.root), options=given, wait=wait)
    # Runs are recorded in memory: the lake's own record is `lake.json`. Nothing is reported to anybody.
    with dg.DagsterInstance.ephemeral(settings={"telemetry": {"enabled": False}}) as instance:
        try:
            return dg.materialize(
                all_assets(), resources={"build": resource}, instance=instance, run_config=quiet, raise_on_error=False
            )
        except dg.DagsterExecutionInterruptedError as stop:
            raise KeyboardInterrupt from stop


def _was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    waiting = [getattr(event.event_specific_data, "error", None) for event in result.all_events]
    # The list grows while it is walked: an error names the one that it comes from.
    for error in waiting:
        if error is not None and error.cls_name in {"DagsterExecutionInterruptedError", "KeyboardInterrupt"}:
            return True
        waiting += [error.cause] if error is not None and error.cause is not None else []
    return False


def _failures(result: dg.ExecuteInProcessResult) -> list[str]:
    found = []
    for event in result.all_events:
        data = event.event_specific_data
        error = getattr(data, "error", None)
        if event.is_failure and error is not None:
            found.append(error.to_string())
    return found or ["Dagster gave no reason."]


def _tell(problems: list[LakeError]) -> LakeError:
    """Print every error of every source as a sentence, then the outcome; return what to raise."""
    for problem in problems:
        issues = problem.issues if isinstance(problem, RefusedError) else []
        lines = sentences(issues, Severity.ERROR)
        for line in lines[:SHOWN]:
            click.echo(f"error: {line}", err=True)
        if len(lines) > SHOWN:
            click.echo(f"error: … and {len(lines) - SHOWN} more like these.", err=True)
    return LakeError(" ".join(str(problem) for problem in problems))


def _tell_published(lake: Lake, reporter: Reporter) -> None:
    published = reporter.published
    if published is None:
        return
    with open_lake(lake) as connection:
        counts = connection.execute(
            "SELECT severity, rule, count(*), min(message) FROM ingest_issues GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    noted = sum(count for severity, _rule, count, _message in counts if severity == Severity.INFO)
    for severity, rule, count, message in counts:
        if severity != Severity.INFO:
            reporter.say(f"{severity}: {rule}: {count} times, for example: {message}")
    if noted:
        reporter.say(f"info: {noted} things noted; ask `FROM ingest_issues`")
    state = "published" if published.changed else "unchanged, still"
    try:
        click.echo(f"{state} {published.version_id} in {lake.root}")
    except OSError as problem:
        # It is published, whatever becomes of the words.
        reporter.say(f"{state} {published.version_id}, and standard output can not be written ({problem.strerror}).")


COMMANDS = (build,)
