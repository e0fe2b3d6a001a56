"""The release as a whole: archive and packets into tables; and the counts of the release that is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from transforms.grace.archive import read_archive
from transforms.grace.notes import Notes
from transforms.grace.packets import PacketRows, check_shared_indices, read_packet
from transforms.grace.rules import RELEASE_COUNTS
from transforms.grace.tables import Limits, Row, SourceTables, frame, without_rows
from warehouse.contracts import Issue
from warehouse.contracts.grace import DEFAULT_PASSWORD, SOURCE

# The public release of 2025, by the SHA-256 of its zip, and what its packets hold.
KNOWN_RELEASES: Final[dict[str, dict[str, int]]] = {
    "05eb4e5965c31d97182882e814c0365a0dd4caba9519f4fc354e4660f65a84c0": {
        "questions": 240,
        "buzzes": 1_749,
        "human_buzzes": 1_371,
        "human_right": 1_079,
        "model_buzzes": 378,
        "model_right": 268,
    }
}


def read_release(
    zip_bytes: bytes,
    name: str,
    password: str = DEFAULT_PASSWORD,
    limits: Limits | None = None,
) -> SourceTables:
    """Return the tables of a GRACE release, read in memory.

    `name` is what messages and `source_files` call the archive. The run tables are there and empty. Raises nothing
    for what the bytes hold: everything that is wrong with them is in `issues`, and a question that is unsound is left
    out of the tables. What is read without an error is then to be counted by `check_release`.
    """
    bounds = limits or Limits()
    archive = read_archive(zip_bytes, name, password, bounds)
    rows = PacketRows()
    issues = list(archive.issues)
    for number, data in sorted(archive.packets.items()):
        notes = Notes.of(archive.paths[number])
        read_packet(number, data, notes, rows)
        issues.extend(notes.log.issues)
    whole = Notes.of(name)
    check_shared_indices(rows.questions, whole)
    tables = without_rows("grace_runs", "grace_run_lists") | _tables(rows)
    return SourceTables(tables, [*issues, *whole.log.issues], frame("source_files", archive.files))


def _tables(rows: PacketRows) -> dict[str, pl.DataFrame]:
    parts: dict[str, list[Row]] = {
        "grace_questions": rows.questions,
        "grace_question_texts": rows.texts,
        "grace_buzzes": rows.buzzes,
    }
    return {table: frame(table, found) for table, found in parts.items()}


def release_counts(tables: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    """Return what is counted of a release: questions, buzzes, and those of humans and of models with the right ones."""
    buzzes = tables["grace_buzzes"]
    counts = {"questions": tables["grace_questions"].height, "buzzes": buzzes.height}
    for kind in ("human", "model"):
        found = buzzes.filter(pl.col("team_kind") == kind)
        counts |= {f"{kind}_buzzes": found.height, f"{kind}_right": found.filter("correct").height}
    return counts


def check_release(zip_sha256: str, tables: Mapping[str, pl.DataFrame], name: str) -> list[Issue]:
    """Return an error for each count of a known release that the tables do not bear out; none for an unknown one."""
    found = release_counts(tables)
    return [
        RELEASE_COUNTS.issue(
            f"{name} is the known release and gives {found[figure]} {figure.replace('_', ' ')}; it has {stated}.",
            source=SOURCE,
            path=name,
            value=str(found[figure]),
        )
        for figure, stated in KNOWN_RELEASES.get(zip_sha256, {}).items()
        if found[figure] != stated
    ]
