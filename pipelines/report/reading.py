"""Asking a version of the lake for the rows of each picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from pipelines.report.picture import load_pictures
from warehouse.catalog import connect_version, damage_named, open_lake
from warehouse.code import reading_hash
from warehouse.storage.layout import Lake
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
    with _connected(lake, version, record) as connection, damage_named(connection):
        return Reading(record, {name: connection.sql(picture.sql).pl() for name, picture in load_pictures().items()})


def _connected(lake: Lake, version: Path, record: Record) -> Any:  # noqa: ANN401
    """Return a connection to a version whose views are those of this code, which the pictures were written for.

    The catalog in the lake will do where it is the current version's and was written by the same SQL.
    """
    if lake.current_id() == version.name and record["code"]["reading"] == reading_hash():
        return open_lake(lake)
    connection = connect_version(version)
    connection.execute(
        "CREATE TABLE lake_location AS SELECT $1 AS root, $2 AS version_id", [str(lake.root), version.name]
    )
    return connection
