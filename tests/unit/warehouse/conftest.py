"""A lake in a temporary folder and a way to publish small versions into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from warehouse.contracts import TABLES
from warehouse.storage.assemble import assemble_shared
from warehouse.storage.layout import Lake
from warehouse.storage.publish import CatalogBuilder, Published, publish
from warehouse.storage.stage import BUILT, SourceReport, Stage

CODE = {"version": "0", "building": "b", "reading": "r"}
Publish = Callable[..., Published]


def no_catalog(version: Path) -> Sequence[dict[str, Any]]:
    (version / "lake.duckdb").touch()
    return []


def question(text: str = "What is 2 + 2?", instance_id: str = "champ_00000") -> pl.DataFrame:
    row = {
        "dataset": "champ", "instance_id": instance_id, "question": text, "gold_answer": "4", "answer_kind": "text",
        "calculator_id": None, "lower_limit": None, "upper_limit": None, "skill_ids": ["s"],
    }  # fmt: skip
    return pl.DataFrame([row], schema=TABLES["questions"].polars_schema)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    found = Lake.at(tmp_path / "lake")
    found.create()
    return found


@pytest.fixture
def publish_question(lake: Lake) -> Publish:
    def run(
        text: str, *, keep: int = 3, catalog: CatalogBuilder = no_catalog, state: dict[str, Any] | None = None
    ) -> Published:
        stage = Stage.begin(lake)
        written = stage.put("questions", question(text))
        stage.report(
            SourceReport("sra", BUILT, [written], {"path": "x"}, state or {}), [], TABLES["source_files"].empty()
        )
        assemble_shared(lake, stage)
        return publish(lake, stage, catalog, CODE, keep)

    return run
