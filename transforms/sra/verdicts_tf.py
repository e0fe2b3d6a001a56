"""`tf_logprob9.jsonl.gz`: the true/false verdict probe, whose shape drifts from line to line, in one column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import polars as pl
from msgspec import UnsetType

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread, shown_all
from transforms.jsonl import Limits, Line
from transforms.sra.layout import CellKey
from transforms.sra.probes import HASH_BASIS, POSITION_BASIS, ProbeReader, Verdicts, probe_rules
from transforms.sra.records import Columns, place
from transforms.sra.tf_shapes import NAMES, ORDERS, TfRecord, read_shape
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import SOURCE

# Numbers may have been rounded to six digits after the mean was taken of them.
_MEAN_TOLERANCE: Final = 1e-6

PROBE: Final = probe_rules("tf")
NUMBERS_DIFFER = Rule("tf.numbers_differ", Severity.ERROR, "A rollout has two different numbers, under any names.")
MEAN_DIFFERS = Rule("tf.mean_differs", Severity.WARNING, "A stored mean is not the mean of the nine numbers.")
ORDERS_DIFFER = Rule("tf.orders_differ", Severity.WARNING, "A stored number is not the mean of its two orders.")
RULES: Final = (*PROBE.common, *PROBE[1:], NUMBERS_DIFFER, MEAN_DIFFERS, ORDERS_DIFFER)

_COLLECTED: Final[dict[str, type[pl.DataType]]] = {
    "instance_id": pl.String, "sample": pl.Int32, "producer": pl.String, "answer_sha256": pl.String,
    "join_basis": pl.String, "tf_p_correct": pl.Float64, "tf_p_correct_tf": pl.Float64, "tf_p_correct_ft": pl.Float64,
    "mean_rollout_p_correct": pl.Float64, "line": pl.Int64,
}  # fmt: skip
_Signal = tuple[float | None, float | None, float | None]
_Claims = list[tuple[str, float | None]]


def parse_tf(
    data: bytes,
    cell: CellKey,
    path: str,
    limits: Limits | None = None,
    unread: list[Unread] | None = None,
) -> Verdicts:
    """Read an inflated T/F file. Grain: a rollout; columns of `tf_verdicts` without the cell's and `join_status`.

    Every line is judged by itself: a list of nine under either name, `rollouts`, or one line a rollout; one number or
    two orders, whose mean is then the signal; with answer hashes (producer `hashed`) or without (`tf` where the line
    says `tf_p_correct`, else `bare`). Null stays null and NaN stays NaN. Never raises on what the file holds: every
    line gives its rows or an error.
    """
    log = IssueLog(KEPT_PER_RULE, unread, source=SOURCE, path=path, **cell.columns)
    reader, columns = ProbeReader(log, PROBE, cell), Columns(_COLLECTED)
    for line in reader.lines(data, limits):
        record = read_shape(line, reader)
        signals = None if record is None else _signals(record, line, reader)
        if record is not None and signals is not None:
            _keep(record, signals, line.number, reader, columns)
    reader.finish()
    frame = columns.frame(["instance_id", "sample"]).with_columns(path=pl.lit(path))
    _check_means(frame, log)
    return Verdicts(frame, log.issues)


# --- from what a line says to one signal a rollout ---


def _signals(record: TfRecord, line: Line, reader: ProbeReader) -> Sequence[Sequence[float | None]] | None:
    """Return the signals and those of both orders, each a list; None where a rollout of the line has no one number."""
    n = len(record.samples)
    if len(record.columns) == 1 and not line.n_bare:
        ((name, values),) = record.columns
        numbers = [value for value in values if type(value) is float]
        if name in NAMES and len(numbers) == n:
            return numbers, [None] * n, [None] * n
    claims = [
        [(name, v) for name, values in record.columns if not isinstance(v := values[k], UnsetType)] for k in range(n)
    ]
    if not all(claims):
        message = f"The record has no number for a rollout; its keys are {shown_all(sorted(line.record))}. "
        message += "Expected p_correct, tf_p_correct or orders."
        reader.log.add(PROBE.common.missing_key, message, **place(line))
        return None
    if record.mean is not None and math.isnan(record.mean):
        reader.log.add(PROBE.common.nan, "mean_rollout_p_correct is NaN.", **place(line), value="NaN")
    signals = [
        _signal(own, reader, place(line) | {"sample": sample})
        for own, sample in zip(claims, record.samples, strict=True)
    ]
    sound = [signal for signal in signals if signal is not None]
    return list(zip(*sound, strict=True)) if len(sound) == len(signals) else None


def _signal(claims: _Claims, reader: ProbeReader, where: dict[str, Any]) -> _Signal | None:
    stated, forward, backward = (
        [value for name, value in claims if name in names] for names in (NAMES, ORDERS[:1], ORDERS[1:])
    )
    if not all(_all_equal(values) for values in (stated, forward, backward)):
        message = "The record gives two different numbers for one rollout; expected the same under every name."
        reader.log.add(NUMBERS_DIFFER, message, **where)
        return None
    tf, ft = (values[0] if values else None for values in (forward, backward))
    mean = (tf + ft) / 2 if tf is not None and ft is not None else None
    signal = stated[0] if stated and tf is None and ft is None else mean
    if stated and not _close(stated[0], signal):
        message = f"The record states {stated[0]}; the mean of its two orders is {signal}, which is served."
        reader.log.add(ORDERS_DIFFER, message, **where, value=str(stated[0]))
    reader.null_or_nan(signal, "The probability of 'correct'", **where)
    return signal, tf, ft


def _all_equal(values: Sequence[float | None]) -> bool:
    return len({"NaN" if value is not None and math.isnan(value) else value for value in values}) <= 1


def _close(stated: float | None, found: float | None) -> bool:
    if stated is None or found is None or math.isnan(stated) or math.isnan(found):
        return _all_equal([stated, found])
    return abs(stated - found) <= _MEAN_TOLERANCE


def _keep(
    record: TfRecord, signals: Sequence[Sequence[float | None]], number: int, reader: ProbeReader, columns: Columns
) -> None:
    if not reader.admits(record.instance_id, record.samples, number):
        return
    n = len(record.samples)
    says_tf = any(name == NAMES[1] for name, _ in record.columns)
    producer = "hashed" if record.hashes is not None else "tf" if says_tf else "bare"
    basis = POSITION_BASIS if record.hashes is None else HASH_BASIS
    columns.extend(
        [
            [record.instance_id] * n, record.samples, [producer] * n, record.hashes or [None] * n, [basis] * n,
            *signals, [record.mean] * n, [number] * n,
        ]
    )  # fmt: skip


def _check_means(frame: pl.DataFrame, log: IssueLog) -> None:
    """Record every stored mean that is not the mean of its question's numbers, those that are null or NaN left out."""
    number = pl.col("tf_p_correct").fill_nan(None)
    stated = frame.with_columns(found=number.mean().over("instance_id")).filter(
        pl.col("mean_rollout_p_correct").is_not_null()
    )
    lines = stated.unique(["instance_id", "line"], keep="first", maintain_order=True)
    for instance_id, line, mean, found in lines.select(
        "instance_id", "line", "mean_rollout_p_correct", "found"
    ).iter_rows():
        if not math.isnan(mean) and not _close(mean, found):
            message = f"The mean is stated as {mean}; the question's numbers give {found}."
            log.add(MEAN_DIFFERS, message, line=line, instance_id=instance_id, value=str(mean))
