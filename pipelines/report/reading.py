"""Asking a version of the lake for the rows of each picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb
import polars as pl

from pipelines.report.picture import Picture, load_comparisons, load_pictures
from warehouse.catalog import connect_version, damage_named, open_lake
from warehouse.code import reading_hash
from warehouse.errors import LakeError
from warehouse.storage.layout import Lake
from warehouse.storage.markers import published_ids
from warehouse.storage.record import read_record
from warehouse.storage.versions import require_version

Row = dict[str, Any]
Record = dict[str, Any]


class Rows(Protocol):
    """What a section may ask for: the rows of a picture, by its name."""

    def frame(self, name: str) -> pl.DataFrame:
        """Return the rows of a picture's query, in its order."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A version's record and the rows of every picture."""

    record: Record
    frames: dict[str, pl.DataFrame]

    def frame(self, name: str) -> pl.DataFrame:
        """Return the rows of a picture's query, in its order."""
        return self.frames[name]


def read_lake(lake: Lake) -> Reading:
    """Return what the current version says to every picture.

    Raises LakeError where there is no version, its record can not be used, or a part file is damaged.
    """
    return read_version(lake, require_version(lake))


def read_version(lake: Lake, version: Path) -> Reading:
    """Return what one version says to every picture. Raises LakeError likewise."""
    record = read_record(version)
    return Reading(record, _ask(lake, version, record, load_pictures()))


def compare(lake: Lake, version_id: str) -> Reading:
    """Return what differs between the current version and another one, whose record the reading holds.

    Raises LakeError where there is no such version, and likewise.
    """
    current, other = require_version(lake), lake.version(version_id)
    if version_id not in published_ids(lake):
        raise LakeError(f"{version_id} is no version of {lake.root}: `callake versions --lake {lake.root}` lists them.")
    comparisons = load_comparisons()
    named = {picture.of for picture in comparisons.values() if picture.of}
    asked = {name: picture for name, picture in {**load_pictures(), **comparisons}.items() if name in named}
    after, before = (_ask(lake, version, read_record(version), asked) for version in (current, other))
    found = {picture.name: _differences(picture, before, after) for picture in comparisons.values() if picture.of}
    return Reading(read_record(other), found)


def _differences(picture: Picture, before: dict[str, pl.DataFrame], after: dict[str, pl.DataFrame]) -> pl.DataFrame:
    with duckdb.connect() as connection:
        connection.register("before", before[picture.of].to_arrow())
        connection.register("after", after[picture.of].to_arrow())
        found: pl.DataFrame = connection.sql(picture.sql).pl()
    return found


def _ask(lake: Lake, version: Path, record: Record, pictures: Mapping[str, Picture]) -> dict[str, pl.DataFrame]:
    try:
        with _connected(lake, version, record) as connection, damage_named(connection):
            return ask(connection, pictures)
    except duckdb.Error as problem:
        raise LakeError(
            f"{version.name} does not answer this code's queries ({problem}): it was built by code of another version "
            f"({record['code']['version']}). Build the lake again, or report it with that code."
        ) from problem


def ask(connection: Any, pictures: Mapping[str, Picture]) -> dict[str, pl.DataFrame]:  # noqa: ANN401
    """Return the rows of each picture from a connection that sees one version."""
    return {name: connection.sql(picture.sql).pl() for name, picture in pictures.items()}


def _connected(lake: Lake, version: Path, record: Record) -> Any:  # noqa: ANN401
    """Return a connection to a version whose views are those of this code, which the pictures were written for.

    The catalog in the lake will do where it is the current version's and was written by the same SQL.
    """
    if lake.current_id() == version.name and record["code"]["reading"] == reading_hash():
        opened = open_lake(lake)
        # A build may have published another version meanwhile.
        if opened.execute("SELECT version_id FROM lake_location").fetchall() == [(version.name,)]:
            return opened
        opened.close()
    connection = connect_version(version)
    here = "CREATE TABLE lake_location AS SELECT $1 AS root, $2 AS version_id"
    connection.execute(here, [str(lake.root), version.name])
    return connection
