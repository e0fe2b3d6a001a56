"""Hostile input: bombs, endless lines, names that reach SQL and paths. Bounded, named, and nothing escapes the lake."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import orjson
import polars as pl
import pytest

from synthetic.zipcrypto import Entry, write_zip
from tests.faults.bundles import small_bundle, write_files
from tests.faults.hostile import IDS, NAMES, REFUSED, manifest_of, renamed, with_ids
from tests.faults.kill_bench import one_cell_bundle
from tests.faults.processes import PROJECT, callake
from tests.faults.sra_builds import SraLake
from transforms.gzipped import inflate
from transforms.issue_log import IssueLog
from transforms.jsonl import Limits, read_lines
from transforms.sra.audit import check_audit
from transforms.sra.manifest import parse_manifest
from transforms.sra.questions import parse_questions
from transforms.sra.tokenizers import parse_tokenizer
from warehouse.contracts import Issue
from warehouse.errors import LakeError
from warehouse.storage.versions import verify_version

FOLDER = "bundle/models/Qwen3-32B/champ/direct"


@pytest.fixture
def sra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SraLake:
    return SraLake(tmp_path, monkeypatch)


def errors(issues: list[Issue]) -> set[str]:
    return {str(issue.rule) for issue in issues if issue.severity == "error"}


def replaced(path: str, data: bytes) -> dict[str, bytes]:
    files = {**one_cell_bundle(1), path: data}
    return files | {"bundle/MANIFEST.csv": manifest_of(files)}


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["model", pytest.param("condition", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_of_a_cell_is_published_as_it_is(sra: SraLake, kind: str, name: str) -> None:
    old = {"model": "Qwen3-32B", "condition": "direct"}[kind]
    sra.write(renamed(one_cell_bundle(1), kind, old, name))
    done = sra.build()
    assert done.published is not None, [issue.message for issue in done.built.issues]
    current = sra.lake.require_current()
    assert verify_version(current) == []
    rows = [pl.read_parquet(path) for path in (current / "tables" / "rollouts").rglob("*.parquet")]
    assert name in set(pl.concat(rows)[kind])
    folders = (current / "tables" / "rollouts").glob("*" if kind == "model" else "*/*/*")
    assert name in {unquote(path.name) for path in folders}
    assert sorted(path.name for path in sra.folder.iterdir()) == ["lake", "raw"]


@pytest.mark.parametrize(("name", "rule"), REFUSED.items())
@pytest.mark.parametrize(("kind", "old"), [("model", "Qwen3-32B"), ("dataset", "champ"), ("condition", "direct")])
def test_a_name_that_no_path_may_have_is_refused(sra: SraLake, kind: str, old: str, name: str, rule: str) -> None:
    sra.write(renamed(one_cell_bundle(1), kind, old, name))
    done = sra.build()
    assert done.published is None
    assert rule in errors(done.built.issues)
    assert sorted(path.name for path in sra.folder.iterdir()) == ["lake", "raw"]


@pytest.mark.parametrize("name", [NAMES[0], NAMES[3], NAMES[10]])
def test_a_data_set_that_nobody_knows_is_refused_by_name(sra: SraLake, name: str) -> None:
    files = renamed(one_cell_bundle(1), "dataset", "champ", name)
    sra.write(files | {f"instances/{name}.json": files["instances/champ.json"]})
    done = sra.build()
    assert "questions.none" in errors(done.built.issues)
    assert any(repr(name) in issue.message for issue in done.built.issues)


def test_hostile_names_of_questions_are_values(sra: SraLake) -> None:
    ids = [row["instance_id"] for row in orjson.loads(small_bundle()["instances/champ.json"])]
    sra.write(small_bundle())
    sra.build()
    before = pl.read_parquet(sra.lake.require_current() / "tables" / "rollouts" / "Qwen3-32B" / "champ")
    for start in range(0, len(IDS), len(ids)):
        names = dict(zip(ids, IDS[start : start + len(ids)], strict=False))
        sra.write(with_ids(small_bundle(), names))
        done = sra.build()
        assert done.published is not None, [issue.message for issue in done.built.issues]
        after = pl.read_parquet(sra.lake.require_current() / "tables" / "rollouts" / "Qwen3-32B" / "champ")
        assert set(names.values()) <= set(after["instance_id"])
        assert sorted(after.drop("instance_id").hash_rows()) == sorted(before.drop("instance_id").hash_rows())
        assert sorted(path.name for path in sra.folder.iterdir()) == ["lake", "raw"]


def test_a_lone_surrogate_in_a_name_is_refused(sra: SraLake) -> None:
    lines = gzip.decompress(one_cell_bundle(1)[f"{FOLDER}/sampling9.jsonl.gz"])
    sra.write(replaced(f"{FOLDER}/sampling9.jsonl.gz", gzip.compress(lines.replace(b"champ_00000", rb"\ud800"))))
    assert "jsonl.invalid" in errors(sra.build().built.issues)


def test_hostile_names_through_the_command(tmp_path: Path) -> None:
    """A hostile model, condition and question in a lake whose folder has a hostile name too."""
    files = renamed(one_cell_bundle(1), "model", "Qwen3-32B", NAMES[0])
    files = renamed(files, "condition", "direct", "a\nb\u202e")
    ids = [row["instance_id"] for row in orjson.loads(files["instances/champ.json"])]
    raw = write_files(tmp_path / "r'a\"w", with_ids(files, dict(zip(ids, (IDS[0], IDS[5], IDS[2]), strict=True))))
    lake = tmp_path / "l'a\"k[e]* ;%20\n"
    inputs = ["--sra", str(raw / "bundle"), "--instances", str(raw / "instances"), "--lake", str(lake)]
    ended = callake("build", *inputs, "--workers", "1")
    assert ended.returncode == 0, ended.stderr
    both = "rollouts JOIN confidence_observations USING (model, condition)"
    asked = f"SELECT DISTINCT model, condition, instance_id FROM {both}"
    found = callake("sql", asked, "--lake", str(lake), "--format", "json")
    assert found.returncode == 0, found.stderr
    rows = [orjson.loads(line) for line in found.stdout.splitlines()]
    assert {row["model"] for row in rows} == {NAMES[0]}
    assert {row["condition"] for row in rows} == {"a\nb\u202e", "llm_select"}
    assert {row["instance_id"] for row in rows} == {IDS[0], IDS[5], IDS[2]}
    target = tmp_path / "out'; DROP.csv"
    ended = callake("export", "rollouts", "--to", str(target), "--lake", str(lake))
    assert ended.returncode == 0, ended.stderr
    assert f'"\'{IDS[5]}"' in target.read_text() or f"'{IDS[5]}" in target.read_text()
    assert f",{IDS[5]}" not in target.read_text()
    assert callake("verify-lake", "--lake", str(lake)).returncode == 0


def test_names_are_printed_without_what_a_terminal_would_obey(tmp_path: Path) -> None:
    raw = write_files(tmp_path, one_cell_bundle(1))
    (raw / "bundle" / "x\x1b]0;owned\x07\nerror: y").touch()
    ended = callake("verify", str(raw / "bundle"))
    assert ended.returncode == 0
    assert "\x1b" not in ended.stdout + ended.stderr
    assert r"x\x1b]0;owned\x07\nerror: y" in ended.stdout
    assert sum(line.startswith("warning: ") for line in ended.stdout.splitlines()) == 1


# --- bombs ----------------------------------------------------------------------------------------------------------


def bomb(size: int, fill: bytes) -> bytes:
    return gzip.compress(fill * (size // len(fill)), 9, mtime=0)


@pytest.mark.parametrize("name", ["sampling9", "ab_logprob9", "tf_logprob9", "token_entropy9.index"])
def test_a_file_inflates_no_further_than_the_bound(sra: SraLake, name: str) -> None:
    sra.write(replaced(f"{FOLDER}/{name}.jsonl.gz", bomb(3 << 20, b'{"a": "' + b"a" * 1000 + b'"}\n')))
    done = sra.build(max_file_bytes=str(1 << 20))
    assert "gzip.too_large" in errors(done.built.issues)
    assert "--max-file-bytes" not in str(errors(sra.build().built.issues))


@pytest.mark.parametrize(
    "path",
    [f"{FOLDER}/token_entropy9.bin", "bundle/tokenizers/Qwen3-32B/tokenizer.json", "bundle/BUNDLE_AUDIT.json"],
)
def test_a_file_beyond_the_bound_is_hashed_and_not_read(sra: SraLake, path: str) -> None:
    sra.write(replaced(path, b"\0" * 200_000))
    done = sra.build(max_file_bytes="150000", allow_partial=True)
    (issue,) = [issue for issue in done.built.issues if issue.rule == "bundle.file_too_large"]
    assert issue.path == path.removeprefix("bundle/")
    assert "200000 bytes and at most 150000 are read: see --max-file-bytes" in issue.message


def test_questions_beyond_the_bound_are_not_read(sra: SraLake) -> None:
    sra.write(one_cell_bundle(1) | {"instances/champ.json": b" " * 300_000})
    done = sra.build(max_file_bytes="250000")
    assert errors(done.built.issues) == {"questions.unreadable"}


def test_a_file_of_nothing_but_line_ends_is_not_walked_through(sra: SraLake) -> None:
    """A gigabyte of them is a megabyte of gzip and would take half an hour."""
    sra.write(replaced(f"{FOLDER}/sampling9.jsonl.gz", bomb(64 << 20, b"\n" * (1 << 20))))
    assert "jsonl.too_many_lines" in errors(sra.build().built.issues)
    log = IssueLog()
    assert len(list(read_lines(b'{"a":1}\n' * 3, log, Limits(lines=3)))) == 3
    assert log.issues == []
    assert list(read_lines(b'{"a":1}\n' * 4, log, Limits(lines=3))) == []
    assert [issue.rule for issue in log.issues] == ["jsonl.too_many_lines"]


def test_a_sparse_giant_of_a_manifest_is_not_read(sra: SraLake) -> None:
    sra.write(one_cell_bundle(1))
    os.truncate(sra.folder / "raw" / "bundle" / "MANIFEST.csv", 100 << 30)
    with pytest.raises(LakeError, match=r"its 107374182400 bytes are more than the"):
        sra.build()


MEASURED = """
import resource, sys
from tests.faults.test_hostile import giant
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(giant(sys.argv[1]), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def giant(kind: str) -> str:
    """Read a gigabyte of one kind; return the rules that it broke."""
    text = {
        "line": lambda: b'{"a":"' + b"a" * ((1 << 30) - 9) + b'"}',
        "keys": lambda: b"{" + b",".join(b'"%d":0' % n for n in range(1_000_000)) + b"}",
        "depth": lambda: b"[" * (1 << 27),
        "objects": lambda: b'{"a":' * (1 << 23),
        "bare": lambda: b'{"a":[' + b"NaN," * (1 << 22) + b"1]}",
    }[kind]()
    packed = gzip.compress(text, 1)
    del text
    inflated, issues = inflate(packed, "x", (1 << 30) + 1)
    log = IssueLog()
    n = sum(1 for _line in read_lines(inflated or b"", log))
    return ",".join(sorted({*(str(issue.rule) for issue in (*issues, *log.issues)), f"lines={n}"}))


@pytest.mark.parametrize(
    ("kind", "rules", "megabytes"),
    [
        pytest.param("line", "jsonl.line_too_long,jsonl.no_lines,lines=0", 3_200, marks=pytest.mark.slow),
        ("keys", "jsonl.too_many_keys,lines=0", 400),
        pytest.param("depth", "jsonl.line_too_long,lines=0", 900, marks=pytest.mark.slow),
        pytest.param("objects", "jsonl.too_many_keys,lines=0", 900, marks=pytest.mark.slow),
        ("bare", "lines=1", 1_200),
    ],
)
def test_a_giant_line_is_named_and_bounded(kind: str, rules: str, megabytes: int) -> None:
    command = [sys.executable, "-c", MEASURED, kind]
    found = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.split()
    assert set(found[0].split(",")) >= set(rules.split(",")) - {"jsonl.no_lines"}
    assert int(found[1]) < megabytes


ZIPPED = """
import resource, sys
from pathlib import Path
from transforms.grace import read_release
data = Path(sys.argv[1]).read_bytes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = read_release(data, "x.zip", "buzzbuzz")
print(",".join(sorted({str(issue.rule) for issue in found.issues})))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.parametrize("encrypted", [True, False])
def test_a_zip_bomb_is_bounded(tmp_path: Path, encrypted: bool) -> None:
    name = "[public]ALL_final_buzzpoints/packet1_buzzpoints.json"
    (tmp_path / "x.zip").write_bytes(write_zip([Entry(name, b" " * (300 << 20), encrypted=encrypted)], "buzzbuzz"))
    command = [sys.executable, "-c", ZIPPED, str(tmp_path / "x.zip")]
    rules, grown = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "grace.entry_too_large" in rules
    assert int(grown) < 100


DEEP = b"[" * 200_000 + b"]" * 200_000
DOCUMENTS = {
    "deep": DEEP,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "long number": b"[" + b"9" * 100_000 + b"]",
    "many keys": b"{" + b",".join(b'"%d":0' % n for n in range(1_000_000)) + b"}",
    "nul": b'{"a\\u0000": "\\u0000"}',
    "lone surrogate": b'{"a": "\\ud800"}',
    "not utf-8": b'{"a": "\xff"}',
    "bare": b'{"a": NaN, "b": -Infinity, "c": 1e999}',
    "repeated": b'{"rollouts": 1, "rollouts": 2}',
    "empty": b"",
    "bom": b"\xef\xbb\xbf",
    "null": b"null",
    "number": b"1",
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("kind", ["audit", "tokenizer", "questions", "manifest"])
def test_a_hostile_document_is_findings_and_never_an_exception(kind: str, name: str) -> None:
    data = DOCUMENTS[name]
    issues = {
        "audit": lambda: check_audit(data, {}),
        "tokenizer": lambda: parse_tokenizer(data, "t")[1],
        "questions": lambda: parse_questions("champ", data, "q")[1],
        "manifest": lambda: parse_manifest(data)[1],
    }[kind]()
    assert issues
    assert all(len(issue.message) < 2_000 for issue in issues)
    assert len(issues) < 20_000
