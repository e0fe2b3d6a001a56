"""Running independent jobs in processes, so that memory is bounded by a job and not by the number of jobs."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from pipelines.memory import collect_rarely
from warehouse.errors import LakeError

Job = TypeVar("Job")
Result = TypeVar("Result")

_ONE_THREAD = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS")


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let the processes that start in this block use one thread each: the pool is the parallelism."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _begin(initialise: Callable[..., None], shared: tuple[Any, ...]) -> None:
    """Prepare a worker process. It ends with its parent: killed alone, that could not end it and it would wait on."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    collect_rarely()
    initialise(*shared)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def run_jobs(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    workers: int,
    initialise: Callable[..., None],
    shared: tuple[Any, ...] = (),
) -> Iterator[Result]:
    """Yield each job's result as it is done, in any order; one worker runs them in this process.

    `initialise(*shared)` runs once a worker. Raises LakeError when a worker is killed.
    """
    if workers <= 1 or len(jobs) <= 1:
        initialise(*shared)
        yield from map(function, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with (
        _one_thread_each(),
        ProcessPoolExecutor(
            min(workers, len(jobs)), context, initializer=_begin, initargs=(initialise, shared)
        ) as pool,
    ):
        futures = [pool.submit(function, job) for job in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as problem:
            raise LakeError(
                "A worker process was killed, most likely for want of memory: free some, or use fewer --workers."
            ) from problem
        finally:
            for future in futures:
                future.cancel()
