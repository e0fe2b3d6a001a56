"""Collecting findings about one file: the file's place is filled in once, and a flood is counted instead of kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from warehouse.contracts import Issue, Rule, fingerprint

# A cell has at most 9,900 rollouts, so a finding a rollout is never cut short; a file of garbage lines is.
KEPT_PER_RULE: Final = 10_000
_SHOWN_KEYS: Final = 20
_SHOWN_LENGTH: Final = 60
_EXAMPLES: Final = 5
_LONGEST_ID: Final = 200


class Unread(NamedTuple):
    """A value under a key nobody knows: where it stands, the key with its level, the value as JSON."""

    path: str | None
    line: int | None
    instance_id: str | None
    sample: int | None
    key: str
    value: str


class IssueLog:
    """Findings about one file. `where` takes location fields of `Issue` that hold for all; `total` counts them.

    Values under keys nobody knows go to `unread`, where the caller gives a list for them.
    """

    def __init__(
        self, kept_per_rule: int = KEPT_PER_RULE, unread: list[Unread] | None = None, /, **where: str | int | None
    ) -> None:
        self._where = where
        self._unread = unread
        self._kept_per_rule = kept_per_rule
        self._found: list[Issue] = []
        self._counts: Counter[Rule] = Counter()
        self.total = 0

    def add(self, rule: Rule, message: str, **where: str | int | None) -> None:
        """Record one finding of `rule`; beyond the limit a rule's findings are counted only."""
        self.total += 1
        self._counts[rule] += 1
        if self._counts[rule] <= self._kept_per_rule:
            self._found.append(rule.issue(message, **(self._where | _fit(where))))

    def keep(self, key: str, value: object, where: Mapping[str, Any]) -> None:
        """Keep the value under a key nobody knows."""
        if self._unread is not None:
            place: dict[str, Any] = {**self._where, **where}
            path, line, instance_id, sample = map(place.get, ("path", "line", "instance_id", "sample"))
            self._unread.append(Unread(path, line, instance_id, sample, key, _as_json(value)))

    @property
    def issues(self) -> list[Issue]:
        """The findings in the order they were made, then one for each rule that had more than are kept."""
        return [*self._found, *(self._rest(rule, n) for rule, n in self._counts.items() if n > self._kept_per_rule)]

    def _rest(self, rule: Rule, n: int) -> Issue:
        more = n - self._kept_per_rule
        message = f"{more} more findings of {rule.name} in this file are counted and not listed."
        return rule.issue(message, **(self._where | {"value": str(more)}))


def _as_json(value: object) -> str:
    """Return a decoded value as JSON, NaN as null; whole numbers beyond 64 bits and deep nesting take a slower way."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        without_nan = json.loads(json.dumps(value), parse_constant=lambda _: None)
        return json.dumps(without_nan, ensure_ascii=False, separators=(",", ":"))


def _fit(where: dict[str, str | int | None]) -> dict[str, str | int | None]:
    """Put length and hash in the place of an `instance_id` that is too long to be one and may be anything."""
    name = where.get("instance_id")
    if not isinstance(name, str) or len(name) <= _LONGEST_ID:
        return where
    return where | {"instance_id": fingerprint(name)}


def shown(name: str) -> str:
    """Return a key or an id fit for a message: quoted, control characters escaped, and then cut to 60 characters."""
    kept = name[:_SHOWN_LENGTH]
    # An escape stands for one character with up to ten; the cut goes between escapes.
    while len(repr(kept)) - 2 > _SHOWN_LENGTH:
        kept = kept[:-1]
    return repr(kept if kept == name else kept + "…")


def shown_all(names: Iterable[object]) -> str:
    """Return names fit for a message, at most 20 of them and the number of the rest."""
    found = list(names)
    text = ", ".join(shown(name) if isinstance(name, str) else str(name) for name in found[:_SHOWN_KEYS])
    return text + (f" and {len(found) - _SHOWN_KEYS} more" if len(found) > _SHOWN_KEYS else "") if found else "none"


def of_files(
    rule: Rule, files: Mapping[str, int], one: str, many: str, advice: str = "", **where: str | int | None
) -> Issue:
    """Return one finding about all the files that one cause has touched, some of them named and all of them counted.

    `files` has how many files stand behind each path: a folder may stand for many. `one` is the sentence about a single
    file, whose path the finding then has; `many` completes "12 files …".
    """
    n = sum(files.values())
    if n == 1:
        return rule.issue(f"{one} {advice}".rstrip(), **(where | {"path": next(iter(files))}))
    names = ", ".join(shown(path) + (f" ({k} files)" if k > 1 else "") for path, k in list(files.items())[:_EXAMPLES])
    more = f" and {len(files) - _EXAMPLES} more" if len(files) > _EXAMPLES else ""
    return rule.issue(f"{n} files {many}: {names}{more}. {advice}".rstrip(), **where, value=str(n))
