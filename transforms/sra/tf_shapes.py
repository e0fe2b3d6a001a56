"""The shapes a line of `tf_logprob9.jsonl.gz` comes in, each turned into the same few numbers a rollout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from msgspec import UNSET, Meta, UnsetType, field

from transforms.jsonl import Line
from transforms.sra.probes import UNSOUND, ProbeReader
from transforms.sra.record_shapes import Hashes, Record, Sample, Shape, Share, Shares
from transforms.sra.records import SAMPLES, place

NAMES: Final = ("p_correct", "tf_p_correct")
ORDERS: Final = ("TF", "FT")
_NULLS: Final = (None,) * len(SAMPLES)
# What a line says: a name or an order and its number for each rollout it is about, `UNSET` where it gives none.
Column = tuple[str, Sequence[float | UnsetType | None]]
_Value = TypeVar("_Value")

_Name = Annotated[str, Meta(description="the question, as the data set names it")]
_Number = Annotated[Share | UnsetType | None, Meta(description="the probability of 'correct'")]
_Nine = Annotated[Shares | UnsetType | None, Meta(description="the probability of 'correct', in sample order")]
_Mean = Annotated[Share | UnsetType | None, Meta(description="the mean of the question's nine numbers")]
_Hash = Annotated[str | UnsetType | None, Meta(description="the SHA-256 of the sample's answer")]
_NineHashes = Annotated[Hashes | UnsetType | None, Meta(description="the SHA-256 of each sample's answer")]


class Orders(Shape):
    """One rollout's number in both orders of the question."""

    tf: Share | None = field(name="TF")
    ft: Share | None = field(name="FT")


class OrdersOfNine(Shape):
    """The numbers of nine rollouts in both orders of the question."""

    tf: Shares = field(name="TF")
    ft: Shares = field(name="FT")


class TfRollout(Shape, kw_only=True):
    """One rollout's number, under either name or in two orders."""

    sample: Annotated[Sample, Meta(description="the rollout's number")]
    p_correct: _Number = UNSET
    tf_p_correct: _Number = UNSET
    orders: Orders | UnsetType | None = UNSET
    answer_sha256: _Hash = UNSET


class RolloutLine(TfRollout, kw_only=True):
    """A line of one rollout: its hash stands alone, or as an element of the question's nine."""

    instance_id: _Name
    answer_sha256s: _NineHashes = UNSET
    mean_rollout_p_correct: _Mean = UNSET
    model: str | UnsetType = UNSET
    dataset: str | UnsetType = UNSET
    condition: str | UnsetType = UNSET


class QuestionLine(Record, kw_only=True):
    """A line of one question: lists of nine, or `rollouts`, or both if they say the same."""

    instance_id: _Name
    sample: Sample | UnsetType | None = UNSET
    p_correct: _Nine = UNSET
    tf_p_correct: _Nine = UNSET
    orders: OrdersOfNine | UnsetType | None = UNSET
    answer_sha256s: _NineHashes = UNSET
    rollouts: list[TfRollout] | UnsetType | None = UNSET
    mean_rollout_p_correct: _Mean = UNSET


@dataclass(frozen=True, slots=True)
class TfRecord:
    """A line's rollouts: their samples, numbers and answer hashes (None where the producer gave none at all)."""

    instance_id: str
    samples: Sequence[int]
    columns: Sequence[Column]
    hashes: Sequence[str | None] | None
    mean: float | None


def read_shape(line: Line, reader: ProbeReader) -> TfRecord | None:
    """Return the rollouts of a line of any shape, or None with an error noted for everything that is wrong with it."""
    if line.record.get("sample") is None:
        question = reader.take(line, QuestionLine)
        return None if question is None else _question(question, line, reader)
    rollout = reader.take(line, RolloutLine)
    return None if rollout is None else _rollout(rollout, line, reader)


def _rollout(found: RolloutLine, line: Line, reader: ProbeReader) -> TfRecord | None:
    hashes, nine = _hash_of_one(found, line, reader), _stated(found.answer_sha256s)
    if nine is not None:
        read = reader.hashes(nine, **place(line))
        hashes = [UNSOUND] if read is None else [read[found.sample]]
    if hashes == [UNSOUND]:
        return None
    mean = _stated(found.mean_rollout_p_correct)
    return TfRecord(found.instance_id, [found.sample], _columns([found]), hashes, mean)


def _question(found: QuestionLine, line: Line, reader: ProbeReader) -> TfRecord | None:
    columns: list[Column] = [(n, nine) for n in NAMES if (nine := _stated(getattr(found, n))) is not None]
    if found.orders is not UNSET:
        both = (_NULLS, _NULLS) if found.orders is None else (found.orders.tf, found.orders.ft)
        columns += zip(ORDERS, both, strict=True)
    rollouts, nine_hashes, hashes = _stated(found.rollouts), _stated(found.answer_sha256s), None
    if rollouts is not None:
        own = _rollouts(rollouts, line, reader)
        if own is None:
            return None
        columns += own[0]
        hashes = own[1]
    if nine_hashes is not None:
        hashes = reader.hashes(nine_hashes, **place(line))
        if hashes is None:
            return None
    columns = columns or [(name, _NULLS) for name in NAMES if getattr(found, name) is not UNSET]
    return TfRecord(found.instance_id, SAMPLES, columns, hashes, _stated(found.mean_rollout_p_correct))


def _rollouts(
    found: list[TfRollout], line: Line, reader: ProbeReader
) -> tuple[list[Column], list[str | None] | None] | None:
    """Return the numbers and, where any of them has one, the hashes of `rollouts`, in sample order."""
    samples = [rollout.sample for rollout in found]
    if not reader.are_samples(samples, reader.probe.repeated_sample, reader.probe.missing_sample, line):
        return None
    ordered = reader.in_order(found)
    hashes = [_hash_of_one(rollout, line, reader) for rollout in ordered]
    if [UNSOUND] in hashes:
        return None
    return _columns(ordered), [h[0] if h else None for h in hashes] if any(hashes) else None


def _hash_of_one(found: TfRollout, line: Line, reader: ProbeReader) -> list[str | None] | None:
    stated = _stated(found.answer_sha256)
    return None if stated is None else [reader.hash(stated, **place(line) | {"sample": found.sample})]


def _columns(found: Sequence[TfRollout]) -> list[Column]:
    said = [_said(rollout) for rollout in found]
    names = [name for name in (*NAMES, *ORDERS) if any(name in one for one in said)]
    return [(name, [one.get(name, UNSET) for one in said]) for name in names]


def _said(found: TfRollout) -> dict[str, float | None]:
    named = {name: value for name in NAMES if (value := getattr(found, name)) is not UNSET}
    # A writer of one schema for all lines fills the name it does not use with null.
    numbers = {name: value for name, value in named.items() if value is not None} or named
    if found.orders is UNSET:
        return numbers
    both = (None, None) if found.orders is None else (found.orders.tf, found.orders.ft)
    return numbers | dict(zip(ORDERS, both, strict=True))


def _stated(value: _Value | UnsetType) -> _Value | None:
    """Return what stands under a key, null where the key is not there."""
    return None if isinstance(value, UnsetType) else value
