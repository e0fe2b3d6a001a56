"""Every parser on its seeds and on some hundred mutations of them, the same ones each time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.fuzz.mutations import CANARY, packed, unpacked
from tests.fuzz.one import ROOT, recording
from tests.fuzz.properties import BrokenError, lines_accounted, same_frames, sound_issues, sound_table
from tests.fuzz.target import Target, TooSlowError, deadline
from tests.fuzz.targets import TARGETS
from warehouse.contracts import TABLES, Issue, Severity

# An input may take this long before it counts as hanging, on a machine however busy.
HANGING = 60.0


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_breaks_a_property(name: str) -> None:
    target = TARGETS[name]
    for place, data in enumerate(target.inputs(target.short)):
        try:
            with deadline(HANGING):
                target.check(data)
        except Exception as error:
            error.add_note(f"{name}, input {place}: {data[:300]!r}")
            raise


def test_the_inputs_are_the_same_each_time() -> None:
    for target in TARGETS.values():
        assert list(target.inputs(5)) == list(target.inputs(5))


def test_packed_files_come_back_and_any_bytes_are_some_files() -> None:
    parts = [b"", b"a\n", bytes(range(256))]
    assert unpacked(packed(parts), 3) == parts
    assert unpacked(b"\xff\xff\xff\xffabc", 3) == [b"abc", b"", b""]


def issue(**changes: Any) -> Issue:
    return Issue(**{"severity": Severity.ERROR, "rule": "a.b", "message": "A sentence.", **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"message": "x" * 2_000 + "."}, {"message": "Line\nbreak."}, {"message": "\x1b[31m."},
        {"message": "no sentence"}, {"message": ""}, {"value": "\x00"}, {"value": "x" * 2_000}, {"rule": "A rule"},
        {"severity": "error!"},
        {"message": f"The text is {CANARY}."}, {"value": CANARY},
    ],
)  # fmt: skip
def test_an_unsound_finding_is_told(changes: dict[str, Any]) -> None:
    sound_issues([issue()], b"{}")
    with pytest.raises(BrokenError):
        sound_issues([issue(), issue(**changes)], f'{{"text": "{CANARY}"}}'.encode())


def test_names_may_stand_in_messages() -> None:
    told = issue(message=f"It lacks {CANARY}.")
    sound_issues([told], f'{{"{CANARY}": 1}}'.encode())
    sound_issues([told], f'{{"instance_id": "q{CANARY}"}}'.encode())
    sound_issues([told], f'{{"text": "{CANARY}"}}'.encode(), {"a.b"})


def test_a_line_that_vanishes_is_told() -> None:
    data = b"\xef\xbb\xbf{}\n\n{}\n{}"
    lines_accounted(data, [1, 3], [issue(line=4)])
    lines_accounted(data, [], [issue()])
    for kept in ([1], [3], []):
        with pytest.raises(BrokenError, match="vanish"):
            lines_accounted(data, kept, [issue(line=4), issue(severity=Severity.WARNING, line=3)])


def test_tables_that_break_their_contract_or_differ_are_told() -> None:
    name = "benchmirt_models"
    sound_table(name, TABLES[name].empty())
    with pytest.raises(BrokenError, match="schema"):
        sound_table(name, pl.DataFrame({"model": ["m"]}))
    key = TABLES[name].key
    nulls = pl.DataFrame([dict.fromkeys(key)], schema=TABLES[name].polars_schema)
    with pytest.raises(BrokenError, match="contract"):
        sound_table(name, nulls)
    with pytest.raises(BrokenError):
        same_frames({"a": pl.DataFrame({"x": [1]})}, {"a": pl.DataFrame({"x": [2]})})


def test_an_input_that_hangs_is_stopped() -> None:
    with pytest.raises(TooSlowError), deadline(0.05):
        while True:
            pass


# --- the long form ---


def fails(data: bytes) -> None:
    if data.startswith(b"!"):
        raise ValueError(f"{len(data)} bytes")


def test_a_failure_is_written_down_once_with_its_input(tmp_path: Path) -> None:
    check = recording(Target("t", fails, lambda: [b""]), tmp_path)
    for data in (b"", b"!", b"!!", b"!a", b"x"):
        check(data)
    (told,) = [json.loads(path.read_text())["what"] for path in tmp_path.glob("*.json")]
    assert told == "ValueError at a property: 1 bytes"
    assert [path.read_bytes() for path in tmp_path.glob("*.input")] == [b"!"]


@pytest.mark.skipif(sys.platform != "linux", reason="atheris, the fuzzer, is for Linux only")
def test_the_long_form_is_guided_by_coverage_and_counts() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "audit", "--runs", "300", "--seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    name, executions, _, edges, features, found = done.stdout.splitlines()[1].split()
    assert (name, executions, found) == ("audit", "300", "none")
    assert int(edges) > 20
    assert int(features) >= int(edges)
