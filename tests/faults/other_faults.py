"""What a fault of one of the two smaller sources is, and how bytes are changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.faults.bundles import Files

Edit = Callable[[Files], None]


@dataclass(frozen=True, slots=True)
class OtherFault:
    """One thing that may be wrong with a file of GRACE or BenchMIRT, and what was stated of it beforehand."""

    source: Literal["grace", "benchmirt"]
    name: str
    description: str
    outcome: Literal["refused", "warning", "info", "identical"]
    rule: str
    plant: Edit = field(repr=False)


def of_bytes(path: str, change: Callable[[bytes], bytes]) -> Edit:
    def plant(files: Files) -> None:
        files[path] = change(files[path])

    return plant


def flipped(at: Callable[[bytes], int]) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        place = at(data)
        return data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]

    return change


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Replace the first occurrence."""
    return lambda data: data.replace(old, new, 1)
