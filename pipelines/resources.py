"""The Dagster resource that holds a lake for one run."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import dagster as dg
from pydantic import Field, PrivateAttr

from pipelines.build import Build
from pipelines.progress import reporter
from pipelines.source import environment_options
from warehouse.storage.layout import Lake
from warehouse.storage.lock import hold
from warehouse.storage.publish import clean_up
from warehouse.storage.stage import Stage


class BuildResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """One run's build. An empty `lake` or `options` is taken from the environment (`CALLAKE_LAKE`, …)."""

    lake: str = Field(default="", description="Folder of the lake; CALLAKE_LAKE, else ./lake.")
    options: dict[str, Any] = Field(default_factory=dict, description="The sources' options, by name with '_'.")
    wait: bool = Field(default=True, description="Wait for a build that holds the lake, rather than refuse.")

    _build: Build | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator[BuildResource, None, None]:
        """Hold the lake's lock for the run, with an empty stage and no litter of dead builds."""
        lake = Lake.at(self.lake or os.environ.get("CALLAKE_LAKE") or "lake")
        lake.create()
        with hold(lake, wait=self.wait, say=reporter().say):
            clean_up(lake)
            self._build = Build(lake, Stage.begin(lake), self.options or environment_options())
            try:
                yield self
            finally:
                self._build.stage.remove()

    @property
    def build(self) -> Build:
        """The build of this run."""
        if self._build is None:
            raise RuntimeError("The build resource is used outside a run.")
        return self._build
