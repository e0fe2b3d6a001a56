"""`ab_logprob9.jsonl.gz`: the A/B verdict probe, asked in two orders a rollout."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Any, Final

import polars as pl
from msgspec import Meta, field

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread
from transforms.jsonl import Limits, Line
from transforms.sra.layout import CellKey
from transforms.sra.probes import HASH_BASIS, ProbeReader, Verdicts, probe_rules
from transforms.sra.record_shapes import (
    Field,
    Hashes,
    LogProbability,
    Record,
    Sample,
    Shape,
    Share,
    columns_of,
    fields_of,
)
from transforms.sra.records import SAMPLES, Columns, place
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION, SOURCE

PROBE: Final = probe_rules("ab")
RULES: Final = (*PROBE.common, *PROBE[1:])


class Letters(Shape):
    """One order of the probe: what the model makes of both letters."""

    logp_a: Annotated[LogProbability | None, Meta(description="the log-probability of A")] = field(name="logp_A")
    logp_b: Annotated[LogProbability | None, Meta(description="the log-probability of B")] = field(name="logp_B")
    letter_mass: Annotated[Share | None, Meta(description="the probability of both letters")]


class Orders(Shape):
    """Both orders: A means 'correct' in AB, and B does in BA."""

    ab: Letters | None = field(name="AB")
    ba: Letters | None = field(name="BA")


class AbRollout(Shape):
    """The probe of one rollout; null where it failed."""

    sample: Annotated[Sample, Meta(description="the rollout's number")]
    orders: Orders | None


class AbLine(Record, kw_only=True):
    """The probes of a question's nine rollouts, and the hashes of the answers they judge."""

    instance_id: Annotated[str, Meta(description="the question, as the data set names it")]
    answer_sha256s: Annotated[Hashes, Meta(description="the SHA-256 of each sample's answer")]
    rollouts: list[AbRollout]


_LETTERS: Final = {f"{f.name}_{o.name}": (o, f) for o in fields_of(Orders) for f in fields_of(Letters)}
_COLLECTED: Final[dict[str, type[pl.DataType]]] = {
    **columns_of(AbLine, "instance_id"), **columns_of(AbRollout, "sample"), "answer_sha256": pl.String,
    "line": pl.Int64, **dict.fromkeys(_LETTERS, pl.Float64),
}  # fmt: skip
_NUMBERS: Final = attrgetter(*(f"{order.name}.{letter.name}" for order, letter in _LETTERS.values()))


def parse_ab(
    data: bytes,
    cell: CellKey,
    path: str,
    limits: Limits | None = None,
    unread: list[Unread] | None = None,
) -> Verdicts:
    """Read an inflated A/B file. Grain: a rollout; columns of `ab_verdicts` without the cell's and `join_status`.

    In order AB the letter A means 'correct', in order BA the letter B. `ab_p_correct` and `ab_logit` are means over
    both orders and null where either is. A record without answer hashes is an error: nothing else binds it. Never
    raises on what the file holds: every line gives nine rows or an error.
    """
    log = IssueLog(KEPT_PER_RULE, unread, source=SOURCE, path=path, **cell.columns)
    reader, columns = ProbeReader(log, PROBE, cell), Columns(_COLLECTED)
    for line in reader.lines(data, limits):
        found = reader.take(line, AbLine)
        if found is not None:
            _keep(found, line, reader, columns)
    reader.finish()
    return Verdicts(_with_probabilities(columns.frame(["instance_id", "sample"]), path), log.issues)


def _keep(found: AbLine, line: Line, reader: ProbeReader, columns: Columns) -> None:
    samples = [rollout.sample for rollout in found.rollouts]
    is_whole = reader.are_samples(samples, PROBE.repeated_sample, PROBE.missing_sample, line)
    hashes = reader.hashes(found.answer_sha256s, **place(line))
    if hashes is None or not is_whole or not reader.admits(found.instance_id, SAMPLES, line.number):
        return
    numbers = [_numbers(rollout, line, reader) for rollout in reader.in_order(found.rollouts)]
    nine = ROLLOUTS_PER_QUESTION
    columns.extend([[found.instance_id] * nine, range(nine), hashes, [line.number] * nine, *zip(*numbers, strict=True)])


def _numbers(rollout: AbRollout, line: Line, reader: ProbeReader) -> Sequence[float | None]:
    """Return a rollout's six numbers; one that is null or NaN is noted, and stored as null."""
    orders = rollout.orders
    if orders is not None and orders.ab is not None and orders.ba is not None:
        numbers: tuple[float | None, ...] = _NUMBERS(orders)
        if None not in numbers and not line.n_bare:
            return numbers
    where = place(line) | {"sample": rollout.sample}
    if orders is None:
        reader.null_or_nan(None, "orders", **where)
        return [None] * len(_LETTERS)
    for order in fields_of(Orders):
        if getattr(orders, order.name) is None:
            reader.null_or_nan(None, f"orders.{order.key}", **where)
    return [_number(getattr(orders, o.name), f, f"orders.{o.key}", reader, where) for o, f in _LETTERS.values()]


def _number(
    letters: Letters | None, letter: Field, order: str, reader: ProbeReader, where: dict[str, Any]
) -> float | None:
    if letters is None:
        return None
    value: float | None = getattr(letters, letter.name)
    return None if reader.null_or_nan(value, f"{order}.{letter.key}", **where) else value


def _with_probabilities(frame: pl.DataFrame, path: str) -> pl.DataFrame:
    """Add what is computed from the log-probabilities, and the columns that are the same in every row."""
    logits = frame.with_columns(
        logit_ab=pl.col("logp_a_ab") - pl.col("logp_b_ab"),
        logit_ba=pl.col("logp_b_ba") - pl.col("logp_a_ba"),
    )
    orders = logits.with_columns(
        ab_p_correct_ab=sigmoid(pl.col("logit_ab")),
        ab_p_correct_ba=sigmoid(pl.col("logit_ba")),
        ab_logit=(pl.col("logit_ab") + pl.col("logit_ba")) / 2,
        producer=pl.lit("ab"),
        join_basis=pl.lit(HASH_BASIS),
        path=pl.lit(path),
    )
    mean = (pl.col("ab_p_correct_ab") + pl.col("ab_p_correct_ba")) / 2
    return orders.with_columns(ab_p_correct=mean).drop("logit_ab", "logit_ba")


def sigmoid(logit: pl.Expr) -> pl.Expr:
    """Return the logistic function, computed from the side on which the exponential cannot overflow."""
    small = (-logit.abs()).exp()
    return pl.when(logit >= 0).then(1 / (1 + small)).otherwise(small / (1 + small))
