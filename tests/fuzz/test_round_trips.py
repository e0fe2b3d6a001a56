"""What is written is what is read: every parser that has an inverse, on drawn content."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import math
import random
from typing import Any

import numpy as np
import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synthetic.zipcrypto import Entry, write_zip
from tests.fuzz.seeds import CELL
from transforms.benchmirt.pyirt import write_subjects
from transforms.benchmirt.responses import read_responses
from transforms.grace import Limits
from transforms.grace.archive import read_archive
from transforms.grace.notes import Notes
from transforms.grace.positions import Buzz, read_position
from transforms.gzipped import inflate
from transforms.issue_log import IssueLog
from transforms.jsonl import read_lines
from transforms.sra.entropy import read_blocks
from transforms.sra.entropy_index import parse_index
from transforms.sra.manifest import ManifestEntry, parse_manifest
from transforms.sra.sampling import parse_sampling
from transforms.sra.verdicts_ab import parse_ab
from transforms.sra.verdicts_tf import parse_tf

few = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NAME = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=12)
NUMBER = st.floats(0, 1) | st.none() | st.just(math.nan)
NINE = st.lists(NUMBER, min_size=9, max_size=9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@few
@given(st.lists(st.dictionaries(TEXT, JSON, max_size=4), min_size=1, max_size=5))
def test_json_lines(records: list[dict[str, Any]]) -> None:
    log = IssueLog()
    data = "\n".join(json.dumps(record) for record in records).encode()
    assert repr([line.record for line in read_lines(data, log)]) == repr(records)
    assert log.issues == []


@few
@given(st.lists(st.binary(max_size=3_000), min_size=1, max_size=4), st.integers(0, 9), st.integers(0, 40))
def test_gzip_members(parts: list[bytes], level: int, zeros: int) -> None:
    data = b"".join(gzip.compress(part, level, mtime=0) for part in parts) + b"\x00" * zeros
    found, issues = inflate(data, "a.gz", max(1, len(b"".join(parts))))
    assert found == b"".join(parts)
    assert len(issues) == (len(parts) > 1) + (zeros > 0)


PATH = st.lists(NAME.filter(lambda part: part.strip(".") and not set(part) & set("\\/:")), min_size=1, max_size=3)


@few
@given(
    st.lists(
        st.tuples(PATH, st.integers(0, 2**63 - 1), st.binary(max_size=3)),
        min_size=1,
        unique_by=lambda t: "/".join(t[0]),
    )
)
def test_a_manifest(files: list[tuple[list[str], int, bytes]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    rows = [("/".join(parts), size, hashlib.sha256(data).hexdigest()) for parts, size, data in files]
    writer.writerows([("path", "size_bytes", "sha256"), *rows])
    entries, issues = parse_manifest(text.getvalue().encode())
    assert entries == [ManifestEntry(*row, line=place) for place, row in enumerate(rows, 2)]
    assert issues == []


ROLLOUT = st.fixed_dictionaries(
    {
        "text": TEXT, "answer": TEXT | st.none(), "correct": st.booleans() | st.none(),
        "n_tokens": st.integers(0, 2**31 - 1) | st.none(), "finish_reason": TEXT | st.none(),
        "presence_penalty": st.floats(-2, 2) | st.none(), "cap_repair": st.booleans() | st.none(),
    }
)  # fmt: skip


@few
@given(st.lists(ROLLOUT, min_size=9, max_size=9), TEXT | st.none(), TEXT, st.randoms(use_true_random=False))
def test_a_sampling_line(rollouts: list[dict[str, Any]], native: str | None, skill: str, rng: random.Random) -> None:
    answers = [rollout["answer"] for rollout in rollouts]
    agreement = answers.count(native) / 9 if native is not None else 0.0
    written = [
        {k: v for k, v in rollout.items() if k not in ("presence_penalty", "cap_repair")}
        | {"sample": sample, "meta": {key: rollout[key] for key in ("presence_penalty", "cap_repair")}}
        for sample, rollout in enumerate(rollouts)
    ]
    rng.shuffle(written)
    record = {
        "instance_id": "q", **CELL.columns, "native_answer": native, "agreement": agreement,
        "skill_id": skill, "rollouts": written,
    }  # fmt: skip
    found = parse_sampling(json.dumps(record).encode(), CELL, "s")
    assert {issue.rule for issue in found.issues} <= {"sampling.another_order"}
    expected = [
        {**rollout, "stored_correct": rollout["correct"], "sample": sample} for sample, rollout in enumerate(rollouts)
    ]
    columns = [name for name in found.rollouts.columns if name not in ("instance_id", "line")]
    assert found.rollouts.select(columns).rows(named=True) == [
        {name: row[name] for name in columns} for row in expected
    ]
    assert found.question_conditions["skill_id"].to_list() == [skill]


def tf_shapes(numbers: list[float | None], name: str) -> list[list[dict[str, Any]]]:
    """Return the same nine numbers in every shape a T/F file may have."""
    orders = {"TF": numbers, "FT": numbers}
    return [
        [{name: numbers}],
        [{"rollouts": [{"sample": j, name: x} for j, x in enumerate(numbers)]}],
        [{"sample": j, name: x} for j, x in enumerate(numbers)],
        [{"orders": orders}],
        [{"rollouts": [{"sample": j, "orders": {"TF": x, "FT": x}} for j, x in enumerate(numbers)]}],
        [{"sample": j, "orders": {"TF": x, "FT": x}} for j, x in enumerate(numbers)],
    ]


@few
@given(NINE, st.sampled_from(["p_correct", "tf_p_correct"]))
def test_true_false_numbers_in_every_shape(numbers: list[float | None], name: str) -> None:
    for lines in tf_shapes(numbers, name):
        data = "\n".join(json.dumps({"instance_id": "q", **line}) for line in lines).encode()
        found = parse_tf(data, CELL, "tf")
        assert repr(found.frame["tf_p_correct"].to_list()) == repr([x if x is None else float(x) for x in numbers])
        assert {issue.rule for issue in found.issues} <= {"tf.null", "tf.nan"}
        assert sum(issue.rule == "tf.null" for issue in found.issues) == numbers.count(None)


LOGP = st.floats(-50, 0)


@few
@given(st.lists(st.tuples(LOGP, LOGP, LOGP, LOGP, st.floats(0, 1)), min_size=9, max_size=9))
def test_verdicts_in_two_orders(values: list[tuple[float, ...]]) -> None:
    rollouts = [
        {
            "sample": j,
            "orders": {
                "AB": {"logp_A": a, "logp_B": b, "letter_mass": m}, "BA": {"logp_A": c, "logp_B": d, "letter_mass": m},
            },
        }
        for j, (a, b, c, d, m) in enumerate(values)
    ]  # fmt: skip
    record = {"instance_id": "q", "answer_sha256s": ["0" * 64] * 9, "rollouts": rollouts}
    found = parse_ab(json.dumps(record).encode(), CELL, "ab")
    assert found.issues == []
    expected = [(1 / (1 + math.exp(b - a)) + 1 / (1 + math.exp(c - d))) / 2 for a, b, c, d, _ in values]
    assert np.allclose(found.frame["ab_p_correct"].to_numpy(), expected, rtol=1e-12, atol=0)


@few
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 0x7BFF), st.integers(0, 2**31 - 1)), max_size=6), min_size=1, max_size=9
    ),
    st.randoms(use_true_random=False),
    st.sampled_from(["blocked", "interleaved"]),
)
def test_token_blocks_in_any_order(rollouts: list[list[tuple[int, int]]], rng: random.Random, layout: Any) -> None:
    order = list(range(len(rollouts)))
    rng.shuffle(order)
    binary, lines = b"", []
    for sample in order:
        bits = np.array([bit for bit, _ in rollouts[sample]], "<u2")
        ids = np.array([token for _, token in rollouts[sample]], "<i4")
        pairs = zip(bits, ids, strict=True)
        block = (
            bits.tobytes() + ids.tobytes()
            if layout == "blocked"
            else b"".join(b.tobytes() + i.tobytes() for b, i in pairs)
        )
        row = {"instance_id": "q", "sample": sample, "offset": len(binary), "n_tokens": len(bits)}
        lines.append(json.dumps(row | {"mean_entropy": None, "max_entropy": None}))
        binary += block
    index, _ = parse_index("\n".join(lines).encode(), CELL, "i")
    blocks, issues = read_blocks(binary, index, "b", "i", layout=layout)
    assert blocks is not None, issues
    assert blocks.entropy_bits.tolist() == [bit for rollout in rollouts for bit, _ in rollout]
    assert blocks.token_ids.tolist() == [token for rollout in rollouts for _, token in rollout]
    assert np.diff(blocks.starts).tolist() == [len(rollout) for rollout in rollouts]


@few
@given(st.dictionaries(st.integers(1, 9_999), st.binary(max_size=500), min_size=1, max_size=4), NAME, st.booleans())
def test_an_encrypted_archive(packets: dict[int, bytes], password: str, folder: bool) -> None:
    where = "[public]é/" if folder else ""
    entries = [Entry(f"{where}packet{number}_buzzpoints.json", data) for number, data in packets.items()]
    found = read_archive(write_zip(entries, password), "a.zip", password, Limits())
    assert found.packets == packets
    assert {issue.rule for issue in found.issues} <= {"grace.packet_gap"}


TEAM = st.from_regex(r"[HM][0-9]{1,3}", fullmatch=True)


@few
@given(st.lists(st.builds(Buzz, st.integers(0, 999), TEAM, st.booleans()), max_size=8))
def test_buzzes_in_both_shapes(buzzes: list[Buzz]) -> None:
    marks = [(str(buzz.word), f"[{buzz.team}, {'+' if buzz.correct else '-'}]") for buzz in buzzes]
    assert read_position([dict([mark]) for mark in marks], Notes.of("p")) == buzzes
    by_word: dict[str, list[str]] = {}
    for word, mark in marks:
        by_word.setdefault(word, []).append(mark)
    assert read_position(by_word, Notes.of("p")) == sorted(buzzes, key=lambda buzz: buzz.word)


CELLS = st.dictionaries(
    st.tuples(NAME.filter(str.strip), NAME.filter(str.strip)), st.floats(0, 1), min_size=1, max_size=12
)


@few
@given(CELLS)
def test_scores_as_lines_of_subjects(scores: dict[tuple[str, str], float]) -> None:
    rows = [(model, item, score) for (model, item), score in scores.items()]
    frame = pl.DataFrame(rows, schema=["model", "item_id", "score"], orient="row").sort("model", "item_id")
    found = read_responses(write_subjects(frame), "r.jsonl")
    assert found.responses.equals(frame)
    noted = {"benchmirt.form", "benchmirt.fractional_score", "benchmirt.similar_names"}
    assert {issue.rule for issue in found.issues} <= noted
