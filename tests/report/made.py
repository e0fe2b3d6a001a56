"""Made-up lakes for the report, in memory: any names, any number of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import polars as pl

from pipelines.report.picture import load_pictures
from pipelines.report.reading import Reading, ask
from tests.sql.database import Connection, database, derive
from tests.sql.synthetic import lake_tables
from warehouse.contracts import TABLES
from warehouse.contracts.sra import MODELS

QUESTIONS: Final = {"champ": 4, "theoremqa": 4, "medcalcbench": 4, "logicbench": 4}
HOSTILE: Final = (
    "</script><script>window.ran=1</script>",
    "\"><img src=x onerror='window.ran=1'>",
    "']]>&lt;svg onload=window.ran=1&gt;",
    "𝔐𝔬𝔡𝔢𝔩-🦙-\u202eevil\x1b[2J",
    "a" * 80,
)


def reading(connection: Connection) -> Reading:
    """Return what a made-up lake says to every picture."""
    return Reading(record(), ask(connection, load_pictures()))


def record() -> dict[str, Any]:
    """Return the record of a made-up version."""
    return {
        "version_id": "20260101T000000.000000Z-0123456789ab",
        "content_sha256": "0" * 64,
        "code": {"version": "0", "reading": "1" * 64},
        "sources": {"sra": {"status": "built"}},
        "tables": {},
        "checks": [{"name": "a_check", "passed": True, "rows": 0}],
    }


def five_models() -> Reading:
    """Return what a made-up lake of the five models says."""
    return reading(derive(database(lake_tables(QUESTIONS, seed=3))))


def with_canaries() -> tuple[Reading, list[str]]:
    """Return what a lake says whose restricted columns all hold planted words, and the words."""
    frames, words = lake_tables(QUESTIONS, seed=3), []
    for name, table in TABLES.items():
        planted = []
        for column in table.restricted:
            dtype = table.polars_schema[column]
            word = f"canary-{name}-{column}" if dtype == pl.String else "918273645"
            words.append(word)
            planted.append(pl.lit(word).cast(dtype).alias(column))
        frames[name] = frames[name].with_columns(planted)
    return reading(derive(database(frames))), words


def named(found: Reading, models: Sequence[str]) -> Reading:
    """Return the same for models of any names and any number, which are the five by turns."""
    return Reading(found.record, {name: _named(frame, models) for name, frame in found.frames.items()})


def without(found: Reading, signal: str) -> Reading:
    """Return the same where a signal is nowhere, and its coverage says that it is missing."""
    frames = {
        name: frame.filter(pl.col("signal") != signal) if "signal" in frame.columns and name != "coverage" else frame
        for name, frame in found.frames.items()
    }
    status = pl.when(pl.col("signal") == signal).then(pl.lit("missing")).otherwise("status").alias("status")
    return Reading(found.record, frames | {"coverage": frames["coverage"].with_columns(status)})


def _named(frame: pl.DataFrame, models: Sequence[str]) -> pl.DataFrame:
    if "model" not in frame.columns or frame.is_empty():
        return frame
    takes = {model: MODELS[number % len(MODELS)] for number, model in enumerate(models)}
    parts = [
        frame.filter(pl.col("model") == old).with_columns(pl.lit(new).alias("model")) for new, old in takes.items()
    ]
    return pl.concat(parts).select(frame.columns)
