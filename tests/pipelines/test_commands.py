"""The commands from outside: what is wrong usage, what is refused, what is warned of, and what JSON and CSV keep."""

from __future__ import annotations

import importlib
import json
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from pipelines import commands
from pipelines.cli import cli
from synthetic.grace import synth_release
from warehouse.catalog import open_lake
from warehouse.errors import LakeError
from warehouse.export import export
from warehouse.restrictions import restricted_columns_written
from warehouse.storage.layout import Lake
from warehouse.storage.versions import require_version


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def ask(lake: Lake, query: str, *more: str) -> Result:
    return run("sql", query, "--lake", str(lake.root), *more)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--grace", "ZIP", "--keep", "0"], "--keep is '0': expected a whole number, 1 or more"),
        (["--grace", "ZIP", "--workers", "abc"], "--workers is 'abc': expected a whole number"),
        (["--sra", "DIR"], "--sra needs --instances"),
        (["--grace", "ZIP", "--grace-runs", "DIR"], "--grace-runs needs --elicitation"),
        (["--grace-runs", "DIR"], "--grace-runs needs --grace and --elicitation"),
        (["--benchmirt-items", "ZIP"], "--benchmirt-items needs --benchmirt"),
        ([], "Nothing to build"),
    ],
)
def test_wrong_usage_is_said_before_anything_is_done(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "release.zip").write_bytes(synth_release(1))
    places = {"ZIP": str(tmp_path / "release.zip"), "DIR": str(tmp_path)}
    found = run("build", "--lake", str(tmp_path / "lake"), *[places.get(word, word) for word in arguments])
    assert found.exit_code == 2
    assert said in found.output
    assert not (tmp_path / "lake").exists()


def test_json_keeps_every_column_and_tells_nan_from_null(tiny_lake: Lake) -> None:
    found = ask(
        tiny_lake, "SELECT 1 AS a, 2 AS a, 'NaN'::DOUBLE AS n, NULL AS z, map([1], [2]) AS m", "--format", "json"
    )
    assert json.loads(found.output) == {"a": 1, "a_1": 2, "n": "NaN", "z": None, "m": {"1": 2}}


def test_each_statement_is_answered_and_none_is_wrong_usage(tiny_lake: Lake) -> None:
    assert ask(tiny_lake, "SELECT 1 AS a; SELECT 2 AS b", "--format", "csv").output == "a\n1\nb\n2\n"
    assert ask(tiny_lake, " ").exit_code == 2
    assert ask(tiny_lake, "SELECT 1; SELECT 2", "--output", "x.csv").exit_code == 2


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT answer FROM rollouts", {"answer"}),
        ("SELECT r.answer AS x FROM rollouts AS r", {"answer"}),
        ("FROM rollout_texts", {"text"}),
        ("TABLE rollout_texts", {"text"}),
        ("SUMMARIZE rollout_texts", {"text"}),
        ("SELECT t FROM rollout_texts AS t", {"text"}),
        ("SELECT * FROM (SELECT * FROM rollout_texts)", {"text"}),
        ("SELECT * FROM read_parquet('lake/current/tables/rollout_texts/x.parquet')", {"text"}),
        ("SELECT model, count(*) FROM rollout_texts GROUP BY ALL", set()),
        ("SELECT model FROM rollouts", set()),
        ("SELECT * FROM signal_coverage", set()),
    ],
)
def test_restricted_columns_are_seen(tiny_lake: Lake, query: str, columns: set[str]) -> None:
    with open_lake(tiny_lake) as connection:
        found = restricted_columns_written(connection, query, to_file=True)
        assert {name.split(".")[1] for name in found} == columns
        assert restricted_columns_written(connection, query, to_file=False) == {}


def test_a_copy_is_seen_without_an_output(tiny_lake: Lake) -> None:
    with open_lake(tiny_lake) as connection:
        found = restricted_columns_written(connection, "COPY rollout_texts TO 'x.csv'", to_file=False)
    assert "rollout_texts.text" in found


def test_an_export_blanks_restricted_text_and_defuses_formulas(tiny_lake: Lake, tmp_path: Path) -> None:
    target = tmp_path / "answers.csv"
    with open_lake(tiny_lake) as connection:
        export(connection, "rollouts", target, [])
        kept = connection.sql("SELECT count(*) FROM rollouts WHERE dataset <> 'medcalcbench' AND answer <> ''")
        rows = connection.sql(
            f"SELECT count(*) FILTER (dataset = 'medcalcbench' AND answer IS NOT NULL), count(answer), "
            f"count(*) FILTER (regexp_matches(answer, '^[=+@-]') AND try_cast(answer AS DOUBLE) IS NULL) "
            f"FROM read_csv('{target}', all_varchar = true)"
        ).fetchall()
        assert rows == [(0, kept.fetchall()[0][0], 0)]
        with pytest.raises(LakeError, match="ends in"):
            export(connection, "rollouts", tmp_path / "x.txt", [])
    assert "MedCalc" in (tmp_path / "answers.csv.LICENCE.txt").read_text()


def test_a_copy_that_was_cut_short_does_not_answer(tiny_lake: Lake, tmp_path: Path) -> None:
    copy = Lake.at(tmp_path / "copy")
    shutil.copytree(tiny_lake.root, copy.root, symlinks=True)
    gone = sorted((copy.require_current() / "tables" / "rollouts").rglob("*.parquet"))[0]
    gone.unlink()
    with pytest.raises(LakeError, match="are not there, the first is"):
        open_lake(copy)


@pytest.mark.parametrize("name", ["with space", "br[1]", "star*", "quo'te", "eq=ual", "ünï"])
def test_a_lake_may_stand_anywhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "release.zip").write_bytes(synth_release(1))
    lake = tmp_path / name / "lake"
    assert run("build", "--lake", str(lake), "--grace", str(tmp_path / "release.zip"), "--quiet").exit_code == 0
    assert (
        run("sql", "SELECT count(*) AS n FROM grace_questions", "--lake", str(lake), "--format", "csv").output
        == "n\n60\n"
    )


def test_a_copy_that_followed_links_says_what_to_do(tiny_lake: Lake, tmp_path: Path) -> None:
    shutil.copytree(tiny_lake.root, tmp_path / "copy")
    with pytest.raises(LakeError, match="cp -a"):
        require_version(Lake.at(tmp_path / "copy"))
    with pytest.raises(LakeError, match=r"has a '\?'"):
        Lake.at(tmp_path / "q?x").create()


def test_every_command_is_found_by_its_name() -> None:
    modules = {module.name for module in pkgutil.iter_modules(commands.__path__)}
    found = {
        command.name: name
        for name in modules
        for command in getattr(importlib.import_module(f"pipelines.commands.{name}"), "COMMANDS", ())
    }
    context = click.Context(cli)
    assert cli.list_commands(context) == sorted(filter(None, found))
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
    assert cli.get_command(context, "nope") is None


def test_a_question_does_not_wait_for_what_only_builds_use() -> None:
    code = "import sys; from pipelines.cli import cli; cli.get_command(None, 'sql'); print('dagster' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_another_spelling_of_the_folder_leaves_the_catalog_as_it_is(tiny_lake: Lake) -> None:
    database = tiny_lake.require_current() / "lake.duckdb"
    before = database.stat().st_mtime_ns, database.stat().st_ino
    other = Lake.at(tiny_lake.root / ".." / tiny_lake.root.name)
    assert other.root != tiny_lake.root
    with open_lake(other) as connection:
        assert connection.execute("SELECT count(*) > 0 FROM rollouts").fetchall() == [(True,)]
    assert (database.stat().st_mtime_ns, database.stat().st_ino) == before
