"""`make bench`: build the full sample, and say how far it is from the least that could be done.

    python -m tests.bench [--sample DIR] [--keep]

Prints ratios measured in one run, and the environment. The sample is made once, under build/bench.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import time
from pathlib import Path

import duckdb
import psutil

from tests.bench.edit import change_one_cell
from tests.bench.floor import run_floor
from tests.bench.measure import Measured, environment, run

WORK = Path("build/bench")
CALLAKE = str(Path(sys.executable).with_name("callake"))
VIEWS = (
    "calibration_summary", "entropy_by_span", "ab_position_bias", "tf_join_audit", "published_figures_check",
    "confidence_observations", "reliability_diagram", "risk_coverage_curve", "skill_effect", "cap_repair_sensitivity",
)  # fmt: skip
RUNS = 3


def make_sample(given: Path | None) -> tuple[Path, float | None]:
    """Return the full sample's folder and the seconds it took, or None where it was there."""
    if given is not None:
        return given, None
    target = WORK / "full"
    if (target / "bundle" / "MANIFEST.csv").is_file():
        return target, None
    return target, run([CALLAKE, "sample", str(target), "--scale", "full", "--seed", "1"]).seconds


def build(sample: Path, lake: Path) -> Measured:
    """Build a lake from a sample, from nothing where the folder does not exist."""
    bundle, instances = sample / "bundle", sample / "instances"
    return run([CALLAKE, "build", "--sra", str(bundle), "--instances", str(instances), "--lake", str(lake)])


def floor_seconds(sample: Path) -> float:
    """Return the wall time of the least that could be done with the same files and as many processes."""
    target = WORK / "floor"
    shutil.rmtree(target, ignore_errors=True)
    started = time.monotonic()
    run_floor(sample / "bundle", target, psutil.cpu_count() or 1)
    seconds = time.monotonic() - started
    shutil.rmtree(target)
    return seconds


def view_seconds(lake: Path) -> dict[str, float]:
    """Return the median warm seconds of reading each view whole, on two threads."""
    found = {}
    with duckdb.connect(str(lake / "lake.duckdb"), read_only=True, config={"threads": 2}) as connection:
        for view in VIEWS:
            times = []
            for _ in range(RUNS + 1):
                started = time.monotonic()
                connection.execute(f"CREATE OR REPLACE TEMP TABLE seen AS FROM {view}")
                times.append(time.monotonic() - started)
            found[view] = statistics.median(times[1:])
    return found


def with_a_changed_cell(sample: Path, target: Path) -> None:
    """Copy a sample by hard links, with one cell changed."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(sample, target, copy_function=lambda a, b: Path(b).hardlink_to(a))
    change_one_cell(target / "bundle")


def main() -> None:
    """Run every measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=Path, help="a full sample that is there already")
    parser.add_argument("--keep", action="store_true", help="keep the lake and the sample")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    print(environment())
    sample, sampled = make_sample(arguments.sample)
    if sampled is not None:
        print(f"sample: written in {sampled:.0f} s")
    results = measure_build(sample, WORK / "lake")
    print(json.dumps(results, indent=1))
    if not arguments.keep:
        shutil.rmtree(WORK / "lake")


def measure_build(sample: Path, lake: Path) -> dict[str, object]:
    """Measure the floor before and after a build from nothing, then rebuilds and views."""
    shutil.rmtree(lake, ignore_errors=True)
    before = floor_seconds(sample)
    full = build(sample, lake)
    floor = statistics.mean([before, floor_seconds(sample)])
    unchanged = build(sample, lake)
    with_a_changed_cell(sample, WORK / "changed")
    one_cell = build(WORK / "changed", lake)
    shutil.rmtree(WORK / "changed")
    return {
        "floor_seconds": round(floor, 1),
        "build_seconds": round(full.seconds, 1),
        "build_over_floor": round(full.seconds / floor, 2),
        "build_peak_gib": round(full.peak_bytes / 2**30, 2),
        "unchanged_seconds": round(unchanged.seconds, 1),
        "one_cell_seconds": round(one_cell.seconds, 1),
        "build_over_one_cell": round(full.seconds / one_cell.seconds, 1),
        "view_seconds": {name: round(seconds, 3) for name, seconds in view_seconds(lake).items()},
        "steps": full.output.strip().splitlines(),
    }


if __name__ == "__main__":
    main()
