"""Lakes that several tests read, each built once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.commands.build import run_build
from pipelines.source import all_options
from synthetic.sra import Spec, generate
from tests.shared_data import shared
from warehouse.catalog import open_lake
from warehouse.storage.layout import Lake


def write_files(target: Path, files: Mapping[str, bytes]) -> Path:
    for path, data in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(data)
    return target


def options(**given: Any) -> dict[str, Any]:
    return {option.key: option.default for option in all_options()} | {"workers": "1"} | given


def sra_options(sample: Path, **given: Any) -> dict[str, Any]:
    return options(sra=str(sample / "bundle"), instances=str(sample / "instances"), **given)


@pytest.fixture(scope="session")
def tiny_files() -> dict[str, bytes]:
    return dict(generate(Spec("tiny", seed=5)))


@pytest.fixture(scope="session")
def tiny_lake(tiny_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("tiny")
    lake = Lake.at(folder / "lake")
    run_build(lake, sra_options(write_files(folder / "raw", tiny_files)), quiet=True)
    return lake


@pytest.fixture(scope="session")
def mini_lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    bundle, instances = shared("bundles/mini"), shared("sra-bench/instances")
    lake = Lake.at(tmp_path_factory.mktemp("mini") / "lake")
    run_build(lake, options(sra=str(bundle), instances=str(instances)), quiet=True)
    return lake


@pytest.fixture(scope="session")
def mini(mini_lake: Lake) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_lake(mini_lake) as connection:
        yield connection
