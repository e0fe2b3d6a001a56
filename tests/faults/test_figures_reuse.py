"""Derived tables are computed for the groups of observations that changed, and are those of a build from nothing."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import orjson
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipelines import figures, statistics
from pipelines.commands.build import run_build
from pipelines.figures import Outcome, Wanted, fitted, queried
from pipelines.progress import Reporter
from pipelines.samples.benchmirt import make_sample
from synthetic.grace import synth_release
from synthetic.sra.faults.base import Patch
from synthetic.sra.streams import stream
from tests.faults.bundles import Files, small_bundle, write_files
from tests.faults.test_reuse import LOADED
from tests.pipelines.conftest import options, sra_options
from warehouse.catalog import connect_version
from warehouse.code import PROJECT, SQL_ROOT, code_hash, contract_hash
from warehouse.contracts import TABLES
from warehouse.sqltext import load_tables
from warehouse.storage.layout import Lake
from warehouse.storage.record import files_of, read_record
from warehouse.storage.versions import verify_version

ALL: Final = {"sra/Qwen3-32B/champ", "sra/Qwen3-32B/theoremqa", "sra/Gemma-4-31B-it/champ"}
SAMPLING: Final = "bundle/models/Qwen3-32B/champ/direct/sampling9.jsonl.gz"
BOTH: Final = frozenset({"fitted", "queried"})
CELLS_FILE: Final = "tables/confidence_cells/part-0.parquet"
ELSEWHERE: Final = (
    "pipelines/memory.py", "pipelines/pool.py", "pipelines/progress.py", "warehouse/code.py", "warehouse/errors.py",
    "warehouse/contracts/", "warehouse/storage/",
)  # fmt: skip
"""Modules that start processes, report, name code and say where things stand; contracts have a hash of their own."""

Computed = dict[str, set[str]]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A lake with one version of the small bundle; for copying."""
    folder = tmp_path_factory.mktemp("figures")
    lake = Lake.at(folder / "lake")
    run_build(lake, sra_options(write_files(folder / "raw", small_bundle())), quiet=True)
    return lake


@pytest.fixture
def lake(first: Lake, tmp_path: Path) -> Lake:
    shutil.copytree(first.root, tmp_path / "lake", symlinks=True)
    return Lake.at(tmp_path / "lake")


def build(lake: Lake, tmp_path: Path, files: Mapping[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Computed:
    """Build, and return which parts were computed of which group whose observations were read."""
    computed: Computed = {}

    def noted(job: Sequence[Wanted]) -> Outcome:
        outcome = figures.run(job)
        for wanted in job:
            keys = outcome.keys[wanted.group]
            computed[statistics.group_name(wanted.group)] = {
                part for part in BOTH if keys[part] != wanted.known.get(part)
            }
        parts = {"fitted": fitted(), "queried": queried()}
        found = {part for part, names in parts.items() if set(names) <= outcome.tables.keys()}
        assert found == set().union(*computed.values())
        return outcome

    with monkeypatch.context() as patch:
        patch.setattr(statistics, "run", noted)
        run_build(lake, sra_options(write_files(tmp_path / "raw", files)), quiet=True)
    return computed


def hashes(lake: Lake) -> dict[str, str]:
    return {file.path: file.sha256 for file in files_of(read_record(lake.require_current()))}


def edited(path: str, edit: Callable[[Any], object]) -> Files:
    """Return the bundle with the first record of a file edited, and its manifest renewed."""
    patch = Patch(small_bundle(), stream(0, "edit"))
    records = patch.lines(path)
    edit(records[0])
    patch.write_lines(path, records)
    patch.refresh_manifest()
    return {name: data for name, data in {**small_bundle(), **patch.changes}.items() if data is not None}


def another_answer(record: dict[str, Any]) -> None:
    for rollout in record["rollouts"][:3]:
        rollout["text"] += " The answer is \\boxed{12345.678}."


def test_a_changed_cell_is_computed_with_its_model_and_data_set_alone(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, files = hashes(lake), edited(SAMPLING, another_answer)
    assert build(lake, tmp_path, files, monkeypatch) == {"sra/Qwen3-32B/champ": BOTH}
    fresh = Lake.at(tmp_path / "fresh")
    assert build(fresh, tmp_path, files, monkeypatch) == dict.fromkeys(ALL, BOTH)
    assert hashes(lake) == hashes(fresh)
    assert (
        hashes(lake)["tables/confidence_clusters/part-0.parquet"] != before["tables/confidence_clusters/part-0.parquet"]
    )
    assert verify_version(lake.require_current()) == []


def test_a_text_that_changes_no_observation_computes_nothing(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hashes(lake)
    files = edited(SAMPLING, lambda record: record["rollouts"][0].update(text=record["rollouts"][0]["text"] + "\n"))
    computed = build(lake, tmp_path, files, monkeypatch)
    assert set(computed) == {"sra/Qwen3-32B/champ"}
    assert "fitted" not in computed["sra/Qwen3-32B/champ"]
    derived = [f"tables/{name}/part-0.parquet" for name in (*fitted(), *queried())]
    assert {path: hashes(lake)[path] for path in derived} == {path: before[path] for path in derived}


def test_a_file_packed_anew_reads_no_observation(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patch = Patch(small_bundle(), stream(0, "edit"))
    patch.write(SAMPLING, gzip.compress(gzip.decompress(small_bundle()[SAMPLING]), 1, mtime=7))
    patch.refresh_manifest()
    files = {name: data for name, data in {**small_bundle(), **patch.changes}.items() if data is not None}
    assert build(lake, tmp_path, files, monkeypatch) == {}


def test_a_question_that_nobody_was_asked_reads_observations_and_computes_nothing(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = orjson.loads(small_bundle()["instances/champ.json"])
    more = {"instances/champ.json": orjson.dumps([*rows, rows[0] | {"instance_id": "champ_99999"}])}
    computed = build(lake, tmp_path, {**small_bundle(), **more}, monkeypatch)
    assert computed == dict.fromkeys(ALL, frozenset())


def test_another_source_leaves_the_figures_alone(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "grace.zip").write_bytes(synth_release(0, n_packets=1, n_questions=3))
    before = hashes(lake)
    monkeypatch.setattr(statistics, "run", lambda job: pytest.fail(f"{job} was read"))
    options = sra_options(write_files(tmp_path / "raw", small_bundle()), grace=str(tmp_path / "grace.zip"))
    run_build(lake, options, quiet=True)
    after = hashes(lake)
    changed = {path.split("/")[1] for path in after if after[path] != before.get(path)}
    assert {"grace_buzzes", "source_files"} <= changed
    assert not changed & {*fitted(), *queried()}


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ("transforms/statistics/*.py", {"fitted"}),
        pytest.param("pipelines/figures.py", {"fitted", "queried"}, marks=pytest.mark.slow),
        ("warehouse/sqltext.py", {"fitted", "queried"}),
        pytest.param("sql/macros/*.sql", {"queried"}, marks=pytest.mark.slow),
        ("sql/tables/*.sql", {"queried"}),
        pytest.param("calibration_tests", {"fitted"}, marks=pytest.mark.slow),
        ("confidence_groups", {"queried"}),
        pytest.param("rollouts", set(), marks=pytest.mark.slow),
    ],
)
def test_a_changed_rule_or_contract_computes_what_it_is_of(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, parts: set[str]
) -> None:
    """A change of code or of a contract shows in the hash of its files or of its table; so does it here."""

    def contracts(tables: Any) -> str:
        found = list(tables)
        return contract_hash(found) + "x" * (changed in {table.name for table in found})

    before = hashes(lake)
    monkeypatch.setattr(figures, "code_hash", lambda *names: code_hash(*names) + "x" * (changed in names))
    monkeypatch.setattr(figures, "contract_hash", contracts)
    # The code as a whole: whatever of it changes, the observations are read again.
    monkeypatch.setattr(statistics, "_code", lambda: "another")
    assert build(lake, tmp_path, small_bundle(), monkeypatch) == dict.fromkeys(ALL, parts)
    assert hashes(lake) == before


def test_other_quantiles_are_looked_up_again(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends of every interval come from a table that Python makes and queries read."""
    import transforms.statistics as made

    table = made.t_quantiles_table()
    monkeypatch.setattr(made, "t_quantiles_table", lambda: table.with_columns(pl.col("q975") * 2))
    monkeypatch.setattr(statistics, "_code", lambda: "another")
    before = hashes(lake)
    assert build(lake, tmp_path, small_bundle(), monkeypatch) == dict.fromkeys(ALL, frozenset({"queried"}))
    after = hashes(lake)
    changed = {path.split("/")[1] for path in after if after[path] != before[path]}
    assert changed >= {"t_quantiles", "calibration_figures"}
    fresh = Lake.at(tmp_path / "fresh")
    build(fresh, tmp_path, small_bundle(), monkeypatch)
    assert hashes(fresh) == after


def test_another_fit_is_seen(tmp_path: Path) -> None:
    """Item response fits are a source of their own and their predictions are observations of BenchMIRT's models."""
    given = options(**{**make_sample(tmp_path, 1, Reporter(quiet=True)), "irt_fit": "1pl", "irt_folds": "2"})
    lake = Lake.at(tmp_path / "lake")
    run_build(lake, given, quiet=True)
    run_build(lake, options(irt_fit="1pl", irt_folds="2", irt_selection="again"), quiet=True)
    check_tables_are_queries_over_everything(lake)
    with connect_version(lake.require_current()) as connection:
        conditions = connection.execute("SELECT DISTINCT condition FROM confidence_cells ORDER BY ALL").fetchall()
    assert conditions == [("1pl-1d",), ("1pl-1d-again",)]


@pytest.mark.slow
def test_another_fit_gives_what_a_build_from_nothing_gives(tmp_path: Path) -> None:
    given = options(**{**make_sample(tmp_path, 1, Reporter(quiet=True)), "irt_fit": "1pl", "irt_folds": "2"})
    lake, fresh = Lake.at(tmp_path / "lake"), Lake.at(tmp_path / "fresh")
    for one in (lake, fresh):
        run_build(one, given, quiet=True)
        if one is fresh:
            (fresh.require_current() / CELLS_FILE).unlink()
        run_build(one, options(irt_fit="2pl", irt_folds="2"), quiet=True)
    assert hashes(lake) == hashes(fresh)


@pytest.mark.slow
def test_the_same_fit_with_other_settings_is_seen(tmp_path: Path) -> None:
    given = make_sample(tmp_path, 1, Reporter(quiet=True))
    lake, fresh = Lake.at(tmp_path / "lake"), Lake.at(tmp_path / "fresh")
    few = options(**{**given, "irt_fit": "1pl", "irt_folds": "2", "irt_max_iterations": "1"})
    run_build(lake, few, quiet=True)
    more = options(**{**given, "irt_fit": "1pl", "irt_folds": "2"})
    run_build(lake, more, quiet=True)
    run_build(fresh, more, quiet=True)
    assert hashes(lake) == hashes(fresh)


@pytest.mark.parametrize("n_rows", [1_000, 150_000])
def test_the_hash_of_observations_is_the_same_however_they_were_read(n_rows: int) -> None:
    """More rows than DuckDB hands over in one piece: a number of threads cuts them in its own way."""
    found = set()
    for threads in (1, 2, 4):
        with duckdb.connect() as connection:
            connection.execute(f"SET threads = {threads}")
            query = "SELECT 'question ' || i AS question_id, i / 7 AS confidence, i % 3 = 0 AS correct"
            rows = connection.sql(f"{query} FROM range({n_rows}) AS r(i) WHERE i % 5 <> 0 ORDER BY i").pl()
        found |= {figures._hash(rows), figures._hash(pl.concat([rows[:77], rows[77:]], rechunk=False))}
    assert len(found) == 1
    assert figures._hash(rows[1:]) not in found


def test_the_keys_cover_every_module_that_makes_a_derived_table() -> None:
    command = [sys.executable, "-c", LOADED, str(PROJECT), "pipelines.statistics", "transforms.statistics"]
    loaded = set(subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.split())
    covered = {path.relative_to(PROJECT).as_posix() for pattern in figures.FITTING for path in PROJECT.glob(pattern)}
    assert loaded >= {"pipelines/figures.py", "transforms/statistics/tables.py"}
    rest = {path for path in loaded - covered if not path.startswith(ELSEWHERE)}
    assert {path for path in rest if not path.endswith("__init__.py")} == set()


def test_a_damaged_derived_file_is_computed_again(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(lake)
    path = lake.require_current() / "tables" / "calibration_tests" / "part-0.parquet"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    assert build(lake, tmp_path, small_bundle(), monkeypatch) == dict.fromkeys(ALL, BOTH)
    assert hashes(lake) == before
    assert verify_version(lake.require_current()) == []


def test_the_groups_together_are_what_the_queries_give_over_all_of_them(first: Lake) -> None:
    """No query looks from one group at another: each gives over all rows what it gave a group at a time."""
    check_tables_are_queries_over_everything(first)


def check_tables_are_queries_over_everything(lake: Lake) -> None:
    version = lake.require_current()
    with connect_version(version) as connection:
        for found in load_tables(SQL_ROOT):
            table = TABLES[found.name]
            whole = connection.sql(found.sql).pl().select(pl.col(n).cast(t) for n, t in table.polars_schema.items())
            stored = pl.read_parquet(version / "tables" / found.name / "part-0.parquet", glob=False)
            assert stored.height > 0 or found.name == "entropy_span_figures"
            assert_frame_equal(stored, whole.sort(table.key, nulls_last=True), check_exact=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("s", "a/b", "c"), ("s", "a", "b/c")),
        (("s", "a%2Fb", "c"), ("s", "a/b", "c")),
        (("s", "", "c"), ("s", "/", "")),
    ],
)
def test_names_of_groups_differ(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert statistics.group_name(figures.Group(*one)) != statistics.group_name(figures.Group(*other))
