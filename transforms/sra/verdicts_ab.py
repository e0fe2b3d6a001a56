"""`ab_logprob9.jsonl.gz`: the A/B verdict probe, asked in two orders a rollout."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final

import polars as pl

from transforms.issue_log import KEPT_PER_RULE, IssueLog, Unread
from transforms.jsonl import Limits, Line, read_lines
from transforms.sra.layout import CellKey
from transforms.sra.probes import HASH_BASIS, ProbeReader, Verdicts, probe_rules
from transforms.sra.records import CELL_FIELDS, SAMPLES, Columns, Field, Kind
from warehouse.contracts.sra import ROLLOUTS_PER_QUESTION, SOURCE

PROBE: Final = probe_rules("ab")
RULES: Final = PROBE.all

_PROBE_COLUMNS: Final = ("logp_a_ab", "logp_b_ab", "letter_mass_ab", "logp_a_ba", "logp_b_ba", "letter_mass_ba")
_COLLECTED: Final[dict[str, type[pl.DataType]]] = {
    "instance_id": pl.String, "sample": pl.Int32, "answer_sha256": pl.String, "line": pl.Int64,
    **dict.fromkeys(_PROBE_COLUMNS, pl.Float64),
}  # fmt: skip
_RECORD_FIELDS: Final = (
    Field("instance_id", Kind.STRING), Field("answer_sha256s", Kind.ARRAY), Field("rollouts", Kind.ARRAY),
    *CELL_FIELDS,
)  # fmt: skip
_ROLLOUT_FIELDS: Final = (
    Field("sample", Kind.INTEGER, high=ROLLOUTS_PER_QUESTION - 1),
    Field("orders", Kind.OBJECT, nullable=True),
)
_ORDER_FIELDS: Final = (Field("AB", Kind.OBJECT, nullable=True), Field("BA", Kind.OBJECT, nullable=True))
_LETTER_FIELDS: Final = (
    Field("logp_A", Kind.NUMBER, nullable=True, high=0),
    Field("logp_B", Kind.NUMBER, nullable=True, high=0),
    Field("letter_mass", Kind.NUMBER, nullable=True, low=0, high=1),
)
_FAILED: Final = (None, None, None)

# The plain shape, checked with a handful of operations a rollout. Whatever is not plain is explained.
_RECORD: Final = itemgetter("instance_id", "answer_sha256s", "rollouts")
_ROLLOUT: Final = itemgetter("sample", "orders")
_ORDERS: Final = itemgetter("AB", "BA")
_LETTERS: Final = itemgetter("logp_A", "logp_B", "letter_mass")
_PLAIN_TYPES: Final = (int, *[float] * 6)
# Sample, then the two log-probabilities and the letter mass in order AB, then in order BA.
_Row = tuple[Any, ...]


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
    for line in read_lines(data, log, limits):
        before = log.total
        found = _plain(line) or _explained(line, reader)
        if line.n_bare and log.total == before:
            reader.note_unread_nan(line.number)
        if found is not None:
            _keep(found, line.number, reader, columns)
    reader.finish()
    return Verdicts(_with_probabilities(columns.frame(["instance_id", "sample"]), path), log.issues)


def _keep(found: tuple[str, list[Any], list[_Row]], number: int, reader: ProbeReader, columns: Columns) -> None:
    instance_id, listed, rows = found
    hashes = reader.hashes(listed, line=number, instance_id=instance_id)
    if not reader.admits(instance_id, SAMPLES, number) or hashes is None:
        return
    samples, *values = zip(*reader.in_order(rows), strict=True)
    nine = ROLLOUTS_PER_QUESTION
    columns.extend([[instance_id] * nine, samples, hashes, [number] * nine, *values])


def _plain(line: Line) -> tuple[str, list[Any], list[_Row]] | None:
    """Return the id, hashes and rows of a line that is exactly as expected, else None."""
    record = line.record
    if line.n_bare or len(record) != 3:
        return None
    try:
        instance_id, hashes, rollouts = _RECORD(record)
        rows = [_plain_row(rollout) for rollout in rollouts]
    except (KeyError, TypeError):
        return None
    if type(instance_id) is not str or type(hashes) is not list or None in rows:
        return None
    sound = [row for row in rows if row is not None]
    return (instance_id, hashes, sound) if sorted(row[0] for row in sound) == SAMPLES else None


def _plain_row(rollout: dict[str, Any]) -> _Row | None:
    sample, orders = _ROLLOUT(rollout)
    ab, ba = _ORDERS(orders)
    row: _Row = (sample, *_LETTERS(ab), *_LETTERS(ba))
    sizes = (len(rollout), len(orders), len(ab), len(ba))
    if tuple(map(type, row)) != _PLAIN_TYPES or sizes != (2, 2, 3, 3):
        return None
    _, a1, b1, mass1, a2, b2, mass2 = row
    in_range = a1 <= 0 and b1 <= 0 and a2 <= 0 and b2 <= 0 and 0 <= mass1 <= 1 and 0 <= mass2 <= 1
    return row if in_range else None


def _explained(line: Line, reader: ProbeReader) -> tuple[str, list[Any], list[_Row]] | None:
    """Return the id, hashes and rows of a line, or None with an error noted for everything that is wrong with it."""
    found = line.record.get("instance_id")
    where: dict[str, Any] = {"line": line.number, "instance_id": found if type(found) is str else None}
    values = reader.read(line.record, _RECORD_FIELDS, "", **where)
    in_folder = reader.in_folder(line.record, **where)
    listed = line.record.get("rollouts")
    rows = [_explained_row(rollout, reader, where) for rollout in listed] if type(listed) is list else []
    sound = [row for row in rows if row is not None]
    if len(sound) < len(rows) or type(listed) is not list:
        return None
    complete = reader.are_samples([row[0] for row in sound], **where)
    if values is None or not in_folder or not complete:
        return None
    return values["instance_id"], values["answer_sha256s"], sound


def _explained_row(found: object, reader: ProbeReader, where: dict[str, Any]) -> _Row | None:
    sample = found.get("sample") if type(found) is dict else None
    place = where | {"sample": sample if type(sample) is int and 0 <= sample < 2**31 else None}
    rollout = reader.read(found, _ROLLOUT_FIELDS, "rollouts[].", **place)
    if rollout is None:
        return None
    if rollout["orders"] is None:
        reader.null_or_nan(None, "orders", **place)
        return (rollout["sample"], *_FAILED, *_FAILED)
    orders = reader.read(rollout["orders"], _ORDER_FIELDS, "rollouts[].orders.", **place)
    if orders is None:
        return None
    letters = [_letters(orders[name], f"orders.{name}", reader, place) for name in ("AB", "BA")]
    sound = [value for triple in letters if triple is not None for value in triple]
    return (rollout["sample"], *sound) if None not in letters else None


def _letters(
    found: object, name: str, reader: ProbeReader, place: dict[str, Any]
) -> tuple[float | None, float | None, float | None] | None:
    """Return one order's two log-probabilities and letter mass, null where the probe failed; None where unsound."""
    if found is None:
        reader.null_or_nan(None, name, **place)
        return _FAILED
    values = reader.read(found, _LETTER_FIELDS, f"rollouts[].{name}.", **place)
    if values is None:
        return None
    for key, value in values.items():
        if reader.null_or_nan(value, f"{name}.{key}", **place):
            values[key] = None
    return values["logp_A"], values["logp_B"], values["letter_mass"]


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
