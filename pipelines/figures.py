"""What runs in a worker process: the derived tables of one group of observations, as far as they are not known."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from warehouse.catalog import connect_version, quote
from warehouse.code import PROJECT, SQL_ROOT, code_hash, contract_hash, hash_files
from warehouse.contracts import TABLES
from warehouse.sqltext import load_tables
from warehouse.storage.assemble import DERIVED, tables_of

CONSTANT: Final = "t_quantiles"
FITTING: Final = ("transforms/statistics/*.py",)
_QUERIES: Final = ("sql/tables/*.sql", "sql/macros/*.sql")
BESIDE: Final = ("rollouts", "rollout_entropies")
"""Tables by cell that a query reads beside the observations."""

_OBSERVATIONS: Final = """
FROM confidence_observations WHERE source = $source AND model = $model AND dataset = $dataset
ORDER BY cell, question_id, unit_id
"""
_ANNOTATIONS: Final = """
SELECT dataset, condition, instance_id AS question_id, skill_is_annotated
FROM question_conditions
WHERE $source = 'sra' AND model = $model AND dataset = $dataset AND skill_is_annotated IS NOT NULL
ORDER BY ALL
"""


class Group(NamedTuple):
    """All observations of one model on one data set: nothing is compared or pooled beyond them."""

    source: str
    model: str
    dataset: str


@dataclass(frozen=True, slots=True)
class Job:
    """One group, the hash of its files of the tables that are read beside the observations, and the keys known."""

    group: Group
    beside: str
    known: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The keys of a group's rows and the tables of those parts, `fitted` or `queried`, whose key was not known."""

    group: Group
    keys: Mapping[str, str]
    tables: Mapping[str, pl.DataFrame]


_worker: dict[str, Any] = {}


def start(version: Path, threads: int) -> None:
    """Open the stage of a build once for all groups of this process."""
    connection = connect_version(version)
    connection.execute(f"SET threads = {threads}")
    _worker["connection"] = connection


def queried() -> list[str]:
    """Return the derived tables that are a query, in the order in which one needs another."""
    return [found.name for found in load_tables(SQL_ROOT)]


def fitted() -> list[str]:
    """Return the derived tables that Python computes from a group's observations."""
    return [name for name in tables_of(DERIVED) if name not in {CONSTANT, *queried()}]


def run(job: Job) -> Outcome:
    """Read a group's observations and compute what is not known of them."""
    connection = _worker["connection"]
    given = job.group._asdict()
    observations = connection.sql(_OBSERVATIONS, params=given).pl()
    annotations = connection.sql(_ANNOTATIONS, params=given).pl()
    keys = _keys(job, observations, annotations)
    tables: dict[str, pl.DataFrame] = {}
    if job.known.get("fitted") != keys["fitted"]:
        tables |= _fit(observations, annotations)
    if job.known.get("queried") != keys["queried"]:
        tables |= _query(connection, job.group, observations)
    return Outcome(job.group, keys, tables)


def _keys(job: Job, observations: pl.DataFrame, annotations: pl.DataFrame) -> dict[str, str]:
    """Return what each part is made from as one hash: rows, code, contracts."""
    rows = _hash(observations)
    return {
        "fitted": _joined(rows, _hash(annotations), code_hash(*FITTING), _contracts(fitted())),
        "queried": _joined(rows, job.beside, hash_files(PROJECT, _QUERIES), code_hash(), _contracts(queried())),
    }


def _contracts(names: list[str]) -> str:
    return contract_hash(TABLES[name] for name in names)


def _joined(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _hash(rows: pl.DataFrame) -> str:
    target = BytesIO()
    rows.write_ipc(target)
    return hashlib.sha256(target.getbuffer()).hexdigest()


def _fit(observations: pl.DataFrame, annotations: pl.DataFrame) -> dict[str, pl.DataFrame]:
    # scipy and scikit-learn take a second to import: only where figures are fitted.
    from transforms.statistics import statistics_tables

    return statistics_tables(observations, annotations=None if annotations.is_empty() else annotations)


def _query(connection: Any, group: Group, observations: pl.DataFrame) -> dict[str, pl.DataFrame]:  # noqa: ANN401
    """Return the tables that are a query, of the group alone: the tables they name are its rows meanwhile."""
    tables: dict[str, pl.DataFrame] = {}
    with _only(connection, group, observations):
        for found in load_tables(SQL_ROOT):
            types = TABLES[found.name].polars_schema
            tables[found.name] = connection.sql(found.sql).pl().select(pl.col(n).cast(types[n]) for n in types)
            connection.register(found.name, tables[found.name])
        for name in tables:
            connection.unregister(name)
    return tables


@contextmanager
def _only(connection: Any, group: Group, observations: pl.DataFrame) -> Iterator[None]:  # noqa: ANN401
    """Let the names of the tables stand for the rows of one group: what is temporary is found first."""
    connection.register("confidence_observations", observations)
    for name in BESIDE:
        is_of = f"{quote(group.source)} = {quote(TABLES[name].source)}"
        of_group = f"{is_of} AND model = {quote(group.model)} AND dataset = {quote(group.dataset)}"
        connection.execute(f"CREATE TEMP VIEW {name} AS FROM memory.main.{name} WHERE {of_group}")
    try:
        yield
    finally:
        connection.unregister("confidence_observations")
        for name in BESIDE:
            connection.execute(f"DROP VIEW temp.{name}")
