"""What was noticed while reading an input, and the registry of rules that can notice something."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

import polars as pl


class Severity(StrEnum):
    """What a finding does to a build: `error` refuses it, the others are published and counted."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Rule:
    """One named reason to notice something; `name` is stable and stands in `ingest_issues.rule`."""

    name: str
    severity: Severity
    description: str

    def issue(self, message: str, **where: str | int | None) -> Issue:
        """Return a finding of this rule; `where` takes the location fields of `Issue`."""
        return Issue(severity=self.severity, rule=self.name, message=message, **where)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Issue:
    """Grain: one thing noticed. `message` is a sentence and never holds input text (see `fingerprint`)."""

    severity: Severity
    rule: str
    message: str
    source: str | None = None
    path: str | None = None
    line: int | None = None
    model: str | None = None
    dataset: str | None = None
    condition: str | None = None
    instance_id: str | None = None
    sample: int | None = None
    value: str | None = None

    def at(self, **where: str | int | None) -> Issue:
        """Return a copy whose location fields that are still empty are filled from `where`."""
        missing = {name: value for name, value in where.items() if getattr(self, name) is None}
        return replace(self, **missing)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON holds it, without what it does not say."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Issue:
        """Return the finding that `as_dict` wrote."""
        return cls(**{**found, "severity": Severity(found["severity"])})


def fingerprint(text: str | bytes) -> str:
    """Describe input text without repeating it: its length in bytes and the start of its SHA-256."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}…"


def has_errors(issues: Iterable[Issue]) -> bool:
    """Tell whether any finding refuses the build."""
    return any(issue.severity is Severity.ERROR for issue in issues)


_NUMBERS = {"line", "sample"}
_COLUMNS = [field.name for field in fields(Issue) if field.name != "message"] + ["message"]
ISSUE_SCHEMA: dict[str, pl.DataType] = {name: pl.Int64() if name in _NUMBERS else pl.String() for name in _COLUMNS}


def issues_frame(issues: Iterable[Issue]) -> pl.DataFrame:
    """Return the findings as a frame with the columns of the `ingest_issues` table, in table order."""
    rows = [{**asdict(issue), "severity": str(issue.severity)} for issue in issues]
    return pl.DataFrame(rows, schema=ISSUE_SCHEMA)
