"""The asset `report`: the page of the version that a run published, with its link and a small picture."""

from __future__ import annotations

import base64

import dagster as dg

from pipelines.report.cover import cover
from pipelines.report.reading import read_lake
from pipelines.report.report import beside, report, write_report
from pipelines.resources import BuildResource
from warehouse.errors import LakeError
from warehouse.storage.failures import system_errors

_WHAT = "One HTML page with the version's pictures, beside the lake: it needs no network and holds no script."


@dg.asset(name="report", deps=["lake_version"], group_name="lake", description=_WHAT, kinds={"html"})
def report_asset(build: BuildResource) -> dg.MaterializeResult[None]:
    """Write the report of the version that this run published."""
    lake = build.build.lake
    try:
        with system_errors("Writing the report"):
            reading = read_lake(lake)
            place = beside(lake)
            size = write_report(place, report(reading))
    except LakeError as problem:
        raise dg.Failure(str(problem), allow_retries=False) from problem
    picture = base64.b64encode(cover(reading).encode()).decode()
    return dg.MaterializeResult(
        metadata={
            "report": dg.MetadataValue.url(place.as_uri()),
            "path": dg.MetadataValue.path(place),
            "bytes": size,
            "picture": dg.MetadataValue.md(f"![reliability diagrams](data:image/svg+xml;base64,{picture})"),
        },
        data_version=dg.DataVersion(str(reading.record["version_id"])),
    )
