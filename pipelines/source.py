"""What a source of the lake is to the pipeline: options, and a function that stages its tables."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import polars as pl

from pipelines.progress import Reporter
from warehouse.contracts import Issue
from warehouse.storage.layout import Lake
from warehouse.storage.parquet import FileReport
from warehouse.storage.stage import Stage


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a source: `--name` on the command line, `CALLAKE_NAME` in the environment."""

    name: str
    help: str
    kind: Literal["folder", "file", "text", "count", "flag"] = "text"
    choices: Sequence[str] = ()
    multiple: bool = False
    default: str | None = None
    needs: Sequence[str] = ()
    least: int = 1

    @property
    def key(self) -> str:
        """The option as a Python name."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The option as an environment variable; values of a repeated one are separated by `:`."""
        return "CALLAKE_" + self.key.upper()

    def from_environment(self) -> Any:  # noqa: ANN401 - text, a list or a flag, by `kind`
        """Return the value that the environment gives, or the default."""
        value = os.environ.get(self.variable)
        if self.kind == "flag":
            return (value or "").lower() in {"1", "true", "yes"}
        if self.multiple:
            return [part for part in (value or "").split(":") if part]
        return value or self.default


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Everything a source's build may use. `previous` is what its last published build left to remember."""

    lake: Lake
    stage: Stage
    options: Mapping[str, Any]
    previous: Mapping[str, Any]
    reporter: Reporter
    workers: int

    @property
    def allow_partial(self) -> bool:
        """Whether unsound parts are left out and the rest is published."""
        return bool(self.options.get("allow_partial"))


@dataclass(slots=True)
class Built:
    """What a source's build staged, read and noticed."""

    files: list[FileReport] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    source_files: pl.DataFrame | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """One source. It is built when the option named `given_by` has a value, else carried over.

    `hashed` names files that a build with the options will hash: that can begin before anything else.
    A source that is derived from another's tables (`derived_from`) is staged after it, in every build, so that it never
    describes rows that are gone; its build returns None where there is nothing to derive.
    """

    name: str
    given_by: str
    options: Sequence[Option]
    build: Callable[[BuildContext], Built | None]
    derived_from: str | None = None
    hashed: Callable[[Mapping[str, Any]], Iterable[Path]] = lambda _options: ()

    def given(self, options: Mapping[str, Any]) -> bool:
        """Tell whether the caller asks for the source."""
        return bool(options.get(self.given_by))


@cache
def all_sources() -> tuple[Source, ...]:
    """Return the sources: every module of `pipelines.sources` that holds a `SOURCE`."""
    package = importlib.import_module("pipelines.sources")
    modules = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found = (importlib.import_module(f"pipelines.sources.{name}") for name in modules)
    return tuple(module.SOURCE for module in found if hasattr(module, "SOURCE"))


COMMON_OPTIONS: Sequence[Option] = (
    Option(
        "allow-partial", "Leave out whole cells that are unsound, publish the rest and list what is not there.", "flag"
    ),
    Option("workers", "Processes that read cells; default: one a core.", "count"),
    Option("keep", "Versions kept after a publish.", "count", default="3"),
)


def all_options() -> list[Option]:
    """Return the options of every source, then the common ones."""
    return [option for source in all_sources() for option in source.options] + list(COMMON_OPTIONS)


def environment_options() -> dict[str, Any]:
    """Return every option's value as the environment gives it."""
    return {option.key: option.from_environment() for option in all_options()}
