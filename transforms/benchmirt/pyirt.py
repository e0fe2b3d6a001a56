"""py-irt's JSON lines: one line a subject, `{"subject_id": model, "responses": {item: score}}`, read and written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import orjson
import polars as pl

from transforms.benchmirt import rules
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.missing import note_missing
from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsonl import Limits as LineLimits
from transforms.jsonl import Line, read_lines
from transforms.jsontext import json_type
from warehouse.contracts import has_errors

_KEYS: Final = {"subject_id", "responses"}
_LISTED: Final = 20


def read_subjects(data: bytes, log: IssueLog, limits: Limits) -> pl.DataFrame | None:
    """Return a row (`model, item_id, score`) for every response, sorted by both, or None where something is wrong.

    An item that a subject's object does not hold has no row; null is an empty score.
    """
    frames: dict[str, pl.DataFrame] = {}
    odd: dict[str, list[int]] = {}
    for line in read_lines(data, log, LineLimits(line_bytes=limits.file_bytes, keys=limits.cells)):
        found = _read_subject(line, odd, log)
        if found is None:
            continue
        model, frame = found
        if model in frames:
            message = f"Line {line.number} is a second line of model {shown(model)}; expected one."
            log.add(rules.REPEATED_MODEL, message, line=line.number, model=model)
        frames[model] = frame
    _note_odd(odd, log)
    if has_errors(log.issues) or not frames:
        return None
    responses = pl.concat(frames[model] for model in sorted(frames, key=str.encode))
    n_items = responses["item_id"].n_unique()
    if len(frames) * n_items > limits.cells:
        message = f"{len(frames)} models and {n_items} items make more cells than the limit, {limits.cells}."
        log.add(rules.TOO_LARGE, message, value=str(len(frames) * n_items))
        return None
    _note_kinds(responses, log)
    return responses


def _read_subject(line: Line, odd: dict[str, list[int]], log: IssueLog) -> tuple[str, pl.DataFrame] | None:
    model, responses = line.record.get("subject_id"), line.record.get("responses")
    if not isinstance(model, str) or not model.strip() or not isinstance(responses, dict) or not responses:
        what = (
            f"{json_type(model)} as subject_id and {json_type(responses)} as responses; expected a name and an object "
            f"with at least one item. Keys: {shown_all(sorted(line.record))}."
        )
        odd.setdefault(what, []).append(line.number)
        return None
    unknown = sorted(set(line.record) - _KEYS)
    if unknown:
        log.add(
            rules.UNKNOWN_KEY, f"Line {line.number} has keys that are not read: {shown_all(unknown)}.", line=line.number
        )
    if any(not item.strip() for item in responses):
        message = f"Line {line.number} has a response to an item without a name."
        log.add(rules.EMPTY_ID, message, line=line.number, model=model)
    scores = _scores(responses, line.number, model, log)
    frame = pl.DataFrame(
        [pl.Series("model", [model] * len(scores)), pl.Series("item_id", list(responses)), pl.Series("score", scores)],
        schema_overrides={"score": pl.Float64},
    )
    return model, frame.sort("item_id")


def _note_odd(odd: dict[str, list[int]], log: IssueLog) -> None:
    """Note lines that are no subject, a sentence for all that have the same keys of the same types."""
    for what, lines in odd.items():
        place = f"Line {lines[0]} has" if len(lines) == 1 else f"{len(lines)} lines, the first of them {lines[0]}, have"
        log.add(rules.BAD_SUBJECT, f"{place} {what}", line=lines[0], value=str(len(lines)))


def _scores(responses: dict[str, Any], line: int, model: str, log: IssueLog) -> list[float | None]:
    bad = [item for item, value in responses.items() if not (value is None or isinstance(value, int | float))]
    outside = [
        item
        for item, value in responses.items()
        if isinstance(value, int | float) and not (0 <= value <= 1 or math.isnan(value))
    ]
    for rule, items, what in (
        (rules.NOT_A_NUMBER, bad, "neither a number, nor null, nor NaN"),
        (rules.SCORE_OUT_OF_RANGE, outside, "outside 0 to 1"),
    ):
        if items:
            message = f"{len(items)} scores of model {shown(model)} in line {line} are {what}: {shown_all(items)}."
            log.add(rule, message, line=line, model=model, instance_id=items[0], value=str(len(items)))
    if bad:
        return [None] * len(responses)
    return [None if value is None else float(value) for value in responses.values()]


def _note_kinds(responses: pl.DataFrame, log: IssueLog) -> None:
    score = responses["score"]
    n_fraction = int(((score > 0.0) & (score < 1.0)).sum())
    note_missing(score.null_count(), int(score.is_nan().sum()), n_fraction, log)


def write_subjects(responses: pl.DataFrame) -> bytes:
    """Return responses (`model, item_id, score`) as py-irt's JSON lines, models and items in order of name.

    py-irt has no way to say that a score is missing but to leave it out, so empty and NaN scores are left out; 0 and
    1 are written as whole numbers.
    """
    kept = responses.filter(pl.col("score").is_not_null() & pl.col("score").is_not_nan()).sort("model", "item_id")
    return b"".join(_lines(kept))


def _lines(responses: pl.DataFrame) -> Iterable[bytes]:
    for (model,), rows in responses.group_by("model", maintain_order=True):
        scores = rows["score"].to_numpy()
        values = [int(s) if whole else float(s) for s, whole in zip(scores, np.isin(scores, (0.0, 1.0)), strict=True)]
        record = {"subject_id": model, "responses": dict(zip(rows["item_id"].to_list(), values, strict=True))}
        yield orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
