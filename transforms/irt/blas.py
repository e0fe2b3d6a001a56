"""Results that do not depend on how many threads the linear algebra library runs on."""

from __future__ import annotations

from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]


def one_blas_thread() -> AbstractContextManager[object]:
    """Run matrix products on one thread: cut over another number of threads they differ in their last bits."""
    found: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return found
