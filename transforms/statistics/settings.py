"""What a caller may choose; the defaults are what the lake publishes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """`replicates` bootstrap replicates drawn from `seed`; `folds` of questions; bins of ECE and of Hosmer-Lemeshow."""

    replicates: int = 1_000
    seed: int = 20_240_229
    folds: int = 5
    ece_bins: int = 10
    hosmer_lemeshow_bins: int = 10

    def __post_init__(self) -> None:
        """Refuse what no figure can be computed from."""
        floors = {"replicates": 2, "seed": 0, "folds": 2, "ece_bins": 1, "hosmer_lemeshow_bins": 1}
        for name, floor in floors.items():
            if getattr(self, name) < floor:
                raise ValueError(f"{name} is {getattr(self, name)}: give a whole number of at least {floor}")


DEFAULTS = Settings()
