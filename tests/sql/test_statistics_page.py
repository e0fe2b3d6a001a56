"""The worked page is true when run: every SQL block gives the block of text under it.

After a change that is meant, `UPDATE_PAGES=1 pytest tests/sql/test_statistics_page.py` writes the page again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from pipelines.commands.build import run_build
from synthetic.sra import Spec, generate
from tests.pipelines.conftest import sra_options, write_files
from tests.sql.database import Connection
from warehouse.catalog import open_lake
from warehouse.code import PROJECT, SQL_ROOT
from warehouse.contracts.figures import FIGURE_REASONS
from warehouse.contracts.statistics import REASONS
from warehouse.sqltext import load_sql
from warehouse.storage.layout import Lake

PAGE = PROJECT / "docs" / "statistics.md"
BLOCK = re.compile(r"```sql\n(.*?)```\n```text\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The lake that the page's commands make."""
    folder = tmp_path_factory.mktemp("page")
    lake = Lake.at(folder / "lake")
    files = dict(generate(Spec("small", seed=1)))
    run_build(lake, sra_options(write_files(folder / "raw", files)), quiet=True)
    with open_lake(lake) as connection:
        yield connection


def as_text(frame: pl.DataFrame) -> str:
    """A table in columns: names, then rows, null as NULL."""
    cells = [frame.columns, *([_cell(value) for value in row] for row in frame.rows())]
    widths = [max(len(row[i]) for row in cells) for i in range(frame.width)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "".join(f"{line}\n" for line in lines)


def _cell(value: object) -> str:
    return "NULL" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def test_the_page_is_true_when_run(sampled: Connection) -> None:
    text = PAGE.read_text()
    answers = {match[1]: as_text(sampled.sql(match[1]).pl()) for match in BLOCK.finditer(text)}
    assert len(answers) >= 8
    run = BLOCK.sub(lambda match: f"```sql\n{match[1]}```\n```text\n{answers[match[1]]}```", text)
    if os.environ.get("UPDATE_PAGES"):
        PAGE.write_text(run)
    assert run == text, "the page says something else than its SQL; see the top of this file"


def test_the_interval_of_the_worked_question_holds_zero(sampled: Connection) -> None:
    """The one sentence of the page that reads a number in words."""
    ((low, high),) = sampled.sql(
        "SELECT d_accuracy_lo, d_accuracy_hi FROM skill_effect WHERE model = 'Qwen3-32B' AND dataset = 'medcalcbench' "
        "AND signal = 'tf' AND contrast = 'llm_select - direct' AND skill_subset = 'all'"
    ).fetchall()
    assert low < 0 < high


def test_the_page_has_every_reason() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.read_text(), re.MULTILINE))
    known = FIGURE_REASONS | REASONS
    assert {name: text for name, text in rows.items() if name in known} == {n: known[n] for n in rows if n in known}
    statements = " ".join(found.sql for found in load_sql(SQL_ROOT) if "macro" in found.kind)
    used = set(re.findall(r"THEN '(\w+)'|undefined_reason\([^)]*'(\w+)'\)", statements))
    reasons = {name for pair in used for name in pair if name} - {"sum", "rank"}
    assert reasons - rows.keys() <= {"equal_width", "equal_mass"}
    assert rows.keys() >= FIGURE_REASONS.keys()


def test_every_figure_column_the_page_reads_exists(sampled: Connection) -> None:
    views = ("signal_coverage", "skill_effect", "calibration_summary", "reliability_diagram", "cap_repair_sensitivity")
    names = {name for view in views for name, *_ in sampled.execute(f"DESCRIBE {view}").fetchall()}
    read = set(re.findall(r"`(n_\w+|d_\w+|ece\w*|auroc\w*|deff|brier|prr)`", PAGE.read_text()))
    assert read <= names


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([\w.]+)\)", PAGE.read_text()):
        assert (Path(PAGE).parent / target).is_file(), target


KEYS = "source, model, dataset, condition, signal"
TWICE = {
    "skill_effect": """
        SELECT greatest(abs(e.d_accuracy - t.d_accuracy), abs(e.d_confidence - t.d_confidence),
            abs(e.d_bias - t.d_bias), abs(e.d_accuracy_p - t.d_accuracy_p), abs(e.pearson_r - t.pearson_r),
            abs(e.n_pairs - t.n_pairs)) AS gap
        FROM skill_effect AS e JOIN skill_effect_tests AS t USING (model, dataset, signal, contrast, skill_subset)""",
    "spiegelhalter": f"""
        SELECT greatest(abs(s.spiegelhalter_z - t.spiegelhalter_z), abs(s.spiegelhalter_p - t.spiegelhalter_p)) AS gap
        FROM calibration_summary AS s JOIN calibration_tests AS t USING ({KEYS})""",
    "hosmer_lemeshow": f"""
        SELECT abs(h.hosmer_lemeshow_p - t.hosmer_lemeshow_p) AS gap
        FROM hosmer_lemeshow('confidence_observations') AS h JOIN confidence_cells AS c USING (cell)
        JOIN calibration_tests AS t USING ({KEYS})""",
    "bootstrap": f"""
        SELECT abs(b.estimate - CASE b.statistic
            WHEN 'ece' THEN s.ece WHEN 'auroc' THEN s.auroc WHEN 'prr' THEN s.prr END) AS gap
        FROM bootstrap_intervals AS b JOIN calibration_summary AS s USING ({KEYS})""",
}


@pytest.mark.parametrize("figures", TWICE)
def test_what_is_computed_in_sql_and_in_python_agrees(sampled: Connection, figures: str) -> None:
    query = f"SELECT count(gap), max(gap) FROM ({TWICE[figures]})"
    ((compared, gap),) = sampled.sql(query).fetchall()
    assert compared > 30
    assert gap < 1e-10


def test_the_block_of_the_macros_page_runs(sampled: Connection) -> None:
    (block,) = re.findall(r"```sql\n(WITH mine.*?)```", (PAGE.parent / "macros.md").read_text(), re.DOTALL)
    (row,) = sampled.sql(block).fetchall()
    assert None not in row


def test_a_block_that_does_not_run_is_found(sampled: Connection) -> None:
    with pytest.raises(duckdb.Error):
        sampled.sql("SELECT unheard_of FROM skill_effect").pl()
