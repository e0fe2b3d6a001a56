"""What a version holds: where it came from, what was noticed, and which signals are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipelines.report.model import Chip, Figure, Matrix, Section
from pipelines.report.names import CONDITIONS, SIGNALS, in_order, signal_name
from pipelines.report.reading import Record, Row, Rows
from pipelines.report.sections.tables import table

MARKS: Final = {"present": "●", "partial": "◐", "withheld": "▨", "not_applicable": "·", "missing": "✕"}
"""A sign a status, so that colour is not all that tells them apart."""

SEVERITIES: Final = ("error", "warning", "info")


def contents_section(rows: Rows, record: Record) -> Section:
    """Return what the version is and holds; an empty version has this section alone."""
    figures = [_counts(rows), _files(rows), _findings(rows), _coverage(rows), _hashes(rows)]
    return Section("contents", "What is in it", "", [figure for figure in figures if figure], facts=facts(record))


def facts(record: Record) -> list[tuple[str, str]]:
    """Return what the version's record says about all of it, as names and values."""
    checks = record["checks"]
    failed = [check["name"] for check in checks if not check["passed"]]
    rows = sum(table["rows"] for table in record["tables"].values())
    size = sum(table["bytes"] for table in record["tables"].values())
    sources = ", ".join(f"{name} {source['status']}" for name, source in sorted(record["sources"].items()))
    return [
        ("version", record["version_id"]),
        ("content", f"SHA-256 {record['content_sha256']}"),
        ("code", f"version {record['code']['version']}, tables read by SHA-256 {record['code']['reading']}"),
        ("sources", sources),
        ("tables", f"{len(record['tables'])} with {rows:,} rows in {size:,} bytes"),
        ("checks over whole tables", f"{len(checks)} run, {len(failed)} failed {', '.join(failed)}".strip()),
    ]


def _counts(rows: Rows) -> Figure | None:
    frame = rows.frame("counts")
    headings = {"source": "source", "table_name": "table", "n": "rows"}
    return None if frame.is_empty() else Figure(("counts",), table=table(frame, headings))


def _files(rows: Rows) -> Figure | None:
    frame = rows.frame("source_files")
    headings = {"source": "source", "status": "status", "n_files": "files", "bytes": "bytes"}
    return None if frame.is_empty() else Figure(("source_files",), table=table(frame, headings))


def _findings(rows: Rows) -> Figure | None:
    frame = rows.frame("findings")
    if frame.is_empty():
        return None
    found = sorted(frame.to_dicts(), key=lambda row: SEVERITIES.index(row["severity"]))
    headings = {"severity": "severity", "source": "source", "rule": "rule", "n": "times"}
    return Figure(("findings",), table=table(frame, headings, found))


def _hashes(rows: Rows) -> Figure | None:
    frame = rows.frame("source_hashes")
    if frame.is_empty():
        return None
    headings = {"source": "source", "path": "file", "status": "status", "sha256_actual": "SHA-256"}
    return Figure(("source_hashes",), table=table(frame, headings), folded=f"{frame.height:,} files")


def _coverage(rows: Rows) -> Figure | None:
    frame = rows.frame("coverage")
    if frame.is_empty():
        return None
    found = frame.to_dicts()
    signals = in_order(frame["signal"], SIGNALS)
    lines = [
        (model, condition, [_chips(found, model, condition, signal) for signal in signals])
        for model in in_order(frame["model"])
        for condition in in_order(frame["condition"], CONDITIONS)
    ]
    return Figure(("coverage",), matrix=Matrix([signal_name(signal) for signal in signals], lines))


def _chips(rows: Sequence[Row], model: str, condition: str, signal: str) -> list[Chip]:
    own = [row for row in rows if (row["model"], row["condition"], row["signal"]) == (model, condition, signal)]
    return [_chip(row) for row in sorted(own, key=lambda row: list(MARKS).index(row["status"]))]


def _chip(row: Row) -> Chip:
    status = str(row["status"])
    text = f"{status.replace('_', ' ')} {row['n_datasets']}"
    return Chip(status, MARKS[status], text, row["reason"] or "", row)
