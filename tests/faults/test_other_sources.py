"""Faults of GRACE and BenchMIRT: each has the outcome stated of it beforehand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.progress import Reporter
from pipelines.source import BuildContext, Built
from pipelines.sources import benchmirt, grace
from tests.faults import benchmirt_faults, grace_faults
from tests.faults.benchmirt_faults import BENCHMIRT, ITEMS, MODELS, RESPONSES
from tests.faults.bundles import Files, write_files
from tests.faults.grace_faults import GRACE, ZIP
from tests.faults.other_faults import OtherFault
from warehouse.contracts import Severity
from warehouse.storage.layout import Lake
from warehouse.storage.stage import Stage

SOURCES = {"grace": grace, "benchmirt": benchmirt}
SOUND = {"grace": grace_faults.sound(), "benchmirt": benchmirt_faults.sound()}


def built(source: str, files: Files, folder: Path) -> Built:
    root = write_files(folder / "raw", files)
    lake = Lake.at(folder / "lake")
    lake.create()
    options: dict[str, Any] = {option.key: option.default for option in SOURCES[source].OPTIONS}
    if source == "grace":
        options |= {"grace": str(root / ZIP), "grace_runs": str(root / "grace" / "runs"), "elicitation": "verb"}
    else:
        paths = {"benchmirt": RESPONSES, "benchmirt_items": ITEMS, "benchmirt_models": MODELS}
        options |= {name: str(root / path) for name, path in paths.items()}
    context = BuildContext(lake, Stage.begin(lake), options, {}, Reporter(quiet=True), workers=1)
    built: Built = SOURCES[source].build(context)
    return built


def planted(fault: OtherFault) -> Files:
    files = dict(SOUND[fault.source])
    fault.plant(files)
    return files


def rules(found: Built, severity: Severity) -> Counter[str]:
    return Counter(str(issue.rule) for issue in found.issues if issue.severity is severity)


@pytest.mark.parametrize("source", SOURCES)
def test_the_sound_files_are_sound(source: str, tmp_path: Path) -> None:
    found = built(source, SOUND[source], tmp_path)
    assert not rules(found, Severity.ERROR)
    assert found.files


@pytest.mark.parametrize("fault", (*GRACE, *BENCHMIRT), ids=lambda fault: fault.name)
def test_a_fault_has_the_outcome_stated(fault: OtherFault, tmp_path: Path) -> None:
    clean = built(fault.source, SOUND[fault.source], tmp_path / "clean")
    found = built(fault.source, planted(fault), tmp_path / "faulty")
    errors = rules(found, Severity.ERROR)
    if fault.outcome == "refused":
        assert any(name.startswith(fault.rule) for name in errors), errors
        assert found.files == []
        return
    assert not errors
    hashes = [{file.path: file.sha256 for file in one.files} for one in (clean, found)]
    new = {s: rules(found, s) - rules(clean, s) for s in (Severity.WARNING, Severity.INFO)}
    if fault.outcome == "identical":
        assert not new[Severity.WARNING]
        assert hashes[0] == hashes[1]
        return
    assert any(name.startswith(fault.rule) for name in new[Severity(fault.outcome)]), new
    assert hashes[0].keys() == hashes[1].keys()
    if fault.outcome == "info":
        assert not new[Severity.WARNING]
