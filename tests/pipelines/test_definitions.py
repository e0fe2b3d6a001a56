"""The Dagster code location: exactly these keys, so that a lost asset or check is seen; and one run of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.telemetry_upload import is_running_in_test
from dotenv import dotenv_values

from pipelines.assets import all_assets
from pipelines.automation import input_state, new_inputs
from pipelines.definitions import defs
from pipelines.resources import BuildResource
from tests.pipelines.conftest import sra_options, write_files
from warehouse.code import PROJECT, SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqltext import load_checks
from warehouse.storage.layout import Lake

JOB = "rebuild"


def test_an_asset_a_table_and_the_version() -> None:
    keys = {key.to_user_string() for key in defs.resolve_all_asset_keys()}
    assert keys == {*TABLES, "lake_version", "report"}


def test_every_table_has_a_blocking_audit_and_the_version_every_sql_check() -> None:
    graph = defs.resolve_asset_graph()
    checks = {(key.asset_key.to_user_string(), key.name) for key in graph.asset_check_keys}
    assert checks == {(name, "audit") for name in TABLES} | {
        ("lake_version", check.name) for check in load_checks(SQL_ROOT)
    }
    specs = [spec for asset in all_assets() for spec in asset.check_specs]
    assert all(spec.blocking for spec in specs)


def test_job_schedule_and_sensor() -> None:
    assert defs.resolve_job_def(JOB).name == JOB
    assert defs.resolve_schedule_def("nightly").cron_schedule == "0 3 * * *"
    assert defs.resolve_sensor_def("new_inputs").name == "new_inputs"


def test_dg_reports_nothing_from_this_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_DISABLE_TELEMETRY", raising=False)
    assert not is_running_in_test()
    for name, value in dotenv_values(PROJECT / ".env").items():
        monkeypatch.setenv(name, value or "")
    # The one place that sends asks this, and sends nothing where it is true.
    assert is_running_in_test()


def test_the_job_publishes(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    raw = write_files(tmp_path / "raw", tiny_files)
    chosen = {name: value for name, value in sra_options(raw).items() if value is not None}
    resource = BuildResource(lake=str(tmp_path / "lake"), options=chosen)
    with dg.instance_for_test(overrides={"telemetry": {"enabled": False}}) as instance:
        result = defs.resolve_job_def(JOB).execute_in_process(instance=instance, resources={"build": resource})
    assert result.success
    assert Lake.at(tmp_path / "lake").current_id() is not None
    rows = {
        event.asset_key.to_user_string(): event
        for event in result.get_asset_materialization_events()
        if event.asset_key
    }
    assert set(rows) == {*TABLES, "lake_version", "report"}
    materialization = rows["rollouts"].materialization
    assert materialization.metadata["dagster/row_count"].value == 9 * 16 * 14
    assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())
    page = rows["report"].materialization.metadata
    assert Path(str(page["path"].value)).read_text().startswith("<!DOCTYPE html>")
    assert page["report"].value == (tmp_path / "lake-report.html").as_uri()
    assert "data:image/svg+xml;base64," in str(page["picture"].value)


def test_a_refused_bundle_materialises_no_version(tiny_files: dict[str, bytes], tmp_path: Path) -> None:
    path = next(path for path in tiny_files if path.endswith("sampling9.jsonl.gz"))
    raw = write_files(tmp_path / "raw", {**tiny_files, path: tiny_files[path] + b"x"})
    chosen = {name: value for name, value in sra_options(raw).items() if value is not None}
    resource = BuildResource(lake=str(tmp_path / "lake"), options=chosen)
    with dg.instance_for_test(overrides={"telemetry": {"enabled": False}}) as instance:
        result = defs.resolve_job_def(JOB).execute_in_process(
            instance=instance, resources={"build": resource}, raise_on_error=False
        )
    assert not result.success
    assert Lake.at(tmp_path / "lake").current_id() is None
    failed = [check for check in result.get_asset_check_evaluations() if not check.passed]
    assert {check.check_name for check in failed} == {"audit"}
    materialised = {
        event.asset_key.to_user_string() for event in result.get_asset_materialization_events() if event.asset_key
    }
    assert "rollouts" not in materialised
    assert "lake_version" not in materialised


def asked(context: dg.SensorEvaluationContext) -> object:
    """The one thing that the sensor says."""
    said = new_inputs(context)
    assert isinstance(said, Iterator)
    (answer,) = said
    return answer


def test_the_sensor_asks_once_for_each_state(
    tiny_files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = write_files(tmp_path / "raw", tiny_files)
    monkeypatch.delenv("CALLAKE_SRA", raising=False)
    with dg.build_sensor_context() as context:
        assert isinstance(asked(context), dg.SkipReason)
    monkeypatch.setenv("CALLAKE_SRA", str(raw / "bundle"))
    monkeypatch.setenv("CALLAKE_INSTANCES", str(raw / "instances"))
    with dg.build_sensor_context() as context:
        request = asked(context)
        assert isinstance(request, dg.RunRequest)
        cursor = context.cursor
    with dg.build_sensor_context(cursor=cursor) as context:
        assert isinstance(asked(context), dg.SkipReason)
    (raw / "bundle" / "MANIFEST.csv").write_bytes(tiny_files["bundle/MANIFEST.csv"] + b"\n")
    assert input_state({"sra": str(raw / "bundle")}) != cursor
    with dg.build_sensor_context(cursor=cursor) as context:
        assert isinstance(asked(context), dg.RunRequest)
