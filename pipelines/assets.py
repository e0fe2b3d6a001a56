"""One asset a table. Every asset is thin: call the build's step, report what was written."""

import hashlib
from collections.abc import Callable, Iterable, Iterator

import dagster as dg

from pipelines.build import Build, sentences
from pipelines.progress import reporter
from pipelines.resources import BuildResource
from pipelines.source import Source, all_sources
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES, Severity, Table
from warehouse.errors import LakeError, RefusedError
from warehouse.sqltext import load_checks
from warehouse.storage.assemble import DERIVED, SHARED, tables_of
from warehouse.storage.failures import system_errors
from warehouse.storage.stage import SourceReport

Results = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]

_TYPES = {
    "String": "string",
    "Boolean": "bool",
    "Int32": "int32",
    "Int64": "int64",
    "Float32": "float",
    "Float64": "double",
}
AUDIT = "audit"
VERSION = dg.AssetKey("lake_version")
_VERSION_IS = "The published version: complete, checked by SQL over whole tables, named by the one link."


def _spec(table: Table, deps: list[str]) -> dg.AssetSpec:
    columns = [
        dg.TableColumn(name, _TYPES.get(str(dtype), str(dtype)), table.schema.columns()[name].description)
        for name, dtype in table.polars_schema.items()
    ]
    return dg.AssetSpec(
        table.name,
        deps=deps,
        group_name=table.source,
        description=table.comment,
        metadata={"dagster/column_schema": dg.TableSchema(columns)},
        kinds={"parquet"},
    )


def _audit_specs(tables: list[str]) -> list[dg.AssetCheckSpec]:
    what = "The file was read back after writing and keeps the table's contract."
    return [dg.AssetCheckSpec(AUDIT, asset=table, blocking=True, description=what) for table in tables]


def _results(report: SourceReport, tables: list[str]) -> Results:
    """Report each table: rows, bytes, and a data version that is the hash of its files."""
    for table in tables:
        files = [file for file in report.files if file.table == table]
        rows, size = sum(file.rows for file in files), sum(file.bytes for file in files)
        yield dg.MaterializeResult(
            asset_key=table,
            metadata={"dagster/row_count": rows, "bytes": size, "files": len(files), "status": report.status},
            data_version=dg.DataVersion(_digest(file.sha256 for file in files)),
            check_results=[
                dg.AssetCheckResult(asset_key=table, check_name=AUDIT, passed=True, metadata={"files": len(files)})
            ],
        )


def _digest(hashes: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def _step(run: Callable[[], SourceReport], tables: list[str]) -> Results:
    """Run one step of the build; on a refusal yield the failed audits, so that nothing downstream runs."""
    try:
        with system_errors(f"Staging {tables[0]}"):
            report = run()
    except LakeError as problem:
        reporter().problems.append(problem)
        for table in tables:
            yield dg.AssetCheckResult(
                asset_key=table, check_name=AUDIT, passed=False, metadata={"problem": str(problem)}
            )
        raise _failure(problem) from problem
    yield from _results(report, tables)


def _failure(problem: LakeError) -> dg.Failure:
    lines = sentences(problem.issues, Severity.ERROR) if isinstance(problem, RefusedError) else []
    return dg.Failure("\n".join([str(problem), *lines[:50]]), allow_retries=False)


def _tables_asset(
    name: str, tables: list[str], deps: list[str], run: Callable[[Build], SourceReport]
) -> dg.AssetsDefinition:
    @dg.multi_asset(name=name, specs=[_spec(TABLES[table], deps) for table in tables], check_specs=_audit_specs(tables))
    def tables_asset(build: BuildResource) -> Results:
        yield from _step(lambda: run(build.build), tables)

    return tables_asset


def _source_asset(source: Source) -> dg.AssetsDefinition:
    deps = tables_of(source.derived_from) if source.derived_from else []
    return _tables_asset(
        f"{source.name}_tables", tables_of(source.name), deps, lambda build: build.stage_source(source)
    )


def _version_asset(deps: list[str]) -> dg.AssetsDefinition:
    checks = {check.name: check.description for check in load_checks(SQL_ROOT)}
    specs = [dg.AssetCheckSpec(name, asset=VERSION, blocking=True, description=what) for name, what in checks.items()]

    spec = dg.AssetSpec(VERSION, deps=deps, group_name="lake", description=_VERSION_IS, kinds={"duckdb"})

    @dg.multi_asset(name="lake_version", specs=[spec], check_specs=specs)
    def lake_version(build: BuildResource) -> Results:
        try:
            with system_errors("Publishing"):
                done = build.build.publish()
        except LakeError as problem:
            reporter().problems.append(problem)
            raise _failure(problem) from problem
        reporter().published = done
        for note in done.notes:
            reporter().say(note)
        results = [
            dg.AssetCheckResult(
                asset_key=VERSION, check_name=check["name"], passed=check["passed"], metadata={"rows": check["rows"]}
            )
            for check in done.checks
        ]
        yield dg.MaterializeResult(
            asset_key=VERSION,
            metadata={"version_id": done.version_id, "changed": done.changed},
            data_version=dg.DataVersion(done.version_id.rsplit("-", 1)[1]),
            check_results=results,
        )

    return lake_version


def all_assets() -> list[dg.AssetsDefinition]:
    """Return the graph: sources, the shared tables, the derived statistics, the published version."""
    sources = [_source_asset(source) for source in all_sources()]
    from_sources = [table for source in all_sources() for table in tables_of(source.name)]
    shared, derived = tables_of(SHARED), tables_of(DERIVED)
    return [
        *sources,
        _tables_asset("shared_tables", shared, from_sources, lambda build: build.stage_shared()),
        _tables_asset("statistics_tables", derived, from_sources, lambda build: build.stage_statistics()),
        _version_asset([*from_sources, *shared, *derived]),
    ]
