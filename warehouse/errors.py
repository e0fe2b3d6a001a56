"""Refusals: every one is a sentence that a person can act on."""

from __future__ import annotations

from collections.abc import Sequence

from warehouse.contracts.issues import Issue


class LakeError(Exception):
    """The lake can not do what was asked; the text says what was found, what was expected and what to do."""


class RefusedError(LakeError):
    """A build was refused: nothing was published. `issues` holds everything that was noticed."""

    def __init__(self, message: str, issues: Sequence[Issue] = ()) -> None:
        super().__init__(message)
        self.issues = list(issues)
