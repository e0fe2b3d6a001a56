"""What did not change is not read again, what did is, and the result is the one of a build from nothing."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from pipelines.sra import keys
from synthetic.sra.faults import apply_fault, plant
from synthetic.sra.faults.base import Patch
from synthetic.sra.streams import stream
from tests.faults.bundles import CELLS, Files, small_bundle, write_files
from tests.faults.processes import PROJECT
from tests.faults.sra_builds import SraLake
from warehouse.code import code_hash, contract_hash
from warehouse.contracts import TABLES
from warehouse.storage.versions import verify_version

ALL = {"/".join(cell) for cell in CELLS}
CHAMP = {name for name in ALL if "/champ/" in name}
QWEN = {name for name in ALL if name.startswith("Qwen3-32B/")}
CELL = "Qwen3-32B/champ/direct"
MANIFEST = "bundle/MANIFEST.csv"


@pytest.fixture
def sra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SraLake:
    found = SraLake(tmp_path, monkeypatch)
    found.write(small_bundle())
    return found


def edited(path: str, edit: Callable[[Any], object]) -> Files:
    """Return the bundle with one compressed file's records edited, and its manifest renewed."""
    patch = Patch(small_bundle(), stream(0, "edit"))
    if path.endswith(".jsonl.gz"):
        records = patch.lines(path)
        for record in records:
            edit(record)
        patch.write_lines(path, records)
    else:
        document = orjson.loads(patch.read(path))
        edit(document)
        patch.write(path, orjson.dumps(document))
    patch.refresh_manifest()
    return {name: data for name, data in {**small_bundle(), **patch.changes}.items() if data is not None}


def longer_texts(record: dict[str, Any]) -> None:
    for rollout in record["rollouts"]:
        rollout["text"] = "To begin with. " + rollout["text"]


def check_as_from_nothing(sra: SraLake, tmp_path: Path, files: Files) -> None:
    """The current version holds what a build of the same inputs into an empty lake gives, byte for byte."""
    fresh = SraLake(tmp_path / "fresh", sra.monkeypatch)
    fresh.write(files)
    fresh.build()
    assert sra.hashes() == fresh.hashes()
    assert verify_version(sra.lake.require_current()) == []


def test_an_unchanged_bundle_is_not_read_again_and_publishes_nothing(sra: SraLake) -> None:
    first = sra.build()
    assert (first.tokens, first.answers) == (ALL, ALL)
    again = sra.build()
    assert (again.tokens, again.answers) == (set(), set())
    assert again.published is not None
    assert first.published is not None
    assert not again.published.changed
    assert again.published.version_id == first.published.version_id


def test_a_changed_sampling_file_is_the_only_thing_read(sra: SraLake, tmp_path: Path) -> None:
    sra.build()
    before = sra.inodes()
    files = edited(f"bundle/models/{CELL}/sampling9.jsonl.gz", longer_texts)
    sra.write(files)
    done = sra.build()
    assert (done.tokens, done.answers) == (set(), {CELL})
    new = {path for path, inode in sra.inodes().items() if before.get(path) != inode}
    cell_tables = {f"tables/{name}/{CELL}/part-0.parquet" for name in keys.ANSWER_TABLES}
    shared = {
        f"tables/{name}/part-0.parquet" for name in ("questions", "signal_coverage", "ingest_issues", "source_files")
    }
    assert new <= cell_tables | shared
    assert {f"tables/rollout_texts/{CELL}/part-0.parquet", f"tables/rollouts/{CELL}/part-0.parquet"} <= new
    check_as_from_nothing(sra, tmp_path, files)


def test_changed_entropies_are_read_and_only_of_their_cell(sra: SraLake, tmp_path: Path) -> None:
    sra.build()
    files = apply_fault(small_bundle(), "index_mean_wrong", 2)
    (changed,) = {p.split("/token_entropy9")[0].removeprefix("bundle/models/") for p, d in files.items()
                  if small_bundle()[p] != d and p != MANIFEST}  # fmt: skip
    sra.write(files)
    done = sra.build()
    assert (done.tokens, done.answers) == ({changed}, {changed})
    check_as_from_nothing(sra, tmp_path, files)


def test_a_changed_tokenizer_touches_its_model(sra: SraLake, tmp_path: Path) -> None:
    sra.build()
    files = edited("bundle/tokenizers/Qwen3-32B/tokenizer.json", lambda found: found.update(padding=None, x=1))
    sra.write(files)
    done = sra.build()
    assert (done.tokens, done.answers) == (QWEN, QWEN)
    check_as_from_nothing(sra, tmp_path, files)


def test_changed_questions_touch_the_answers_of_their_data_set(sra: SraLake, tmp_path: Path) -> None:
    sra.build()

    def another_gold(rows: list[dict[str, Any]]) -> None:
        rows[0]["eval_data"]["answer"] = "another"

    files = edited("instances/champ.json", another_gold)
    sra.write(files)
    done = sra.build()
    assert (done.tokens, done.answers) == (set(), CHAMP)
    check_as_from_nothing(sra, tmp_path, files)


@pytest.mark.parametrize(
    ("pattern", "tokens", "answers"),
    [
        ("transforms/sra/grading/*.py", set(), ALL),
        ("transforms/sra/join.py", set(), ALL),
        ("transforms/sra/spans.py", ALL, ALL),
        ("transforms/gzipped.py", ALL, ALL),
    ],
)
def test_changed_code_touches_the_halves_it_is_used_in(
    sra: SraLake, monkeypatch: pytest.MonkeyPatch, pattern: str, tokens: set[str], answers: set[str]
) -> None:
    sra.build()
    before = sra.hashes()
    monkeypatch.setattr(keys, "code_hash", lambda *patterns: code_hash(*patterns) + "x" * (pattern in patterns))
    done = sra.build()
    assert (done.tokens, done.answers) == (tokens, answers)
    assert sra.hashes() == before


@pytest.mark.parametrize(
    ("table", "tokens", "answers"),
    [
        ("rollouts", set(), ALL),
        ("tf_verdicts", set(), ALL),
        ("token_entropies", ALL, ALL),
        ("grace_runs", set(), set()),
    ],
)
def test_a_changed_contract_touches_the_halves_it_is_written_in(
    sra: SraLake, monkeypatch: pytest.MonkeyPatch, table: str, tokens: set[str], answers: set[str]
) -> None:
    sra.build()

    def changed(tables: Any) -> str:
        found = list(tables)
        return contract_hash(found) + "x" * (TABLES[table] in found)

    monkeypatch.setattr(keys, "contract_hash", changed)
    done = sra.build()
    assert (done.tokens, done.answers) == (tokens, answers)


def test_a_grading_version_touches_the_answers(sra: SraLake, monkeypatch: pytest.MonkeyPatch) -> None:
    sra.build()
    monkeypatch.setattr(keys, "GRADING_VERSION", "another")
    done = sra.build()
    assert (done.tokens, done.answers) == (set(), ALL)


def test_another_layout_of_tokens_is_read_again(sra: SraLake) -> None:
    sra.build()
    sra.write(plant(small_bundle(), "entropy_interleaved", 1))
    before = sra.hashes()
    done = sra.build(entropy_layout="interleaved")
    assert (done.tokens, done.answers) == (ALL, ALL)
    after = sra.hashes()
    assert {path for path in before if before[path] != after[path]} == {"tables/source_files/part-0.parquet"}


@pytest.mark.parametrize("table", ["token_entropies", "rollouts", "questions"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_published_file_is_made_again(sra: SraLake, tmp_path: Path, table: str, damage: str) -> None:
    sra.build()
    sound = sra.hashes()
    path = next(sra.lake.require_current() / path for path in sound if path.startswith(f"tables/{table}/"))
    data = path.read_bytes()
    path.unlink()
    if damage != "remove":
        path.write_bytes(data[:-9] if damage == "cut" else data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    assert verify_version(sra.lake.require_current()) != []
    done = sra.build()
    assert done.published is not None
    assert done.published.changed
    assert len(done.answers) == (table != "questions")
    assert sra.hashes() == sound
    assert verify_version(sra.lake.require_current()) == []


def test_a_cell_that_was_left_out_is_read_once_it_is_sound(sra: SraLake, tmp_path: Path) -> None:
    faulty = apply_fault(small_bundle(), "entropy_zero", 1)
    sra.write(faulty)
    left_out = ALL - set(sra.build(allow_partial=True).built.state["cells"])
    assert len(left_out) == 1
    assert sra.build(allow_partial=True).answers == left_out
    sra.write(small_bundle())
    done = sra.build()
    assert (done.tokens, done.answers) == (left_out, left_out)
    check_as_from_nothing(sra, tmp_path, dict(small_bundle()))


def test_packing_a_file_anew_gives_the_same_tables(sra: SraLake) -> None:
    sra.build()
    before = sra.hashes()
    path = f"bundle/models/{CELL}/sampling9.jsonl.gz"
    patch = Patch(small_bundle(), stream(0, "edit"))
    patch.write(path, gzip.compress(gzip.decompress(small_bundle()[path]), 1, mtime=7))
    patch.refresh_manifest()
    sra.write(patch.changes)
    assert sra.build().answers == {CELL}
    after = sra.hashes()
    assert {name for name in before if before[name] != after[name]} == {"tables/source_files/part-0.parquet"}


# --- what the keys are made of --------------------------------------------------------------------------------------

LOADED = """
import importlib, sys
from pathlib import Path
for name in sys.argv[2:]:
    importlib.import_module(name)
for module in list(sys.modules.values()):
    path = getattr(module, "__file__", None)
    if path and module.__name__.split(".")[0] in {"transforms", "pipelines", "warehouse"}:
        print(Path(path).relative_to(sys.argv[1]).as_posix())
"""
ELSEWHERE = {
    "warehouse/errors.py", "warehouse/storage/files.py", "warehouse/storage/layout.py", "pipelines/sra/jobs.py",
}  # fmt: skip
"""Modules that say where things stand and carry them about, and not what is in them."""
OF_TOKENS = [
    f"transforms.sra.{name}" for name in ("entropy", "entropy_summary", "entropy_index", "spans", "tokenizers")
]


@pytest.mark.parametrize(
    ("patterns", "modules"),
    [
        pytest.param((*keys._TOKENS, *keys._ANSWERS), ["pipelines.sra.worker"], id="both"),
        pytest.param(keys._TOKENS, [*OF_TOKENS, "transforms.gzipped"], id="tokens"),
    ],
)
def test_the_keys_cover_every_module_that_a_cell_runs_through(patterns: tuple[str, ...], modules: list[str]) -> None:
    command = [sys.executable, "-c", LOADED, str(PROJECT), *modules]
    loaded = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.split()
    covered = {path.relative_to(PROJECT).as_posix() for pattern in patterns for path in PROJECT.glob(pattern)}
    packages = {path for path in loaded if path.endswith("__init__.py") and "grading" not in path}
    contracts = {path for path in loaded if path.startswith("warehouse/contracts/")}
    assert set(loaded) & covered
    assert set(loaded) - covered - packages - contracts - ELSEWHERE == set()


@pytest.mark.slow
def test_an_edit_of_a_grading_rule_is_seen(tmp_path: Path) -> None:
    """With the files themselves: a copy of the project, a comment added to a module, another build."""
    project = tmp_path / "project"
    for name in ("pipelines", "transforms", "warehouse", "sql", "tests"):
        shutil.copytree(PROJECT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_files(tmp_path / "raw", small_bundle())
    script = f"""
import pytest
from pathlib import Path
from tests.faults.sra_builds import SraLake
with pytest.MonkeyPatch.context() as patch:
    done = SraLake(Path({str(tmp_path)!r}), patch).build()
    print(sorted(done.tokens), sorted(done.answers), sep="|")
"""

    def build() -> tuple[str, str]:
        command = [sys.executable, "-c", script]
        environment = {"PYTHONPATH": str(project)}
        ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        tokens, answers = ended.stdout.strip().split("|")
        return tokens, answers

    every, none = str(sorted(ALL)), "[]"
    assert build() == (every, every)
    assert build() == (none, none)
    for path, expected in (
        ("transforms/sra/grading/champ.py", (none, every)),
        ("transforms/sra/spans.py", (every, every)),
        ("transforms/grace/runs.py", (none, none)),
        ("sql/views/calibration_summary.sql", (none, none)),
    ):
        target = project / path
        comment = "-- a comment" if path.endswith(".sql") else "# a comment"
        target.write_text(f"{target.read_text()}\n{comment}\n")
        assert build() == expected, path
