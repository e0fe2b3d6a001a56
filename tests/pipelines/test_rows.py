"""Rows have one writer: what `sql`, `COPY` and `export` write is the same, and JSON lines are JSON."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from pipelines.cli import cli
from pipelines.commands.build import run_build
from synthetic.benchmirt import make_release
from synthetic.grace import synth_release
from tests.pipelines.conftest import options
from warehouse.contracts import TABLES
from warehouse.rows import Sink, stream_rows, whole_file, write_rows
from warehouse.storage.layout import Lake

VALUES = """
    SELECT NULL AS missing, '' AS empty, 'a,"b"' AS quoted, ['a', 'b,c', '', NULL] AS list,
    1.50::DECIMAL(9, 2) AS price,
    {'a': 1.25::DECIMAL(9, 2), 'b': [NULL]} AS record, map(['k'], [1]) AS pairs,
    DATE '2020-01-02' AS day,
    'é\u2028\n' AS text, 170141183460469231731687303715884105727::HUGEINT AS huge, true AS flag
"""


def ask(lake: Lake, query: str, *more: str) -> Result:
    return CliRunner().invoke(cli, ["sql", query, "--lake", str(lake.root), *more])


def written(lake: Lake, query: str, form: str, folder: Path) -> dict[str, bytes]:
    """The bytes of a query's rows by each way to write them."""
    option = {"csv": "FORMAT csv, HEADER", "json": "FORMAT json"}[form]
    assert ask(lake, f"COPY ({query}) TO '{folder}/copy' ({option})").exit_code == 0
    assert ask(lake, query, "--format", form, "--output", f"{folder}/output").exit_code == 0
    assert ask(lake, query, "--format", form, "--output", f"{folder}/output.gz").exit_code == 0
    return {
        "printed": ask(lake, query, "--format", form).stdout_bytes,
        "COPY": (folder / "copy").read_bytes(),
        "--output": (folder / "output").read_bytes(),
        "--output, compressed": gzip.decompress((folder / "output.gz").read_bytes()),
    }


@pytest.mark.parametrize("form", ["csv", "json"])
def test_every_way_to_write_rows_gives_the_same_bytes(tiny_lake: Lake, tmp_path: Path, form: str) -> None:
    found = written(tiny_lake, VALUES, form, tmp_path)
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize(("form", "ending"), [("csv", "csv"), ("json", "jsonl")])
def test_an_export_writes_as_a_query_does(tiny_lake: Lake, tmp_path: Path, form: str, ending: str) -> None:
    target = tmp_path / f"x.{ending}"
    found = CliRunner().invoke(cli, ["export", "signal_coverage", "--to", str(target), "--lake", str(tiny_lake.root)])
    assert found.exit_code == 0
    assert target.read_bytes() == ask(tiny_lake, "FROM signal_coverage", "--format", form).stdout_bytes


def test_csv_keeps_null_apart_from_an_empty_text_and_writes_lists_as_duckdb_reads_them(tiny_lake: Lake) -> None:
    found = ask(tiny_lake, VALUES, "--format", "csv").stdout_bytes.decode()
    assert found.splitlines()[1].startswith(',"",')
    (row,) = csv.DictReader(io.StringIO(found))
    texts = duckdb.execute("SELECT $1::VARCHAR[], $2::DECIMAL(9, 2)", [row["list"], row["price"]]).fetchall()
    assert texts == [(["a", "b,c", "", None], pytest.approx(1.5))]


def test_json_numbers_are_numbers(tiny_lake: Lake) -> None:
    found = json.loads(ask(tiny_lake, VALUES, "--format", "json").stdout_bytes)
    assert found == {
        "missing": None, "empty": "", "quoted": 'a,"b"', "list": ["a", "b,c", "", None], "price": 1.5,
        "record": {"a": 1.25, "b": [None]}, "pairs": {"k": 1}, "day": "2020-01-02", "text": "é\u2028\n",
        "huge": 2**127 - 1, "flag": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "statement", ["DESCRIBE rollouts", "SUMMARIZE signal_coverage", "EXPLAIN SELECT 1", "SHOW TABLES"]
)
@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_what_is_no_select_is_written_too(tiny_lake: Lake, tmp_path: Path, statement: str, form: str) -> None:
    target = tmp_path / f"x.{form}"
    assert ask(tiny_lake, statement, "--format", form, "--output", str(target)).exit_code == 0
    reader = {"csv": "read_csv", "json": "read_json", "parquet": "read_parquet"}[form]
    assert duckdb.execute(f"SELECT count(*) > 0 FROM {reader}('{target}')").fetchall() == [(True,)]


def test_a_statement_without_rows_prints_none(tiny_lake: Lake) -> None:
    assert ask(tiny_lake, "SET threads = 1; SELECT 1 AS a", "--format", "csv").output == "a\n1\n"
    assert ask(tiny_lake, "SELECT 1 AS a WHERE false", "--format", "csv").output == "a\n"
    assert ask(tiny_lake, "SELECT 1 AS a WHERE false", "--format", "json").output == ""


def test_rows_keep_their_order(tiny_lake: Lake) -> None:
    found = ask(tiny_lake, "SELECT a FROM range(300000) AS t(a) ORDER BY a DESC", "--format", "csv").output
    assert [int(line) for line in found.splitlines()[1:]] == list(range(299_999, -1, -1))


NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.none()
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.sampled_from(
    ["NaN", '"NaN', '\\"Infinity', "\\"]
)


def taking(pieces: list[bytes], most: int = 10**9) -> Sink:
    """A sink that keeps what it takes, and wants no more than so many pieces."""

    def take(piece: bytes) -> bool:
        pieces.append(piece)
        return len(pieces) < most

    return take


def named(value: float | None) -> object:
    """A number as JSON lines hold it."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


@given(st.lists(st.tuples(NUMBERS, st.lists(NUMBERS, max_size=3), TEXTS), min_size=1, max_size=20))
def test_json_lines_are_valid_and_lose_nothing(rows: list[tuple[float | None, list[float | None], str]]) -> None:
    frame = pl.DataFrame(rows, schema={"x": pl.Float64, "many": pl.List(pl.Float64), "text": pl.String}, orient="row")
    pieces: list[bytes] = []
    with duckdb.connect() as connection:
        connection.register("given_rows", frame.to_arrow())
        count = stream_rows(connection, "FROM given_rows", "json", taking(pieces))

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    found = [json.loads(line, parse_constant=refuse) for line in b"".join(pieces).split(b"\n") if line]
    assert count == len(rows)
    assert found == [{"x": named(x), "many": [named(y) for y in many], "text": text} for x, many, text in rows]


def test_a_sink_that_wants_no_more_ends_the_query() -> None:
    taken: list[bytes] = []
    with duckdb.connect() as connection:
        assert stream_rows(connection, "FROM range(10000000000)", "csv", taking(taken, most=1)) == 0
        assert len(taken) == 1
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_text("before")
    with pytest.raises(ZeroDivisionError), whole_file(target) as aside:
        aside.write_text("half")
        _ = 1 / 0
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x": "before"}
    link = tmp_path / "link"
    link.symlink_to(target)
    with whole_file(link) as aside:
        aside.write_text("after")
    assert (link.is_symlink(), target.read_text()) == (True, "after")
    with duckdb.connect() as connection:
        assert write_rows(connection, "SELECT 1 AS a", "csv", Path("/dev/null")) == 1
    assert Path("/dev/null").is_char_device()


# --- tables without rows ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grace_lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("grace")
    (folder / "release.zip").write_bytes(synth_release(1))
    lake = Lake.at(folder / "lake")
    run_build(lake, options(grace=str(folder / "release.zip")), quiet=True)
    return lake


def folder_of(lake: Lake, table: str) -> Path:
    """As the README's recipe has it."""
    version = (lake.root / "CURRENT").read_text().strip()
    return lake.root / "versions" / version / "tables" / table


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_every_reader_finds_a_schema_where_a_table_has_no_rows(grace_lake: Lake, table: Any) -> None:
    place = folder_of(grace_lake, table.name)
    frame = pl.read_parquet(place)
    assert dict(frame.schema) == table.polars_schema
    assert list(pd.read_parquet(place).columns) == list(table.polars_schema)
    assert pyarrow.dataset.dataset(place).schema.names == list(table.polars_schema)
    query = f"SELECT count(*) AS n FROM {table.name}"
    assert ask(grace_lake, query, "--format", "csv").output == f"n\n{frame.height}\n"
    assert frame.height == 0 or table.source in {"grace", "common", "statistics"}


def test_a_table_that_gets_rows_has_no_file_without_rows(
    grace_lake: Lake, tiny_files: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "responses.csv").write_bytes(make_release(seed=3).responses_csv)
    run_build(grace_lake, options(benchmirt=str(tmp_path / "responses.csv")), quiet=True)
    assert pl.read_parquet(folder_of(grace_lake, "benchmirt_responses")).height > 0
    assert pl.read_parquet(folder_of(grace_lake, "rollouts")).height == 0
    before = grace_lake.current_id()
    run_build(grace_lake, options(benchmirt=str(tmp_path / "responses.csv")), quiet=True)
    assert grace_lake.current_id() == before


def test_a_table_by_cell_has_no_file_without_rows_beside_its_cells(tiny_lake: Lake) -> None:
    for table in TABLES.values():
        files = sorted(folder_of(tiny_lake, table.name).rglob("*.parquet"))
        if table.by_cell and len(files) > 1:
            assert folder_of(tiny_lake, table.name) / "part-0.parquet" not in files


def test_py_irt_files_of_no_responses_are_refused(grace_lake: Lake, tiny_lake: Lake, tmp_path: Path) -> None:
    target = tmp_path / "new" / "x.jsonl"
    words = ["irt", "export", "--to", str(target), "--lake"]
    found = CliRunner().invoke(cli, [*words, str(tiny_lake.root)])
    assert "has no benchmirt_responses" in str(found.exception)
    assert not target.parent.exists()
    assert CliRunner().invoke(cli, [*words, str(grace_lake.root)]).exit_code == 0
    assert target.read_text()
