"""The lines of the four JSON files of a cell, and the two compressed or binary containers they go into."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import orjson

from synthetic.sra.latent import Floats, Latent
from synthetic.sra.spec import SAMPLES
from synthetic.sra.streams import Generator
from synthetic.sra.units import Ints

Record = dict[str, Any]
_LEVEL: Final = 1
HASHED, BARE, TF = 0, 1, 2  # the three producers of T/F lines
BYTES_A_TOKEN: Final = 6
NULL_SHARE: Final = 0.002


def compress(lines: Iterable[bytes]) -> bytes:
    """One gzip member, without a time or a name in it, a line a record."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(line + b"\n") for line in lines), packer.flush()])


def inflate(data: bytes) -> bytes:
    """Undo `compress`."""
    return zlib.decompress(data, wbits=31)


def json_lines(records: Iterable[Record]) -> bytes:
    """Compressed JSON lines."""
    return compress(orjson.dumps(record) for record in records)


@lru_cache(maxsize=65_536)
def sha256_of(answer: str) -> str:
    """Hash of an answer as the probes state it."""
    return hashlib.sha256(answer.encode()).hexdigest()


def hashes(answers: list[str]) -> list[list[str]]:
    """Hashes of nine answers a question."""
    flat = [sha256_of(answer) for answer in answers]
    return [flat[k : k + SAMPLES] for k in range(0, len(flat), SAMPLES)]


def ab_records(ids: list[str], answers: list[str], latent: Latent, rng: Generator) -> list[Record]:
    """A/B probe: log-probabilities of both letters in both orders, and their mass."""
    mass = 1.0 - rng.beta(2.0, 48.0, (2, *latent.ab.shape))
    right = np.stack([latent.ab + latent.ab_gap, latent.ab - latent.ab_gap])
    logs = [np.log(right * mass), np.log((1.0 - right) * mass)]
    in_ab = zip(*(x[0].ravel().tolist() for x in (*logs, mass)), strict=True)
    in_ba = zip(*(x[1].ravel().tolist() for x in (*logs, mass)), strict=True)
    rollouts = [
        {
            "sample": k % SAMPLES,
            "orders": {
                "AB": {"logp_A": yes, "logp_B": no, "letter_mass": m},
                "BA": {"logp_A": other_no, "logp_B": other_yes, "letter_mass": other_m},
            },
        }
        for k, ((yes, no, m), (other_yes, other_no, other_m)) in enumerate(zip(in_ab, in_ba, strict=True))
    ]
    return [
        {"instance_id": name, "answer_sha256s": own, "rollouts": rollouts[k * SAMPLES : (k + 1) * SAMPLES]}
        for k, (name, own) in enumerate(zip(ids, hashes(answers), strict=True))
    ]


def _with_nulls(values: Floats, rng: Generator) -> list[list[float | None]]:
    """Round nine values a question and lose a few: a probe that failed."""
    gone = (rng.random(values.shape) < NULL_SHARE).tolist()
    rows = np.round(values, 6).tolist()
    return [[None if g else x for x, g in zip(row, lost, strict=True)] for row, lost in zip(rows, gone, strict=True)]


def _tf_record(
    name: str, values: list[float | None], hashed: list[str] | None, producer: int, with_mean: bool
) -> Record:
    if producer == HASHED:
        return {"instance_id": name, "answer_sha256s": hashed, "p_correct": values}
    if producer == BARE:
        return {"instance_id": name, "p_correct": values}
    numbers = [x for x in values if x is not None]
    mean = {"mean_rollout_p_correct": sum(numbers) / SAMPLES} if with_mean and len(numbers) == SAMPLES else {}
    return {"instance_id": name, "tf_p_correct": values, **mean}


def tf_records(ids: list[str], answers: list[str], values: Floats, hashed: int, rng: Generator) -> list[Record]:
    """T/F probe: `hashed` lines with answer hashes, the others of the two producers without, in mixed order."""
    count = len(ids)
    in_order = np.where(np.arange(count) < hashed, HASHED, np.where(np.arange(count) % 2, BARE, TF))
    producers = rng.permutation(in_order).tolist()
    with_mean = (rng.random(count) < 0.67).tolist()
    columns = zip(ids, _with_nulls(values, rng), hashes(answers), producers, with_mean, strict=True)
    return [_tf_record(*row) for row in columns]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Entropies and token ids of consecutive rollouts, and the order their blocks take in the file."""

    values: npt.NDArray[np.float16]
    tokens: npt.NDArray[np.int32]
    n_tokens: Ints
    order: Ints

    def data(self) -> bytes:
        """The binary file: a block a rollout, its float16 entropies and then its int32 token ids."""
        ends = np.cumsum(self.n_tokens)[self.order]
        halves = memoryview(self.values.astype("<f2").tobytes())
        numbers = memoryview(self.tokens.astype("<i4").tobytes())
        bounds = zip((ends - self.n_tokens[self.order]).tolist(), ends.tolist(), strict=True)
        return b"".join(part for a, b in bounds for part in (halves[2 * a : 2 * b], numbers[4 * a : 4 * b]))

    def index(self, ids: list[str], listed: Ints) -> bytes:
        """The index file: a line a rollout, in the order of `listed`; mean and maximum in double."""
        starts = np.cumsum(self.n_tokens) - self.n_tokens
        wide = self.values.astype(np.float64)
        means = (np.add.reduceat(wide, starts) / self.n_tokens).tolist()
        largest = np.maximum.reduceat(wide, starts).tolist()
        offsets = np.empty_like(self.n_tokens)
        offsets[self.order] = BYTES_A_TOKEN * (np.cumsum(self.n_tokens[self.order]) - self.n_tokens[self.order])
        places, sizes = offsets.tolist(), self.n_tokens.tolist()
        return json_lines(
            {"instance_id": ids[r // SAMPLES], "sample": r % SAMPLES, "offset": places[r], "n_tokens": sizes[r],
             "mean_entropy": means[r], "max_entropy": largest[r]}
            for r in listed.tolist()
        )  # fmt: skip
