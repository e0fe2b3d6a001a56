"""Every fault changes what it says and nothing else; what a build makes of it is tested with the build."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

import numpy as np
import pytest
from tokenizers import Tokenizer

from synthetic.sra import Spec, generate
from synthetic.sra.faults import FAULTS, Outcome, apply_fault, plant

LISTED = [name for name, fault in FAULTS.items() if fault.refreshable]
ANYWHERE = {
    "manifest_missing", "manifest_empty", "manifest_lists_absent_sampling", "manifest_lists_absent_tf",
    "manifest_lists_absent_index", "manifest_lists_absent_tokenizer", "manifest_lists_absent_audit",
    "manifest_lists_absent_aux", "manifest_unlisted_file", "manifest_unlisted_in_cell",
    "manifest_unlisted_folder", "instances_other_file", "entropy_no_index",
    "entropy_no_blocks", "tf_file_gone", "tokenizer_gone",
}  # fmt: skip
MANY_FILES = {
    "sampling_shuffled", "tf_as_rollouts", "tf_line_a_rollout", "tf_two_orders", "entropy_interleaved",
    "entropy_no_rollout", "manifest_unlisted_folder",
}  # fmt: skip


def _manifest_fits(files: Mapping[str, bytes]) -> bool:
    rows = list(csv.DictReader(io.StringIO(files["bundle/MANIFEST.csv"].decode())))
    inside = {p.removeprefix("bundle/"): d for p, d in files.items() if p.startswith("bundle/") and "MANIFEST" not in p}
    stated = {row["path"]: (row["size_bytes"], row["sha256"]) for row in rows}
    return stated == {path: (str(len(d)), hashlib.sha256(d).hexdigest()) for path, d in inside.items()}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_the_same_for_the_same_seed_and_leaves_its_input_alone(name: str, tiny: dict[str, bytes]) -> None:
    before = dict(tiny)
    first = apply_fault(tiny, name, seed=1)
    assert tiny == before
    assert first != tiny
    assert apply_fault(tiny, name, seed=1) == first


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_touches_one_file_or_says_why_more(name: str, tiny: dict[str, bytes]) -> None:
    changes = plant(tiny, name, seed=2, refresh_manifest=False)
    assert all(data != tiny.get(path) for path, data in changes.items())
    assert (len(changes) == 1) or name in MANY_FILES
    removed_or_added = [path for path, data in changes.items() if data is None or path not in tiny]
    assert not removed_or_added or name in ANYWHERE


@pytest.mark.parametrize("name", LISTED)
def test_a_refreshed_manifest_fits_and_one_left_alone_does_not(name: str, tiny: dict[str, bytes]) -> None:
    assert _manifest_fits(apply_fault(tiny, name, seed=3, refresh_manifest=True))
    assert not _manifest_fits(apply_fault(tiny, name, seed=3, refresh_manifest=False))


@pytest.mark.parametrize("name", FAULTS)
def test_expectations_are_complete(name: str) -> None:
    fault = FAULTS[name]
    assert fault.description.endswith((".", ")"))
    for refreshed in (True, False):
        outcome, rule = fault.expected(refreshed)
        assert outcome in get_args(Outcome)
        assert outcome != "warning" or rule or name == "tokenizer_gone"
    if fault.refreshable:
        assert fault.expected(refresh_manifest=False)[0] == "refused"
    else:
        assert fault.expected(True) == fault.expected(False)


def test_every_file_kind_has_a_flipped_byte() -> None:
    kinds = {name.removeprefix("flipped_byte_") for name in FAULTS if name.startswith("flipped_byte_")}
    assert kinds == {"sampling", "ab", "tf", "index", "bin", "tokenizer", "audit", "instances"}
    assert "manifest_flipped_digit" in FAULTS


def test_an_unknown_fault_and_a_bundle_without_a_place_for_one_are_errors(tiny: dict[str, bytes]) -> None:
    with pytest.raises(KeyError, match="no_such_fault"):
        plant(tiny, "no_such_fault", seed=0)
    with pytest.raises(ValueError, match="tokenizer"):
        plant({p: d for p, d in tiny.items() if "tokenizers" not in p}, "tokenizer_gone", seed=0)


class _Watched(dict[str, bytes]):
    """Files that note which of them were read."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self.read: set[str] = set()

    def __getitem__(self, path: str) -> bytes:
        self.read.add(path)
        return super().__getitem__(path)


@pytest.mark.parametrize("name", sorted(set(FAULTS) - MANY_FILES))
def test_only_a_few_files_are_read(name: str, tiny: dict[str, bytes]) -> None:
    watched = _Watched(tiny)
    plant(watched, name, seed=4)
    assert len(watched.read) <= 6


# --- what single faults leave behind ---


def _records(files: Mapping[str, bytes], ending: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in sorted(p for p in files if p.endswith(ending)):
        yield path, [json.loads(line) for line in gzip.decompress(files[path]).splitlines()]


def _changed(tiny: dict[str, bytes], name: str) -> tuple[str, bytes, bytes]:
    (path, data), *_ = plant(tiny, name, seed=5, refresh_manifest=False).items()
    assert data is not None
    return path, tiny[path], data


@pytest.mark.parametrize("kind", ["sampling", "ab", "tf", "index"])
def test_a_wrong_checksum_is_all_that_is_wrong(kind: str, tiny: dict[str, bytes]) -> None:
    _, before, after = _changed(tiny, f"wrong_crc_{kind}")
    with pytest.raises(gzip.BadGzipFile, match="CRC"):
        gzip.decompress(after)
    assert zlib.decompressobj(-15).decompress(after[10:]) == gzip.decompress(before)


@pytest.mark.parametrize("kind", ["sampling", "ab", "tf", "index"])
def test_tolerated_dress_keeps_every_record(kind: str, tiny: dict[str, bytes]) -> None:
    for name in ("several_members", "crlf", "blank_lines", "byte_order_mark"):
        _, before, after = _changed(tiny, f"{name}_{kind}")
        lines = gzip.decompress(after).decode("utf-8-sig").splitlines()
        kept = [json.loads(line) for line in lines if line.strip()]
        assert kept == [json.loads(line) for line in gzip.decompress(before).splitlines()]


def test_broken_text_is_broken(tiny: dict[str, bytes]) -> None:
    for kind in ("sampling", "ab", "tf", "index"):
        with pytest.raises(UnicodeDecodeError):
            gzip.decompress(_changed(tiny, f"not_utf8_{kind}")[2]).decode()
        with pytest.raises(json.JSONDecodeError):
            json.loads(gzip.decompress(_changed(tiny, f"broken_json_{kind}")[2]).splitlines()[0])
        with pytest.raises(EOFError):
            gzip.decompress(_changed(tiny, f"truncated_gzip_{kind}")[2])


DAMAGE: dict[str, Callable[[Any, Any, int], Any]] = {
    "entropy_zero": lambda entropies, tokens, size: entropies == 0,
    "entropy_negative": lambda entropies, tokens, size: entropies < 0,
    "flipped_byte_bin": lambda entropies, tokens, size: entropies < 0,
    "entropy_nan": lambda entropies, tokens, size: np.isnan(entropies),
    "entropy_infinite": lambda entropies, tokens, size: np.isinf(entropies),
    "entropy_token_negative": lambda entropies, tokens, size: tokens < 0,
    "entropy_token_unknown": lambda entropies, tokens, size: tokens >= size,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_one_token_is_damaged(name: str, tiny: dict[str, bytes]) -> None:
    path, before, after = _changed(tiny, name)
    index = dict(_records(tiny, "index.jsonl.gz"))[path.replace(".bin", ".index.jsonl.gz")]
    tokenizer = Tokenizer.from_str(tiny[f"bundle/tokenizers/{path.split('/')[2]}/tokenizer.json"].decode())
    assert len(before) == len(after)
    for data, count in ((before, 0), (after, 1)):
        entropies = [np.frombuffer(data, "<f2", b["n_tokens"], b["offset"]) for b in index]
        tokens = [np.frombuffer(data, "<i4", b["n_tokens"], b["offset"] + 2 * b["n_tokens"]) for b in index]
        damaged = DAMAGE[name](np.concatenate(entropies), np.concatenate(tokens), tokenizer.get_vocab_size())
        assert damaged.sum() == count


def test_interleaved_blocks_hold_the_same_pairs(tiny: dict[str, bytes]) -> None:
    changes = plant(tiny, "entropy_interleaved", seed=0, refresh_manifest=False)
    assert set(changes) == {path for path in tiny if path.endswith(".bin")}
    pairs = np.dtype([("entropy", "<f2"), ("id", "<i4")])
    for path, index in _records(tiny, "index.jsonl.gz"):
        before, after = tiny[path.replace(".index.jsonl.gz", ".bin")], changes[path.replace(".index.jsonl.gz", ".bin")]
        assert after is not None
        for block in index:
            n, offset = block["n_tokens"], block["offset"]
            mixed = np.frombuffer(after, pairs, n, offset)
            assert np.array_equal(mixed["entropy"], np.frombuffer(before, "<f2", n, offset))
            assert np.array_equal(mixed["id"], np.frombuffer(before, "<i4", n, offset + 2 * n))


def _values(record: dict[str, Any]) -> list[tuple[int, float | None]]:
    if "sample" in record:
        return [(record["sample"], record.get("p_correct", record.get("tf_p_correct")))]
    if "rollouts" in record:
        return [(r["sample"], r.get("p_correct", r.get("tf_p_correct"))) for r in record["rollouts"]]
    return list(enumerate(record["p_correct" if "p_correct" in record else "tf_p_correct"]))


def _table(files: Mapping[str, bytes]) -> dict[tuple[str, str, int], float | None]:
    found: dict[tuple[str, str, int], float | None] = {}
    for path, records in _records(files, "tf_logprob9.jsonl.gz"):
        for record in records:
            for sample, value in _values(record):
                assert found.setdefault((path, record["instance_id"], sample), value) == value
    return found


@pytest.mark.parametrize("name", ["tf_as_rollouts", "tf_line_a_rollout", "tf_two_orders", "tf_both_equal"])
def test_accepted_shapes_hold_the_same_values(name: str, tiny: dict[str, bytes]) -> None:
    assert _table(apply_fault(tiny, name, seed=0)) == _table(tiny)


def test_two_orders_average_to_the_value_and_differ_from_it(tiny: dict[str, bytes]) -> None:
    apart = 0
    for _, records in _records(apply_fault(tiny, "tf_two_orders", seed=0), "tf_logprob9.jsonl.gz"):
        for rollout in (r for record in records for r in record["rollouts"]):
            value, orders = rollout.get("p_correct", rollout.get("tf_p_correct")), rollout["orders"]
            if value is None:
                assert orders == {"TF": None, "FT": None}
                continue
            assert (orders["TF"] + orders["FT"]) / 2 == value
            assert 0 <= orders["FT"] <= orders["TF"] <= 1
            apart += orders["TF"] > orders["FT"]
    assert apart > 1000


def test_shuffled_sampling_holds_the_same_rollouts(tiny: dict[str, bytes]) -> None:
    def content(files: Mapping[str, bytes]) -> set[str]:
        found = set()
        for path, records in _records(files, "sampling9.jsonl.gz"):
            for record in records:
                rollouts = record.pop("rollouts")
                found |= {json.dumps([path, record, rollout], sort_keys=True) for rollout in rollouts}
        return found

    assert content(apply_fault(tiny, "sampling_shuffled", seed=0)) == content(tiny)


def _answers(data: bytes) -> dict[str, list[str]]:
    records = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    ordered = {r["instance_id"]: sorted(r["rollouts"], key=lambda x: int(x["sample"])) for r in records}
    return {name: [rollout["answer"] for rollout in rollouts] for name, rollouts in ordered.items()}


def test_regenerated_answers_leave_every_hash_true(tiny: dict[str, bytes]) -> None:
    path, before, after = _changed(tiny, "sampling_regenerated")
    old, new = _answers(before), _answers(after)
    probe = dict(_records(tiny, "tf_logprob9.jsonl.gz"))[path.replace("sampling9", "tf_logprob9")]
    assert "Gemma" in path
    for record in probe:
        assert (old[record["instance_id"]] == new[record["instance_id"]]) == ("answer_sha256s" in record)


def test_bare_nan_is_what_python_reads_and_json_does_not_have(tiny: dict[str, bytes]) -> None:
    _, before, after = _changed(tiny, "tf_bare_nan")
    assert gzip.decompress(after).count(b"NaN") == 1
    values = [x for line in gzip.decompress(after).splitlines() for _, x in _values(json.loads(line))]
    assert sum(x is not None and np.isnan(x) for x in values) == 1
    assert len(values) == sum(len(_values(json.loads(line))) for line in gzip.decompress(before).splitlines())


def test_a_flipped_byte_inside_a_gzip_file_is_always_noticed(tiny: dict[str, bytes]) -> None:
    for seed in range(25):
        for kind in ("sampling", "ab", "tf", "index"):
            ((_, data),) = plant(tiny, f"flipped_byte_{kind}", seed, refresh_manifest=False).items()
            assert data is not None
            with pytest.raises((zlib.error, gzip.BadGzipFile, EOFError)):
                gzip.decompress(data)


def test_the_dressed_manifest_states_the_same(tiny: dict[str, bytes]) -> None:
    data = apply_fault(tiny, "manifest_dress", seed=0)["bundle/MANIFEST.csv"]
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == data.count(b"\n") > 200
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    plain = list(csv.reader(io.StringIO(tiny["bundle/MANIFEST.csv"].decode())))
    assert [[p.removeprefix("./"), s, h.lower()] for p, s, h in (row for row in rows if row)] == plain


def test_faults_can_be_planted_at_another_scale() -> None:
    files = dict(generate(Spec("tiny", seed=2, questions=2, mean_tokens=12)))
    planted = {name for name in FAULTS if plant(files, name, seed=0)}
    assert planted == set(FAULTS)
