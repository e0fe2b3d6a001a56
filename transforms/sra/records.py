"""What the readers of a cell's JSON lines share: keys and types checked, drift counted, columns collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import polars as pl

from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsonl import Limits, Line, json_type, read_lines
from transforms.sra.layout import CellKey
from transforms.sra.record_shapes import Field, Kind, Shape, fields_of
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION

SAMPLES: Final = list(range(ROLLOUTS_PER_QUESTION))
_MAX_DRIFT: Final = 1_000
_UNSOUND: Final = object()
_Shape = TypeVar("_Shape", bound=Shape)


class RecordRules(NamedTuple):
    """The rules that every reader of records has, under its own name."""

    missing_key: Rule
    mistyped: Rule
    out_of_range: Rule
    nan: Rule
    unknown_key: Rule
    wrong_folder: Rule


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
    """Checks the objects of one file, and counts the keys nobody knows."""

    def __init__(self, log: IssueLog, rules: RecordRules, cell: CellKey) -> None:
        self.log = log
        self.rules = rules
        self.cell = cell
        self.wrong_length = rules.mistyped
        self._columns = cell.columns
        self._drift: dict[str, tuple[int, int, str]] = {}

    def lines(self, data: bytes, limits: Limits | None) -> Iterator[Line]:
        """Yield the lines of a file, to be taken one by one; bare tokens that nobody read are noted."""
        for line in read_lines(data, self.log, limits):
            before = self.log.total
            yield line
            if line.n_bare and self.log.total == before:
                message = "The line holds bare NaN or Infinity in keys that are not read."
                self.log.add(self.rules.nan, message, line=line.number)

    def take(self, line: Line, shape: type[_Shape]) -> _Shape | None:
        """Return a line's record; None, with an error noted for everything that is wrong with it.

        NaN is returned as it is, and only where `line.n_bare` is not zero.
        """
        if not line.n_bare:
            try:
                record = msgspec.convert(line.record, shape)
            except (msgspec.ValidationError, RecursionError):
                pass  # It has to be looked at closely, which is slower and names what is wrong.
            else:
                if line.record.keys().isdisjoint(self._columns) or self._columns.items() <= line.record.items():
                    return record
        where = place(line) | ({"sample": sample_of(line.record)} if "sample" in shape.__struct_fields__ else {})
        found = self.explain(line.record, shape, "", **where)
        return found if self.in_folder(line.record, **where) else None

    def explain(self, found: object, shape: type[_Shape], level: str, /, **where: str | int | None) -> _Shape | None:
        """Do for any object, and all that is inside it, what `read` does for one; return it in its shape."""
        fields = fields_of(shape)
        if type(found) is dict and "sample" in shape.__struct_fields__:
            where = where | {"sample": sample_of(found)}
        values = self.read(found, fields, level, **where)
        if type(found) is not dict:
            return None
        inner = {f.key: self._inside(found[f.key], f, level, where) for f in fields if f.key in found}
        if values is None or _UNSOUND in inner.values():
            return None
        # What is inside is in its shape, what is not has been converted.
        return shape(**{f.name: inner[f.key] if f.holds else values[f.key] for f in fields if f.key in found})

    def _inside(self, found: object, field: Field, level: str, where: dict[str, Any]) -> Any:  # noqa: ANN401
        """Return what stands under a key with all objects in their shapes, or a mark where any of them is unsound."""
        if type(found) is dict and field.shape is not None:
            return self.explain(found, field.shape, f"{level}{field.key}.", **where) or _UNSOUND
        if type(found) is not list or not field.holds:
            return found
        if field.n_items not in {None, len(found)}:
            message = f"{level}{field.key} has {len(found)} elements; expected {field.n_items}, one a sample."
            self.log.add(self.wrong_length, message, **(where | {"sample": None, "value": str(len(found))}))
            return _UNSOUND
        places = [where | ({"sample": n} if field.n_items else {}) for n in range(len(found))]
        elements = [self._element(value, field, level, place) for value, place in zip(found, places, strict=True)]
        return _UNSOUND if _UNSOUND in elements else elements

    def _element(self, value: object, field: Field, level: str, where: dict[str, Any]) -> Any:  # noqa: ANN401
        items = field.items
        if items is None:
            return value
        if items.shape is not None:
            return self.explain(value, items.shape, f"{level}{items.key}.", **where) or _UNSOUND
        values = {items.key: value}
        return values[items.key] if self.check(values, items, level, **where) else _UNSOUND

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
            self.note_missing(missing, found, level, **where)
        values = {field.key: found.get(field.key) for field in fields}
        present = [field for field in fields if field.key in found]
        sound = [self.check(values, field, level, **where) for field in present]
        return values if all(sound) and not missing else None

    def check(self, values: dict[str, Any], field: Field, level: str, /, **where: str | int | None) -> bool:
        """Tell whether a value is what its field needs, making `1.0` the whole number it is and `1` a float."""
        value = values[field.key]
        if value is None and field.nullable:
            return True
        converted = field.converted(value)
        if converted is None:
            self.note_mistyped(level + field.key, value, field.expected, **where)
            return False
        values[field.key] = converted
        if not field.admits(converted):
            message = f"{level}{field.key} is {converted}; expected {field.expected}."
            self.log.add(self.rules.out_of_range, message, **({"value": str(converted)} | where))
            return False
        return True

    def note_missing(
        self, keys: Sequence[str], found: Mapping[str, Any], level: str = "", /, **where: str | int | None
    ) -> None:
        """Record that an object lacks keys."""
        name = level.rstrip(".") or "The record"
        message = f"{name} lacks {shown_all(keys)}; its keys are {shown_all(sorted(found))}."
        self.log.add(self.rules.missing_key, message, **where)

    def note_mistyped(self, name: str, value: object, expected: str, **where: str | int | None) -> None:
        """Record that a value is not of the JSON type it must be."""
        message = f"{name} is {json_type(value)}; expected {expected}."
        self.log.add(self.rules.mistyped, message, **({"value": json_type(value)} | where))

    def are_samples(self, samples: Sequence[int | None], repeated: Rule, missing: Rule, line: Line) -> bool:
        """Tell whether a record's rollouts are the nine samples, each once; None is one that does not say which."""
        if samples == SAMPLES:
            return True
        counts = Counter(samples)
        again = [sample for sample in SAMPLES if counts[sample] > 1]
        gone = [sample for sample in SAMPLES if sample not in counts]
        for sample in again:
            message = f"Sample {sample} occurs {counts[sample]} times; expected samples 0 to 8, each once."
            self.log.add(repeated, message, **place(line), sample=sample)
        if gone and None not in counts:
            message = f"Samples {shown_all(gone)} are not there; expected samples 0 to 8, each once."
            self.log.add(missing, message, **place(line))
        return not again and not gone

    def in_folder(self, record: Mapping[str, Any], **where: str | int | None) -> bool:
        """Tell whether a record's model, data set and condition, as far as it names them, are its folder's."""
        wrong = [key for key, name in self.cell.columns.items() if record.get(key, name) != name]
        for key in wrong:
            message = (
                f"The record says {key} {shown(str(record[key]))}; its folder says {shown(self.cell.columns[key])}."
            )
            self.log.add(self.rules.wrong_folder, message, **where)
        return not wrong

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


def place(line: Line) -> dict[str, Any]:
    """Return where findings about a line are: its number and its question, as far as it names one."""
    found = line.record.get("instance_id")
    return {"line": line.number, "instance_id": found if type(found) is str else None}


def sample_of(found: Mapping[str, Any]) -> int | None:
    """Return the sample of an object, as far as it names one that can be told."""
    sample = found.get("sample")
    return sample if type(sample) is int and 0 <= sample < 2**31 else None


def named_samples(line: Line) -> list[int | None]:
    """Return the samples that a record's rollouts name, whatever else is wrong with it; None where one does not say."""
    listed = line.record.get("rollouts")
    if type(listed) is not list:
        return [None]
    named = [rollout.get("sample") if type(rollout) is dict else None for rollout in listed]
    return [sample if type(sample) in {int, float} and sample in SAMPLES else None for sample in named]


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
