"""`callake sql` asks: nothing is written inside the lake, and a table shows what a terminal would obey."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from warehouse.storage.layout import Lake
from warehouse.storage.versions import verify_version


def ask(lake: Lake, query: str, *more: str) -> Result:
    return CliRunner().invoke(cli, ["sql", query, "--lake", str(lake.root), *more])


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, with its size and time."""
    return {
        str(path): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.name not in {".lock"}
    }


@pytest.fixture
def place(tiny_lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write to that has, by other names, the lake in it."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tiny_lake.root / "current", target_is_directory=True)
    part = next((tiny_lake.require_current() / "tables").rglob("*.parquet"))
    (tmp_path / "out" / "hard.parquet").hardlink_to(part)
    (tmp_path / "out" / "parted").mkdir()
    (tmp_path / "out" / "parted" / "b=2").symlink_to(tiny_lake.root / "current", target_is_directory=True)
    for name in ("linked", "o#", "o?"):
        (tmp_path / "out" / name).mkdir()
    (tmp_path / "out" / "linked" / "link").symlink_to(tiny_lake.root, target_is_directory=True)
    monkeypatch.chdir(tmp_path / "out")
    monkeypatch.setenv("HOME", str(tiny_lake.root.parent))
    return tmp_path / "out"


HELD = ["hard.parquet", "link", "linked", "o#", "o?", "parted"]
WRITES = [
    "COPY (SELECT 1) TO 'VERSION/x'",
    "COPY (SELECT 1) TO 'LAKE/x.csv'",
    "COPY (SELECT 1) TO 'LAKE/current/tables/rollouts/x.parquet'",
    "COPY (SELECT 1) TO 'link/x.csv'",
    "COPY (SELECT 1) TO 'LAKE/../lake/x.csv'",
    "COPY (SELECT 1) TO 'file://VERSION/x.csv'",
    "copy (select 1 AS \"to\") /* to 'y.csv' */ to 'VERSION/x.csv' -- to 'z.csv'",
    "COPY (SELECT 1 AS a, 2 AS b) TO 'PARENT' (FORMAT parquet, PARTITION_BY b, OVERWRITE)",
    "COPY (SELECT 1 AS a, 2 AS b) TO 'parted' (FORMAT csv, PARTITION_BY b, OVERWRITE_OR_IGNORE)",
    *(
        f"COPY (SELECT 1 AS a, 2 AS b) TO 'linked' (FORMAT csv, {options})"
        for options in (
            "PARTITION_BY (a), OVERWRITE",
            "PARTITION_BY (a)",
            "PER_THREAD_OUTPUT, OVERWRITE",
            "PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE",
            "FILE_SIZE_BYTES 1000, OVERWRITE",
            "OVERWRITE",
        )
    ),
    "COPY (SELECT 1) TO 'file:PLACE/o#/../link/x.csv'",
    "COPY (SELECT 1) TO 'file:PLACE/o?/../link/x.csv'",
    "COPY (SELECT 1) TO 'file:x.csv'",
    "COPY (SELECT 1) TO 's3://bucket/x.csv'",
    "COPY (SELECT 1) TO '~/lake/x.csv'",
    "COPY (SELECT 1) TO '~lake/x.csv'",
    "COPY (SELECT 1) TO '~nosuchuser/x.csv'",
    "WITH a AS (COPY (SELECT 1) TO 'VERSION/x') FROM a",
    "CREATE TEMP TABLE q AS WITH a AS (COPY (SELECT 1) TO 'VERSION/x') FROM a",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO 'VERSION/x'",
    "PREPARE p AS COPY (SELECT 1) TO 'VERSION/x'; EXECUTE p",
    "SELECT 1; COPY (SELECT 1) TO 'VERSION/x'",
    "EXPORT DATABASE 'VERSION/e'",
    "EXPORT DATABASE 'elsewhere'",
    "ATTACH 'VERSION/x.duckdb'",
    "ATTACH 'x.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "UPDATE EXTENSIONS",
    "DELETE FROM rollouts",
    "CREATE TABLE x AS SELECT 1",
]


@pytest.mark.parametrize("query", WRITES)
def test_what_may_write_inside_the_lake_is_refused(tiny_lake: Lake, place: Path, query: str) -> None:
    before = tree(tiny_lake.root)
    for name, path in (
        ("VERSION", tiny_lake.require_current()),
        ("LAKE", tiny_lake.root),
        ("PARENT", tiny_lake.root.parent),
        ("PLACE", place),
    ):
        query = query.replace(name, str(path))
    found = ask(tiny_lake, query)
    assert found.exit_code == 1
    assert str(found.exception)
    assert tree(tiny_lake.root) == before
    assert sorted(path.name for path in place.iterdir()) == HELD
    assert verify_version(tiny_lake.require_current()) == []


def test_the_refusal_is_a_sentence(tiny_lake: Lake) -> None:
    said = str(ask(tiny_lake, f"COPY (SELECT 1) TO '{tiny_lake.root}/versions/x.csv'").exception)
    assert said.endswith("where only builds write: name a place outside.")
    assert "does not run ATTACH" in str(ask(tiny_lake, "ATTACH 'x.duckdb'").exception)


@pytest.mark.parametrize("command", [["sql", "SELECT 1", "--output"], ["export", "signal_coverage", "--to"]])
def test_files_named_by_options_stay_outside_too(tiny_lake: Lake, place: Path, command: list[str]) -> None:
    before = tree(tiny_lake.root)
    for target in (tiny_lake.require_current() / "x.csv", place / "link" / "x.csv"):
        found = CliRunner().invoke(cli, [*command, str(target), "--lake", str(tiny_lake.root)])
        assert found.exit_code == 1
        assert "only builds write" in str(found.exception)
    assert tree(tiny_lake.root) == before


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_named_by_options_are_what_they_are_checked_as(
    tiny_lake: Lake, place: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    before = tree(tiny_lake.root)
    commands = (
        ["sql", "SELECT 1", "--format", form, "--output"],
        ["export", "signal_coverage", "--to"],
        ["irt", "export", "--to"],
    )
    named = {
        f"file:{tiny_lake.root}/x.{form}": "is an address",
        f"s3://bucket/x.{form}": "is an address",
        f"~/lake/y.{form}": "only builds write",
        f"~nosuchuser/x.{form}": "give the whole path",
        f"\udcff.{form}": "not UTF-8",
        str(place / "link" / f"x.{form}"): "only builds write",
    }
    for command in commands:
        for target, reason in named.items():
            found = CliRunner().invoke(cli, [*command, target, "--lake", str(tiny_lake.root)])
            assert (found.exit_code, reason in str(found.exception)) == (1, True), (command, target)
    assert tree(tiny_lake.root) == before
    assert sorted(path.name for path in place.iterdir()) == HELD
    monkeypatch.setenv("HOME", str(place))
    for command in commands[:2]:
        target = f"~/{command[0]}.{form}"
        assert CliRunner().invoke(cli, [*command, target, "--lake", str(tiny_lake.root)]).exit_code == 0
        assert (place / f"{command[0]}.{form}").is_file()


def test_the_licence_beside_an_export_follows_no_link_into_the_lake(tiny_lake: Lake, place: Path) -> None:
    (place / "e.csv.LICENCE.txt").symlink_to(tiny_lake.root / "x.txt")
    found = CliRunner().invoke(cli, ["export", "signal_coverage", "--to", "e.csv", "--lake", str(tiny_lake.root)])
    assert "only builds write" in str(found.exception)
    assert not (tiny_lake.root / "x.txt").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["sql", "COPY (SELECT 1) TO 'hard.parquet' (FORMAT parquet)"],
        ["sql", "SELECT 1", "--format", "parquet", "--output", "hard.parquet"],
        ["sql", "SELECT 1", "--output", "hard.parquet"],
        ["export", "signal_coverage", "--to", "hard.parquet"],
    ],
)
def test_what_is_written_over_a_second_name_of_a_part_leaves_the_part(
    tiny_lake: Lake, place: Path, command: list[str]
) -> None:
    assert CliRunner().invoke(cli, [*command, "--lake", str(tiny_lake.root)]).exit_code == 0
    assert (place / "hard.parquet").stat().st_nlink == 1
    assert verify_version(tiny_lake.require_current()) == []


def test_a_loop_of_links_is_named(tiny_lake: Lake, place: Path) -> None:
    (place / "loop").symlink_to(place / "loop")
    assert "symbolic link to itself" in str(ask(tiny_lake, "COPY (SELECT 1) TO 'loop/x.csv'").exception)


@pytest.mark.parametrize(
    ("argument", "given", "reason"),
    [
        ("SELECT '\udcff'", b"", "not UTF-8"),
        ("-", b"SELECT '\xff'", "not UTF-8"),
        ("-", b"COPY (SELECT 1) TO 'a\0b.csv'", "NUL character"),
    ],
)
def test_a_query_that_is_no_text_is_wrong_usage(
    tiny_lake: Lake, place: Path, argument: str, given: bytes, reason: str
) -> None:
    found = CliRunner().invoke(cli, ["sql", argument, "--lake", str(tiny_lake.root)], input=given)
    assert found.exit_code == 2
    assert reason in found.stderr
    assert sorted(path.name for path in place.iterdir()) == HELD


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT model FROM rollouts) TO 'o.parquet'",
        "COPY signal_coverage TO 'o.csv' (HEADER, DELIMITER '/')",
        "SET threads = 1; SET memory_limit = '1GB'; COPY (SELECT 1 AS a, 2 AS b) TO 'o' (FORMAT csv, PARTITION_BY b)",
        "COPY (SELECT 1) TO 'a:b#c?.csv'",
        "COPY (SELECT 1 AS a, 2 AS b) TO 'PLACE/o' (FORMAT csv, PARTITION_BY (b), OVERWRITE)",
        "CREATE TEMP TABLE t AS SELECT 1 AS \"copy\"; INSERT INTO t VALUES (2); COPY t TO 'it''s.csv'",
    ],
)
def test_an_analyst_writes_to_a_folder_of_his_own(tiny_lake: Lake, place: Path, query: str) -> None:
    assert ask(tiny_lake, query.replace("PLACE", str(place))).exit_code == 0
    assert len(list(place.iterdir())) == len(HELD) + 1


@pytest.mark.parametrize(
    "query",
    [
        "FROM rollouts LIMIT 1",
        "DESCRIBE rollouts",
        "SUMMARIZE signal_coverage",
        "SHOW TABLES",
        "PIVOT signal_coverage ON status USING count(*)",
        "EXPLAIN SELECT 1",
        "PRAGMA database_size",
        "CALL pragma_version()",
        "SELECT 'copy', $$copy$$ -- copy",
        "FROM query('SELECT 1 AS query')",
        "SELECT 1 AS \"copy\", 'to ' || 'here' AS x",
        "SET VARIABLE x = 1; SELECT getvariable('x')",
        "PREPARE p AS SELECT 1; EXECUTE p",
    ],
)
def test_questions_are_answered(tiny_lake: Lake, query: str) -> None:
    found = ask(tiny_lake, query)
    assert found.exit_code == 0, found.exception
    assert found.output


def test_what_does_not_fit_in_memory_does_not_go_into_the_version(tiny_lake: Lake) -> None:
    found = ask(tiny_lake, "SELECT current_setting('temp_directory') AS t", "--format", "json")
    spill = Path(json.loads(found.output)["t"])
    assert tiny_lake.root not in spill.parents
    assert not spill.exists()


HOSTILE = "a\x1b]0;owned\x07b\u202ec\rd\ne\x00f\x9b31mg\u2028h"


def test_a_table_shows_what_a_terminal_would_obey(tiny_lake: Lake) -> None:
    letters = " || ".join(f"chr({ord(char)})" for char in HOSTILE)
    query = f'SELECT {letters} AS "x\x1b[2Jy", [{letters}] AS l'
    shown = ask(tiny_lake, query).output
    assert not {char for char in shown if not char.isprintable()} - {"\n"}
    assert len(shown.splitlines()) == 2
    assert r"a\x1b]0;owned\x07b\u202ec\rd\ne\x00f\x9b31mg\u2028h" in shown
    assert r"x\x1b[2Jy" in shown
    exact = json.loads(ask(tiny_lake, query, "--format", "json").output)
    assert exact == {"x\x1b[2Jy": HOSTILE, "l": [HOSTILE]}
    assert HOSTILE in ask(tiny_lake, query, "--format", "csv").stdout_bytes.decode()


def damaged_copy(lake: Lake, target: Path, how: str) -> tuple[Lake, Path]:
    copy = Lake.at(target)
    shutil.copytree(lake.root, copy.root, symlinks=True)
    CliRunner().invoke(cli, ["catalog", "--lake", str(copy.root)])
    part = sorted((copy.require_current() / "tables" / "rollouts").rglob("*.parquet"))[0]
    data = part.read_bytes()
    whole = len(data) // 4
    changed = {"cut": data[:whole], "empty": b"", "zeros": data[:whole] + bytes(whole) + data[2 * whole :]}[how]
    part.unlink()
    part.write_bytes(changed)
    return copy, part


@pytest.mark.parametrize("how", ["cut", "empty", "zeros"])
def test_a_damaged_part_is_named_and_not_the_target(tiny_lake: Lake, tmp_path: Path, how: str) -> None:
    copy, part = damaged_copy(tiny_lake, tmp_path / "copy", how)
    commands = (
        ["sql", "FROM rollouts", "--format", "csv"],
        ["sql", "SELECT * FROM rollouts ORDER BY ALL"],
        ["sql", f"COPY rollouts TO '{tmp_path}/r.csv'"],
        ["sql", "FROM rollouts", "--format", "parquet", "--output", str(tmp_path / "r.parquet")],
        ["export", "rollouts", "--to", str(tmp_path / "e.csv")],
    )
    for command in commands:
        found = CliRunner().invoke(cli, [*command, "--lake", str(copy.root)])
        assert found.exit_code == 1, command
        assert f"{part} has" in str(found.exception)
        assert "callake verify-lake --lake" in str(found.exception)
        assert "could not be written" not in str(found.exception)


def test_a_sound_lake_is_not_blamed(tiny_lake: Lake, tmp_path: Path) -> None:
    said = str(ask(tiny_lake, "SELECT nothing FROM rollouts").exception)
    assert said.startswith("DuckDB refused the query")


WRITERS = {
    "sql --output": ["sql", "SELECT 1 AS a", "--format", "csv", "--output", "PLACE/x.csv"],
    "a table": ["sql", "SELECT 1 AS a", "--output", "PLACE/x.csv"],
    "COPY": ["sql", "COPY (SELECT 1 AS a) TO 'PLACE/x.csv'"],
    "export": ["export", "signal_coverage", "--to", "PLACE/x.csv"],
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_folder_of_a_file_that_somebody_names_is_made(tiny_lake: Lake, tmp_path: Path, name: str) -> None:
    def run(place: Path) -> Result:
        words = [word.replace("PLACE", str(place)) for word in WRITERS[name]]
        return CliRunner().invoke(cli, [*words, "--lake", str(tiny_lake.root)])

    assert run(tmp_path / "new" / "folder").exit_code == 0
    assert (tmp_path / "new" / "folder" / "x.csv").read_text()
    assert not list((tmp_path / "new" / "folder").glob(".*"))
    (tmp_path / "file").touch()
    found = run(tmp_path / "file" / "folder")
    assert found.exit_code == 1
    assert f"{tmp_path / 'file' / 'folder'} can not be made a folder" in str(found.exception)


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_query_that_fails_leaves_the_file_that_was_there(tiny_lake: Lake, tmp_path: Path, form: str) -> None:
    target = tmp_path / f"x.{form}"
    target.write_text("before")
    query = "SELECT CASE WHEN a = 199999 THEN error('no') ELSE a END FROM range(200000) AS t(a)"
    found = ask(tiny_lake, query, "--format", form, "--output", str(target))
    assert found.exit_code == 1
    assert "DuckDB refused the query" in str(found.exception)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {target.name: "before"}
