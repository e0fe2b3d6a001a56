"""Running one planted fault through the bundle's build step, and holding what came of it against what was stated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl
from polars.testing import assert_frame_equal

from pipelines.progress import Reporter
from pipelines.source import BuildContext, Built
from pipelines.sources.sra import OPTIONS, build
from synthetic.sra.faults import FAULTS, Fault, plant
from tests.faults.bundles import small_bundle, write_files
from warehouse.contracts import TABLES, Issue, Severity
from warehouse.storage.layout import Lake
from warehouse.storage.publish import publish
from warehouse.storage.stage import BUILT, SourceReport, Stage

SEED: Final = 3
DRESS: Final = ("several_members_", "crlf_", "blank_lines_", "byte_order_mark_", "manifest_dress")
"""Faults of dress alone: they are noticed, and every table stays as it is."""
PROVENANCE: Final = ("line", "producer", "tf_p_correct_tf", "tf_p_correct_ft")
"""Columns of the verdict tables that say how a value came, and not what it is."""
SMALLER: Final = frozenset({"tf_file_gone"})
"""Faults after which the bundle is a sound smaller one but for its audit: a cell has one signal less."""
CODE: Final = {"version": "0", "building": "b", "reading": "r"}


@dataclass(frozen=True, slots=True)
class Case:
    """A fault with the manifest renewed after planting; left as it was, where it then shows in a way of its own.

    What the manifest tells of any other file that it was not told of is one property, which needs no faults.
    """

    fault: Fault
    refresh: bool

    @property
    def name(self) -> str:
        """The case's name, also as a test's id."""
        variant = "" if not self.fault.refreshable else "-renewed" if self.refresh else "-as_it_was"
        return self.fault.name + variant


def all_cases() -> list[Case]:
    """Return every fault, in both variants where each has something of its own to show."""
    return [
        Case(fault, refresh)
        for fault in FAULTS.values()
        for refresh in ((True, False) if fault.tells_itself else (True,))
    ]


@dataclass(slots=True)
class Outcome:
    """What a build made of a bundle: everything noticed, the hash of every file staged, and files nobody reports."""

    issues: list[Issue]
    files: dict[str, str]
    strays: set[str]
    different: dict[str, str] = field(default_factory=dict)
    """Files that the clean build has too, with other content: what differs."""

    def rules(self, severity: Severity) -> Counter[str]:
        """Return how often each rule of a severity was broken."""
        return Counter(str(issue.rule) for issue in self.issues if issue.severity is severity)


@dataclass(slots=True)
class Bench:
    """A bundle on disk, a lake whose current version was built from it, and the outcome of that clean build."""

    folder: Path
    clean: Outcome
    state: Mapping[str, Any]

    @classmethod
    def set_up(cls, folder: Path) -> Bench:
        """Write the small bundle below a folder, build it and publish it."""
        write_files(folder / "raw", small_bundle())
        bench = cls(folder, Outcome([], {}, set()), {})
        lake, stage, built = bench.run({}, {})
        bench.clean, bench.state = bench.outcome(stage, built), built.state
        report = SourceReport("sra", BUILT, built.files, built.inputs, built.state)
        stage.report(report, built.issues, TABLES["source_files"].empty())
        publish(lake, stage, lambda _version: [], CODE, 3)
        return bench

    @property
    def lake(self) -> Lake:
        """The lake."""
        return Lake.at(self.folder / "lake")

    def run(self, settings: Mapping[str, str], previous: Mapping[str, Any]) -> tuple[Lake, Stage, Built]:
        """Build the bundle as it now is, leaving out what is unsound, so that what is left can be looked at too."""
        self.lake.create()
        stage = Stage.begin(self.lake)
        raw = self.folder / "raw"
        options = {option.key: option.default for option in OPTIONS} | {"allow_partial": True} | dict(settings)
        options |= {"sra": str(raw / "bundle"), "instances": str(raw / "instances")}
        built = build(BuildContext(self.lake, stage, options, previous, Reporter(quiet=True), workers=1))
        return self.lake, stage, built

    def outcome_of(self, case: Case) -> Outcome:
        """Plant a fault, build, take the fault away again and return what came of it."""
        changes = plant(small_bundle(), case.fault.name, SEED, case.refresh)
        settings = {name.replace("-", "_"): value for name, value in case.fault.settings.items()}
        return self.outcome_with(changes, settings, self.state if case.fault.second_build else {})

    def outcome_with(
        self, changes: Mapping[str, bytes | None], settings: Mapping[str, str], previous: Mapping[str, Any]
    ) -> Outcome:
        """Change files, build, change them back and return what came of it."""
        raw = self.folder / "raw"
        write_files(raw, changes)
        try:
            _lake, stage, built = self.run(settings, previous)
            return self.outcome(stage, built)
        finally:
            write_files(raw, {path: small_bundle().get(path) for path in changes})

    def outcome(self, stage: Stage, built: Built) -> Outcome:
        """Describe what a build staged."""
        files = {file.path: file.sha256 for file in built.files}
        on_disk = {p.relative_to(stage.version).as_posix() for p in stage.version.rglob("*") if p.is_file()}
        found = Outcome(list(built.issues), files, on_disk ^ files.keys())
        for path in [path for path, sha256 in files.items() if self.clean.files.get(path, sha256) != sha256]:
            difference = self._difference(stage, path)
            if difference:
                found.different[path] = difference
        return found

    def _difference(self, stage: Stage, path: str) -> str:
        """Tell how a staged file differs from the clean build's; nothing where only a value's provenance does."""
        table = path.split("/")[1]
        frames = [pl.read_parquet(root / path) for root in (stage.version, self.lake.require_current())]
        if table in {"ab_verdicts", "tf_verdicts"}:
            frames = [frame.drop(PROVENANCE, strict=False) for frame in frames]
        try:
            assert_frame_equal(*frames, check_exact=True)
        except AssertionError as difference:
            return str(difference).splitlines()[0]
        return ""


def disagreement(case: Case, found: Outcome, clean: Outcome) -> str | None:
    """Return how an outcome differs from what was stated of the fault beforehand, or None where it does not."""
    stated, rule = case.fault.expected(case.refresh)
    errors, warnings, infos = (found.rules(s) for s in (Severity.ERROR, Severity.WARNING, Severity.INFO))
    if found.strays:
        return f"files of the stage and reported files differ: {sorted(found.strays)[:3]}"
    if stated == "refused":
        return refusal_differs(found, rule, is_smaller=case.fault.name in SMALLER)
    if errors or (warnings and stated != "warning"):
        return f"stated {stated}, found errors {dict(errors)} and warnings {dict(warnings)}"
    if stated == "warning" and not any(name.startswith(rule) for name in warnings):
        return f"stated a warning of {rule}, found {dict(warnings)}"
    if stated == "info" and not any(name.startswith(rule) for name in infos):
        return f"stated an information of {rule}, found {dict(infos)}"
    moved = {path for path in found.files.keys() ^ clean.files.keys() if "/unknown_fields/" not in path}
    if moved:
        return f"files are missing or added: {sorted(moved)[:3]}"
    is_dress = case.fault.name.startswith(DRESS)
    if (stated == "identical" or is_dress) and found.different:
        return f"tables differ: {found.different}"
    return None


def refusal_differs(found: Outcome, rule: str, *, is_smaller: bool = False) -> str | None:
    """A refusal names the rule, and what --allow-partial would publish is what the clean build has of it."""
    errors = found.rules(Severity.ERROR)
    if not any(name.startswith(rule) for name in errors):
        return f"stated an error of {rule or 'any rule'}, found {dict(errors)}"
    whole = {f"tables/{name}/part-0.parquet" for name in ("questions", "signal_coverage")}
    wrong = {path: what for path, what in found.different.items() if path not in whole}
    if is_smaller:
        return None
    return f"what is left differs from the clean build: {wrong}" if wrong else None
