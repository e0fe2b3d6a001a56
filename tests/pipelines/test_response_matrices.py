"""`callake build --benchmirt` on people's own matrices: published with what was decided, or refused with the fix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from pipelines.options import OptionError
from pipelines.progress import Reporter
from pipelines.source import BuildContext, environment_options
from pipelines.sources import benchmirt
from warehouse.storage.layout import Lake
from warehouse.storage.record import read_record
from warehouse.storage.stage import Stage

MODELS_IN_ROWS = ",q1,q2,q3\ngpt,1,0,NA\nllama,0,0,1\n"


def built(folder: Path, text: str, *options: str) -> Result:
    (folder / "r.csv").write_text(text)
    words = ["build", "--lake", str(folder / "lake"), "--benchmirt", str(folder / "r.csv"), *options]
    return CliRunner().invoke(cli, words)


def published(folder: Path) -> tuple[pl.DataFrame, dict[str, Any], set[tuple[str, str]]]:
    """The responses, what the record says of their reading, and the findings by severity and rule."""
    version = Lake.at(folder / "lake").require_current()
    responses = pl.read_parquet(version / "tables" / "benchmirt_responses" / "*.parquet")
    issues = pl.read_parquet(version / "tables" / "ingest_issues" / "*.parquet").select("severity", "rule").rows()
    reading: dict[str, Any] = read_record(version)["sources"]["benchmirt"]["inputs"]["reading"]["responses"]
    return responses, reading, set(issues)


def test_a_side_that_nothing_says_is_refused_with_the_option_that_says_it(tmp_path: Path) -> None:
    refused = built(tmp_path, MODELS_IN_ROWS)
    assert refused.exit_code == 1
    said = " ".join(refused.output.split())
    for part in ("r.csv:1:", "models in columns", "models in rows", "--benchmirt-models-in rows"):
        assert part in said
    assert Lake.at(tmp_path / "lake").current_id() is None


def test_the_option_publishes_the_side_and_the_words_with_a_finding_and_in_the_record(tmp_path: Path) -> None:
    done = built(tmp_path, MODELS_IN_ROWS, "--benchmirt-models-in", "rows")
    assert done.exit_code == 0, done.output
    responses, reading, issues = published(tmp_path)
    assert set(responses["model"]) == {"gpt", "llama"}
    assert responses.filter(model="gpt", item_id="q3")["score"].to_list() == [None]
    assert (reading["form"], reading["models_in"], reading["decided_by"]) == ("wide", "rows", "--benchmirt-models-in")
    assert reading["missing_words"] == {"NA": 1}
    assert {("info", "benchmirt.form"), ("info", "benchmirt.missing_word")} <= issues


def test_a_spreadsheets_long_table_with_an_option_for_a_column(tmp_path: Path) -> None:
    text = "sep=;\nitem;model;grade;note\nq1;gpt;TRUE;x\nq2;gpt;0,5;y\n"
    assert built(tmp_path, text).exit_code == 1
    done = built(tmp_path, text, "--benchmirt-score-column", "grade", "--benchmirt-ignored-column", "note")
    assert done.exit_code == 0, done.output
    responses, reading, issues = published(tmp_path)
    assert responses.sort("item_id")["score"].to_list() == [1.0, 0.5]
    assert (reading["form"], reading["delimiter"], reading["truth_words"]) == ("long", ";", {"TRUE": 1})
    assert (reading["score_column"], reading["unread_columns"]) == ("grade", ["note"])
    rules = {rule for severity, rule in issues if severity == "info"}
    assert {f"benchmirt.{n}" for n in ("form", "delimiter", "separator_hint", "truth_word", "decimal_comma")} <= rules


def test_every_fault_of_a_matrix_is_told_at_once(tmp_path: Path) -> None:
    refused = built(tmp_path, "item,model,score\nq1,gpt,so\nq1,gpt,1\n,gpt,7\n")
    assert refused.exit_code == 1
    for part in ("name no item", "neither a number", "outside 0 to 1", "line 3"):
        assert part in refused.output


def test_a_side_of_another_name_in_the_environment_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.csv").write_text(MODELS_IN_ROWS)
    monkeypatch.setenv("CALLAKE_BENCHMIRT", str(tmp_path / "r.csv"))
    monkeypatch.setenv("CALLAKE_BENCHMIRT_MODELS_IN", "sideways")
    lake = Lake.at(tmp_path / "lake")
    lake.create()
    with pytest.raises(OptionError, match="CALLAKE_BENCHMIRT_MODELS_IN is 'sideways': expected one of columns, rows"):
        environment_options()
    monkeypatch.setenv("CALLAKE_BENCHMIRT_MODELS_IN", "rows")
    sound = BuildContext(lake, Stage.begin(lake), environment_options(), {}, Reporter(quiet=True), workers=1)
    assert benchmirt.build(sound).inputs["reading"]["responses"]["models_in"] == "rows"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--benchmirt-models-in", "rows"], "--benchmirt-models-in needs --benchmirt"),
        (["--benchmirt-score-column", "x"], "--benchmirt-score-column needs --benchmirt"),
    ],
)
def test_an_option_without_a_table_is_wrong_usage(tmp_path: Path, words: list[str], said: str) -> None:
    found = CliRunner().invoke(cli, ["build", "--lake", str(tmp_path / "lake"), *words])
    assert found.exit_code == 2
    assert said in found.output
