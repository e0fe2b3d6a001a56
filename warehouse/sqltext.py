"""The SQL files as text: their headers, the glossary of column names, and the order to execute them in.

A file under `sql/macros`, `sql/views`, `sql/tables` or `sql/checks` holds one object and is named after it. It opens
with a block of `--` lines that a person and this module both read:

    -- view: tf_join_audit                     macro, table or check instead of view
    -- kind: table                             macros only: scalar or table
    -- internal                                macros only: a step of other SQL, not part of what users are offered
    -- source: sra                             views of one source whose name does not start with the source's
    -- grain: model, dataset, condition        what a row is; `returns:` for macros
    -- parameter n_bins: number of bins        macros only
    -- column n_rows: rows of the cell [rows]  a column the glossary does not know, unit in brackets
    -- example: SELECT * FROM tf_join_audit
    -- Any other line is description.

An item goes on over lines that start with `--` and three spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from warehouse.contracts import TABLES

_MARKER: Final = re.compile(r"\bevery(_\w+)")
UNION_SUFFIX: Final = "_confidence_observations"
FIGURES: Final = "calibration_figures"
_KINDS: Final = {"view": "view", "table": "table", "check": "check"}
_MACRO_KINDS: Final = {"scalar": "macro", "table": "table macro"}
_ITEM: Final = re.compile(r"(view|macro|table|check|kind|source|grain|returns|example|(?:column|parameter) \w+): *(.*)")
_UNIT: Final = re.compile(r"(.*?)(?: \[([^\]]+)\])?", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_CALL: Final = re.compile(r"([A-Za-z_]\w*)\(")
_INTERNAL: Final = "internal"
_SUFFIXES: Final = {
    "_se": "Standard error of {0}, clustered by question.",
    "_lo": "Lower end of the 95 % interval of {0}.",
    "_hi": "Upper end of the 95 % interval of {0}.",
    "_p": "Two-sided p-value of {0} against 0.",
    "_reason": "Why {0} is null, or stands without an interval; null where neither.",
    "_change": "{0} of these rows less {0} of all rows of the cell.",
}


@dataclass(frozen=True, slots=True)
class Column:
    """What a column is, and its unit where it has one."""

    description: str
    unit: str | None = None

    @property
    def comment(self) -> str:
        """The description as a sentence, the unit behind it."""
        text = self.description[:1].upper() + self.description[1:]
        text = text if text.endswith((".", "!", "?")) else f"{text}."
        return f"{text} Unit: {self.unit}." if self.unit else text


@dataclass(frozen=True, slots=True)
class SqlObject:
    """One SQL file. `kind` is 'view', 'table', 'check', 'macro' or 'table macro'; `sql` is its one statement."""

    name: str
    kind: str
    grain: str
    description: str
    example: str
    sql: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    glossary: Mapping[str, Column] = field(default_factory=dict)
    source: str = ""
    internal: bool = False

    @property
    def comment(self) -> str:
        """What the catalog says about the object: what it gives, what it means, how to ask it."""
        lead = "Returns" if "macro" in self.kind else "Grain"
        parts = ["Internal."] if self.internal else []
        parts += [f"{lead}: {self.grain}.", self.description]
        parts += [f"{name}: {text}." for name, text in self.parameters.items()]
        parts += [f"Example: {self.example}"] if self.example else []
        return " ".join(part for part in parts if part)

    @property
    def words(self) -> frozenset[str]:
        """Every word of the statement, names inside string literals included, but its own name."""
        return frozenset(_WORD.findall(self.sql)) - {self.name}

    @property
    def needs(self) -> frozenset[str]:
        """The names it may need before it: what a macro calls, and any word of the rest.

        A macro names a figure's column and another macro alike, so only a call counts there.
        """
        return frozenset(_CALL.findall(self.sql)) - {self.name} if "macro" in self.kind else self.words

    def column(self, name: str) -> Column | None:
        """Return what a column is.

        By the header, the glossary, the contract it passes through, the contract of the figures, or its suffix.
        """
        found = self.columns.get(name) or self.glossary.get(name) or _by_contract(name, self.words)
        return found or _by_contract(name, [FIGURES]) or self._by_suffix(name)

    def _by_suffix(self, name: str) -> Column | None:
        for suffix, text in _SUFFIXES.items():
            stem = name.removesuffix(suffix)
            if stem != name and (figure := self.column(stem)):
                return Column(text.format(stem), figure.unit if suffix in {"_se", "_lo", "_hi", "_change"} else None)
        return None

    def column_comments(self, names: Sequence[str]) -> dict[str, str]:
        """Return the comments of the named columns, in order.

        Raises ValueError that lists every column nobody describes.
        """
        found = {name: self.column(name) for name in names}
        unknown = [name for name, column in found.items() if column is None]
        if unknown:
            raise ValueError(
                f"{self.kind} {self.name} has columns that nothing describes: {', '.join(unknown)}. "
                "Add a `-- column` line to its header, or a line to sql/glossary.tsv if other objects have them too."
            )
        return {name: column.comment for name, column in found.items() if column is not None}


def _by_contract(name: str, references: Iterable[str]) -> Column | None:
    for table in sorted(TABLES.keys() & references):
        column = TABLES[table].schema.columns().get(name)
        if column is not None and column.description:
            return Column(column.description, (column.metadata or {}).get("unit"))
    return None


def parse_object(text: str) -> SqlObject:
    """Parse one file. Raises ValueError that says which header line is missing or wrong."""
    header, sql = _split(text)
    items, description = _items(header)
    if not items:
        raise ValueError(
            "a SQL file starts with '-- view: name', '-- macro: name', '-- table: name' or '-- check: name'"
        )
    (opening, name), *rest = items
    values = dict(rest)
    return SqlObject(
        name=name,
        kind=_kind(opening, values),
        grain=values.get("grain") or values.get("returns", ""),
        description=description,
        example=values.get("example", ""),
        sql=sql,
        columns={key[7:]: _column(value) for key, value in rest if key.startswith("column ")},
        parameters={key[10:]: value for key, value in rest if key.startswith("parameter ")},
        source=values.get("source", ""),
        internal=_INTERNAL in values,
    )


def _split(text: str) -> tuple[list[str], str]:
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return [line[2:] for line in lines[:end]], "\n".join(lines[end:]).strip().removesuffix(";")


def _items(header: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    items: list[tuple[str, str]] = []
    description: list[str] = []
    for line in header:
        found = _ITEM.fullmatch(line.strip())
        if line.startswith("   ") and items:
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        elif line.strip() == _INTERNAL:
            items.append((_INTERNAL, ""))
        elif found:
            items.append((found[1], found[2]))
        else:
            description.append(line.strip())
    return items, " ".join(part for part in description if part)


def _kind(opening: str, values: Mapping[str, str]) -> str:
    if opening == "macro":
        if values.get("kind") not in _MACRO_KINDS:
            raise ValueError(
                f"a macro's header says '-- kind: scalar' or '-- kind: table', found {values.get('kind')!r}"
            )
        return _MACRO_KINDS[values["kind"]]
    if opening not in _KINDS:
        raise ValueError(f"the first header line names a view, macro, table or check, found {opening!r}")
    return _KINDS[opening]


def _column(text: str) -> Column:
    found = _UNIT.fullmatch(text)
    return Column(found[1], found[2]) if found else Column(text)


def load_glossary(root: Path) -> dict[str, Column]:
    """Return what the shared column names mean, from `glossary.tsv`: name, unit (empty where none), description."""
    lines = (root / "glossary.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines[1:] if line]
    return {name: Column(description, unit or None) for name, unit, description in rows}


def _load(root: Path, folder: str) -> list[SqlObject]:
    glossary = load_glossary(root)
    found = []
    for path in sorted((root / folder).glob("*.sql")):
        parsed = replace(parse_object(path.read_text(encoding="utf-8")), glossary=glossary)
        if parsed.name != path.stem:
            raise ValueError(f"{path.name} holds {parsed.name!r}: an object and its file have one name")
        found.append(parsed)
    return found


def load_sql(root: Path) -> list[SqlObject]:
    """Return the macros and views below `root` in an order in which each finds what it needs."""
    return [*_in_order(_load(root, "macros")), *_in_order(_with_unions(_load(root, "views")))]


def load_tables(root: Path) -> list[SqlObject]:
    """Return the queries that compute a published table from the others, in an order that runs."""
    return _in_order(_load(root, "tables"))


def load_checks(root: Path) -> list[SqlObject]:
    """Return the whole-table checks: queries that select what breaks a rule."""
    return _load(root, "checks")


def _with_unions(views: Sequence[SqlObject]) -> list[SqlObject]:
    """Put, where a view says `every_x`, the union of every view whose name ends in `_x`: a new source adds its view.

    Raises ValueError where there is none.
    """
    names = sorted(view.name for view in views)

    def union(marker: re.Match[str]) -> str:
        sources = [name for name in names if name.endswith(marker[1])]
        if not sources:
            raise ValueError(f"{marker[0]} is the union of the views whose names end in {marker[1]}, and none does")
        return "(" + "\nUNION ALL BY NAME\n".join(f"SELECT * FROM {name}" for name in sources) + ")"

    return [replace(view, sql=_MARKER.sub(union, view.sql)) for view in views]


def _in_order(objects: Sequence[SqlObject]) -> list[SqlObject]:
    waiting = {found.name for found in objects}
    ordered: list[SqlObject] = []
    while waiting:
        ready = [found for found in objects if found.name in waiting and not found.needs & waiting]
        if not ready:
            raise ValueError(f"these SQL objects need each other, so none can come first: {', '.join(sorted(waiting))}")
        ordered += ready
        waiting -= {found.name for found in ready}
    return ordered
