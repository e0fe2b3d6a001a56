"""Results for people: on a terminal they fit and numbers are rounded; off it, and in every format, all is exact."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest

from pipelines.commands.display import RECORDS, SHOWN_ROWS, cell, print_result
from warehouse.storage.layout import Lake

THIRD = 1 / 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")


def printed(columns: list[str], rows: list[list[object]], *, exact: bool = False, terminal: bool = True) -> str:
    handle = Terminal() if terminal else io.StringIO()
    print_result(columns, rows, handle, exact=exact)
    return re.sub(r"\x1b\[[0-9;]*m", "", handle.getvalue())


def test_what_fits_is_a_table() -> None:
    lines = printed(["model", "ece"], [["a", THIRD], ["b", None]]).splitlines()
    assert [line.split() for line in lines] == [["model", "ece"], ["a", "0.333333"], ["b", "NULL"]]


def test_a_wide_result_of_few_rows_is_one_record_below_another() -> None:
    columns = [f"column_{number}" for number in range(30)]
    text = printed(columns, [list(range(30)), [-number for number in range(30)]])
    assert all(len(line) <= 60 for line in text.splitlines())
    assert "row 1 of 2" in text
    assert "row 2 of 2" in text
    pairs = [tuple(line.split()) for line in text.splitlines() if line.startswith("column_")]
    assert pairs == [(f"column_{n}", str(sign * n)) for sign in (1, -1) for n in range(30)]
    assert "left out" not in text


def test_a_wide_result_of_many_rows_has_the_columns_that_fit_and_counts_the_others() -> None:
    columns = [f"column_{number}" for number in range(30)]
    text = printed(columns, [list(range(30))] * (RECORDS + 1))
    head, *_rows, _ = lines = text.splitlines()
    assert all(len(line) <= 60 for line in lines[: RECORDS + 2])
    kept = len(head.split())
    assert 0 < kept < 30
    said = " ".join(text.split())
    assert f"{30 - kept} of 30 columns are left out, from column_{kept} on" in said


def test_one_column_that_is_too_wide_is_folded_and_not_left_out() -> None:
    text = printed(["words"], [["x" * 150]] * (RECORDS + 1))
    assert text.count("x") == 150 * (RECORDS + 1)
    assert "left out" not in text


def test_more_rows_than_are_shown_are_said() -> None:
    text = printed(["n"], [[number] for number in range(SHOWN_ROWS + 1)])
    assert f"only the first {SHOWN_ROWS} rows" in text
    assert "only the first" not in printed(["n"], [[1]])


def test_off_a_terminal_all_is_whole_and_exact() -> None:
    columns = [f"column_{number}" for number in range(30)]
    text = printed(columns, [[THIRD] * 30], terminal=False)
    assert text.splitlines()[1].split() == [repr(THIRD)] * 30


def test_numbers_are_rounded_unless_exact_is_asked_for() -> None:
    assert cell(THIRD, exact=False) == "0.333333"
    assert cell(THIRD, exact=True) == repr(THIRD)
    assert cell("\x1b[2J", exact=True) == "\\x1b[2J"


def on_a_terminal(*arguments: str) -> str:
    """Run `callake` with a terminal of 60 columns as its standard output, and return what it prints there."""
    leader, follower = pty.openpty()
    environment = os.environ | {"COLUMNS": "60", "TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-m", "pipelines.cli", *arguments], stdout=follower, env=environment)
    os.close(follower)
    found = b""
    try:
        while piece := os.read(leader, 65536):
            found += piece
    except OSError:
        # Linux says EIO where the other end of a terminal is closed.
        pass
    finally:
        os.close(leader)
    assert process.wait() == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", found.decode())


def test_the_command_knows_a_terminal_from_a_pipe(tiny_lake: Lake) -> None:
    query, lake = f"SELECT {THIRD!r}::DOUBLE AS third", ["--lake", str(tiny_lake.root)]
    assert on_a_terminal("sql", query, *lake).split() == ["third", "0.333333"]
    for form in ("table", "csv"):
        assert on_a_terminal("sql", query, *lake, "--format", form).split() == ["third", repr(THIRD)]
    wide = on_a_terminal("sql", "FROM skill_effect ORDER BY ALL LIMIT 2", *lake)
    assert "row 2 of 2" in wide
    assert wide.count("n_direct_only") == 2


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_every_format_is_exact(tiny_lake: Lake, form: str) -> None:
    command = [sys.executable, "-m", "pipelines.cli", "sql", f"SELECT {THIRD!r}::DOUBLE AS third"]
    done = subprocess.run(
        [*command, "--lake", str(tiny_lake.root), "--format", form], check=True, capture_output=True, text=True
    )
    if form == "json":
        assert json.loads(done.stdout)["third"] == THIRD
    else:
        (_head, (value,)) = csv.reader(done.stdout.split())
        assert float(value) == THIRD
