"""Publishing many small versions, each of which says its number in every table it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import polars as pl

from warehouse.catalog import build_catalog
from warehouse.contracts import TABLES
from warehouse.storage.assemble import assemble_shared
from warehouse.storage.layout import Lake
from warehouse.storage.publish import Published, publish
from warehouse.storage.stage import BUILT, SourceReport, Stage

CODE: Final = {"version": "0", "building": "b", "reading": "r"}
ROWS: Final = 400


def numbered(table: str, number: int) -> pl.DataFrame:
    """Return rows of `questions` or `grace_question_texts` whose texts all hold a version's number."""
    if table == "questions":
        row: dict[str, Any] = {
            "dataset": "champ", "question": f"{number}", "gold_answer": f"{number}", "answer_kind": "text",
            "calculator_id": None, "lower_limit": None, "upper_limit": None, "skill_ids": [f"{number}"],
        }  # fmt: skip
        rows = [row | {"instance_id": f"champ_{k:05}"} for k in range(ROWS)]
    else:
        rows = [
            {"packet": 1, "ordinal": k, "question": f"{number}", "question_buzzpoints": f"{number}"}
            for k in range(ROWS)
        ]
    schema = TABLES[table].polars_schema
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def publish_numbered(root: Path, number: int, keep: int = 3) -> Published:
    """Publish a version of two sources, with its catalog, as a build does."""
    lake = Lake.at(root)
    lake.create()
    stage = Stage.begin(lake)
    for source, table in (("sra", "questions"), ("grace", "grace_question_texts")):
        written = stage.put(table, numbered(table, number))
        stage.report(SourceReport(source, BUILT, [written], {}, {}), [], TABLES["source_files"].empty())
    assemble_shared(lake, stage)
    return publish(lake, stage, lambda version: build_catalog(lake, version, check=False), CODE, keep)
