from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.sra.entropy_cases import piece, vocabulary
from transforms.sra.spans import MARKERS, find_spans
from transforms.sra.token_blocks import TokenBlocks
from transforms.sra.tokenizers import Vocabulary

# Whole markers, every way to cut them, near misses, digits, bytes of one character, and tokens without bytes.
CUTS = [
    marker[start:stop]
    for marker in MARKERS
    for start in range(len(marker))
    for stop in range(start + 1, len(marker) + 1)
]
ODD = [
    b"", b"", b"x", b"7", b" 4{", "é".encode()[:1], "é".encode()[1:], "٣".encode(), b"answer:", b"ANSWER :",
    b"\\boxed ",
    b"AANSWER", b"x ANSWER", b"\\\\boxed", b": 12 ANS", b"{}", b"WER:ANSWER: 3 \\box", b"ed{9} A", b"NSWER: A",
    b"\\boxed{ANSWER:\\boxed", b"R:\\", b"ANSANSWER",
]  # fmt: skip
# In id order the bytes of these run on into markers, which no token holds.
NEIGHBOURS = [b"AN", b"SWER:", b"N", b"SWER:7", b"\\bo", b"xed{", b"A", b"NSWER:", b"o", b"xed{", b"ANSWE"]
PIECES = CUTS + ODD + NEIGHBOURS
KNOWN = vocabulary(PIECES)
ID_OF = {text: place for place, text in enumerate(PIECES)}


def blocks_of(generations: Sequence[Sequence[int]]) -> TokenBlocks:
    lengths = [len(ids) for ids in generations]
    ids = np.array([token_id for one in generations for token_id in one], np.int32)
    return TokenBlocks(
        instance_ids=pl.Series([f"q{place // 9}" for place in range(len(generations))], dtype=pl.String),
        samples=np.arange(len(generations), dtype=np.int32) % 9,
        starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        entropy_bits=np.full(len(ids), 0x3C00, np.uint16),
        token_ids=ids,
    )


def token_of_last_marker(ids: Sequence[int], known: Vocabulary) -> int:
    """Decode the whole generation and look up the token of the last marker's first byte, one token at a time."""
    text = b"".join(piece(known, token_id) for token_id in ids)
    first = max(text.rfind(marker) for marker in MARKERS)
    end = 0
    for position, token_id in enumerate(ids):
        end += len(piece(known, token_id))
        if 0 <= first < end:
            return position
    return -1


def assert_as_decoded(generations: Sequence[Sequence[int]]) -> None:
    blocks = blocks_of(generations)
    found = find_spans(blocks, KNOWN)
    for rollout, ids in enumerate(generations):
        start, stop = int(blocks.starts[rollout]), int(blocks.starts[rollout + 1])
        token = token_of_last_marker(ids, KNOWN)
        assert found.answer_start[rollout] == (-1 if token < 0 else start + token)
        in_answer = [0 <= token <= position for position in range(len(ids))]
        assert found.in_answer[start:stop].tolist() == in_answer
        has_digit = [any(48 <= byte <= 57 for byte in piece(KNOWN, token_id)) for token_id in ids]
        assert found.is_numeric[start:stop].tolist() == [a and b for a, b in zip(in_answer, has_digit, strict=True)]


@settings(max_examples=600, deadline=None)
@given(st.lists(st.lists(st.integers(0, len(PIECES) - 1), max_size=25), max_size=6))
@example([])
@example([[]])
@example([[], [], [ID_OF[b"ANSWER:"]], []])
def test_spans_are_those_of_the_decoded_text(generations: list[list[int]]) -> None:
    assert_as_decoded(generations)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_markers_cut_anywhere_are_found(data: st.DataObject) -> None:
    """Random pieces seldom make a marker, so here one is written and cut, with empty tokens in the cuts."""
    ids: list[int] = []
    for _ in range(data.draw(st.integers(1, 3))):
        marker = data.draw(st.sampled_from(MARKERS))
        cuts = sorted({0, len(marker), *data.draw(st.lists(st.integers(1, len(marker) - 1), max_size=4))})
        ids += data.draw(st.lists(st.integers(0, len(PIECES) - 1), max_size=3))
        for start, stop in pairwise(cuts):
            ids += [ID_OF[marker[start:stop]], *[ID_OF[b""]] * data.draw(st.integers(0, 2))]
    assert_as_decoded([ids, ids[:-1], ids[1:]])


def spell(*texts: bytes) -> list[int]:
    return [ID_OF[text] for text in texts]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([b"x", b"ANSWER:", b"7"], 1),
        ([b"x ANSWER", b"", b":", b"7"], 0),
        ([b"", b"ANSWER", b":", b""], 1),
        ([b"ANSWER:", b"x", b"\\boxed{", b"7"], 2),
        ([b"\\boxed{", b"7", b"ANSWER:", b"x"], 2),
        ([b"ANSWER:", b"x", b"ANSWER", b"x"], 0),
        ([b"WER:ANSWER: 3 \\box", b"ed{9} A"], 0),
        ([b"A", b"A", b"NSWER:"], 1),
        ([b"answer:", b"7"], -1),
        ([b"ANSWER :", b"7"], -1),
        ([b"ANSWER"], -1),
        ([b"\\"], -1),
        ([b"", b""], -1),
    ],
)
def test_the_span_starts_at_the_token_of_the_last_markers_first_byte(texts: list[bytes], expected: int) -> None:
    assert find_spans(blocks_of([spell(*texts)]), KNOWN).answer_start.tolist() == [expected]


def test_a_marker_never_straddles_two_rollouts() -> None:
    found = find_spans(
        blocks_of([spell(b"x", b"ANS"), spell(b"WER:", b"7"), spell(b"ANS", b""), [], spell(b"WER:")]), KNOWN
    )
    assert found.answer_start.tolist() == [-1] * 5
    assert not found.in_answer.any() and not found.is_numeric.any()


def test_a_long_run_of_tokens_without_bytes_is_stepped_over_at_once() -> None:
    gap = [ID_OF[b""]] * 200_000
    assert find_spans(blocks_of([[*spell(b"ANS"), *gap, *spell(b"WER", b":")]]), KNOWN).answer_start.tolist() == [0]


def test_digits_before_the_answer_are_not_numeric() -> None:
    found = find_spans(blocks_of([spell(b"7", b"ANSWER:", b"7", b"x", "٣".encode(), b"")]), KNOWN)
    assert found.is_numeric.tolist() == [False, False, True, False, False, False]
    assert found.in_answer.tolist() == [False, True, True, True, True, True]


@pytest.mark.parametrize("token_id", [-1, len(PIECES)])
def test_ids_outside_the_vocabulary_are_refused(token_id: int) -> None:
    with pytest.raises(ValueError, match="outside the vocabulary"):
        find_spans(blocks_of([[0, token_id]]), KNOWN)
