"""The shape of a JSON object, stated once: a class whose fields have a type, bounds and a meaning.

    class Letters(Shape):
        logp_a: Annotated[LogProbability | None, Meta(description="log-probability of A")] = field(name="logp_A")

From it follow the fast check of an object that is as expected (`msgspec.convert`), what the slow one says of any
other (`fields_of`), and the types of a frame's columns (`columns_of`). A field is named as the column is, and
`field(name=...)` gives the JSON key where that is another. A default of `UNSET` is for keys that need not be there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Final

import msgspec
import polars as pl
from msgspec import UNSET, Meta, UnsetType, inspect

from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION

_LARGEST_INTEGER: Final = 2**31 - 1

Sample = Annotated[int, Meta(ge=0, le=ROLLOUTS_PER_QUESTION - 1)]
Count = Annotated[int, Meta(ge=0, le=_LARGEST_INTEGER)]
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number that a frame can hold; what it may be is judged where its meaning is known."""
Share = Annotated[float, Meta(ge=0, le=1)]
LogProbability = Annotated[float, Meta(le=0)]
Hashes = Annotated[list[Any], Meta(min_length=ROLLOUTS_PER_QUESTION, max_length=ROLLOUTS_PER_QUESTION)]
"""Nine answer hashes; each is judged by its own rule."""
Shares = Annotated[list[Share | None], Meta(min_length=ROLLOUTS_PER_QUESTION, max_length=ROLLOUTS_PER_QUESTION)]


class Shape(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One JSON object."""


class Record(Shape, kw_only=True):
    """A line's object. It may repeat its cell; where it does, it must be its folder's."""

    model: str | UnsetType = UNSET
    dataset: str | UnsetType = UNSET
    condition: str | UnsetType = UNSET


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
    """One key of a JSON object. Numbers lie in [low, high]; whole ones in 0 to 2^31 - 1 where that says nothing.

    `name` is the field of the shape, `shape` an object's own, `items` an array's elements, of which there are `n_items`
    where that is stated.
    """

    key: str
    kind: Kind
    nullable: bool = False
    needed: bool = True
    low: float = -math.inf
    high: float = math.inf
    meaning: str = ""
    name: str = ""
    shape: type[Shape] | None = None
    items: Field | None = None
    n_items: int | None = None

    @property
    def holds(self) -> bool:
        """Whether something inside the value is to be looked at."""
        return self.kind in {Kind.OBJECT, Kind.ARRAY} and (self.shape or self.items or self.n_items) is not None

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        meaning = f": {self.meaning}" if self.meaning else ""
        if self.kind is Kind.INTEGER:
            return "a whole number from {} to {}".format(*self.bounds) + meaning
        if self.kind is not Kind.NUMBER:
            return f"{self.kind}{meaning}"
        if math.isinf(self.low):
            return ("a finite number" if math.isinf(self.high) else f"a number up to {self.high:g}") + meaning
        return f"a number from {self.low:g} to {self.high:g}{meaning}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest number, both included."""
        if self.kind is Kind.NUMBER:
            return self.low, self.high
        low = 0 if math.isinf(self.low) else self.low
        return low, _LARGEST_INTEGER if math.isinf(self.high) else self.high

    def converted(self, value: object) -> Any:  # noqa: ANN401
        """Return a value in the type it needs, `1.0` as a whole number and `1` as a float; None where it is another."""
        if self.kind is Kind.INTEGER and type(value) is float and value.is_integer():
            return int(value)
        if self.kind is Kind.NUMBER and type(value) is int and abs(value) < 2**1000:
            return float(value)
        return value if type(value) is _TYPES[self.kind] else None

    def admits(self, value: Any) -> bool:  # noqa: ANN401
        """Tell whether a converted value is no number, NaN, or within the bounds."""
        if self.kind not in {Kind.INTEGER, Kind.NUMBER} or value != value:  # noqa: PLR0124 - only NaN is not itself
            return True
        low, high = self.bounds
        return bool(low <= value <= high) and abs(value) != math.inf


_TYPES: Final = {
    Kind.STRING: str, Kind.INTEGER: int, Kind.NUMBER: float, Kind.BOOLEAN: bool, Kind.OBJECT: dict, Kind.ARRAY: list,
}  # fmt: skip
_KINDS: Final[dict[type[inspect.Type], Kind]] = {
    inspect.StrType: Kind.STRING, inspect.IntType: Kind.INTEGER, inspect.FloatType: Kind.NUMBER,
    inspect.BoolType: Kind.BOOLEAN, inspect.StructType: Kind.OBJECT, inspect.ListType: Kind.ARRAY,
}  # fmt: skip


@cache
def fields_of(shape: type[Shape]) -> tuple[Field, ...]:
    """Return the keys of a shape's objects."""
    found = inspect.type_info(shape)
    assert isinstance(found, inspect.StructType)
    return tuple(_field(f.encode_name, f.type, needed=f.required, name=f.name) for f in found.fields)


def _field(key: str, stated: inspect.Type, *, needed: bool = True, name: str = "") -> Field:
    meaning = ""
    if isinstance(stated, inspect.Metadata):
        meaning, stated = (stated.extra_json_schema or {}).get("description", ""), stated.type
    options = stated.types if isinstance(stated, inspect.UnionType) else (stated,)
    (own,) = (option for option in options if not isinstance(option, inspect.NoneType))
    items, low, high = (getattr(own, name, None) for name in ("item_type", "ge", "le"))
    return Field(
        key, _KINDS[type(own)], len(options) > 1, needed, -math.inf if low is None else low,
        math.inf if high is None else high, meaning, name, getattr(own, "cls", None),
        None if items is None or isinstance(items, inspect.AnyType) else _field(f"{key}[]", items),
        getattr(own, "max_length", None),
    )  # fmt: skip


def columns_of(shape: type[Shape], *names: str) -> dict[str, type[pl.DataType]]:
    """Return the types of the columns that hold a shape's fields: of those named, else of all needed single values."""
    wanted = [f for f in fields_of(shape) if f.kind in _COLUMNS and (f.name in names if names else f.needed)]
    return {
        f.name: pl.Int64 if f.bounds[1] > _LARGEST_INTEGER and f.kind is Kind.INTEGER else _COLUMNS[f.kind]
        for f in wanted
    }


_COLUMNS: Final[dict[Kind, type[pl.DataType]]] = {
    Kind.STRING: pl.String, Kind.INTEGER: pl.Int32, Kind.NUMBER: pl.Float64, Kind.BOOLEAN: pl.Boolean,
}  # fmt: skip
