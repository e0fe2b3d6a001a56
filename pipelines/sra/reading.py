"""Reading a verified file: the bytes that were hashed are the bytes that are parsed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pipelines.sra.jobs import FileRef
from warehouse.contracts import Issue, Rule, Severity
from warehouse.contracts.sra import SOURCE

CHANGED = Rule(
    "bundle.changed_since_verified", Severity.ERROR, "A file's bytes changed between verification and reading."
)
RULES = (CHANGED,)


class ChangedError(Exception):
    """A file is not what it was when it was verified; carries the finding."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.issue: Issue = CHANGED.issue(message, source=SOURCE, path=path)


def read_verified(root: Path, reference: FileRef) -> bytes:
    """Return the bytes of a file of the bundle at `root`. Raises ChangedError where they are not those verified."""
    try:
        data = (root / reference.path).read_bytes()
    except OSError as problem:
        raise ChangedError(
            f"The file could be verified and can no longer be read ({problem.strerror}): keep inputs still.",
            reference.path,
        ) from problem
    found = hashlib.sha256(data).hexdigest()
    if found != reference.sha256:
        raise ChangedError(
            f"The file had SHA-256 {reference.sha256} when it was verified and {found} when it was read: something "
            "writes to the bundle; build again when it has finished.",
            reference.path,
        )
    return data
