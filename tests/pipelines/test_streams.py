"""Standard output that nobody reads, that is closed, or that lacks characters: the exit code is the outcome."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from pipelines.commands.build import run_build
from synthetic.grace import synth_release
from tests.pipelines.conftest import options
from warehouse.code import PROJECT
from warehouse.storage.layout import Lake

LETTERS: Final = "é…☃"
COMMANDS: Final = {
    "help": ["--help"],
    "sql": ["sql", f"SELECT '{LETTERS}' AS \"{LETTERS}\"", "--lake", "LAKE"],
    "sql csv": ["sql", f"SELECT '{LETTERS}' AS a FROM range(50000)", "--format", "csv", "--lake", "LAKE"],
    "sql json": ["sql", f"SELECT '{LETTERS}' AS a FROM range(50000)", "--format", "json", "--lake", "LAKE"],
    "tables": ["tables"],
    "tables markdown": ["tables", "--format", "markdown"],
    "tables json": ["tables", "--format", "json"],
    "status": ["status", "--lake", "LAKE"],
    "versions": ["versions", "--lake", "LAKE"],
    "verify-lake": ["verify-lake", "--lake", "LAKE"],
    "catalog": ["catalog", "--lake", "LAKE"],
    "gc": ["gc", "--lake", "LAKE"],
    "rollback": ["rollback", "VERSION", "--lake", "LAKE"],
    "export": ["export", "grace_runs", "--to", "OUT/x.csv", "--lake", "LAKE"],
    "sample": ["sample", "OUT/sample", "--scale", "tiny", "--workers", "1"],
    "faults": ["sample", "--list-faults"],
    "build": ["build", "--lake", "LAKE", "--grace", "ZIP"],
}
QUICK: Final = ("help", "sql", "sql csv", "status", "tables", "build")
"""What `make test` looks at; the others, a process each, are looked at by `make faults`."""
LONG: Final = ("help", "sql csv", "sql json", "tables markdown", "faults")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A lake whose name no Latin alphabet has."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "release.zip").write_bytes(synth_release(1))
    lake = Lake.at(folder / f"lake {LETTERS}")
    run_build(lake, options(grace=str(folder / "release.zip")), quiet=True)
    return lake


@pytest.fixture
def words(lake: Lake, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    places = {"LAKE": lake.root, "OUT": tmp_path, "ZIP": lake.root.parent / "release.zip"}
    places["VERSION"] = Path(lake.require_current().name)
    words = list(COMMANDS[request.param])
    for name, path in places.items():
        words = [word.replace(name, str(path)) for word in words]
    yield words
    shutil.rmtree(tmp_path / "sample", ignore_errors=True)


def started(words: Sequence[str], stdout: int, **variables: str) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli", *words],
        cwd=PROJECT,
        env=environment | {"PYTHONPATH": str(PROJECT)} | variables,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def quiet(errors: bytes) -> bool:
    """A build tells its steps there; nothing may tell of a stream."""
    return not any(word in errors for word in (b"Traceback", b"Broken pipe", b"Exception", b"callake:"))


def cases(names: Sequence[str]) -> list[ParameterSet]:
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("words", cases(list(COMMANDS)), indirect=True)
def test_an_output_that_nobody_reads_changes_no_outcome(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = started(words, writer)
    os.close(writer)
    errors = process.communicate()[1]
    assert (process.returncode, quiet(errors)) == (0, True), errors


@pytest.mark.parametrize("words", cases(LONG), indirect=True)
def test_a_reader_may_leave_after_a_line(words: list[str]) -> None:
    with started(words, subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
        assert (process.wait(), errors) == (0, b"")


@pytest.mark.parametrize("words", ["sql", "sql csv", "build"], indirect=True)
def test_an_output_that_is_closed_changes_no_outcome(words: list[str]) -> None:
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    shell = ["sh", "-c", '"$@" >&- 2>&- <&-', "sh", sys.executable, "-m", "pipelines.cli", *words]
    assert subprocess.run(shell, cwd=PROJECT, env=environment, check=False).returncode == 0


def test_a_query_whose_reader_is_gone_does_not_go_on(lake: Lake) -> None:
    words = ["sql", "FROM range(10000000000)", "--format", "csv", "--lake", str(lake.root)]
    with started(words, subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"range\n"
        process.stdout.close()
        # Ten thousand million rows would take many minutes.
        assert process.wait(timeout=300) == 0


def test_a_disk_that_is_full_is_a_sentence(lake: Lake) -> None:
    with Path("/dev/full").open("wb") as full:
        process = started(["sql", "SELECT 1", "--lake", str(lake.root)], full.fileno())
        errors = process.communicate()[1]
    assert process.returncode == 1
    assert b"No space left on device" in errors
    assert b"Traceback" not in errors


def shown(words: list[str], **variables: str) -> bytes:
    process = started(words, subprocess.PIPE, **variables)
    output, errors = process.communicate()
    assert (process.returncode, quiet(errors)) == (0, True), errors
    return output


# What is for programs is UTF-8 on every terminal: a character written out would be another value.
DATA: Final = ("sql csv", "sql json", "tables markdown", "tables json")


@pytest.mark.parametrize("words", cases([name for name in COMMANDS if name not in DATA]), indirect=True)
def test_a_character_that_can_not_be_shown_is_written_out(words: list[str]) -> None:
    output = shown(words, PYTHONIOENCODING="ascii")
    assert output
    output.decode("ascii")


def test_what_is_written_out_tells_which_character_it_was(lake: Lake) -> None:
    words = ["sql", f"SELECT '{LETTERS}' AS a", "--lake", str(lake.root)]
    assert shown(words, PYTHONIOENCODING="ascii").split() == [b"a", rb"\xe9\u2026\u2603"]
    assert shown(words, PYTHONIOENCODING="latin-1").split() == [
        b"a",
        rb"\xe9".decode("unicode_escape").encode("latin-1") + rb"\u2026\u2603",
    ]
    for variables in ({"PYTHONIOENCODING": "utf-8"}, {"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}):
        assert shown(words, **variables).decode().split() == ["a", LETTERS]


@pytest.mark.parametrize("words", cases(DATA), indirect=True)
def test_what_is_for_programs_is_the_same_in_every_encoding(words: list[str]) -> None:
    plain = shown(words, PYTHONIOENCODING="utf-8")
    assert shown(words, PYTHONIOENCODING="latin-1") == plain
    assert not plain.isascii()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_refusal_is_shown_too(lake: Lake, encoding: str) -> None:
    process = started(
        ["sql", f'SELECT "{LETTERS}"', "--lake", str(lake.root)], subprocess.PIPE, PYTHONIOENCODING=encoding
    )
    errors = process.communicate()[1]
    assert process.returncode == 1
    assert rb"\u2026" in errors
    assert b"Traceback" not in errors


def test_a_query_on_standard_input_is_utf8_in_every_encoding(lake: Lake) -> None:
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": "ascii"}
    found = subprocess.run(
        [sys.executable, "-m", "pipelines.cli", "sql", "-", "--format", "csv", "--lake", str(lake.root)],
        cwd=PROJECT, env=environment, input=f"SELECT '{LETTERS}' AS a".encode(), capture_output=True, check=True,
    )  # fmt: skip
    assert found.stdout.decode() == f"a\n{LETTERS}\n"
