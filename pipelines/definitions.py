"""The Dagster code location: an asset a table, blocking audits, a nightly schedule, a new-bundle sensor."""

from __future__ import annotations

import dagster as dg

from pipelines.assets import all_assets
from pipelines.automation import new_inputs, nightly, rebuild
from pipelines.report.asset import report_asset
from pipelines.resources import BuildResource

defs = dg.Definitions(
    assets=[*all_assets(), report_asset],
    jobs=[rebuild],
    schedules=[nightly],
    sensors=[new_inputs],
    resources={"build": BuildResource()},
    # One process a run: the run holds the lake's lock from its first step to its last.
    executor=dg.in_process_executor,
)
