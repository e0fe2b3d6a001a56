"""JSON from strangers: no silent last-key-wins, no silent replacement characters, no crash on deep nesting."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from transforms.grace import rules
from transforms.issue_log import IssueLog, shown, shown_all
from transforms.jsonl import json_type
from warehouse.contracts import Rule
from warehouse.contracts.grace import SOURCE

_BOM: Final = b"\xef\xbb\xbf"


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


def read_objects(data: bytes, notes: Notes) -> list[Any]:
    """Return the elements of a file that is a JSON list; empty, with an error noted, where it is not one."""
    found = _decode(data, notes)
    if found is _NOTHING:
        return []
    if not isinstance(found, list) or not found:
        what = "an empty list" if found == [] else json_type(found)
        notes.add(rules.NOT_A_LIST, f"{notes.path} holds {what}; a list of questions was expected.")
        return []
    return found


_NOTHING: Final = object()


def _decode(data: bytes, notes: Notes) -> object:
    if data.startswith(_BOM):
        notes.add(rules.BYTE_ORDER_MARK, f"{notes.path} starts with a byte order mark, which is skipped.")
        data = data[len(_BOM) :]
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_pairs_hook(notes))
    except UnicodeDecodeError as error:
        notes.add(rules.NOT_UTF8, f"{notes.path} is not UTF-8 at byte {error.start}.")
    except json.JSONDecodeError as error:
        message = f"{notes.path} is not JSON at line {error.lineno}, column {error.colno}."
        notes.log.add(rules.NOT_JSON, message, line=error.lineno)
    except RecursionError:
        notes.add(rules.NOT_JSON, f"{notes.path} nests deeper than JSON of this kind does.")
    except ValueError:
        notes.add(rules.NOT_JSON, f"{notes.path} holds a whole number of more digits than are read.")
    return _NOTHING


def _pairs_hook(notes: Notes) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                message = f"{notes.path} has an object with the key {shown(key)} twice; one of them would be lost."
                notes.add(rules.REPEATED_KEY, message)
            found[key] = value
        return found

    return hook


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
    try:
        return json.dumps(unknown, sort_keys=True)
    except RecursionError:  # the decoder gives up a few levels later than the encoder
        notes.add(rules.NOT_JSON, f"{notes.place} nests deeper than JSON of this kind does.")
        return None


def text_field(item: dict[str, Any], key: str, notes: Notes) -> str | None:
    """Return a field that must be a string with something in it; None, with an error noted, where it is not."""
    value = item[key]
    if not isinstance(value, str) or not value.strip():
        what = "an empty string" if isinstance(value, str) else json_type(value)
        message = f"{notes.place} has {what} under '{key}'; a string was expected."
        notes.add(rules.MISTYPED, message)
        return None
    return value if is_unicode(value, key, notes) else None


def is_unicode(value: str, key: str, notes: Notes) -> bool:
    """Tell whether a string can be stored: JSON may escape half a character, which no table holds."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        message = f"{notes.place} has half a surrogate pair under '{key}', which is not text."
        notes.add(rules.NOT_UTF8, message)
        return False
    return True
