"""When builds run: every night, and when an input is new or has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.source import all_sources, environment_options, nothing_given

rebuild = dg.define_asset_job("rebuild", selection=dg.AssetSelection.all(), description="Build a version of the lake.")
nightly = dg.ScheduleDefinition(name="nightly", job=rebuild, cron_schedule="0 3 * * *", execution_timezone="UTC")

SENSOR_SECONDS = 60


def input_state(options: Mapping[str, Any]) -> str:
    """Return a hash of the inputs' names, sizes and times; of a bundle, its manifest's bytes.

    It is cheap and only decides whether a build is worth starting; the build itself hashes every byte.
    """
    digest = hashlib.sha256()
    paths = [
        Path(value) for source in all_sources() for option in source.options if option.kind in {"file", "folder"}
        for value in [options.get(option.key)] if isinstance(value, str) and value
    ]  # fmt: skip
    for path in paths:
        digest.update(f"{path}\0{_stamp(path)}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _stamp(path: Path) -> str:
    """Return what tells that an input has changed. What can not be looked at is no reason to stop: a build says why."""
    try:
        manifest = path / "MANIFEST.csv"
        if manifest.is_file():
            return hashlib.sha256(manifest.read_bytes()).hexdigest()
        if path.is_dir():
            return ";".join(f"{file.name} {_size_and_time(file)}" for file in sorted(path.iterdir()))
    except OSError as problem:
        return f"unreadable, {problem.errno}"
    return f"{path.name} {_size_and_time(path)}"


def _size_and_time(file: Path) -> str:
    try:
        found = file.stat()
    except OSError as problem:
        # A link to nowhere, as an editor's lock is, or a file that has just gone.
        return f"unreadable, {problem.errno}"
    return f"{found.st_size} {found.st_mtime_ns}"


@dg.sensor(job=rebuild, minimum_interval_seconds=SENSOR_SECONDS)
def new_inputs(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for a build when a bundle or another input that the environment names is new or has changed."""
    options = environment_options()
    if not any(source.given(options) for source in all_sources()):
        yield dg.SkipReason(nothing_given(lambda option: option.variable))
        return
    state = input_state(options)
    if state == context.cursor:
        yield dg.SkipReason("The inputs have not changed.")
        return
    context.update_cursor(state)
    yield dg.RunRequest(run_key=state)
