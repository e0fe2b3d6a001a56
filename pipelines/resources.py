"""The Dagster resource that holds a lake for one run."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import dagster as dg
from pydantic import Field, PrivateAttr

from pipelines.build import Build
from pipelines.options import lake_folder
from pipelines.progress import reporter
from pipelines.source import all_sources, configured_options, environment_options, nothing_given
from warehouse.errors import LakeError
from warehouse.storage.failures import system_errors
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
        with ExitStack() as held:
            try:
                options = self._chosen()
                lake = Lake.at(lake_folder(self.lake or None))
                with system_errors(f"Beginning a build in {lake.root}"):
                    lake.create()
                    held.enter_context(hold(lake, wait=self.wait, say=reporter().say))
                    clean_up(lake)
                    stage = Stage.begin(lake)
            except LakeError as problem:
                reporter().problems.append(problem)
                raise
            held.callback(stage.remove)
            self._build = Build(lake, stage, options)
            yield self

    def _chosen(self) -> dict[str, Any]:
        """Return the options of this run; what no build can use is refused before any work."""
        if self.options:
            return configured_options(self.options)
        options = environment_options()
        if not any(source.given(options) for source in all_sources()):
            raise LakeError(nothing_given(lambda option: option.variable))
        return options

    @property
    def build(self) -> Build:
        """The build of this run."""
        if self._build is None:
            raise RuntimeError("The build resource is used outside a run.")
        return self._build
