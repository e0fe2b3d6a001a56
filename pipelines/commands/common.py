"""What several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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
