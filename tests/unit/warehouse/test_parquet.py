"""Table files: the same rows give the same bytes, and what was written is read back against the contract."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.warehouse.conftest import question
from warehouse.contracts import TABLES
from warehouse.errors import LakeError
from warehouse.storage.parquet import FileReport, arrow_schema, audit_file, write_table

CELL = ("m", "champ", "direct")
TOKENS = TABLES["token_entropies"]


def tokens(**changes: list[object]) -> pa.Table:
    columns = {
        "model": ["m"] * 4, "dataset": ["champ"] * 4, "condition": ["direct"] * 4,
        "instance_id": ["a", "a", "a", "b"], "sample": [0, 0, 1, 0], "position": [0, 1, 0, 0],
        "token_id": [5, 6, 7, 8], "entropy": [0.1, 0.2, 0.3, 0.4], "in_answer": [None, True, False, None],
        "is_numeric": [None, True, False, None],
    } | changes  # fmt: skip
    return pa.table(columns, schema=arrow_schema(TOKENS))


def test_row_order_does_not_matter(tmp_path: Path) -> None:
    rows = pl.concat([question("x", f"champ_{n:05}") for n in (2, 0, 1)])
    first = write_table(tmp_path / "a", TABLES["questions"], rows)
    second = write_table(tmp_path / "b", TABLES["questions"], rows.reverse())
    assert first.sha256 == second.sha256
    assert FileReport.from_dict(first.as_dict()) == first


def test_every_reader_sees_plain_types(tmp_path: Path) -> None:
    report = write_table(tmp_path, TOKENS, tokens(), CELL)
    path = tmp_path / report.path
    assert pl.read_parquet(path).schema == TOKENS.polars_schema
    assert pq.read_schema(path).field("model").type == pa.string()
    assert pd.read_parquet(tmp_path / "tables" / "token_entropies")["model"].tolist() == ["m"] * 4


@pytest.mark.parametrize(
    ("changes", "clause"),
    [
        ({"entropy": [0.1, 0.0, 0.3, 0.4]}, "have entropy not above its lower bound"),
        ({"entropy": [0.1, float("nan"), 0.3, 0.4]}, "have entropy that is not finite"),
        ({"token_id": [5, -6, 7, 8]}, "have token_id below its minimum"),
        ({"sample": [0, 0, 9, 0]}, "have sample above its maximum"),
        ({"position": [1, 0, 0, 0]}, "do not rise strictly"),
        ({"position": [0, 0, 0, 0]}, "do not rise strictly"),
        ({"model": ["m", "m", "n", "m"]}, "have another model than 'm'"),
    ],
)
def test_a_bulk_table_that_breaks_its_contract_is_refused(
    tmp_path: Path, changes: dict[str, list[object]], clause: str
) -> None:
    with pytest.raises(LakeError, match=clause):
        write_table(tmp_path, TOKENS, tokens(**changes), CELL)


def test_rows_that_break_a_contract_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="primary_key"):
        write_table(tmp_path, TABLES["questions"], pl.concat([question(), question()]))


def test_a_missing_column_and_a_wrong_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="lacks the columns"):
        write_table(tmp_path, TABLES["questions"], question().drop("question"))
    with pytest.raises(LakeError, match="laid out"):
        write_table(tmp_path, TABLES["questions"], question(), CELL)


def test_a_foreign_schema_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    assert "its columns are" in audit_file(path, TABLES["questions"], None)[0]


def test_rows_that_fall_between_two_row_groups_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.storage.parquet.ROW_GROUP", 2)
    write_table(tmp_path / "good", TOKENS, tokens(), CELL)
    with pytest.raises(LakeError, match="do not rise strictly"):
        write_table(tmp_path / "bad", TOKENS, tokens(sample=[0, 0, 0, 0], position=[0, 1, 1, 0]), CELL)
