"""Token entropies and what turns ids into text: the binary file with its index, tokenizer files, spans."""

from __future__ import annotations

import json
import zlib
from random import Random
from typing import Any

import numpy as np
import polars as pl

from tests.fuzz.mutations import json_document, json_lines, packed, plain, sections, unpacked
from tests.fuzz.properties import refused_with_reason, require, sound_issues
from tests.fuzz.seeds import CELL, FILES, cell_file, known_vocabulary, tokenizer
from tests.fuzz.target import Target
from transforms.sra.entropy import read_blocks
from transforms.sra.entropy_index import parse_index
from transforms.sra.entropy_summary import summarise
from transforms.sra.spans import MARKERS, find_spans
from transforms.sra.token_blocks import Layout, TokenBlocks
from transforms.sra.tokenizers import Vocabulary, parse_tokenizer
from warehouse.contracts import has_errors


def _blocks(data: bytes) -> None:
    index_bytes, binary = unpacked(data, 2)
    index, _ = parse_index(index_bytes, CELL, "index")
    vocabulary = known_vocabulary()
    way = zlib.crc32(data)
    layout: Layout = "interleaved" if way % 5 == 0 else "blocked"
    known = None if way % 7 == 0 else vocabulary
    blocks, issues = read_blocks(binary, index, "bin", "index", layout=layout, vocabulary=known)
    sound_issues(issues, data)
    refused_with_reason(blocks is None, issues)
    if blocks is not None:
        _sound_blocks(blocks, index, binary, known)


def _sound_blocks(blocks: TokenBlocks, index: pl.DataFrame, binary: bytes, vocabulary: Vocabulary | None) -> None:
    require(6 * blocks.n_tokens == len(binary), "bytes that no rollout has")
    require(blocks.n_rollouts == index.height, "a line of the index vanishes")
    require(bool((blocks.entropies > 0).all() and np.isfinite(blocks.entropies).all()), "a damaged entropy passes")
    spans = None
    if vocabulary is not None:
        spans = find_spans(blocks, vocabulary)
        require(spans.answer_start.tolist() == _starts(blocks, vocabulary), "another answer span")
    summarise(blocks, spans)


def _starts(blocks: TokenBlocks, vocabulary: Vocabulary) -> list[int]:
    """Return where the answer spans start, the slow way: by decoding every generation."""
    found = []
    blob, offsets = vocabulary.blob.tobytes(), vocabulary.offsets.tolist()
    for first, last in zip(blocks.starts[:-1].tolist(), blocks.starts[1:].tolist(), strict=True):
        pieces = [blob[offsets[i] : offsets[i + 1]] for i in blocks.token_ids[first:last].tolist()]
        at = max(b"".join(pieces).rfind(marker) for marker in MARKERS)
        ends = np.cumsum([len(piece) for piece in pieces])
        found.append(-1 if at < 0 else first + int(np.searchsorted(ends, at, side="right")))
    return found


def _tokenizer(data: bytes) -> None:
    vocabulary, issues = parse_tokenizer(data, "tokenizers/m/tokenizer.json")
    sound_issues(issues, data)
    refused_with_reason(vocabulary is None, issues)
    require((vocabulary is None) == has_errors(issues), "an error, and a vocabulary all the same")
    if vocabulary is None:
        return
    sizes = np.diff(vocabulary.offsets)
    require(len(sizes) == vocabulary.size and bool((sizes >= 0).all()), "offsets that go back")
    require(len(vocabulary.blob) == vocabulary.offsets[-1], "bytes without a token")
    require(bool((sizes[~vocabulary.known] == 0).all()), "text of an id that is not there")
    if vocabulary.size < 10_000:
        _sound_spans(vocabulary, np.frombuffer(data[: len(data) // 4 * 4], "<u4"))


def _sound_spans(vocabulary: Vocabulary, numbers: Any) -> None:
    ids = (numbers[:600] % vocabulary.size).astype(np.int32)
    cuts = np.unique([0, *(numbers[:6] % (len(ids) + 1)).tolist(), len(ids)]).astype(np.int64)
    blocks = _made(ids, cuts)
    spans = find_spans(blocks, vocabulary)
    require(spans.answer_start.tolist() == _starts(blocks, vocabulary), "another answer span")
    require(not (spans.is_numeric & ~spans.in_answer).any(), "a numeric token outside the answer")


def _made(ids: Any, starts: Any) -> TokenBlocks:
    n = len(starts) - 1
    names = pl.Series("instance_id", [f"q{i}" for i in range(n)], pl.String)
    return TokenBlocks(names, np.zeros(n, np.int32), starts, np.full(len(ids), 0x3C00, np.uint16), ids)


_PIECES = (
    b"", b"A", b"AN", b"ANS", b"SWER", b"WER:", b"SWER:", b"ANSWER:", b"ANSWER", b":", b"\\", b"\\box", b"boxed{",
    b"\\boxed{", b"ed{", b"{", b"7", b"xA", b"x\\", b":\\b", b"ANSWER:ANSWER:", b"\\boxed{ANSWER:", b"oxe", b"d{4",
    b" ", b"\xe2", b"NSWER:A", b"AANSWER", b"\\\\boxed{", b"R:", b"N", b"S",
)  # fmt: skip
_VOCABULARY = Vocabulary.from_bytes(
    b"".join(_PIECES), np.array([len(piece) for piece in _PIECES], np.int64), np.ones(len(_PIECES), np.bool_)
)


def _spans(data: bytes) -> None:
    """Every byte is a token: of a vocabulary whose pieces are markers cut in every way."""
    values = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(values >= 250)
    starts = np.concatenate([[0], ends, [len(values)]]).astype(np.int64)
    blocks = _made((values % len(_PIECES)).astype(np.int32), starts)
    spans = find_spans(blocks, _VOCABULARY)
    require(spans.answer_start.tolist() == _starts(blocks, _VOCABULARY), "another answer span")


def _span_seeds() -> list[bytes]:
    return [bytes([2, 5, 16]), bytes([9, 10, 13, 250, 11, 12, 16, 1, 30, 31, 255, 7]), bytes(range(256))]


def _tokenizer_seeds() -> list[bytes]:
    made = [tokenizer("Qwen3-32B"), tokenizer("Gemma-4-31B-it"), tokenizer("GLM-4.7-Flash")]
    unigram: dict[str, Any] = {"model": {"type": "Unigram", "vocab": [["▁a", -1.0], ["<0x41>", -2.0], ["7", -3]]}}
    metaspace = {"model": {"vocab": {"▁ANSWER": 0, ":": 1}}, "decoder": {"type": "Metaspace", "replacement": "▁"}}
    return [*made, json.dumps(unigram).encode(), json.dumps(metaspace).encode()]


_STEPS: tuple[Any, ...] = (
    {"type": "Fuse"}, {"type": "ByteFallback"}, {"type": "ByteLevel"}, {"type": "Metaspace", "replacement": "▁"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "aa" * 40},
    {"type": "Replace", "pattern": {"Regex": "a*"}, "content": ""},
    {"type": "Sequence", "decoders": []}, {"type": ["Fuse"]}, {"type": {"a": 1}}, {"type": None}, None, 1, "Fuse", [],
)  # fmt: skip


def _mutated_tokenizer(data: bytes, rng: Random) -> bytes:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return plain(data, rng)
    if not isinstance(document, dict) or rng.random() < 0.6:
        return json_document(data, rng)
    steps = [rng.choice(_STEPS) for _ in range(rng.choice((0, 1, 2, 3, 12)))]
    part, inside = rng.choice((("decoder", "decoders"), ("decoder", "decoders"), ("pre_tokenizer", "pretokenizers")))
    document[part] = {"type": "Sequence", inside: ["HERE"]}
    if part != "decoder":
        document.pop("decoder", None)
    # As text, for the encoder does not go as deep as the decoder.
    depth = rng.choice((0, 0, 1, 3, 480, 505))
    nested = f'{{"type": "Sequence", "{inside}": [' * depth + json.dumps(steps)[1:-1] + "]}" * depth
    return json.dumps(document).replace('"HERE"', nested).encode()


def _block_seeds() -> list[bytes]:
    """Return the cell's own file, and one of three short rollouts, the last with an answer."""
    ids = known_vocabulary()
    answer = [place for place in range(ids.size) if b"ANSWER" in _piece(ids, place)][:1] or [1]
    rollouts = [[5, 6], [], [7, *answer, 8]]
    binary, lines = b"", []
    for sample, tokens in enumerate(rollouts):
        row = {"instance_id": "q", "sample": sample, "offset": len(binary), "n_tokens": len(tokens)}
        lines.append(json.dumps(row | {"mean_entropy": 1.0, "max_entropy": 1.0}))
        binary += np.full(len(tokens), 1.0, "<f2").tobytes() + np.array(tokens, "<i4").tobytes()
    return [packed([cell_file(FILES[4]), cell_file(FILES[3])]), packed(["\n".join(lines).encode(), binary])]


def _piece(vocabulary: Vocabulary, token_id: int) -> bytes:
    return vocabulary.blob[vocabulary.offsets[token_id] : vocabulary.offsets[token_id + 1]].tobytes()


TARGETS = (
    Target("token_entropy", _blocks, _block_seeds,
           sections(json_lines, plain), short=30),
    Target("tokenizer", _tokenizer, _tokenizer_seeds, _mutated_tokenizer, short=300, max_len=32_768),
    Target("spans", _spans, _span_seeds, short=400, max_len=400),
)  # fmt: skip
