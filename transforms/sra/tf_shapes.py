"""The shapes a line of `tf_logprob9.jsonl.gz` comes in, each turned into the same few numbers a rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from transforms.sra.probes import UNSOUND, ProbeReader
from transforms.sra.records import CELL_FIELDS, SAMPLES, Field, Kind
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION

NAMES: Final = ("p_correct", "tf_p_correct")
ORDERS: Final = ("TF", "FT")
# What a line says of one rollout: a name or an order and its number, as often as the line says it.
Claims = list[tuple[str, float | None]]


def _probability(name: str, *, needed: bool = False) -> Field:
    return Field(name, Kind.NUMBER, nullable=True, needed=needed, low=0, high=1)


def _optional(kind: Kind, *names: str, nullable: bool = False) -> list[Field]:
    return [Field(name, kind, nullable=nullable, needed=False) for name in names]


_ID: Final = Field("instance_id", Kind.STRING)
_SAMPLE: Final = Field("sample", Kind.INTEGER, high=ROLLOUTS_PER_QUESTION - 1)
_MEAN: Final = _probability("mean_rollout_p_correct")
_ROLLOUT: Final = (
    _SAMPLE, *map(_probability, NAMES), *_optional(Kind.OBJECT, "orders", nullable=True),
    *_optional(Kind.STRING, "answer_sha256", nullable=True),
)  # fmt: skip
_ROLLOUT_LINE: Final = (_ID, *_ROLLOUT, *_optional(Kind.ARRAY, "answer_sha256s", nullable=True), _MEAN, *CELL_FIELDS)
_QUESTION_LINE: Final = (
    _ID, *_optional(Kind.ARRAY, *NAMES, "answer_sha256s", "rollouts", nullable=True),
    *_optional(Kind.OBJECT, "orders", nullable=True), *_optional(Kind.INTEGER, "sample", nullable=True), _MEAN,
    *CELL_FIELDS,
)  # fmt: skip
_ORDERS_OF_ONE: Final = tuple(_probability(name, needed=True) for name in ORDERS)
_ORDERS_OF_NINE: Final = tuple(Field(name, Kind.ARRAY) for name in ORDERS)


@dataclass(frozen=True, slots=True)
class TfRecord:
    """A line's rollouts: their samples, numbers and answer hashes (None where the producer gave none at all)."""

    instance_id: str
    samples: Sequence[int]
    claims: Sequence[Claims]
    hashes: Sequence[str | None] | None
    mean: float | None


def read_shape(record: dict[str, Any], reader: ProbeReader, where: dict[str, Any]) -> TfRecord | None:
    """Return the rollouts of a line of any shape, or None with an error noted for everything that is wrong with it."""
    in_folder = reader.in_folder(record, **where)
    is_rollout = record.get("sample") is not None
    found = (_rollout_line if is_rollout else _question_line)(record, reader, where)
    return found if in_folder else None


def _rollout_line(record: dict[str, Any], reader: ProbeReader, where: dict[str, Any]) -> TfRecord | None:
    """One line a rollout: its hash stands alone, or as an element of the question's nine."""
    values = reader.read(record, _ROLLOUT_LINE, "", **_at(where, record))
    if values is None:
        return None
    sample, place = values["sample"], where | {"sample": values["sample"]}
    claims = _claims_of_one(record, values, reader, "", place)
    hashes = _hash_of_one(values, reader, place)
    if values["answer_sha256s"] is not None:
        nine = reader.hashes(values["answer_sha256s"], **where)
        hashes = [UNSOUND] if nine is None else [nine[sample]]
    if claims is None or hashes == [UNSOUND]:
        return None
    return TfRecord(values["instance_id"], [sample], [claims], hashes, values["mean_rollout_p_correct"])


def _question_line(record: dict[str, Any], reader: ProbeReader, where: dict[str, Any]) -> TfRecord | None:
    """One line a question: lists of nine, or `rollouts`, or both if they say the same."""
    values = reader.read(record, _QUESTION_LINE, "", **where)
    if values is None:
        return None
    parts = [_claims_of_nine(name, values[name], reader, where) for name in NAMES if values[name] is not None]
    parts += [_orders_of_nine(values["orders"], reader, where)] if "orders" in record else []
    listed, hashes = values["answer_sha256s"], None
    if values["rollouts"] is not None:
        claims, hashes = _rollouts(values["rollouts"], reader, where)
        parts.append(claims)
    if listed is not None:
        hashes = reader.hashes(listed, **where)
    sound = [part for part in parts if part is not None]
    if len(sound) < len(parts) or (listed is not None and hashes is None):
        return None
    merged = [[claim for part in sound for claim in part[sample]] for sample in SAMPLES]
    if not sound:
        merged = [[(name, None) for name in NAMES if name in record] for _ in SAMPLES]
    return TfRecord(values["instance_id"], SAMPLES, merged, hashes, values["mean_rollout_p_correct"])


def _rollouts(
    found: list[Any], reader: ProbeReader, where: dict[str, Any]
) -> tuple[list[Claims] | None, list[str | None] | None]:
    """Return the claims and, where any of them has one, the hashes of `rollouts`, in sample order."""
    rows = [_rollout(rollout, reader, where) for rollout in found]
    sound = [row for row in rows if row is not None]
    if len(sound) < len(rows) or not reader.are_samples([row[0] for row in sound], **where):
        return None, None
    ordered = reader.in_order(sound)
    has_hashes = any(row[2] is not None for row in ordered)
    hashes = [row[2][0] if row[2] else None for row in ordered] if has_hashes else None
    return [row[1] for row in ordered], hashes


def _rollout(
    found: object, reader: ProbeReader, where: dict[str, Any]
) -> tuple[int, Claims, list[str | None] | None] | None:
    values = reader.read(found, _ROLLOUT, "rollouts[].", **_at(where, found))
    if values is None or not isinstance(found, dict):
        return None
    place = where | {"sample": values["sample"]}
    claims = _claims_of_one(found, values, reader, "rollouts[].", place)
    hashes = _hash_of_one(values, reader, place)
    return None if claims is None or hashes == [UNSOUND] else (values["sample"], claims, hashes)


def _hash_of_one(values: Mapping[str, Any], reader: ProbeReader, place: dict[str, Any]) -> list[str | None] | None:
    return None if values["answer_sha256"] is None else [reader.hash(values["answer_sha256"], **place)]


def _claims_of_one(
    found: Mapping[str, Any], values: Mapping[str, Any], reader: ProbeReader, level: str, place: dict[str, Any]
) -> Claims | None:
    claims: Claims = [(name, values[name]) for name in NAMES if values[name] is not None]
    # A writer of one schema for all lines fills the name it does not use with null.
    claims = claims or [(name, None) for name in NAMES if name in found]
    if "orders" not in found:
        return claims
    if values["orders"] is None:
        return [*claims, *((name, None) for name in ORDERS)]
    orders = reader.read(values["orders"], _ORDERS_OF_ONE, f"{level}orders.", **place)
    return None if orders is None else [*claims, *orders.items()]


def _claims_of_nine(name: str, found: Sequence[Any], reader: ProbeReader, where: dict[str, Any]) -> list[Claims] | None:
    """Return one claim a sample from a list in sample order."""
    if not reader.has_nine(name, found, **where):
        return None
    field, claims, sound = _probability(name), [], True
    for sample, value in enumerate(found):
        one = {name: value}
        sound &= reader.check(one, field, "", **(where | {"sample": sample}))
        claims.append([(name, one[name])])
    return claims if sound else None


def _orders_of_nine(found: Mapping[str, Any] | None, reader: ProbeReader, where: dict[str, Any]) -> list[Claims] | None:
    """Return the claims of both orders from their lists in sample order; all null where `orders` is."""
    if found is None:
        return [[(name, None) for name in ORDERS] for _ in SAMPLES]
    values = reader.read(found, _ORDERS_OF_NINE, "orders.", **where)
    if values is None:
        return None
    first, second = (_claims_of_nine(name, values[name], reader, where) for name in ORDERS)
    if first is None or second is None:
        return None
    return [one + other for one, other in zip(first, second, strict=True)]


def _at(where: dict[str, Any], found: object) -> dict[str, Any]:
    sample = found.get("sample") if isinstance(found, dict) else None
    return where | {"sample": sample if type(sample) is int and 0 <= sample < 2**31 else None}
