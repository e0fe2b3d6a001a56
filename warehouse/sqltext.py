"""The SQL files as objects: one a file, with a header that says what it is, in an order that can be executed.

A header is the run of `--` lines at the top: `-- view: name` (or `macro`, `check`), then `-- grain:`, `-- kind:`,
`-- returns:`, `-- example:`, `-- parameter x:` and `-- column x:` lines; every other line is the description.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from pathlib import Path
from typing import Final

from warehouse.errors import LakeError

UNION: Final = "confidence_observations"
_LABEL: Final = re.compile(r"-- (macro|view|check|kind|returns|grain|example): ?(.*)")
_NAMED: Final = re.compile(r"-- (parameter|column) (\w+): ?(.*)")


@dataclass(frozen=True, slots=True)
class SqlObject:
    """One file: its statement and what its header says. `kind`: `view`, `macro`, `table macro` or `check`."""

    name: str
    kind: str
    sql: str
    description: str
    grain: str = ""
    example: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def comment(self) -> str:
        """What COMMENT ON says of the object."""
        return f"{self.description} Grain: {self.grain}." if self.grain else self.description


def parse_object(path: Path) -> SqlObject:
    """Read one file. Raises LakeError where the header is missing or names another object than the file does."""
    text = path.read_text(encoding="utf-8")
    labels: dict[str, str] = {}
    named: dict[str, dict[str, str]] = {"parameter": {}, "column": {}}
    prose = []
    for line in takewhile(lambda line: line.startswith("--"), text.splitlines()):
        if match := _LABEL.fullmatch(line):
            labels[match[1]] = match[2]
        elif match := _NAMED.fullmatch(line):
            named[match[1]][match[2]] = match[3]
        else:
            prose.append(line.removeprefix("--").strip())
    kind = next((word for word in ("view", "macro", "check") if word in labels), None)
    if kind is None or labels[kind] != path.stem:
        raise LakeError(f"{path} must start with `-- view: {path.stem}` (or macro, check): the file names the object.")
    if kind == "macro" and labels.get("kind") == "table":
        kind = "table macro"
    grain, example = labels.get("grain", labels.get("returns", "")), labels.get("example", "")
    return SqlObject(path.stem, kind, text, " ".join(prose), grain, example, named["column"], named["parameter"])


@cache
def glossary(root: Path) -> dict[str, str]:
    """Return what the columns that occur in many views mean, with their unit: equal names mean equal things."""
    with (root / "glossary.tsv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    return {row["column"]: row["description"] + (f" [{row['unit']}]" if row["unit"] else "") for row in rows}


def column_comments(found: SqlObject, columns: Iterable[str], root: Path) -> dict[str, str]:
    """Return a description for each column: the header's, else the glossary's. Columns without one are left out."""
    shared = glossary(root)
    known = {column: found.columns.get(column, shared.get(column)) for column in columns}
    return {column: comment for column, comment in known.items() if comment}


@cache
def load_sql(root: Path) -> tuple[SqlObject, ...]:
    """Return macros and views, each after those it uses. Raises LakeError for a circle."""
    objects = {
        path.stem: parse_object(path) for kind in ("macros", "views") for path in sorted((root / kind).glob("*.sql"))
    }
    objects[UNION] = _union(objects)
    graph = {name: _used(found, objects) for name, found in objects.items()}
    try:
        return tuple(objects[name] for name in TopologicalSorter(graph).static_order())
    except CycleError as problem:
        raise LakeError(f"SQL objects use one another in a circle: {' -> '.join(problem.args[1])}.") from problem


def _used(found: SqlObject, objects: Mapping[str, SqlObject]) -> list[str]:
    """Return the objects a statement uses: macros where they are called, views where they are read or named."""
    code = "\n".join(line for line in found.sql.splitlines() if not line.lstrip().startswith("--"))
    called = re.findall(r"(\w+)\s*\(", code)
    read = re.findall(r"(?:\b(?:FROM|JOIN)\s+|')(\w+)\b(?!\s*\()", code, re.IGNORECASE)
    is_view = {name: objects[name].kind == "view" for name in objects}
    used = {name for name in called if not is_view.get(name, True)} | {name for name in read if is_view.get(name)}
    return sorted(used - {found.name})


def _union(objects: Mapping[str, SqlObject]) -> SqlObject:
    """Complete the view that joins every source's own: a new source adds a view and changes nothing else."""
    parts = [name for name in sorted(objects) if name.endswith(f"_{UNION}")]
    template = objects[UNION]
    body = "\nUNION ALL BY NAME\n".join(f"FROM {name}" for name in parts)
    return SqlObject(
        UNION, "view", f"CREATE OR REPLACE VIEW {UNION} AS\n{body};", template.description, template.grain,
        template.example, template.columns,
    )  # fmt: skip


@cache
def load_checks(root: Path) -> tuple[SqlObject, ...]:
    """Return the whole-table checks: each selects the rows that break it."""
    return tuple(parse_object(path) for path in sorted((root / "checks").glob("*.sql")))
