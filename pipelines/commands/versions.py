"""`callake versions`, `rollback`, `gc`, `status`, `catalog`, `verify-lake`: looking after a lake."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.commands.common import lake_option, size
from pipelines.terminal import printable
from warehouse.catalog import build_catalog
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.lock import hold, holder
from warehouse.storage.record import read_record
from warehouse.storage.versions import collect_garbage, list_versions, require_version, rollback, verify_version


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.command("versions")
@lake_option
def versions_command(lake: Path) -> None:
    """List the published versions, oldest first; `*` is the current one."""
    for info in list_versions(Lake.at(lake)):
        mark = "*" if info.current else " "
        click.echo(f"{mark} {info.version_id}  {info.rows:>12,} rows  {size(info.bytes)}")


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


@click.command("status")
@lake_option
def status_command(lake: Path) -> None:
    """Say what the current version holds, where it came from, and whether a build is under way."""
    found = Lake.at(lake)
    owner = holder(found) if found.root.is_dir() else None
    version = require_version(found)
    record = read_record(version)
    click.echo(f"lake     {printable(str(found.root))}")
    click.echo(f"version  {record['version_id']}  (code {record['code']['version']})")
    for name, source in sorted(record["sources"].items()):
        paths = ", ".join(str(v) for k, v in source["inputs"].items() if k == "path" or k.endswith("_path"))
        click.echo(printable(f"source   {name}: {source['status']} {paths}".rstrip()))
    for name, table in record["tables"].items():
        click.echo(f"table    {name:<28}{table['rows']:>14,} rows  {size(table['bytes'])}")
    failed = [check["name"] for check in record["checks"] if not check["passed"]]
    click.echo(f"checks   {len(record['checks'])} run, {len(failed)} failed")
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
    with hold(found, wait=True, say=_say):
        for info in list_versions(found):
            build_catalog(found, found.version(info.version_id), check=False)
        found.create()
    click.echo(f"wrote {current / 'lake.duckdb'}")


@click.command("verify-lake")
@lake_option
@click.option("--version", "version_id", help="The version to verify; default: the current one.")
def verify_lake(lake: Path, version_id: str | None) -> None:
    """Compare a published version with its own `lake.json`: every file's size and SHA-256, nothing missing or added."""
    found = Lake.at(lake)
    version = found.version(version_id) if version_id else require_version(found)
    problems = verify_version(version)
    for problem in problems:
        click.echo(f"error: {problem}", err=True)
    if problems:
        raise LakeError(f"{version.name} does not hold what its record says: {len(problems)} problems.")
    files = sum(len(table["files"]) for table in read_record(version)["tables"].values())
    click.echo(f"{version.name}: {files} files verified")


COMMANDS = (versions_command, rollback_command, gc_command, status_command, catalog_command, verify_lake)
