"""`callake sample`: write a synthetic raw bundle, with faults planted by name where asked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from pipelines.pool import run_jobs
from pipelines.progress import Reporter
from synthetic.sra import FileMeta, JobResult, Spec, describe, finish, plan, run_job
from synthetic.sra.faults import FAULTS, plant
from warehouse.errors import LakeError

SCALES = ("tiny", "small", "full")
_job_of: dict[str, tuple[Spec, Path]] = {}


def _start(spec: Spec, target: Path) -> None:
    _job_of["current"] = (spec, target)


def _write_job(job: object) -> tuple[JobResult, list[FileMeta]]:
    """Make one job's files and write them; return what the audit and manifest need, without the bytes."""
    spec, target = _job_of["current"]
    result = run_job(spec, job)  # type: ignore[arg-type]
    metas = [describe(path, data) for path, data in result.files]
    _write(target, result.files)
    return JobResult(result.job, [], result.counts), metas


def _write(target: Path, files: list[tuple[str, bytes]]) -> None:
    for path, data in files:
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def write_sample(target: Path, spec: Spec, workers: int, reporter: Reporter) -> None:
    """Write a bundle to `target/bundle` and its questions to `target/instances`, cells in parallel."""
    jobs = plan(spec)
    counts, metas = [], []
    with reporter.step(f"sample {spec.scale}", len(jobs), "parts") as advance:
        for result, described in run_jobs(_write_job, jobs, workers, _start, (spec, target)):
            metas += described
            counts += [(result.job, result.counts)] if result.counts else []
            advance(1)
    _write(target, finish(counts, metas))


class _OnDisk(Mapping[str, bytes]):
    """The files below a folder by path; only what is asked for is read."""

    def __init__(self, root: Path) -> None:
        self._paths = {p.relative_to(root).as_posix(): p for p in sorted(root.rglob("*")) if p.is_file()}

    def __getitem__(self, path: str) -> bytes:
        return self._paths[path].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def plant_faults(target: Path, faults: Sequence[str], seed: int, refresh_manifest: bool) -> None:
    """Plant faults, in the order given, in a bundle on disk."""
    for name in faults:
        for path, data in plant(_OnDisk(target), name, seed, refresh_manifest).items():
            if data is None:
                (target / path).unlink()
            else:
                _write(target, [(path, data)])


def _name(aside: Path, folder: Path) -> None:
    """Give what was written its place. A folder that is there may be where somebody stands, and is kept."""
    if folder.exists():
        for part in sorted(aside.iterdir()):
            part.rename(folder / part.name)
    else:
        aside.rename(folder)


class _FaultName(click.Choice[str]):
    """The name of a fault; there are too many to print them all where one is misspelt."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401 - as click has it
        close = get_close_matches(str(value), FAULTS, n=3)
        hint = f"did you mean {' or '.join(close)}? " if close else ""
        return (
            f"There is no fault {str(value)!r}: {hint}`callake sample --list-faults` lists the {len(FAULTS)} there are."
        )


def _list_faults(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        for fault in FAULTS.values():
            click.echo(f"{fault.name:<34}{fault.outcome:<10}{fault.description}")
        context.exit()


@click.command("sample")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--scale", type=click.Choice(SCALES), default="small", show_default=True, help="full is the stated size.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option(
    "--fault", "faults", multiple=True, type=_FaultName(list(FAULTS)), metavar="NAME",
    help="Plant a fault by its name, as --list-faults and docs/faults.md have it; may be repeated.",
)  # fmt: skip
@click.option("--refresh-manifest", is_flag=True, help="Renew the manifest after planting, so that hashes agree.")
@click.option(
    "--list-faults", is_flag=True, is_eager=True, callback=_list_faults, expose_value=False,
    help="Name every fault, with what a build does about it, and stop.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count(), help="Processes; default: one a core.")
def sample(folder: Path, scale: str, seed: int, faults: tuple[str, ...], refresh_manifest: bool, workers: int) -> None:
    """Write a synthetic SRA bundle to FOLDER/bundle and its questions to FOLDER/instances.

    The same scale and seed give the same bytes. FOLDER must not exist or be empty. It holds all or nothing: the
    bundle is written beside it, and what a run that was killed left there is removed by the next.
    """
    if folder.exists() and any(folder.iterdir()):
        raise LakeError(f"{folder} is not empty: name a new folder, or remove it first.")
    aside = folder.absolute().with_name(f".{folder.absolute().name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        write_sample(aside, Spec(scale=scale, seed=seed), workers, Reporter())  # type: ignore[arg-type]
        plant_faults(aside, faults, seed, refresh_manifest)
        _name(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    click.echo(f"wrote {folder}/bundle and {folder}/instances")
    click.echo(f"next: callake build --sra {folder}/bundle --instances {folder}/instances --lake lake")


COMMANDS = (sample,)
