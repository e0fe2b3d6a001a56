"""One parser under test: how an input is checked, seeds, and how seeds are mutated."""

from __future__ import annotations

import signal
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from types import FrameType

from tests.fuzz.mutations import Mutate, plain


@dataclass(frozen=True)
class Target:
    """`check` raises for an input of which a property does not hold. `short` inputs are tried by the test suite."""

    name: str
    check: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    mutate: Mutate = plain
    short: int = 100
    max_len: int = 16_384

    def inputs(self, n: int) -> Iterator[bytes]:
        """Yield the seeds and then `n` mutations of them, the same ones at every call."""
        seeds = self.seeds()
        yield from seeds
        for number in range(n):
            rng = Random(f"{self.name} {number}")
            data = rng.choice(seeds)
            for _ in range(rng.choice((1, 1, 2, 3, 5))):
                data = self.mutated(data, rng)
            yield data[: self.max_len]

    def mutated(self, data: bytes, rng: Random) -> bytes:
        """Return an input mutated by what is known of its structure, now and then as plain bytes."""
        return plain(data, rng) if rng.random() < 0.15 else self.mutate(data, rng)


def sometimes(data: bytes) -> bool:
    """Tell of an input whether it is one of the quarter that is looked at twice."""
    return zlib.crc32(data) % 4 == 0


class TooSlowError(Exception):
    """An input that takes far longer than any of its length may."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` in what takes longer: a guard against hanging, not a measurement."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
