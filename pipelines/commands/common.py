"""What several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pipelines.terminal import printable
from warehouse.errors import LakeError

if TYPE_CHECKING:
    from warehouse.storage.layout import Lake

Command = TypeVar("Command", bound=Callable[..., Any])


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


def refuse_inside(lake: Lake, target: Path) -> None:
    """Raise LakeError where a file to write, by whatever path, lies in the lake's folder or holds it."""
    place = target.absolute()
    if lake.root.exists() and (
        _lies_in(place, lake.root) or _lies_in(lake.root, place) or _is_another_name(place, lake.versions)
    ):
        raise LakeError(
            f"{printable(str(target))} is in the folder of the lake {lake.root}, or holds it, where only builds write: "
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
