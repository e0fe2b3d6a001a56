"""Faults of the entropy files: the binary blocks and their index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import orjson

from synthetic.sra.faults.base import BIN, INDEX, TOKENIZER, Fault, Outcome, Patch, Planter, Record

_HALF: Final = 2
_TOKEN: Final = 6


def _fault(name: str, description: str, rule: str, plant: Planter, outcome: Outcome = "refused") -> Fault:
    return Fault(name, description, outcome, rule, plant)


def _poke(value: float) -> Planter:
    """Replace one entropy, in the middle of some block."""

    def plant(patch: Patch) -> None:
        path = patch.pick(BIN)
        offset, n_tokens = next(patch.each_rollout_block(path))
        _overwrite(patch, path, offset + _HALF * (n_tokens // 2), np.array([value], "<f2").tobytes())

    return plant


def _poke_id(value: Callable[[Patch, str], int]) -> Planter:
    """Replace one token id, in the middle of some block."""

    def plant(patch: Patch) -> None:
        path = patch.pick(BIN)
        offset, n_tokens = next(patch.each_rollout_block(path))
        at = offset + _HALF * n_tokens + 4 * (n_tokens // 2)
        _overwrite(patch, path, at, np.array([value(patch, path)], "<i4").tobytes())

    return plant


def _overwrite(patch: Patch, path: str, at: int, new: bytes) -> None:
    data = patch.read(path)
    patch.write(path, data[:at] + new + data[at + len(new) :])


def _beyond(patch: Patch, path: str) -> int:
    """The first id that the model's tokenizer does not have."""
    model = path.split("/")[2]
    document = orjson.loads(patch.read(TOKENIZER.replace("*", model)))
    ids: list[int] = [*document["model"]["vocab"].values(), *(token["id"] for token in document["added_tokens"])]
    return max(ids) + 1


def _index(edit: Callable[[list[Record]], list[Record]]) -> Planter:
    def plant(patch: Patch) -> None:
        path = patch.pick(INDEX)
        patch.write_lines(path, edit(patch.lines(path)))

    return plant


def _line(edit: Callable[[Record], object]) -> Planter:
    return lambda patch: patch.edit_line(INDEX, edit)


def _set(key: str, value: object) -> Planter:
    return _line(lambda record: record.update({key: value}))


def _bytes(change: Callable[[bytes], bytes]) -> Planter:
    def plant(patch: Patch) -> None:
        path = patch.pick(BIN)
        patch.write(path, change(patch.read(path)))

    return plant


def _in_place(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: int(record["offset"]))


def _overlap(records: list[Record]) -> list[Record]:
    """Let the second block begin inside the first."""
    ordered = _in_place(records)
    ordered[1]["offset"] -= _TOKEN
    return ordered


def _past_end(records: list[Record]) -> list[Record]:
    ordered = _in_place(records)
    ordered[-1]["n_tokens"] += 1
    return ordered


def _shorter(records: list[Record]) -> list[Record]:
    """Leave the last token of a block to no line."""
    ordered = _in_place(records)
    ordered[2]["n_tokens"] -= 1
    return ordered


def _drop_last_block(patch: Patch) -> None:
    """Take the last block and its index line away, so that what is left fits together."""
    path = patch.pick(INDEX)
    blocks = path.replace(INDEX.rsplit("/", 1)[1], BIN.rsplit("/", 1)[1])
    *kept, last = _in_place(patch.lines(path))
    patch.write_lines(path, kept)
    patch.write(blocks, patch.read(blocks)[: last["offset"]])


def _interleave(patch: Patch) -> None:
    """Write every block token by token: float16, then int32."""
    for path in patch.paths(BIN):
        data = patch.read(path)
        changed = bytearray(data)
        for offset, n in patch.each_rollout_block(path):
            pairs = np.empty(n, dtype=[("entropy", "<f2"), ("id", "<i4")])
            pairs["entropy"] = np.frombuffer(data, "<f2", n, offset)
            pairs["id"] = np.frombuffer(data, "<i4", n, offset + _HALF * n)
            changed[offset : offset + _TOKEN * n] = pairs.tobytes()
        patch.write(path, bytes(changed))


def _remove_pair(kept: str, gone: str) -> Planter:
    return lambda patch: patch.remove(patch.pick(kept).replace(kept.rsplit("/", 1)[1], gone.rsplit("/", 1)[1]))


FAULTS: Final = (
    _fault("entropy_zero", "An entropy is exactly zero.", "entropy.zero", _poke(0.0)),
    _fault("entropy_negative", "An entropy is negative.", "entropy.negative", _poke(-0.25)),
    _fault("entropy_nan", "An entropy is not a number.", "entropy.nan", _poke(float("nan"))),
    _fault("entropy_infinite", "An entropy is infinite.", "entropy.infinite", _poke(float("inf"))),
    _fault("entropy_token_negative", "A token id is negative.", "entropy.negative_token_id", _poke_id(lambda *_: -1)),
    _fault(
        "entropy_token_unknown", "A token id is outside the vocabulary.", "entropy.unknown_token_id", _poke_id(_beyond)
    ),
    _fault(
        "entropy_extra_bytes",
        "Bytes at the end of the file belong to no block.",
        "entropy_index.uncovered_bytes",
        _bytes(lambda d: d + b"\0" * 12),
    ),
    _fault(
        "entropy_cut_bytes",
        "The last three bytes of the file are gone.",
        "entropy_index.past_end",
        _bytes(lambda d: d[:-3]),
    ),
    _fault("entropy_no_index", "The index is gone, the blocks are there.", "layout.", _remove_pair(BIN, INDEX)),
    _fault("entropy_no_blocks", "The blocks are gone, the index is there.", "layout.", _remove_pair(INDEX, BIN)),
    Fault(
        "entropy_interleaved",
        "Entropies and token ids alternate, as the settings say.",
        "identical",
        "",
        _interleave,
        settings={"entropy_layout": "interleaved"},
    ),
    _fault("index_overlap", "Two blocks overlap.", "entropy_index.overlap", _index(_overlap)),
    _fault("index_past_end", "A block runs past the end of the file.", "entropy_index.past_end", _index(_past_end)),
    _fault(
        "index_gap", "A token between two blocks belongs to none.", "entropy_index.uncovered_bytes", _index(_shorter)
    ),
    _fault(
        "index_missing_line",
        "A rollout has no index line.",
        "entropy_index.",
        _index(lambda rows: rows[1:]),
    ),
    _fault(
        "entropy_no_rollout",
        "A rollout has neither index line nor block.",
        "entropy_index.missing_rollout",
        _drop_last_block,
    ),
    _fault(
        "index_repeated_line",
        "A rollout has two index lines.",
        "entropy_index.repeated_rollout",
        _index(lambda rows: [*rows, rows[0]]),
    ),
    _fault("index_sample_nine", "An index line is about sample 9.", "entropy_index.", _set("sample", 9)),
    _fault(
        "index_unknown_question",
        "An index line is about a question the data set does not have.",
        "entropy_index.",
        _set("instance_id", "champ_99999"),
    ),
    _fault("index_negative_offset", "An offset is negative.", "entropy_index.negative_value", _set("offset", -6)),
    _fault("index_negative_count", "A token count is negative.", "entropy_index.negative_value", _set("n_tokens", -1)),
    _fault("index_offset_is_text", "An offset is a string.", "entropy_index.", _set("offset", "0")),
    _fault("index_count_is_fraction", "A token count is not whole.", "entropy_index.", _set("n_tokens", 12.5)),
    _fault("index_no_offset", "A needed key is gone: offset.", "entropy_index.", _line(lambda r: r.pop("offset"))),
    _fault("index_no_count", "A needed key is gone: n_tokens.", "entropy_index.", _line(lambda r: r.pop("n_tokens"))),
    _fault(
        "index_mean_wrong",
        "A stored mean entropy is not that of the tokens.",
        "entropy.stored_mean_differs",
        _line(lambda r: r.update(mean_entropy=r["mean_entropy"] * 1.01)),
        "warning",
    ),
    _fault(
        "index_max_wrong",
        "A stored maximum is not that of the tokens.",
        "entropy.stored_max_differs",
        _line(lambda r: r.update(max_entropy=r["max_entropy"] * 1.01)),
        "warning",
    ),
    _fault(
        "index_unknown_key",
        "An index line has a key nobody knows.",
        "entropy_index.unknown_key",
        _set("colour", "red"),
        "warning",
    ),
    _fault("index_shuffled", "Index lines stand in another order.", "", _index(lambda rows: rows[::-1]), "identical"),
)
