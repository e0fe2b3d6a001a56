"""What the readers of a cell's JSON lines share: keys and types checked, drift counted, columns collected."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import polars as pl

from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsonl import json_type
from transforms.sra.layout import CellKey
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION

SAMPLES: Final = list(range(ROLLOUTS_PER_QUESTION))
_LARGEST_INTEGER: Final = 2**31 - 1
_MAX_DRIFT: Final = 1_000


class Kind(StrEnum):
    """The JSON type a key needs, in words."""

    STRING = "a string"
    INTEGER = "a whole number"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    OBJECT = "an object"
    ARRAY = "an array"


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a JSON object. Numbers lie in [low, high]; whole ones in 0 to 2^31 - 1 where that says nothing."""

    key: str
    kind: Kind
    nullable: bool = False
    needed: bool = True
    low: float = -math.inf
    high: float = math.inf


# Every record may repeat its cell; where it does, it must be its folder's.
CELL_FIELDS: Final = tuple(Field(key, Kind.STRING, needed=False) for key in ("model", "dataset", "condition"))


@dataclass(frozen=True, slots=True)
class RecordRules:
    """The rules that every reader of records has, under its own name."""

    missing_key: Rule
    mistyped: Rule
    out_of_range: Rule
    nan: Rule
    unknown_key: Rule
    wrong_folder: Rule

    @property
    def all(self) -> tuple[Rule, ...]:
        """Every one of them."""
        return (
            self.missing_key, self.mistyped, self.out_of_range, self.nan, self.unknown_key, self.wrong_folder,
        )  # fmt: skip


def record_rules(prefix: str) -> RecordRules:
    """Return the rules that every reader of records has, named `<prefix>.…`."""
    error, warning = Severity.ERROR, Severity.WARNING
    return RecordRules(
        missing_key=Rule(f"{prefix}.missing_key", error, "A needed key is not there."),
        mistyped=Rule(f"{prefix}.mistyped", error, "A value is not of the JSON type its key needs."),
        out_of_range=Rule(f"{prefix}.out_of_range", error, "A number is outside the range it has a meaning in."),
        nan=Rule(f"{prefix}.nan", warning, "A value is the bare token NaN."),
        unknown_key=Rule(f"{prefix}.unknown_key", warning, "A key nobody knows."),
        wrong_folder=Rule(
            f"{prefix}.wrong_folder", error, "A record's model, data set or condition is not its folder's."
        ),
    )


class RecordReader:
    """Checks the objects of one file against fields, one call an object, and counts the keys nobody knows."""

    def __init__(self, log: IssueLog, rules: RecordRules, cell: CellKey) -> None:
        self.log = log
        self.rules = rules
        self.cell = cell
        self._drift: dict[str, tuple[int, int, str]] = {}

    def read(
        self, found: object, fields: Sequence[Field], level: str, /, **where: str | int | None
    ) -> dict[str, Any] | None:
        """Return the fields of an object, absent ones as null; None, with errors noted, where any is unsound.

        `level` says where the object stands in its record, as `rollouts[].meta.`; NaN is returned as it is.
        """
        if type(found) is not dict:
            self.note_mistyped(level.rstrip(".") or "the record", found, Kind.OBJECT, **where)
            return None
        self._note_drift(found, fields, level, where)
        missing = [field.key for field in fields if field.needed and field.key not in found]
        if missing:
            message = f"{level or 'The record '}lacks {shown_all(missing)}; its keys are {shown_all(sorted(found))}."
            self.log.add(self.rules.missing_key, message, **where)
        values = {field.key: found.get(field.key) for field in fields}
        present = [field for field in fields if field.key in found]
        sound = [self.check(values, field, level, **where) for field in present]
        return values if all(sound) and not missing else None

    def check(self, values: dict[str, Any], field: Field, level: str, /, **where: str | int | None) -> bool:
        """Tell whether a value is what its field needs, making `1.0` the whole number it is and `1` a float."""
        value = values[field.key]
        if value is None and field.nullable:
            return True
        converted = _CONVERT[field.kind](value)
        if converted is None:
            self.note_mistyped(level + field.key, value, field.kind, **where)
            return False
        values[field.key] = converted
        if field.kind in _NUMERIC and not _in_range(converted, field):
            message = f"{level}{field.key} is {converted}; expected {_expected(field)}."
            self.log.add(self.rules.out_of_range, message, **({"value": str(converted)} | where))
            return False
        return True

    def note_mistyped(self, name: str, value: object, kind: Kind, **where: str | int | None) -> None:
        """Record that a value is not of the JSON type it must be."""
        message = f"{name} is {json_type(value)}; expected {kind}."
        self.log.add(self.rules.mistyped, message, **({"value": json_type(value)} | where))

    def in_folder(self, record: Mapping[str, Any], **where: str | int | None) -> bool:
        """Tell whether a record's model, data set and condition, as far as it names them, are its folder's."""
        wrong = [key for key, name in self.cell.columns.items() if record.get(key, name) != name]
        for key in wrong:
            message = (
                f"The record says {key} {shown(str(record[key]))}; its folder says {shown(self.cell.columns[key])}."
            )
            self.log.add(self.rules.wrong_folder, message, **where)
        return not wrong

    def note_unread_nan(self, line: int) -> None:
        """Record that a line holds bare `NaN` or `Infinity` tokens where nothing is read."""
        self.log.add(self.rules.nan, "The line holds bare NaN or Infinity in keys that are not read.", line=line)

    def _note_drift(
        self, found: Mapping[str, Any], fields: Sequence[Field], level: str, where: Mapping[str, Any]
    ) -> None:
        unknown = found.keys() - {field.key for field in fields}
        for key in sorted(unknown):
            self.log.keep(level + key, found[key], where)
            name = level + shown(key)
            if name not in self._drift and len(self._drift) >= _MAX_DRIFT:
                name = "keys beyond the first thousand"
            n, line, kind = self._drift.get(name, (0, int(where.get("line") or 0), json_type(found[key])))
            self._drift[name] = (n + 1, line, kind)

    def report_drift(self) -> None:
        """Record one finding for each key nobody knows, with how often it occurs. Call it once, at the file's end."""
        for name, (n, line, kind) in sorted(self._drift.items()):
            message = (
                f"Nobody knows {name} ({kind} at first): it occurs {n} times, first in line {line}. It is not read, "
                "and kept in the table unknown_fields."
            )
            self.log.add(self.rules.unknown_key, message, line=line, value=str(n))


def _integer(value: object) -> int | None:
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def _number(value: object) -> float | None:
    if type(value) is float:
        return value
    return float(value) if type(value) is int and abs(value) < 2**1000 else None


def _exactly(kind: type) -> Any:  # noqa: ANN401 - a function from any value to the same value or None
    return lambda value: value if type(value) is kind else None


_NUMERIC: Final = (Kind.INTEGER, Kind.NUMBER)
_CONVERT: Final = {
    Kind.STRING: _exactly(str),
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.BOOLEAN: _exactly(bool),
    Kind.OBJECT: _exactly(dict),
    Kind.ARRAY: _exactly(list),
}


def _whole_bounds(field: Field) -> tuple[float, float]:
    low = 0 if math.isinf(field.low) else field.low
    return low, _LARGEST_INTEGER if math.isinf(field.high) else field.high


def _in_range(value: float, field: Field) -> bool:
    if field.kind is Kind.INTEGER:
        low, high = _whole_bounds(field)
        return low <= value <= high
    return math.isnan(value) or (math.isfinite(value) and field.low <= value <= field.high)


def _expected(field: Field) -> str:
    if field.kind is Kind.INTEGER:
        return "a whole number from {} to {}".format(*_whole_bounds(field))
    if math.isinf(field.low) and math.isinf(field.high):
        return "a finite number"
    return f"a number from {field.low:g} to {field.high:g}"


class Columns:
    """Rows collected column by column, turned into frames piece by piece so that Python values do not pile up."""

    def __init__(self, schema: Mapping[str, pl.DataType | type[pl.DataType]]) -> None:
        self._schema = dict(schema)
        self._lists: list[list[Any]] = [[] for _ in schema]
        self._pieces: list[pl.DataFrame] = []

    def extend(self, columns: Iterable[Iterable[Any]]) -> None:
        """Add rows given as one sequence a column."""
        for kept, values in zip(self._lists, columns, strict=True):
            kept.extend(values)

    def flush(self) -> None:
        """Turn what was collected into a frame and let the Python values go."""
        self._pieces.append(pl.DataFrame(dict(zip(self._schema, self._lists, strict=True)), schema=self._schema))
        self._lists = [[] for _ in self._schema]

    def frame(self, sort_by: Sequence[str]) -> pl.DataFrame:
        """Return all rows, sorted; the keys must be unique, so that the order is one."""
        self.flush()
        whole = pl.concat(self._pieces)
        self._pieces = []
        return whole.sort(sort_by)
