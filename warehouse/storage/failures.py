"""What the system refuses, such as space or a right, as a sentence that says what to do about it."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import duckdb
import polars as pl

from warehouse.errors import LakeError

_ADVICE: Final = {
    errno.ENOSPC: "free some space there, or put the lake on a larger disk",
    errno.EDQUOT: "free some space there, or ask for a larger quota",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f), or use a file system without one",
    errno.EACCES: "give this user the right to it, or name another folder",
    errno.EPERM: "give this user the right to it, or name another folder",
    errno.EROFS: "make the file system writable, or name another folder",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.EIO: "look after the disk",
}
_CODE: Final = re.compile(r"(?:os error|errno) (\d+)", re.IGNORECASE)


@contextmanager
def system_errors(doing: str) -> Iterator[None]:
    """Turn what the system refuses inside the block into a LakeError; `doing` says what was being done.

    Libraries differ in how they report it: Python and pyarrow by OSError, polars and DuckDB also by their own errors.
    """
    try:
        yield
    except OSError as problem:
        raise LakeError(_sentence(doing, problem, problem.errno or _code(str(problem)))) from problem
    except (duckdb.Error, pl.exceptions.PolarsError) as problem:
        code = _code(str(problem))
        if code is None:
            raise
        raise LakeError(_sentence(doing, problem, code)) from problem


def _code(message: str) -> int | None:
    """Return the system's error number that a message tells, by number or by its words."""
    found = _CODE.search(message)
    if found:
        return int(found[1])
    return next((code for code in _ADVICE if os.strerror(code) in message), None)


def _sentence(doing: str, problem: Exception, code: int | None) -> str:
    place = getattr(problem, "filename", None)
    what = os.strerror(code) if code else str(problem)
    where = f" at {place}" if place else ""
    advice = _ADVICE.get(code or 0, "see to that")
    return f"{doing} failed{where}: {what}. {advice[0].upper()}{advice[1:]}, and try again."
