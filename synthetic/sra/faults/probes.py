"""Faults that the files of both verdict probes may have, on sound gzip and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from synthetic.sra.faults.base import Fault, Outcome, Patch, Planter, Record
from synthetic.sra.records import compress, inflate

MARK: Final = "a value to be replaced"


def fault(name: str, description: str, rule: str, plant: Planter, outcome: Outcome = "refused") -> Fault:
    """A fault of one probe."""
    return Fault(name, description, outcome, rule, plant)


def _lines(pattern: str, edit: Callable[[list[Record]], list[Record]]) -> Planter:
    def plant(patch: Patch) -> None:
        path = patch.pick(pattern)
        patch.write_lines(path, edit(patch.lines(path)))

    return plant


def _break_hash(record: Record) -> None:
    record["answer_sha256s"][7] = "0" * 64


def _swap_hashes(record: Record) -> bool:
    """Exchange two different hashes, which a reader that guesses permutations would undo."""
    hashes = record["answer_sha256s"]
    other = next((k for k, value in enumerate(hashes) if value != hashes[0]), None)
    if other is not None:
        hashes[0], hashes[other] = hashes[other], hashes[0]
    return other is not None


def bare_nan(pattern: str, mark: Callable[[Record], object], where: Callable[[Record], bool] | None) -> Planter:
    """Write what `mark` marks as `NaN`, as Python's `json` does and JSON does not allow."""

    def plant(patch: Patch) -> None:
        path = patch.edit_line(pattern, mark, where)
        lines = inflate(patch.read(path)).splitlines()
        patch.write(path, compress(line.replace(f'"{MARK}"'.encode(), b"NaN") for line in lines))

    return plant


def hashed(record: Record) -> bool:
    """Whether a record carries answer hashes."""
    return "answer_sha256s" in record


def _differing(record: Record) -> bool:
    return hashed(record) and len(set(record["answer_sha256s"])) > 1


def of_both(kind: str, pattern: str) -> tuple[Fault, ...]:
    """Faults that the files of both probes may have."""
    return *_of_records(kind, pattern), *_of_hashes(kind, pattern)


def _of_records(kind: str, pattern: str) -> tuple[Fault, ...]:
    return (
        fault(
            f"{kind}_unknown_question",
            f"A record is about a question the data set does not have ({kind}).",
            f"{kind}.",
            _lines(pattern, lambda rows: [{**rows[0], "instance_id": "champ_99999"}, *rows[1:]]),
        ),
        fault(
            f"{kind}_missing_question",
            f"A probe lacks one question ({kind}).",
            f"{kind}.",
            _lines(pattern, lambda rows: rows[1:]),
        ),
        fault(
            f"{kind}_repeated_question",
            f"A question has two records ({kind}).",
            f"{kind}.",
            _lines(pattern, lambda rows: [*rows, rows[0]]),
        ),
        fault(
            f"{kind}_no_instance_id",
            f"A needed key is gone: instance_id ({kind}).",
            f"{kind}.",
            _lines(pattern, lambda rows: [{k: v for k, v in rows[0].items() if k != "instance_id"}, *rows[1:]]),
        ),
        fault(
            f"{kind}_wrong_model",
            f"A record names another model than its folder ({kind}).",
            f"{kind}.",
            _lines(pattern, lambda rows: [{**rows[0], "model": "Qwen9-1B"}, *rows[1:]]),
        ),
        fault(
            f"{kind}_unknown_key",
            f"A record has a key nobody knows ({kind}).",
            f"{kind}.unknown_key",
            _lines(pattern, lambda rows: [{**rows[0], "colour": "red"}, *rows[1:]]),
            "warning",
        ),
        fault(
            f"{kind}_shuffled",
            f"Lines stand in another order ({kind}).",
            f"{kind}.another_order",
            _lines(pattern, lambda rows: [*rows[1:], rows[0]]),
            "info",
        ),
    )


def _of_hashes(kind: str, pattern: str) -> tuple[Fault, ...]:
    return (
        fault(
            f"{kind}_hash_mismatch",
            f"A hash is not that of the sample's answer ({kind}).",
            f"{kind}.hash_mismatch",
            lambda patch: patch.edit_line(pattern, _break_hash, hashed),
        ),
        fault(
            f"{kind}_hashes_swapped",
            f"Two hashes have changed places ({kind}).",
            f"{kind}.hash_mismatch",
            lambda patch: patch.edit_line(pattern, _swap_hashes, _differing),
        ),
        fault(
            f"{kind}_eight_hashes",
            f"A record has eight hashes ({kind}).",
            f"{kind}.",
            lambda patch: patch.edit_line(pattern, lambda r: r["answer_sha256s"].pop(), hashed),
        ),
    )
