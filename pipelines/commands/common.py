"""What several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pipelines.terminal import printable
from warehouse.errors import LakeError

if TYPE_CHECKING:
    from warehouse.storage.layout import Lake

Command = TypeVar("Command", bound=Callable[..., Any])
# `Path` makes one slash of the two in s3://.
_ADDRESS: Final = re.compile(r"file:|[a-z][a-z0-9+.-]*:/", re.IGNORECASE)


def lake_option(command: Command) -> Command:
    """Add `--lake`."""
    return click.option(
        "--lake",
        type=click.Path(file_okay=False, path_type=Path),
        default="lake",
        envvar="CALLAKE_LAKE",
        show_default=True,
        show_envvar=True,
        help="Folder of the lake.",
    )(command)


def size(count: int) -> str:
    """Return a number of bytes for people."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.2f} GiB"


def outside(lake: Lake, target: str | Path) -> Path:
    """Return the whole path of a file to write, which is the same place for Python and for DuckDB.

    Raises LakeError for an address, for a name that is no path, and for a place in the lake's folder.
    """
    name, shown = str(target), printable(str(target))
    if _ADDRESS.match(name):
        raise LakeError(f"{shown} is an address: name the file to write by a plain path.")
    if "\0" in name or not is_unicode(name):
        raise LakeError(f"{shown} holds a NUL or bytes that are not UTF-8: name the file to write by another path.")
    if name.startswith("~"):
        home = os.environ.get("HOME")
        if not home or not name.startswith("~/"):
            raise LakeError(f"{shown} starts with ~, which is taken as ~/… where HOME is set: give the whole path.")
        name = home + name[1:]
    place = Path(name).absolute()
    try:
        _refuse_inside(lake, place)
    except RuntimeError as problem:
        raise LakeError(f"{shown} leads through a symbolic link to itself: name another place.") from problem
    return place


def is_unicode(text: str) -> bool:
    """Tell whether a text came from UTF-8: Python keeps other bytes of the command line as lone surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _refuse_inside(lake: Lake, place: Path) -> None:
    if lake.root.exists() and (
        _lies_in(place, lake.root) or _lies_in(lake.root, place) or _is_another_name(place, lake.versions)
    ):
        raise LakeError(
            f"{printable(str(place))} is in the folder of the lake {lake.root}, or holds it, where only builds write: "
            "name a place outside."
        )


def _lies_in(path: Path, folder: Path) -> bool:
    """Tell whether a path leads into a folder, or is it; files are compared, and not names."""
    resolved = path.resolve()
    return folder.exists() and any(place.exists() and place.samefile(folder) for place in (resolved, *resolved.parents))


def _is_another_name(path: Path, folder: Path) -> bool:
    """Tell whether a file is one of those below a folder under a second name, a hard link."""
    if not path.is_file() or path.stat().st_nlink == 1:
        return False
    return any(other.is_file() and other.samefile(path) for other in folder.rglob("*"))
