"""`callake versions`, `rollback`, `gc`, `status`, `catalog`, `verify-lake`: looking after a lake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pipelines.commands.common import lake_option, size
from pipelines.terminal import printable
from warehouse.catalog import DATABASE, write_again
from warehouse.catalog_check import catalog_problems
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.lock import hold, holder
from warehouse.storage.record import RecordError, read_record, way_back
from warehouse.storage.versions import (
    collect_garbage,
    link_problems,
    list_versions,
    require_version,
    rollback,
    verify_version,
)


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.command("versions")
@lake_option
def versions_command(lake: Path) -> None:
    """List the published versions, oldest first; `*` is the current one."""
    for info in list_versions(Lake.at(lake)):
        mark = "*" if info.current else " "
        figures = f"{info.rows:>12,} rows  {size(info.bytes)}" if info.damage is None else f"damaged: {info.damage}"
        click.echo(printable(f"{mark} {info.version_id}  {figures}"))


@click.command("rollback")
@click.argument("version_id")
@lake_option
def rollback_command(version_id: str, lake: Path) -> None:
    """Make an earlier version current. It stays current until the next build or rollback."""
    found = Lake.at(lake)
    if not found.versions.is_dir():
        found.require_current()
    with hold(found, wait=True, say=_say):
        rollback(found, version_id)
    click.echo(f"current is now {version_id}")


@click.command("gc")
@lake_option
@click.option("--keep", type=click.IntRange(min=1), default=3, show_default=True, help="Newest versions to keep.")
def gc_command(lake: Path, keep: int) -> None:
    """Remove old versions. The current one always stays."""
    found = Lake.at(lake)
    require_version(found)
    with hold(found, wait=True, say=_say):
        removed = collect_garbage(found, keep)
    for version_id in removed:
        click.echo(f"removed {version_id}")
    click.echo(f"{len(removed)} versions removed, {len(list_versions(found))} kept")


def _say_record(record: dict[str, Any]) -> None:
    click.echo(f"version  {record['version_id']}  (code {record['code']['version']})")
    for name, source in sorted(record["sources"].items()):
        paths = ", ".join(str(v) for k, v in source["inputs"].items() if k == "path" or k.endswith("_path"))
        click.echo(printable(f"source   {name}: {source['status']} {paths}".rstrip()))
    for name, table in record["tables"].items():
        click.echo(f"table    {name:<28}{table['rows']:>14,} rows  {size(table['bytes'])}")
    failed = [check["name"] for check in record["checks"] if not check["passed"]]
    click.echo(f"checks   {len(record['checks'])} run, {len(failed)} failed")


@click.command("status")
@lake_option
def status_command(lake: Path) -> None:
    """Say what the current version holds, where it came from, and whether a build is under way."""
    found = Lake.at(lake)
    owner = holder(found) if found.root.is_dir() else None
    version = require_version(found)
    click.echo(f"lake     {printable(str(found.root))}")
    try:
        _say_record(read_record(version))
    except RecordError as problem:
        click.echo(printable(f"version  {version.name}  damaged: {problem}"))
    busy = (
        f"held by process {owner['pid']} on {owner['host']} since {owner['since']}" if owner else "nobody is building"
    )
    click.echo(f"lock     {busy}")


@click.command("catalog")
@lake_option
def catalog_command(lake: Path) -> None:
    """Write `lake.duckdb` again, after the lake was moved or copied: its views hold absolute paths."""
    found = Lake.at(lake)
    current = require_version(found)
    left: dict[str, LakeError] = {}
    with hold(found, wait=True, say=_say):
        for info in list_versions(found):
            try:
                write_again(found, found.version(info.version_id))
            except LakeError as problem:
                left[info.version_id] = problem
        found.create()
    for version_id, why in left.items():
        if version_id != current.name:
            _say(printable(f"{version_id} is damaged, and its catalog stays as it is: {why}"))
    if current.name in left:
        raise left[current.name]
    click.echo(f"wrote {current / DATABASE}")


@click.command("verify-lake")
@lake_option
@click.option("--version", "version_id", help="The version to verify; default: the current one.")
def verify_lake(lake: Path, version_id: str | None) -> None:
    """Compare a published version with its own `lake.json`: every file's size and SHA-256, nothing missing or added.

    Its catalog, `lake.duckdb`, is compared with the one that would be written now.
    """
    found = Lake.at(lake)
    version = found.version(version_id) if version_id else require_version(found)
    problems = verify_version(version)
    of_links = link_problems(found)
    of_catalog = catalog_problems(found, version)
    for problem in (*problems, *of_catalog, *of_links):
        click.echo(printable(f"error: {problem}"), err=True)
    if problems:
        raise LakeError(
            f"{version.name} does not hold what its record says: {len(problems) + len(of_catalog)} problems; "
            f"{way_back(version)}."
        )
    if of_links:
        raise LakeError(
            f"{version.name} holds what its record says, and {len(of_links)} links of the lake do not lead to it."
        )
    if of_catalog:
        raise LakeError(f"{version.name} holds what its record says, and its catalog {DATABASE} is another one.")
    files = sum(len(table["files"]) for table in read_record(version)["tables"].values())
    click.echo(f"{version.name}: {files} files verified")


COMMANDS = (versions_command, rollback_command, gc_command, status_command, catalog_command, verify_lake)
