"""The files of an SRA cell, one by one and joined, and the questions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import orjson
import polars as pl
import pyarrow as pa

from tests.fuzz.mutations import json_document, json_lines, packed, plain, sections, unpacked
from tests.fuzz.properties import lines_accounted, require, same_frames, sound_issues, sound_table
from tests.fuzz.seeds import CELL, DATASETS, FILES, bundle, cell_file, known_vocabulary, questions, tf_drift
from tests.fuzz.target import Target, sometimes
from transforms.issue_log import Unread
from transforms.sra.cell import AnswersInput, HalfResult, read_answers, read_tokens
from transforms.sra.entropy_index import INDEX_SCHEMA, parse_index
from transforms.sra.join import TfMemory
from transforms.sra.questions import NOT_JSON, parse_questions, questions_frame
from transforms.sra.sampling import QUESTION_SCHEMA, ROLLOUT_SCHEMA, Sampling, parse_sampling
from transforms.sra.verdicts_ab import parse_ab
from transforms.sra.verdicts_tf import parse_tf
from warehouse.contracts import TABLES, has_errors

_PATH = "models/m/d/c/f.jsonl.gz"
_BOUND = 1 << 20


def _sound_unread(unread: list[Unread]) -> None:
    for found in unread:
        orjson.loads(found.value)


def _sampling(data: bytes) -> None:
    unread: list[Unread] = []
    found = parse_sampling(data, CELL, _PATH, questions("champ").keys(), unread=unread)
    sound_issues(found.issues, data)
    _sound_unread(unread)
    asked, rollouts = found.question_conditions, found.rollouts
    require(dict(asked.schema) == QUESTION_SCHEMA and dict(rollouts.schema) == ROLLOUT_SCHEMA, "another schema")
    require(rollouts.height == 9 * asked.height, "not nine rollouts a question")
    lines_accounted(data, asked["line"], found.issues)
    _sound_numbers(asked.select("agreement", "agreement_recomputed"), 0, 1)
    _sound_numbers(rollouts.select("presence_penalty"), float("-inf"), float("inf"))
    if sometimes(data):
        _same_sampling(found, parse_sampling(data, CELL, _PATH, questions("champ").keys(), unread=[]))


def _same_sampling(one: Sampling, other: Sampling) -> None:
    require(one.issues == other.issues, "other issues at the second reading")
    same_frames(
        {"r": one.rollouts, "q": one.question_conditions}, {"r": other.rollouts, "q": other.question_conditions}
    )


def _sound_numbers(frame: pl.DataFrame, low: float, high: float, *, may_be_nan: bool = False) -> None:
    for column in frame:
        known = column.drop_nulls()
        numbers = known.drop_nans() if may_be_nan else known
        require(bool((numbers.is_finite() & numbers.is_between(low, high)).all()), f"{column.name} is out of range")


def _probe(read: Callable[..., Any], *names: str) -> Callable[[bytes], None]:
    def check(data: bytes) -> None:
        unread: list[Unread] = []
        found = read(data, CELL, _PATH, unread=unread)
        sound_issues(found.issues, data)
        _sound_unread(unread)
        lines_accounted(data, found.frame["line"], found.issues)
        require(found.frame.select("instance_id", "sample").is_unique().all(), "a rollout twice")
        _sound_numbers(found.frame.select(names), 0, 1, may_be_nan=True)
        if not has_errors(found.issues):
            require(found.frame.height % 9 == 0, "not nine rollouts a question")
        if sometimes(data):
            again = read(data, CELL, _PATH, unread=[])
            require(again.frame.equals(found.frame) and again.issues == found.issues, "differs at the second reading")

    return check


def _index(data: bytes) -> None:
    unread: list[Unread] = []
    frame, issues = parse_index(data, CELL, _PATH, unread=unread)
    sound_issues(issues, data)
    _sound_unread(unread)
    require(dict(frame.schema) == INDEX_SCHEMA, "another schema")
    lines_accounted(data, frame["line"], issues)


# --- a whole cell ---


def _cell(data: bytes) -> None:
    sampling, ab, tf, binary, index = unpacked(data, 5)
    files = [gzip.compress(part, 1, mtime=0) for part in (sampling, ab, tf, index)]
    first = _read_cell(files, binary, data)
    if sometimes(data):
        same_frames(first, _read_cell(files, binary, data))


def _read_cell(files: list[bytes], binary: bytes, data: bytes) -> Mapping[str, pl.DataFrame]:
    sampling, ab, tf, index = files
    vocabulary = known_vocabulary() if data else None
    half = read_tokens(CELL, ("bin", binary), ("index", index), vocabulary, "blocked", _BOUND)
    tables = _tables(half, data)
    given = AnswersInput(
        ("sampling", sampling), ("ab", ab), ("tf", tf), questions("champ"), tables.get("rollout_entropies"),
        ("index", index) if tables else None, half.index if tables else None, half.unread, _memory(data),
        accepted=data[-1:] == b"a", acceptance=None, max_bytes=_BOUND,
    )  # fmt: skip
    answers, memory = read_answers(CELL, given)
    require(memory is None or isinstance(memory, TfMemory), "no memory")
    return tables | _tables(answers, data)


def _memory(data: bytes) -> TfMemory | None:
    return TfMemory("0" * 64, "1" * 64) if data[:1] > b"\x80" else None


def _tables(half: HalfResult, data: bytes) -> dict[str, pl.DataFrame]:
    sound_issues(half.issues, data)
    require(not (half.tables and has_errors(half.issues)), "tables beside an error")
    require(half.tables or has_errors(half.issues), "no tables and no error")
    found = {name: _collected(rows) for name, rows in half.tables.items()}
    for name, frame in found.items():
        sound_table(name, _conformed(name, frame))
    return found


def _conformed(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    schema = TABLES[name].polars_schema
    require(set(frame.columns) == set(schema), f"{name} has the columns {frame.columns}")
    return frame.select(pl.col(column).cast(dtype) for column, dtype in schema.items())


def _collected(rows: Any) -> pl.DataFrame:
    if isinstance(rows, pl.DataFrame):
        return rows
    tables = list(rows)
    require(tables, "no batch")
    return pl.DataFrame(pl.from_arrow(pa.concat_tables(tables)))


def _whole() -> list[bytes]:
    return [packed([cell_file(name) for name in FILES])]


def _mutated_cell(data: bytes, rng: Random) -> bytes:
    action = rng.randrange(5)
    parts = unpacked(data, 5)
    if action == 0:
        parts[4], parts[3] = _shifted(parts[4], parts[3], rng)
        return packed(parts)
    if action == 1:
        old, new = rng.choice(((b"champ_00000", b"champ_00001"), (b'"sample":1,', b'"sample":2,'), (b"715", b"716")))
        return packed([part.replace(old, new) if rng.random() < 0.5 else part for part in parts])
    return sections(json_lines, json_lines, json_lines, plain, json_lines)(data, rng)


def _shifted(index: bytes, binary: bytes, rng: Random) -> tuple[bytes, bytes]:
    """Move blocks: some bytes put in front of all, offsets moved along or not."""
    extra = rng.choice((1, 6, 12))
    try:
        rows = [json.loads(line) for line in index.splitlines()]
        moved = [row | {"offset": row["offset"] + extra * (rng.random() < 0.95)} for row in rows]
    except (ValueError, TypeError, KeyError):
        return index, binary
    return b"".join(json.dumps(row).encode() + b"\n" for row in moved), b"\x01" * extra + binary


# --- questions ---


def _questions(data: bytes) -> None:
    for dataset in DATASETS:
        found, issues = parse_questions(dataset, data, "q.json")
        sound_issues(issues, data)
        if sometimes(data):
            require(parse_questions(dataset, data, "q.json") == (found, issues), "another result at the second reading")
        if any((issue.line is None or issue.rule == NOT_JSON.name) and issue.severity == "error" for issue in issues):
            continue  # the file is refused whole, or its errors are only counted
        sound_table("questions", questions_frame(found))
        entries = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
        refused = {issue.line for issue in issues if issue.severity == "error"}
        require(len(found) + len(refused) == len(entries), "a question vanishes")


def _question_seeds() -> list[bytes]:
    return [bundle()[f"instances/{dataset}.json"] for dataset in DATASETS]


def _lines_of(name: str) -> list[bytes]:
    """Return a file of the cell and its first line alone, which is mutated and read faster."""
    data = cell_file(name)
    return [data, data.splitlines(keepends=True)[0]]


_AB, _TF = "ab_logprob9.jsonl.gz", "tf_logprob9.jsonl.gz"
TARGETS = (
    Target("sampling", _sampling, lambda: _lines_of(FILES[0]), json_lines, short=150),
    Target("verdicts_ab", _probe(parse_ab, "ab_p_correct", "ab_p_correct_ab", "letter_mass_ab"),
           lambda: _lines_of(_AB), json_lines, short=150),
    Target("verdicts_tf", _probe(parse_tf, "tf_p_correct", "tf_p_correct_tf", "tf_p_correct_ft"),
           lambda: [*_lines_of(_TF), *tf_drift()], json_lines, short=200),
    Target("entropy_index", _index, lambda: _lines_of(FILES[4]), json_lines, short=150),
    Target("cell", _cell, _whole, _mutated_cell, short=20, max_len=32_768),
    Target("questions", _questions, _question_seeds, json_document, short=80),
)  # fmt: skip
