"""A build that is killed at any moment leaves the lake as it was or as it becomes, and nothing to clean up by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.faults.kill_bench import Answer, KillBench, Server

Kill = dict[str, Any]

CALLS: Final = (
    ("pipelines.resources:clean_up", 1, "start"),
    ("pipelines.sra.bundle:inspect_all", 1, "verify"),
    ("pipelines.sra.bundle:parse_tokenizer", 1, "verify"),
    ("pipelines.sra.worker:read_tokens", 1, "parse"),
    ("pipelines.sra.worker:read_answers", 2, "parse"),
    ("warehouse.storage.parquet:_write", 1, "stage"),
    ("warehouse.storage.parquet:_write", 5, "stage"),
    ("warehouse.storage.parquet:_audit_rows", 1, "audit"),
    ("warehouse.storage.parquet:_audit_bulk", 1, "audit"),
    ("pipelines.build:carry_over", 1, "start"),
    ("pipelines.build:assemble_shared", 1, "start"),
    ("pipelines.statistics:_made_from", 1, "statistics"),
    ("warehouse.storage.publish:content_hash", 1, "publish"),
    ("warehouse.catalog:connect_version", 1, "catalog"),
    ("warehouse.storage.publish:_complete", 1, "publish"),
    ("warehouse.storage.layout:Lake.point_to", 1, "publish"),
    ("warehouse.storage.publish:collect_garbage", 1, "publish"),
)
"""What to be killed before and after, at which of its calls, and the phase that is under way then."""
AT_CALLS: Final = [
    {"call": call, "when": when, "nth": nth, "phase": phase}
    for call, nth, phase in CALLS
    for when in ("before", "after")
]
SHORT: Final = (
    "inspect_all-1-after", "read_tokens-1-after", "_write-5-after", "_audit_rows-1-before", "_made_from-1-after",
    "content_hash-1-before", "connect_version-1-after", "_complete-1-after", "Lake.point_to-1-before",
    "Lake.point_to-1-after",
)  # fmt: skip
N_OPERATIONS: Final = 36
N_TIMES: Final = 30
"""With the calls these make a hundred kills."""
PHASES: Final = frozenset({"verify", "parse", "stage", "audit", "statistics", "publish", "catalog"})


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KillBench]:
    server = Server()
    yield KillBench.set_up(tmp_path_factory.mktemp("kills"), server)
    server.close()


def check_survived(bench: KillBench) -> None:
    """The lake answers as before or as after; the next build succeeds, answers as after and leaves no litter."""
    seen = bench.look()
    assert seen["current"] == seen["located"]
    assert seen["current"] in seen["listed"]
    assert not seen["problems"]
    state = bench.before if seen["current"] == bench.before["current"] else bench.after
    assert seen["views"] == state["views"]
    again = bench.build("b")
    assert again["status"] == 0, again["log"]
    then = bench.look()
    assert then["views"] == bench.after["views"]
    assert then["listed"] == [then["current"]]
    assert not then["problems"]
    assert not then["litter"]


def killed(bench: KillBench, kill: Kill, **options: Any) -> Answer:
    """Kill a build and check what is left. One that ended before its time came is killed earlier the next time."""
    for _attempt in range(6):
        bench.restore()
        found = bench.build("b", kill=kill, **options)
        if found["killed"] or "after" not in kill:
            break
        kill = kill | {"after": 0.7 * kill["after"]}
    assert found["killed"], found["log"]
    check_survived(bench)
    return found


def _id(kill: Kill) -> str:
    return f"{kill['call'].rsplit(':', 1)[1]}-{kill['nth']}-{kill['when']}"


@pytest.mark.parametrize(
    "kill",
    [pytest.param(kill, id=_id(kill), marks=() if _id(kill) in SHORT else pytest.mark.slow) for kill in AT_CALLS],
)
def test_killed_at_a_call(bench: KillBench, kill: Kill) -> None:
    assert killed(bench, kill)["phase"] == kill["phase"]


def test_the_calls_are_in_every_phase() -> None:
    assert {kill["phase"] for kill in AT_CALLS if _id(kill) in SHORT} >= PHASES


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(n / N_OPERATIONS, id=f"{n}_of_{N_OPERATIONS}", marks=() if n == 20 else pytest.mark.slow)
        for n in range(N_OPERATIONS)
    ],
)  # fmt: skip
def test_killed_before_an_operation_on_the_disk(bench: KillBench, part: float) -> None:
    killed(bench, {"operation": 1 + int(part * bench.whole["operations"])})


@pytest.mark.parametrize(
    "part",
    [
        pytest.param((n + 0.5) / N_TIMES, id=f"{n}_of_{N_TIMES}", marks=() if n == 15 else pytest.mark.slow)
        for n in range(N_TIMES)
    ],
)  # fmt: skip
def test_killed_at_a_time(bench: KillBench, part: float) -> None:
    """Every third of them runs two workers, which take longer to start."""
    workers = "2" if int(part * N_TIMES) % 3 == 0 else "1"
    killed(bench, {"after": 0.9 * part * bench.whole["seconds"]}, workers=workers)


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.3, 0.45, 0.6, 0.75])
def test_workers_whose_parent_alone_was_killed_end_and_do_no_harm(bench: KillBench, part: float) -> None:
    found = killed(bench, {"after": part * bench.whole["seconds"], "scope": "parent"}, workers="2")
    assert bench.server.ask("alive", pids=found["children"], seconds=10)["alive"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "when"),
    [
        ("pipelines.build:quarantine", "before"),
        ("warehouse.storage.quarantine:write_table", "after"),
        ("pipelines.build:quarantine", "after"),
    ],
)
def test_a_refused_build_that_is_killed_leaves_the_lake_as_it_was(bench: KillBench, call: str, when: str) -> None:
    bench.restore()
    found = bench.build("faulty", kill={"call": call, "when": when, "nth": 1})
    assert found["killed"], found["log"]
    seen = bench.look()
    assert (seen["current"], seen["views"]) == (bench.before["current"], bench.before["views"])
    for folder in (bench.lake / "quarantine").glob("*"):
        assert sorted(path.name for path in (folder / "tables").iterdir()) == ["ingest_issues", "source_files"]
    assert bench.build("b")["status"] == 0
    assert [what for what in bench.look()["litter"] if what != "quarantine"] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("command", ["gc", "rollback", "catalog"])
def test_other_commands_that_are_killed_do_no_harm(bench: KillBench, command: str, part: float) -> None:
    arguments = {"gc": ["gc", "--keep", "1"], "rollback": ["rollback", bench.before["current"]], "catalog": ["catalog"]}
    counts: list[int] = []
    for nth in (0, None):
        bench.restore()
        assert bench.build("b", keep="3")["status"] == 0
        kill = {} if nth == 0 else {"operation": 1 + int(part * counts[0])}
        found = bench.command(*arguments[command], kill=kill)
        counts.append(found["operations"])
        assert found["killed"] == (nth is None), found["log"]
    check_survived(bench)
