"""What runs in a worker process: the derived tables of groups of observations, as far as they are not known."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from warehouse.catalog import connect_version, quote
from warehouse.code import SQL_ROOT, code_hash, contract_hash
from warehouse.contracts import TABLES
from warehouse.sqltext import load_tables
from warehouse.storage.assemble import DERIVED, tables_of

CONSTANT: Final = "t_quantiles"
ASKING: Final = (
    "pipelines/figures.py", "pipelines/statistics.py", "warehouse/catalog.py", "warehouse/sqltext.py",
    "warehouse/storage/parquet.py",
)  # fmt: skip
FITTING: Final = ("transforms/statistics/*.py", *ASKING)
QUERYING: Final = ("sql/tables/*.sql", "sql/macros/*.sql", *ASKING)
BESIDE: Final = ("rollouts", "rollout_entropies")
"""Tables by cell that a query reads beside the observations."""

_GROUPS: Final = "SELECT source, model, dataset, count(*) FROM confidence_observations GROUP BY ALL ORDER BY ALL"
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
class Wanted:
    """A group, the hash of its files that are read beside the observations, and the keys known of it."""

    group: Group
    beside: str
    known: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The keys of each group's rows and, of each part, `fitted` or `queried`, the rows of groups whose key was new."""

    keys: Mapping[Group, Mapping[str, str]]
    tables: Mapping[str, pl.DataFrame]


_worker: dict[str, Any] = {}


def start(version: Path, threads: int) -> None:
    """Open the stage of a build, once for all that this process does of it."""
    if _worker.get("version") != version:
        stop()
        _worker.update(version=version, connection=connect_version(version))
    _worker["connection"].execute(f"SET threads = {threads}")


def stop() -> None:
    """Close what `start` opened."""
    if connection := _worker.pop("connection", None):
        connection.close()
    _worker.clear()


def groups() -> dict[Group, int]:
    """Return the groups that there are, with their numbers of observations."""
    return {Group(*keys): n_rows for *keys, n_rows in _worker["connection"].execute(_GROUPS).fetchall()}


@cache
def queried() -> list[str]:
    """Return the derived tables that are a query, in the order in which one needs another."""
    return [found.name for found in load_tables(SQL_ROOT)]


@cache
def fitted() -> list[str]:
    """Return the derived tables that Python computes from a group's observations."""
    return [name for name in tables_of(DERIVED) if name not in {CONSTANT, *queried()}]


def run(job: Sequence[Wanted]) -> Outcome:
    """Read the observations of some groups and compute what is not known of them.

    A group is fitted by itself. A query takes longer to plan than to run over few rows: it is asked once for all.
    """
    keys: dict[Group, dict[str, str]] = {}
    code = _code()
    tables: dict[str, list[pl.DataFrame]] = {}
    to_query: dict[Group, pl.DataFrame] = {}
    for wanted in job:
        observations, annotations = (_ask(query, wanted.group) for query in (_OBSERVATIONS, _ANNOTATIONS))
        keys[wanted.group] = _keys(wanted, code, observations, annotations)
        new = [part for part, key in keys[wanted.group].items() if wanted.known.get(part) != key]
        if "fitted" in new:
            for name, rows in _fit(observations, annotations).items():
                tables.setdefault(name, []).append(rows)
        if "queried" in new:
            to_query[wanted.group] = observations
    if to_query:
        tables |= {name: [rows] for name, rows in _query(_worker["connection"], to_query).items()}
    return Outcome(keys, {name: pl.concat(rows) for name, rows in tables.items()})


def _ask(query: str, group: Group) -> pl.DataFrame:
    rows: pl.DataFrame = _worker["connection"].sql(query, params=group._asdict()).pl()
    return rows


def _code() -> dict[str, str]:
    """Return the hash of each part's code and contracts."""
    return {
        "fitted": _joined(code_hash(*FITTING), _contracts(fitted())),
        "queried": _joined(code_hash(*QUERYING), _contracts(queried())),
    }


def _keys(
    wanted: Wanted, code: Mapping[str, str], observations: pl.DataFrame, annotations: pl.DataFrame
) -> dict[str, str]:
    """Return what each part is made from as one hash: rows, code, contracts."""
    beside = {"fitted": _hash(annotations), "queried": wanted.beside}
    rows = _hash(observations)
    return {part: _joined(rows, beside[part], code[part]) for part in beside}


def _contracts(names: list[str]) -> str:
    return contract_hash(TABLES[name] for name in names)


def _joined(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _hash(rows: pl.DataFrame) -> str:
    """Return the hash of rows, whatever pieces and buffers they came in: DuckDB cuts by its number of threads."""
    target = BytesIO()
    rows.rechunk().write_ipc(target, compat_level=pl.CompatLevel.oldest())
    return hashlib.sha256(target.getbuffer()).hexdigest()


def _fit(observations: pl.DataFrame, annotations: pl.DataFrame) -> dict[str, pl.DataFrame]:
    # scipy and scikit-learn take a second to import: only where figures are fitted.
    from transforms.statistics import statistics_tables

    return statistics_tables(observations, annotations=None if annotations.is_empty() else annotations)


def _query(connection: Any, groups: Mapping[Group, pl.DataFrame]) -> dict[str, pl.DataFrame]:  # noqa: ANN401
    """Return the tables that are a query, of some groups: the tables they name are the groups' rows meanwhile."""
    tables: dict[str, pl.DataFrame] = {}
    with _only(connection, groups) as shadows:
        for found in load_tables(SQL_ROOT):
            types = TABLES[found.name].polars_schema
            tables[found.name] = connection.sql(found.sql).pl().select(pl.col(n).cast(types[n]) for n in types)
            _register(connection, shadows, found.name, tables[found.name])
    return tables


@contextmanager
def _only(connection: Any, groups: Mapping[Group, pl.DataFrame]) -> Iterator[ExitStack]:  # noqa: ANN401
    """Let the names of the tables stand for the rows of some groups: what is temporary is found first."""
    with ExitStack() as shadows:
        _register(connection, shadows, "confidence_observations", pl.concat(groups.values()))
        for name in BESIDE:
            of_source = [group for group in groups if group.source == TABLES[name].source]
            pairs = ", ".join(f"({quote(group.model)}, {quote(group.dataset)})" for group in of_source)
            condition = f"(model, dataset) IN ({pairs})" if pairs else "false"
            connection.execute(f"CREATE TEMP VIEW {name} AS FROM memory.main.{name} WHERE {condition}")
            shadows.callback(connection.execute, f"DROP VIEW temp.{name}")
        yield shadows


def _register(connection: Any, shadows: ExitStack, name: str, rows: pl.DataFrame) -> None:  # noqa: ANN401
    connection.register(name, rows)
    shadows.callback(connection.unregister, name)
