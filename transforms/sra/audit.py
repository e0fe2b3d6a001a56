"""`BUNDLE_AUDIT.json`: what the publisher counted, held against what the bundle's files hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from transforms.issue_log import IssueLog, shown
from transforms.jsondoc import Form, read_object
from transforms.jsontext import json_type
from transforms.sra.layout import AUDIT_PATH, CellKey
from transforms.sra.probes import HASH_BASIS, POSITION_BASIS
from warehouse.contracts import Issue, Rule, Severity
from warehouse.contracts.sra import SOURCE

NOT_JSON = Rule("audit.not_json", Severity.ERROR, "The audit is not a JSON object.")
MISTYPED = Rule("audit.mistyped", Severity.ERROR, "A value of the audit is not a count, or not an object of counts.")
REPEATED_KEY = Rule("audit.repeated_key", Severity.ERROR, "An object of the audit has one key twice.")
NOT_BORNE_OUT = Rule("audit.not_borne_out", Severity.ERROR, "A count of the audit is not what the files hold.")
UNKNOWN_KEY = Rule("audit.unknown_key", Severity.WARNING, "The audit has a key nobody knows.")
ABSENT_KEY = Rule("audit.absent_key", Severity.WARNING, "The audit lacks a count it should have.")
BYTE_ORDER_MARK = Rule("audit.byte_order_mark", Severity.INFO, "The audit starts with a byte order mark.")
NO_AUDIT = Rule("audit.no_audit", Severity.WARNING, "The bundle has no audit.")
RULES: Final = (NOT_JSON, MISTYPED, REPEATED_KEY, NOT_BORNE_OUT, UNKNOWN_KEY, ABSENT_KEY, BYTE_ORDER_MARK, NO_AUDIT)
_FORM: Final = Form(
    "an object of counts", NOT_JSON, NOT_JSON, NOT_JSON, other_shape=NOT_JSON, repeated_key=REPEATED_KEY,
    byte_order_mark=BYTE_ORDER_MARK,
)  # fmt: skip

# A count's place in the document, key by key.
Place = tuple[str, ...]
_JOIN_KEYS: Final = ("records", "verified", "positional")
_ENTROPY_KEYS: Final = ("rollouts", "tokens")
# What may be left out where there is nothing to count.
_OPTIONAL_AT_ZERO: Final = ("verified", "positional")


@dataclass(frozen=True, slots=True)
class JoinCounts:
    """Question-condition records of one probe: all, bound by answer hashes that hold, and without hashes."""

    records: int = 0
    verified: int = 0
    positional: int = 0

    def __add__(self, other: JoinCounts) -> JoinCounts:
        return JoinCounts(
            self.records + other.records, self.verified + other.verified, self.positional + other.positional
        )


@dataclass(frozen=True, slots=True)
class CellCounts:
    """What one cell's files hold; `entropy` is its rollouts and tokens, None where it has no entropies."""

    question_conditions: int = 0
    rollouts: int = 0
    ab: JoinCounts = JoinCounts()
    tf: JoinCounts = JoinCounts()
    entropy: tuple[int, int] | None = None


def count_records(verdicts: pl.DataFrame | None) -> JoinCounts:
    """Count the question-condition records of `ab_verdicts` or `tf_verdicts` rows of one cell."""
    if verdicts is None or verdicts.is_empty():
        return JoinCounts()
    is_hash, is_joined = pl.col("join_basis") == HASH_BASIS, pl.col("join_status") == "joined"
    records = verdicts.group_by("instance_id").agg(
        verified=(is_hash & is_joined).all(), positional=(pl.col("join_basis") == POSITION_BASIS).any()
    )
    return JoinCounts(records.height, int(records["verified"].sum()), int(records["positional"].sum()))


def check_audit(data: bytes | None, cells: Mapping[CellKey, CellCounts], path: str = AUDIT_PATH) -> list[Issue]:
    """Return where the audit (None where the bundle has none) and the counts of all cells' files differ.

    A count that is stated and not borne out is an error, whichever side is larger; a key nobody knows and a count
    that is not stated are warnings. Never raises on what the file holds.
    """
    log = IssueLog(source=SOURCE, path=path)
    if data is None:
        log.add(NO_AUDIT, "The bundle has no BUNDLE_AUDIT.json, so its counts can be held against nothing.")
        return log.issues
    document = read_object(data, log, _FORM)
    if document is not None:
        _compare(dict(_stated(document, log)), _found(cells), document, log)
    return log.issues


def _stated(document: dict[str, Any], log: IssueLog) -> Iterator[tuple[Place, int]]:
    """Yield every count of the audit whose meaning is known, and record everything else that stands in it."""
    for key, value in document.items():
        if key in {"question_conditions", "rollouts"}:
            yield from _counts({key: value}, (), (key,), log)
        elif key == "joins":
            for probe, counts in _object(value, (key,), log).items():
                if probe in {"ab", "tf"}:
                    yield from _counts(counts, (key, probe), _JOIN_KEYS, log)
                else:
                    _note_unknown((key, probe), log)
        elif key == "entropy":
            for cell, counts in _object(value, (key,), log).items():
                yield from _counts(counts, (key, cell), _ENTROPY_KEYS, log)
        else:
            _note_unknown((key,), log)


def _counts(found: object, place: Place, known: tuple[str, ...], log: IssueLog) -> Iterator[tuple[Place, int]]:
    for key, value in _object(found, place, log).items():
        if key not in known:
            _note_unknown((*place, key), log)
        elif type(value) is not int or value < 0:
            name = _name((*place, key))
            log.add(MISTYPED, f"{name} is {json_type(value)}; expected a whole number from 0.", value=json_type(value))
        else:
            yield (*place, key), value


def _object(found: object, place: Place, log: IssueLog) -> dict[str, Any]:
    if isinstance(found, dict):
        return found
    log.add(MISTYPED, f"{_name(place)} is {json_type(found)}; expected an object of counts.", value=json_type(found))
    return {}


def _note_unknown(place: Place, log: IssueLog) -> None:
    log.add(UNKNOWN_KEY, f"Nobody knows {_name(place)}; it is held against nothing.", value=_name(place))


def _name(place: Place) -> str:
    return ".".join(shown(key)[1:-1] or "''" for key in place)


def _found(cells: Mapping[CellKey, CellCounts]) -> dict[Place, int]:
    """Return every count the audit may state, by its place."""
    found: dict[Place, int] = {
        ("question_conditions",): sum(cell.question_conditions for cell in cells.values()),
        ("rollouts",): sum(cell.rollouts for cell in cells.values()),
    }
    for probe in ("ab", "tf"):
        joins = sum((getattr(cell, probe) for cell in cells.values()), JoinCounts())
        found.update({("joins", probe, key): getattr(joins, key) for key in _JOIN_KEYS})
    for cell, counts in cells.items():
        if counts.entropy is not None:
            found.update({("entropy", cell.name, key): n for key, n in zip(_ENTROPY_KEYS, counts.entropy, strict=True)})
    return found


def _compare(
    stated: Mapping[Place, int], found: Mapping[Place, int], document: Mapping[str, Any], log: IssueLog
) -> None:
    for place, n in stated.items():
        if n != found.get(place, 0):
            message = f"{_name(place)} is stated as {n}; the files hold {found.get(place, 0)}."
            log.add(NOT_BORNE_OUT, message, value=str(n))
    absent = [place for place in found if _is_absent(place, document)]
    for place in absent:
        if place[-1] not in _OPTIONAL_AT_ZERO or found[place]:
            log.add(ABSENT_KEY, f"The audit does not state {_name(place)}; the files hold {found[place]}.")


def _is_absent(place: Place, document: Mapping[str, Any]) -> bool:
    """Tell whether a place is not in the document; below what is no object nothing is absent but wrong."""
    here: Any = document
    for key in place:
        if not isinstance(here, Mapping):
            return False
        if key not in here:
            return True
        here = here[key]
    return False
