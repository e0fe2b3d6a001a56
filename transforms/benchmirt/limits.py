"""The bounds that a table is read under, whatever its file states."""

from __future__ import annotations

from dataclasses import dataclass

from transforms.benchmirt import rules
from transforms.issue_log import IssueLog


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that hold whatever a file states; the release needs a hundredth of each."""

    file_bytes: int = 2 << 30
    cells: int = 200_000_000
    columns: int = 100_000
    header_bytes: int = 16 << 20


def too_large(columns: int, rows: int, log: IssueLog, limits: Limits) -> bool:
    """Tell whether a table has more columns or cells than are read, and note it."""
    if columns <= limits.columns and columns * rows <= limits.cells:
        return False
    log.add(
        rules.TOO_LARGE,
        f"The table has {columns} columns and {rows} rows; the limits are {limits.columns} columns and "
        f"{limits.cells} cells.",
    )
    return True
