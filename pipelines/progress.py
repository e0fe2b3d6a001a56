"""Telling a person how far a build is: bars on a terminal, one line a step elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from warehouse.errors import LakeError
from warehouse.storage.publish import Published

Advance = Callable[[int], None]


class Reporter:
    """Reports steps on standard error: progress bars where it is a terminal, plain lines where it is not.

    It also keeps how the run ended, `problems` or what was `published`, for the command that started it.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._console = Console(file=sys.stderr, highlight=False)
        self.problems: list[LakeError] = []
        self.published: Published | None = None

    def say(self, line: str) -> None:
        """Print one line."""
        if not self._quiet:
            self._console.print(line, markup=False, soft_wrap=True)

    @contextmanager
    def step(self, name: str, total: int, unit: str) -> Iterator[Advance]:
        """Report one step of `total` units; the block calls the function it gets as units are done."""
        if self._console.is_terminal and not self._quiet:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
            with Progress(*columns, TimeElapsedColumn(), console=self._console) as bars:
                task = bars.add_task(name, total=total)
                yield lambda done: bars.advance(task, done)
            return
        started = time.monotonic()
        yield lambda done: None
        self.say(f"{name}: {total} {unit} in {time.monotonic() - started:.1f} s")


_reporter = Reporter()


def use_reporter(reporter: Reporter) -> None:
    """Make a reporter the one that builds of this process use."""
    global _reporter  # noqa: PLW0603 - assets run in this process and Dagster makes their resources itself
    _reporter = reporter


def reporter() -> Reporter:
    """Return the reporter that builds of this process use."""
    return _reporter
