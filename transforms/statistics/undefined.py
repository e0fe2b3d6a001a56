"""A figure that does not exist, and why."""

from __future__ import annotations

from dataclasses import dataclass

from warehouse.contracts.statistics import REASONS


@dataclass(frozen=True, slots=True)
class Undefined:
    """Stands where a figure would; `reason` is a key of `warehouse.contracts.statistics.REASONS`."""

    reason: str

    def __post_init__(self) -> None:
        """Refuse a reason the contract does not know."""
        if self.reason not in REASONS:
            raise ValueError(f"{self.reason!r} is no reason of the contract; expected one of {', '.join(REASONS)}")
