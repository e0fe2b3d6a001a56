"""What a source of the lake is to the pipeline: options, and a function that stages its tables."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.options import Option, OptionError, Spelling, read_settings
from pipelines.progress import Reporter
from warehouse.contracts import Issue
from warehouse.storage.layout import Lake
from warehouse.storage.parquet import FileReport
from warehouse.storage.stage import Stage


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

    `hashed` names files that a build with the options will hash: that can begin before anything else. `problems` says
    what is wrong with the options together, in sentences that call each by the name that it is given.
    A source that is derived from another's tables (`derived_from`) is staged after it, in every build, so that it never
    describes rows that are gone; its build returns None where there is nothing to derive.
    """

    name: str
    given_by: str
    options: Sequence[Option]
    build: Callable[[BuildContext], Built | None]
    derived_from: str | None = None
    hashed: Callable[[Mapping[str, Any]], Iterable[Path]] = lambda _options: ()
    problems: Callable[[Mapping[str, Any], Mapping[str, str]], Iterable[str]] = lambda _options, _names: ()

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


def command_options(given: Mapping[str, object]) -> dict[str, Any]:
    """Return every option's value: from the command line by key, else from the environment, else its default.

    Raises OptionError with a sentence for each value that no build can use, before any work.
    """
    return _options(given, os.environ, lambda option: option.flag)


def environment_options() -> dict[str, Any]:
    """Return every option's value as the environment gives it, else its default. Raises as `command_options` does."""
    return _options({}, os.environ, lambda option: option.variable)


def configured_options(given: Mapping[str, object]) -> dict[str, Any]:
    """Return every option's value as a caller or a Dagster configuration gives it by key, else its default.

    The environment takes no part. Raises as `command_options` does, and for a key that is no option's.
    """
    return _options(given, {}, lambda option: option.key)


def _options(given: Mapping[str, object], environment: Mapping[str, str], spelling: Spelling) -> dict[str, Any]:
    options = all_options()
    found = read_settings(options, given, environment, spelling)
    unknown = sorted(given.keys() - {option.key for option in options})
    problems = [f"{key} is no option: the options are {', '.join(o.key for o in options)}." for key in unknown]
    problems += found.problems
    if not problems:
        problems += [text for source in all_sources() for text in source.problems(found.values, found.names)]
    if problems:
        raise OptionError("\n".join(problems))
    return dict(found.values)


def nothing_given(spelling: Spelling) -> str:
    """Return the sentence for options that ask for no source."""
    options = {option.key: option for option in all_options()}
    names = ", ".join(spelling(options[source.given_by]) for source in all_sources())
    return f"Nothing to build: give at least one of {names}."
