"""How fast BenchMIRT is read, fitted and asked, and how well a fit recovers what simulated responses were drawn from.

    python -m tests.bench.bench_irt

Each measurement runs in a process of its own, so that peak memory is that of the measurement. py-irt is compared with
where it is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import expit

from tests.bench.measure import environment, run
from transforms.benchmirt import read_benchmirt, read_responses, write_subjects
from transforms.irt import Fit, Model, Request, Settings, fit, fit_tables
from warehouse.code import SQL_ROOT
from warehouse.contracts import TABLES
from warehouse.sqltext import load_sql

Floats = npt.NDArray[np.float64]
Figures = dict[str, object]
PY_IRT_EPOCHS: Final = 2000
BENCHMARKS: Final = 16


def drawn(n_models: int, n_items: int, dims: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return responses, the probabilities and the abilities they were drawn from."""
    random = np.random.default_rng(seed)
    abilities = random.standard_normal((n_models, dims))
    difficulties = random.normal(0.0, 1.2, n_items)
    slopes = np.exp(random.normal(0.0, 0.4, (n_items, dims)))
    if dims > 1:
        slopes *= random.random((n_items, dims)) < 0.6
    intercepts = -difficulties * (slopes[:, 0] if dims == 1 else 1.0)
    probabilities = expit(abilities @ slopes.T + intercepts)
    return (random.random(probabilities.shape) < probabilities).astype(float), probabilities, abilities


def recovery(found: Fit, probabilities: Floats, abilities: Floats) -> Figures:
    """Return the error of the predicted probabilities and how well the abilities are found, axes turned to fit."""
    design = np.column_stack([np.ones(len(abilities)), found.abilities])
    turned = design @ np.linalg.lstsq(design, abilities, rcond=None)[0]
    return {
        "rmse_p": round(float(np.sqrt(((found.predict() - probabilities) ** 2).mean())), 4),
        "ability_r": round(min(np.corrcoef(t, a)[0, 1] for t, a in zip(turned.T, abilities.T, strict=True)), 4),
        "iterations": found.iterations,
        "converged": found.converged,
    }


def timed_fit(n_models: int, n_items: int, model: Model, dims: int, seed: int, missing: float = 0.0) -> Figures:
    """Fit simulated responses, standard errors included."""
    responses, probabilities, abilities = drawn(n_models, n_items, dims, seed)
    responses[np.random.default_rng(0).random(responses.shape) < missing] = np.nan
    started = time.perf_counter()
    found = fit(responses, model, dims)
    seconds = time.perf_counter() - started
    return {"seconds": round(seconds, 2), **recovery(found, probabilities, abilities)}


def full_table() -> bytes:
    """Return a wide table of the release's size as CSV."""
    responses = drawn(100, 20_000, 1, 4)[0]
    columns = {f"acc_norm_org__model-{i}": row for i, row in enumerate(responses)}
    frame = pl.DataFrame({"question_id": [f"bench_{i % BENCHMARKS}__subset_{i}" for i in range(20_000)], **columns})
    return frame.write_csv().encode()


def full_metadata() -> bytes:
    """Return item metadata for the same table."""
    names = [f"bench_{i % BENCHMARKS}" for i in range(20_000)]
    category = ["General Reasoning" if i % BENCHMARKS < 6 else "Safety" for i in range(20_000)]
    ids = [f"{name}__subset_{i}" for i, name in enumerate(names)]
    frame = pl.DataFrame({"question_id": ids, "benchmark": names, "category": category, "domain_superset": names})
    return frame.write_csv().encode()


def timed_reading() -> Figures:
    """Read the wide table, and build every table of the source from it."""
    data, metadata = full_table(), full_metadata()
    started = time.perf_counter()
    found = read_responses(data, "responses.csv")
    long = time.perf_counter() - started
    read_benchmirt(("responses.csv", data), ("items.csv", metadata))
    everything = time.perf_counter() - started - long
    lines = write_subjects(found.responses)
    started = time.perf_counter()
    read_responses(lines, "responses.jsonl")
    return {
        "rows": found.responses.height,
        "csv_to_long_seconds": round(long, 2),
        "all_tables_seconds": round(everything, 2),
        "json_lines_seconds": round(time.perf_counter() - started, 2),
    }


def timed_views() -> Figures:
    """Ask every view of a lake of the release's size; predictions from two folds."""
    tables = read_benchmirt(("responses.csv", full_table()), ("items.csv", full_metadata())).tables
    made = fit_tables(tables["benchmirt_responses"], Request(n_folds=2), tables["benchmirt_alignment"])
    frames = {name: table.empty() for name, table in TABLES.items()} | tables | made.tables
    connection = duckdb.connect(config={"threads": 2})
    for name, frame in frames.items():
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE {name} AS FROM frame")
    views = [v for v in load_sql(SQL_ROOT) if v.kind != "view" or v.name.startswith(("benchmirt_", "irt_"))]
    seconds: dict[str, object] = {}
    for view in views:
        connection.execute(view.sql)
    for view in views:
        if view.kind == "view":
            started = time.perf_counter()
            connection.execute(f"CREATE OR REPLACE TEMP TABLE seen AS FROM {view.name}")
            seconds[view.name] = round(time.perf_counter() - started, 2)
    return seconds


def timed_validation() -> Figures:
    """Fit and cross-validate a table of the release's size in ten folds."""
    found = read_responses(full_table(), "responses.csv")
    started = time.perf_counter()
    fit_tables(found.responses, Request())
    return {"seconds": round(time.perf_counter() - started, 1)}


def compared_with_py_irt() -> Figures:
    """Fit the same 200 x 2,000 responses with both; py-irt's hierarchical 2PL, which recovers best."""
    if importlib.util.find_spec("py_irt") is None:
        return {"skipped": "py-irt is not installed"}
    responses, probabilities, abilities = drawn(200, 2000, 1, 1)
    started = time.perf_counter()
    ours = fit(responses, settings=Settings(standard_errors=False))
    our_seconds = time.perf_counter() - started
    started = time.perf_counter()
    theirs = _py_irt(responses)
    their_seconds = time.perf_counter() - started
    predicted = expit(theirs["disc"] * (theirs["ability"][:, None] - theirs["diff"]))
    return {
        "ours_seconds": round(our_seconds, 2),
        "py_irt_seconds": round(their_seconds, 1),
        "times_faster": round(their_seconds / our_seconds),
        "ours_rmse_p": recovery(ours, probabilities, abilities)["rmse_p"],
        "py_irt_rmse_p": round(float(np.sqrt(((predicted - probabilities) ** 2).mean())), 4),
    }


def _py_irt(responses: Floats) -> dict[str, Floats]:
    training: Any = importlib.import_module("py_irt.training")
    config: Any = importlib.import_module("py_irt.config")
    names = [f"m{i}" for i in range(len(responses))]
    items = [f"i{i}" for i in range(responses.shape[1])]
    long = pl.DataFrame(
        {"model": np.repeat(names, len(items)), "item_id": np.tile(items, len(names)), "score": responses.ravel()}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "responses.jsonlines"
        path.write_bytes(write_subjects(long))
        settings = config.IrtConfig(model_type="2pl", priors="hierarchical", epochs=PY_IRT_EPOCHS)
        trainer = training.IrtModelTrainer(data_path=path, config=settings, verbose=False)
        trainer.train(epochs=PY_IRT_EPOCHS, device="cpu")
    best = trainer.best_params
    rows = np.argsort([names.index(best["subject_ids"][i]) for i in range(len(names))])
    columns = np.argsort([items.index(best["item_ids"][i]) for i in range(len(items))])
    return {
        "ability": np.array(best["ability"])[rows],
        "diff": np.array(best["diff"])[columns],
        "disc": np.array(best["disc"])[columns],
    }


MEASUREMENTS: dict[str, Callable[[], Figures]] = {
    "2PL, 200 x 2,000": lambda: timed_fit(200, 2000, "2pl", 1, 1),
    "2PL, 200 x 2,000, a tenth missing": lambda: timed_fit(200, 2000, "2pl", 1, 1, 0.1),
    "1PL, 200 x 2,000": lambda: timed_fit(200, 2000, "1pl", 1, 1),
    "M2PL in 2 dimensions, 100 x 20,000": lambda: timed_fit(100, 20_000, "m2pl", 2, 2),
    "M2PL in 4 dimensions, 100 x 20,000": lambda: timed_fit(100, 20_000, "m2pl", 4, 3),
    "reading 100 x 20,000": timed_reading,
    "2PL and ten folds, 100 x 20,000": timed_validation,
    "views over 100 x 20,000 [seconds]": timed_views,
    "py-irt, 200 x 2,000": compared_with_py_irt,
}


def main() -> None:
    """Run one measurement here, or each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=list(MEASUREMENTS), help="run this one in this process")
    only = parser.parse_args().only
    if only:
        found = MEASUREMENTS[only]()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps({**found, "peak_gib": round(peak / 2**30, 2)}))
        return
    print(environment())
    for name in MEASUREMENTS:
        print(
            f"{name}: {run([sys.executable, '-m', 'tests.bench.bench_irt', '--only', name]).output.strip()}", flush=True
        )


if __name__ == "__main__":
    main()
