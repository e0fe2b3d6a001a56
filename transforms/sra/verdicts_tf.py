"""`tf_logprob9.jsonl.gz`: the true/false verdict probe, whose shape drifts from line to line, in one column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import polars as pl

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread, shown_all
from transforms.jsonl import Limits, Line, read_lines
from transforms.sra.layout import CellKey
from transforms.sra.probes import HASH_BASIS, POSITION_BASIS, ProbeReader, Verdicts, probe_rules
from transforms.sra.records import SAMPLES, Columns
from transforms.sra.tf_shapes import NAMES, ORDERS, Claims, TfRecord, read_shape
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import SOURCE

# Numbers may have been rounded to six digits after the mean was taken of them.
_MEAN_TOLERANCE: Final = 1e-6

PROBE: Final = probe_rules("tf")
NUMBERS_DIFFER = Rule("tf.numbers_differ", Severity.ERROR, "A rollout has two different numbers, under any names.")
MEAN_DIFFERS = Rule("tf.mean_differs", Severity.WARNING, "A stored mean is not the mean of the nine numbers.")
ORDERS_DIFFER = Rule("tf.orders_differ", Severity.WARNING, "A stored number is not the mean of its two orders.")
RULES: Final = (*PROBE.all, NUMBERS_DIFFER, MEAN_DIFFERS, ORDERS_DIFFER)

_COLLECTED: Final[dict[str, type[pl.DataType]]] = {
    "instance_id": pl.String, "sample": pl.Int32, "producer": pl.String, "answer_sha256": pl.String,
    "join_basis": pl.String, "tf_p_correct": pl.Float64, "tf_p_correct_tf": pl.Float64, "tf_p_correct_ft": pl.Float64,
    "mean_rollout_p_correct": pl.Float64, "line": pl.Int64,
}  # fmt: skip
_Signal = tuple[float | None, float | None, float | None]


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
    for line in read_lines(data, log, limits):
        before = log.total
        _take(line, reader, columns)
        if line.n_bare and log.total == before:
            reader.note_unread_nan(line.number)
    reader.finish()
    frame = columns.frame(["instance_id", "sample"]).with_columns(path=pl.lit(path))
    _check_means(frame, log)
    return Verdicts(frame, log.issues)


def _take(line: Line, reader: ProbeReader, columns: Columns) -> None:
    found = line.record.get("instance_id")
    where: dict[str, Any] = {"line": line.number, "instance_id": found if type(found) is str else None}
    plain = _plain(line)
    if plain is not None:
        instance_id, name, numbers, listed = plain
        hashes = None if listed is None else reader.hashes(listed, **where)
        if listed is not None and hashes is None:
            return
        signals: list[_Signal] = [(number, None, None) for number in numbers]
        record = TfRecord(instance_id, SAMPLES, [[(name, None)]], hashes, line.record.get("mean_rollout_p_correct"))
        _keep(record, signals, line.number, reader, columns)
        return
    shaped = read_shape(line.record, reader, where)
    if shaped is not None:
        read = _signals(line, shaped, reader, where)
        if read is not None:
            _keep(shaped, read, line.number, reader, columns)


def _plain(line: Line) -> tuple[str, str, list[float], list[Any] | None] | None:
    """Return the parts of a line that holds a list of nine numbers and nothing odd, else None."""
    record = line.record
    name = NAMES[0] if NAMES[0] in record else NAMES[1]
    hashes, mean, numbers = (record.get(key) for key in ("answer_sha256s", "mean_rollout_p_correct", name))
    expected = 2 + ("answer_sha256s" in record) + ("mean_rollout_p_correct" in record)
    if line.n_bare or len(record) != expected or type(numbers) is not list or len(numbers) != len(SAMPLES):
        return None
    types = (type(record.get("instance_id")), type(hashes), type(mean), *set(map(type, numbers)))
    if types not in _PLAIN_TYPES or min(numbers) < 0 or max(numbers) > 1 or not 0 <= (mean or 0) <= 1:
        return None
    return record["instance_id"], name, numbers, hashes


_NONE: Final = type(None)
_PLAIN_TYPES: Final = frozenset((str, hashes, mean, float) for hashes in (list, _NONE) for mean in (float, _NONE))


# --- from what a line says to one signal a rollout ---


def _signals(line: Line, record: TfRecord, reader: ProbeReader, where: dict[str, Any]) -> list[_Signal] | None:
    """Return the signal and both orders of every rollout of a line, or None where a rollout has no one number."""
    if not all(record.claims):
        message = f"The record has no number for a rollout; its keys are {shown_all(sorted(line.record))}. "
        message += "Expected p_correct, tf_p_correct or orders."
        reader.log.add(PROBE.common.missing_key, message, **where)
        return None
    if record.mean is not None and math.isnan(record.mean):
        reader.log.add(PROBE.common.nan, "mean_rollout_p_correct is NaN.", **where, value="NaN")
    pairs = zip(record.samples, record.claims, strict=True)
    signals = [_signal(claims, reader, where | {"sample": sample}) for sample, claims in pairs]
    sound = [signal for signal in signals if signal is not None]
    return sound if len(sound) == len(signals) else None


def _signal(claims: Claims, reader: ProbeReader, place: dict[str, Any]) -> _Signal | None:
    stated, forward, backward = (
        [value for name, value in claims if name in names] for names in (NAMES, ORDERS[:1], ORDERS[1:])
    )
    if not all(_all_equal(values) for values in (stated, forward, backward)):
        message = "The record gives two different numbers for one rollout; expected the same under every name."
        reader.log.add(NUMBERS_DIFFER, message, **place)
        return None
    tf, ft = (values[0] if values else None for values in (forward, backward))
    mean = (tf + ft) / 2 if tf is not None and ft is not None else None
    signal = stated[0] if stated and tf is None and ft is None else mean
    if stated and not _close(stated[0], signal):
        message = f"The record states {stated[0]}; the mean of its two orders is {signal}, which is served."
        reader.log.add(ORDERS_DIFFER, message, **place, value=str(stated[0]))
    reader.null_or_nan(signal, "The probability of 'correct'", **place)
    return signal, tf, ft


def _all_equal(values: Sequence[float | None]) -> bool:
    return len({"NaN" if value is not None and math.isnan(value) else value for value in values}) <= 1


def _close(stated: float | None, found: float | None) -> bool:
    if stated is None or found is None or math.isnan(stated) or math.isnan(found):
        return _all_equal([stated, found])
    return abs(stated - found) <= _MEAN_TOLERANCE


def _keep(record: TfRecord, signals: Sequence[_Signal], number: int, reader: ProbeReader, columns: Columns) -> None:
    if not reader.admits(record.instance_id, record.samples, number):
        return
    n = len(record.samples)
    says_tf = any(name == NAMES[1] for claims in record.claims for name, _ in claims)
    producer = "hashed" if record.hashes is not None else "tf" if says_tf else "bare"
    basis = POSITION_BASIS if record.hashes is None else HASH_BASIS
    columns.extend(
        [
            [record.instance_id] * n, record.samples, [producer] * n, record.hashes or [None] * n, [basis] * n,
            *zip(*signals, strict=True), [record.mean] * n, [number] * n,
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
