"""A build under way: the steps that the Dagster assets call. The command line runs those assets, not this directly."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.progress import reporter
from pipelines.source import BuildContext, Built, Source
from pipelines.statistics import stage_statistics
from pipelines.terminal import printable
from warehouse.catalog import build_catalog
from warehouse.code import code_record
from warehouse.contracts import TABLES, Issue, Severity, has_errors
from warehouse.errors import RefusedError
from warehouse.storage.assemble import assemble_shared, carry_over
from warehouse.storage.layout import Lake
from warehouse.storage.publish import Published, publish
from warehouse.storage.quarantine import quarantine
from warehouse.storage.record import read_record
from warehouse.storage.stage import ABSENT, BUILT, SourceReport, Stage


@dataclass(frozen=True, slots=True)
class Build:
    """One build of one lake, whose lock is held."""

    lake: Lake
    stage: Stage
    options: Mapping[str, Any]

    @property
    def workers(self) -> int:
        """Processes that read cells."""
        return int(self.options.get("workers") or os.cpu_count() or 1)

    def stage_source(self, source: Source) -> SourceReport:
        """Stage one source's tables, or carry them over where this build does not read it.

        Raises RefusedError where anything noticed is an error, after all of the source was looked at.
        """
        if not source.given(self.options) and source.derived_from is None:
            return carry_over(self.lake, self.stage, source.name)
        context = BuildContext(
            self.lake, self.stage, self.options, self._previous(source.name), reporter(), self.workers
        )
        built = source.build(context)
        if built is None:
            return self._absent(source.name)
        report = SourceReport(source.name, BUILT, built.files, built.inputs, built.state)
        files = TABLES["source_files"].empty() if built.source_files is None else built.source_files
        self.stage.report(report, built.issues, files)
        if has_errors(built.issues) and not (context.allow_partial and built.files):
            self._refuse(source, built)
        return report

    def _absent(self, source: str) -> SourceReport:
        report = SourceReport(source, ABSENT)
        self.stage.report(report, [], TABLES["source_files"].empty())
        return report

    def _previous(self, source: str) -> dict[str, Any]:
        version_id = self.lake.current_id()
        if version_id is None:
            return {}
        known = read_record(self.lake.version(version_id))["sources"].get(source, {})
        return dict(known.get("state", {}))

    def _refuse(self, source: Source, built: Built) -> None:
        files = [] if built.source_files is None else [built.source_files]
        folder = quarantine(self.lake, built.issues, files)
        errors = sum(issue.severity is Severity.ERROR for issue in built.issues)
        raise RefusedError(
            f"{source.name}: {errors} errors; nothing was published and what was noticed is kept in {folder}.",
            built.issues,
        )

    def stage_shared(self) -> SourceReport:
        """Stage the tables that every source adds to."""
        return assemble_shared(self.lake, self.stage)

    def stage_statistics(self) -> SourceReport:
        """Stage the tables that are derived from the observations of all sources."""
        return stage_statistics(self.lake, self.stage, self.workers, reporter())

    def publish(self) -> Published:
        """Publish the stage as the current version."""
        with reporter().step("publish", 1, "version") as advance:
            done = publish(
                self.lake, self.stage, lambda version: build_catalog(self.lake, version, check=True), code_record(),
                int(self.options.get("keep") or 3),
            )  # fmt: skip
            advance(1)
        return done


def sentences(issues: Sequence[Issue], severity: Severity) -> list[str]:
    """Return the findings of one severity as sentences that start with their place, a line each.

    Names of files may hold line breaks and commands to a terminal; such characters are written out.
    """
    return [printable(f"{_place(issue)}{issue.message}") for issue in issues if issue.severity is severity]


def _place(issue: Issue) -> str:
    """Return file and line before a sentence that does not start with its file already."""
    if issue.path is None or issue.message.startswith(issue.path):
        return ""
    return f"{issue.path}:{issue.line}: " if issue.line is not None else f"{issue.path}: "
