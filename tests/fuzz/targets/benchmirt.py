"""BenchMIRT's tables in every shape they come in, and the files and long tables of item-response models."""

from __future__ import annotations

import io
import json
from functools import cache
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.mutations import csv_table, json_document, json_lines, packed, plain, sections, unpacked
from tests.fuzz.properties import refused_with_reason, require, same_frames, sound_issues, sound_table
from tests.fuzz.seeds import benchmirt
from tests.fuzz.target import Target, sometimes
from transforms.benchmirt import Hints, read_benchmirt
from transforms.benchmirt.limits import Limits
from transforms.benchmirt.metadata import read_item_metadata, read_model_metadata
from transforms.benchmirt.pyirt import write_subjects
from transforms.benchmirt.responses import LONG, read_responses
from transforms.irt import IrtInputError, Request, fit_tables, read_parameters, write_parameters
from transforms.irt.matrix import to_matrix
from transforms.irt.settings import Settings
from warehouse.contracts import has_errors

_SMALL = Limits(file_bytes=1 << 20, cells=1 << 16, columns=400, header_bytes=1 << 14)


_HINTS = (Hints(), Hints(models_in="columns"), Hints(models_in="rows"), Hints(score_columns=("a",)))


def _responses(data: bytes) -> None:
    hints = _HINTS[len(data) % len(_HINTS)]
    found = read_responses(data, "responses.csv", _SMALL, hints)
    sound_issues(found.issues)
    frame = found.responses
    require(dict(frame.schema) == LONG, "another schema")
    require(has_errors(found.issues) == (frame.height == 0), "an error beside responses, or neither")
    require(frame.select("model", "item_id").is_unique().all(), "a cell twice")
    known = frame["score"].drop_nulls().drop_nans()
    require(bool(known.is_between(0, 1).all()), "a score out of range")
    if frame.height:
        matrix = to_matrix(frame)
        require(matrix.scores.shape == (frame["model"].n_unique(), frame["item_id"].n_unique()), "another matrix")
        _round_trip(frame)
    if sometimes(data):
        again = read_responses(data, "responses.csv", _SMALL, hints)
        require(again.issues == found.issues and again.responses.equals(frame), "differs at the second reading")


def _round_trip(frame: pl.DataFrame) -> None:
    """Written as py-irt's lines and read again, the scores that such lines can hold are the same."""
    kept = frame.filter(pl.col("score").is_not_null() & pl.col("score").is_not_nan())
    if kept.height:
        again = read_responses(write_subjects(frame), "r.jsonl", _SMALL)
        require(again.responses.equals(kept.sort("model", "item_id")), "a round trip changes the scores")


def _release(data: bytes) -> None:
    responses, items, models = unpacked(data, 3)
    first = _read(responses, items, models, data)
    if sometimes(data):
        same_frames(first, _read(responses, items, models, data))


def _read(responses: bytes, items: bytes, models: bytes, data: bytes) -> dict[str, pl.DataFrame]:
    found = read_benchmirt(
        ("r.csv", responses), ("i.csv", items) if items else None, ("m.csv", models) if models else None, _SMALL
    )
    sound_issues(found.issues)
    sound_table("source_files", found.source_files)
    for name, table in found.tables.items():
        sound_table(name, table)
        require(not (table.height and has_errors(found.issues)), f"rows of {name} beside an error")
    return found.tables


def _metadata(data: bytes) -> None:
    for read in (read_item_metadata, read_model_metadata):
        found = read(data, "m.csv", _SMALL)
        sound_issues(found.issues)
        refused_with_reason(found.frame is None, found.issues)


# --- Parquet ---


def _parquet(frame: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(frame, sink)
    return sink.getvalue()


_TYPES: tuple[Any, ...] = (
    pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string(),
    pa.binary(),
    pa.null(), pa.date32(), pa.timestamp("ns"), pa.duration("s"), pa.decimal128(5, 2), pa.list_(pa.int8()),
    pa.struct([("a", pa.int8())]), pa.dictionary(pa.int8(), pa.string()), pa.map_(pa.string(), pa.int8()),
    pa.time64("us"), pa.decimal256(60, 2), pa.binary(3), pa.string_view(), pa.timestamp("us", "Nowhere/Land"),
)  # fmt: skip


def _made_parquet(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.5:
        return plain(data, rng)
    n = rng.choice((0, 1, 3))
    names = [rng.choice(("question_id", "acc_norm_a", "b", "", "subset", "question", "\x00", "a b")) for _ in range(3)]
    columns: list[Any] = []
    for name in names:
        kind = pa.string() if name == "question_id" and rng.random() < 0.8 else rng.choice(_TYPES)
        columns.append(_column(kind, n, rng))
    try:
        return _parquet(pa.Table.from_arrays(columns, names=names))
    except (pa.ArrowException, ValueError):
        return data


def _column(kind: Any, n: int, rng: Random) -> Any:
    values: list[Any] = [rng.choice((None, 0, 1)) for _ in range(n)]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError):
        texts = [rng.choice((None, "a", "0.5", f"q{place}")) for place in range(n)]
        try:
            return pa.array(texts, kind)
        except (pa.ArrowException, TypeError, ValueError):
            return pa.array([None] * n, kind if not pa.types.is_dictionary(kind) else pa.string())


@cache
def _parquet_seeds() -> list[bytes]:
    wide = pa.table({"question_id": ["a", "b"], "acc_norm_x": [0.0, 1.0], "acc_norm_y": [1, None]})
    bare = pa.table({"__index_level_0__": [0, 1], "m": pa.array([True, False]), "n": ["0", "1"]})
    return [
        _parquet(wide),
        _parquet(bare),
        _parquet(wide.append_column("subset", pa.array(["s", None]).dictionary_encode())),
    ]


# --- item-response models ---


def _parameters(data: bytes) -> None:
    other = data if data[-1:] == b" " else None
    try:
        found = read_parameters(data, other)
    except IrtInputError as error:
        message = str(error)
        require(message.isprintable() and len(message) < 2_000, f"an odd reason of {len(message)} characters")
        return
    for values in (found.slopes, found.intercepts, found.abilities):
        require(bool(np.isfinite(values).all()), "a parameter that is not finite")
    require(len({*found.items}) == len(found.slopes) and len({*found.models}) == len(found.abilities), "other names")
    "".join([*found.items, *found.models, found.irt_model]).encode()
    try:
        again = read_parameters(write_parameters(found))
    except IrtInputError:
        return
    require(again.items == found.items and np.array_equal(again.slopes, found.slopes), "a round trip changes them")


def _parameter_seeds() -> list[bytes]:
    flat = {"ability": [0.5, -1], "diff": [0.1], "disc": [1.5], "irt_model": "2pl"}
    names = {"item_ids": {"0": "a"}, "subject_ids": {"0": "m", "1": "n"}}
    rotated = {"ability_rot": [[0.5, 1], [1, 2]], "diff_rot": [[0.1, 1]], "disc_rot": [[1.5, 2]], **names}
    return [json.dumps(flat | names).encode(), json.dumps(rotated).encode(), json.dumps(flat).encode() + b" "]


_QUICK = Settings(nodes=5, max_iterations=20)


def _fit(data: bytes) -> None:
    """Every byte is a cell of the long table: right, wrong, empty, not a number, a share, or no row at all."""
    scores = {0: 0.0, 1: 1.0, 2: 1.0, 3: 0.0, 4: None, 5: float("nan"), 6: 0.5}
    cells = [(f"m{place % 3}", f"i{place // 3}", scores[byte % 8]) for place, byte in enumerate(data) if byte % 8 != 7]
    frame = pl.DataFrame(cells, schema=LONG, orient="row").sort("model", "item_id")
    try:
        found = fit_tables(frame, Request("1pl" if data[:1] > b"\x80" else "2pl", settings=_QUICK, n_folds=0))
    except IrtInputError as error:
        require(str(error).isprintable() and len(str(error)) < 2_000, "an odd reason")
        return
    sound_issues(found.issues)
    for name, table in found.tables.items():
        sound_table(name, table)


def _csv_seeds() -> list[bytes]:
    responses = benchmirt()[0]
    bare = b",a,b\n0,1,0\n1,0.5,\n2,NaN,1\n"
    lines = write_subjects(read_responses(responses, "r").responses)
    rows = b"subject,q1,q2,average_score\na,1,0,0.5\nb,NA,TRUE,1\n"
    long = b"id,item,resp\na,q1,1\na,q2,0\nb,q1,null\n"
    written = b'"a" "b"\n"q1" 1 0\n"q2" 0 1\n'
    return [
        responses, bare, bare + b" ", lines, responses.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + bare, rows, long,
        written, written + b"\n", b"sep=;\n" + long.replace(b",", b";"), b",question_id,a\n0,q1,T\n1,q2,0\n",
        b"q;a\nx;0,5\n".replace(b"q", b"item"), b'[{"subject_id": "a"}]',
    ]  # fmt: skip


def _csv_or_lines(data: bytes, rng: Random) -> bytes:
    return json_lines(data, rng) if data.lstrip()[:1] == b"{" else csv_table(data, rng)


TARGETS = (
    Target("benchmirt_responses", _responses, _csv_seeds, _csv_or_lines, short=60),
    Target("benchmirt_metadata", _metadata, lambda: list(benchmirt()[1:]), csv_table, short=80),
    Target("benchmirt_release", _release, lambda: [packed(benchmirt())], sections(_csv_or_lines, csv_table, csv_table),
           short=15, max_len=32_768),
    Target("benchmirt_parquet", _responses, _parquet_seeds, _made_parquet, short=60),
    Target("irt_parameters", _parameters, _parameter_seeds, json_document, short=2_000),
    Target("irt_fit", _fit, lambda: [bytes([0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 4, 5, 1] * 3)], short=10, max_len=60),
)  # fmt: skip
