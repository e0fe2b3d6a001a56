"""Findings about one GRACE file, and the fields of its objects."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from transforms.grace import rules
from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsondoc import Form
from transforms.jsontext import json_type
from warehouse.contracts import Rule
from warehouse.contracts.grace import SOURCE

QUESTIONS: Final = Form(
    "a list of questions", rules.NOT_UTF8, half_pair=rules.NOT_UTF8, not_json=rules.NOT_JSON,
    other_shape=rules.NOT_A_LIST, repeated_key=rules.REPEATED_KEY, byte_order_mark=rules.BYTE_ORDER_MARK,
    bare_tokens=True,
)  # fmt: skip
"""A packet or a run file. Python writes NaN into the latter, which is an error of the run that has it."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Findings about one file, narrowed to a question and a model by `at`."""

    log: IssueLog
    path: str
    instance_id: str | None = None
    model: str | None = None

    @classmethod
    def of(cls, path: str) -> Notes:
        """Return empty notes about a file."""
        return cls(IssueLog(source=SOURCE, path=path), path)

    def add(self, rule: Rule, message: str, value: str | None = None) -> None:
        """Record a finding."""
        self.log.add(rule, message, instance_id=self.instance_id, model=self.model, value=value)

    def at(self, instance_id: str, model: str | None = None) -> Notes:
        """Return the same notes for one question, or for one model's runs of it."""
        return replace(self, instance_id=instance_id, model=model)

    @property
    def place(self) -> str:
        """Where a finding is, as a message says it: the file, and the question and model where there are."""
        question = f", question {self.instance_id}" if self.instance_id else ""
        return self.path + question + (f", model {shown(self.model)}" if self.model else "")


def require_keys(item: dict[str, Any], needed: tuple[str, ...], notes: Notes) -> bool:
    """Tell whether an object has the keys it needs; where not, name the missing ones and those it has."""
    missing = [key for key in needed if key not in item]
    if missing:
        lacking, seen = shown_all(missing), shown_all(item)
        message = f"{notes.place} lacks the keys {lacking}; it has {seen}."
        notes.add(rules.MISSING_KEY, message)
    return not missing


def unknown_fields(item: dict[str, Any], known: frozenset[str], notes: Notes) -> str | None:
    """Return the fields nobody knows as JSON, and note their names; None without any."""
    unknown = {key: value for key, value in item.items() if key not in known}
    if not unknown:
        return None
    message = f"{notes.place} has the unknown keys {shown_all(unknown)}; they are kept."
    notes.add(rules.UNKNOWN_KEY, message)
    return json.dumps(unknown, sort_keys=True)


def text_field(item: dict[str, Any], key: str, notes: Notes) -> str | None:
    """Return a field that must be a string with something in it; None, with an error noted, where it is not."""
    value = item[key]
    if not isinstance(value, str) or not value.strip():
        what = "an empty string" if isinstance(value, str) else json_type(value)
        message = f"{notes.place} has {what} under '{key}'; a string was expected."
        notes.add(rules.MISTYPED, message)
        return None
    return value
