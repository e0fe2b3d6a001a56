"""A process that reads a lake over and over until it is told to stop, and reports what it was answered."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

TABLES: Final = ("questions", "grace_question_texts")
Answer = tuple[str, str]
"""A version's id, and the numbers that its tables' texts hold, written with commas: one where the answer is whole."""


def _numbers(texts: set[str], counts: set[int]) -> str:
    return ",".join(sorted(texts)) + ("" if len(counts) == 1 else f" in {sorted(counts)} rows")


def by_duckdb(root: Path) -> Iterator[Answer]:
    """Open `lake.duckdb` and ask twice, with a pause in which versions come and go."""
    with duckdb.connect(str(root / "lake.duckdb"), read_only=True) as connection:
        for pause in (0.0, 0.3):
            time.sleep(pause)
            (version,) = connection.execute("SELECT version_id FROM lake_location").fetchall()[0]
            rows = [connection.execute(f"SELECT question FROM {table}").fetchall() for table in TABLES]
            yield str(version), _numbers({text for found in rows for (text,) in found}, {len(found) for found in rows})


def by_one_query(root: Path) -> Iterator[Answer]:
    """Open `lake.duckdb` and ask for both tables in one query."""
    with duckdb.connect(str(root / "lake.duckdb"), read_only=True) as connection:
        both = " UNION ALL ".join(f"SELECT question, '{table}' AS name FROM {table}" for table in TABLES)
        rows = connection.execute(f"SELECT question, name, version_id FROM ({both}), lake_location").fetchall()
    counts = Counter(name for _text, name, _version in rows)
    yield str({version for _text, _name, version in rows}.pop()), _numbers({r[0] for r in rows}, {*counts.values()})


def by_polars(root: Path) -> Iterator[Answer]:
    """Read CURRENT once and then the version's own paths, one table with a pause after the other."""
    version = (root / "CURRENT").read_text().strip()
    frames = []
    for table in TABLES:
        frames.append(pl.read_parquet(root / "versions" / version / "tables" / table))
        time.sleep(0.1)
    yield version, _numbers({t for frame in frames for t in frame["question"]}, {frame.height for frame in frames})


KINDS: Final[dict[str, Callable[[Path], Iterator[Answer]]]] = {
    "duckdb": by_duckdb,
    "one_query": by_one_query,
    "polars": by_polars,
}


def main(root: Path, kind: str, stop: Path, report: Path) -> None:
    """Read until `stop` is there; report every answer with its count, and every error."""
    answers: Counter[Answer] = Counter()
    errors: Counter[str] = Counter()
    while not stop.exists():
        try:
            found = list(KINDS[kind](root))
        except Exception as problem:  # noqa: BLE001 - that there is none is what is tested
            errors[f"{type(problem).__name__}: {problem}"] += 1
            continue
        answers.update(found)
        # One opening of the lake sees one version, however long it lasts.
        errors["two versions in one opening"] += len(set(found)) - 1
    report.write_text(json.dumps({"answers": [[*a, n] for a, n in answers.items()], "errors": dict(+errors)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
