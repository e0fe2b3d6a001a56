"""What a worker process is given and gives back: small, picklable, without any table's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transforms.sra.join import TfMemory
from transforms.sra.layout import CellKey
from transforms.sra.question import Question
from transforms.sra.token_blocks import Layout
from warehouse.contracts import Issue
from warehouse.storage.parquet import FileReport


@dataclass(frozen=True, slots=True)
class FileRef:
    """A verified file of the bundle: its path inside it, and the SHA-256 and size that verification found."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Half:
    """What one half of a cell (`tokens` or `answers`) gave: kept in the version's state, so that it can be reused.

    `key` is the hash of everything it was made from: input files, code, questions, memory.
    """

    key: str
    files: Sequence[FileReport] = ()
    issues: Sequence[Issue] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the half as JSON holds it."""
        return {
            "key": self.key,
            "files": [file.as_dict() for file in self.files],
            "issues": [issue.as_dict() for issue in self.issues],
            "facts": dict(self.facts),
        }

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Half:
        """Return the half that `as_dict` wrote."""
        issues = [Issue.from_dict(issue) for issue in found["issues"]]
        return cls(found["key"], [FileReport.from_dict(file) for file in found["files"]], issues, found["facts"])


@dataclass(frozen=True, slots=True)
class CellJob:
    """One cell to read. A half that is given is reused as it is; the other is computed.

    `accepted` says whether this build accepts a stale positional join of the cell; `acceptance` is what an earlier one
    accepted.
    """

    cell: CellKey
    files: Mapping[str, FileRef]
    tokenizer: FileRef | None
    memory: TfMemory | None
    accepted: bool
    acceptance: TfMemory | None
    tokens_key: str | None
    tokens: Half | None = None


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """What became of one cell. With an error among the issues nothing of it was left in the stage.

    `asked` has the questions of its sampling file where that alone is sound, whatever became of the rest; None for a
    cell that was reused.
    """

    cell: CellKey
    tokens: Half | None
    answers: Half
    memory: TfMemory | None
    changed: Sequence[Issue] = ()
    asked: Sequence[str] | None = None

    @property
    def issues(self) -> list[Issue]:
        """Everything noticed in the cell."""
        return [*self.changed, *(self.tokens.issues if self.tokens else ()), *self.answers.issues]

    @property
    def files(self) -> list[FileReport]:
        """Everything written for the cell."""
        return [*(self.tokens.files if self.tokens else ()), *self.answers.files]


@dataclass(frozen=True, slots=True)
class Shared:
    """What every job of a build has in common; sent to a worker once."""

    bundle: Path
    stage: Path
    questions: Mapping[str, Mapping[str, Question]]
    layout: Layout
    max_inflated: int
