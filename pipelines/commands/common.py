"""What several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from pipelines.options import LAKE, Option, OptionError, expanded, lake_folder
from pipelines.terminal import printable
from warehouse.errors import LakeError

if TYPE_CHECKING:
    from warehouse.storage.layout import Lake

Command = TypeVar("Command", bound=Callable[..., Any])
# `Path` makes one slash of the two in s3://.
_ADDRESS: Final = re.compile(r"file:|[a-z][a-z0-9+.-]*:/", re.IGNORECASE)


class Given(click.Option):
    """An option whose variable is read where Dagster's settings are read too, so that both take the same values."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return nothing: `pipelines.options` reads the environment."""
        return None


def option_of(option: Option, **more: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - what click takes
    """Return what adds an option to a command; its value is what was typed, for `pipelines.options` to read."""
    shown = {"envvar": option.variable, "show_envvar": True, "help": option.help} | more
    if option.kind == "flag":
        return click.option(option.flag, cls=Given, is_flag=True, **shown)
    default = () if option.multiple else option.default
    return click.option(
        option.flag, cls=Given, type=str, metavar=option.metavar, multiple=option.multiple, default=default,
        show_default=option.default is not None, **shown,
    )  # fmt: skip


def lake_option(command: Command) -> Command:
    """Add `--lake`."""
    return option_of(LAKE, callback=_lake)(command)


def _lake(context: click.Context, parameter: click.Parameter, text: str) -> Path:
    try:
        return lake_folder(text if is_typed(context, str(parameter.name)) else None)
    except OptionError as problem:
        raise click.UsageError(str(problem)) from problem


def is_typed(context: click.Context, name: str) -> bool:
    """Tell whether an option stands on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def size(count: int) -> str:
    """Return a number of bytes for people."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.2f} GiB"


def outside(lake: Lake, target: str | Path) -> Path:
    """Return the whole path of a file to write.

    Raises LakeError for an address, for a name that is no path, and for a place in the lake's folder.
    """
    name, shown = str(target), printable(str(target))
    if _ADDRESS.match(name):
        raise LakeError(f"{shown} is an address: name the file to write by a plain path.")
    if "\0" in name or not is_unicode(name):
        raise LakeError(f"{shown} holds a NUL or bytes that are not UTF-8: name the file to write by another path.")
    place = Path(expanded(name, "The file to write")).absolute()
    try:
        _refuse_inside(lake, place)
    except RuntimeError as problem:
        raise LakeError(f"{shown} leads through a symbolic link to itself: name another place.") from problem
    return place


def is_unicode(text: str) -> bool:
    """Tell whether a text came from UTF-8: Python keeps other bytes of the command line as lone surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _refuse_inside(lake: Lake, place: Path) -> None:
    if lake.root.exists() and (_lies_in(place, lake.root) or _lies_in(lake.root, place)):
        raise LakeError(
            f"{printable(str(place))} is in the folder of the lake {lake.root}, or holds it, where only builds write: "
            "name a place outside."
        )


def _lies_in(path: Path, folder: Path) -> bool:
    """Tell whether a path leads into a folder, or is it; files are compared, and not names."""
    resolved = path.resolve()
    return folder.exists() and any(place.exists() and place.samefile(folder) for place in (resolved, *resolved.parents))
