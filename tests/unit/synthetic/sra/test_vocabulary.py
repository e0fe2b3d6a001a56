"""Vocabularies against the `tokenizers` library, and the ways a text may be split."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from synthetic.sra.spec import Scale
from synthetic.sra.streams import stream
from synthetic.sra.units import filler
from synthetic.sra.vocabulary import SIZES, Family, vocabulary
from synthetic.sra.words import COMMON, WIDE, invent

FAMILIES = get_args(Family)
WIDTHS = st.sampled_from([1, 2, 4, 24])
FORBIDDEN = ("answer", "choice", "yes", "no", "true", "false", "boxed", "weeks", "days", "not", "inf", "nan")


def _tokenizer(family: Family) -> Tokenizer:
    return Tokenizer.from_str(vocabulary(family, "tiny", 0).tokenizer_json().decode())


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="▁")), longest=WIDTHS)
def test_any_text_comes_back_from_its_tokens(family: Family, text: str, longest: int) -> None:
    ids = vocabulary(family, "tiny", 0).encode(text, longest)
    assert _tokenizer(family).decode(list(ids), skip_special_tokens=True) == text


@pytest.mark.parametrize("family", FAMILIES)
def test_the_library_knows_every_piece_by_its_id(family: Family) -> None:
    vocab, tokenizer = vocabulary(family, "tiny", 0), _tokenizer(family)
    assert tokenizer.get_vocab_size() == len(vocab.pieces) == len(set(vocab.names))
    assert all(tokenizer.token_to_id(name) == k for k, name in enumerate(vocab.names))


@pytest.mark.parametrize("family", FAMILIES)
def test_special_tokens_are_left_out_of_text_and_think_tokens_are_not(family: Family) -> None:
    vocab, tokenizer = vocabulary(family, "tiny", 0), _tokenizer(family)
    assert tokenizer.decode(sorted(vocab.special), skip_special_tokens=True) == ""
    for name, k in vocab.added.items():
        assert tokenizer.decode([k], skip_special_tokens=True) == ("" if k in vocab.special else name)


@pytest.mark.parametrize("scale", get_args(Scale))
@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_are_as_stated(family: Family, scale: Scale) -> None:
    vocab = vocabulary(family, scale, 0)
    assert len(vocab.pieces) - len(vocab.added) == SIZES[scale][family]


def test_full_vocabularies_are_as_large_as_real_ones() -> None:
    assert all(150_000 <= size <= 262_144 for size in SIZES["full"].values())


@pytest.mark.parametrize("family", FAMILIES)
def test_characters_are_split_and_markers_begin_inside_tokens(family: Family) -> None:
    vocab = vocabulary(family, "tiny", 0)
    pieces = [vocab.pieces[k] for k in vocab.encode("\nANSWER: é", 24)]
    assert pieces[0] != b"\n" and pieces[0].startswith(b"\nANS")
    assert len(vocab.encode("ANSWER:", 2)) > 2
    split = [c for c in WIDE if len(vocab.encode(c)) > 1]
    assert split
    assert any(len(c.encode()) > len(vocab.encode(c)) > 1 for c in WIDE) == (family != "gemma")


@pytest.mark.parametrize("family", FAMILIES)
def test_filler_is_whole_text_without_anything_a_grader_looks_for(family: Family) -> None:
    base = filler(family, "small", 0)
    texts = base.units.text
    drawn = sorted(set(base.draw.tolist()))
    assert drawn[0] > 0 and drawn[-1] < len(base.units)
    for k in drawn:
        start, length = int(texts.starts[k]), int(texts.lengths[k])
        words = texts.flat[start : start + length].tobytes().decode().lower().split()
        assert length > 0
        assert not any(word.strip(".,;:()-") in FORBIDDEN for word in words)


def test_words_are_distinct_and_harmless() -> None:
    invented = invent(stream(0, "test"), 5000)
    assert len(set(invented)) == 5000
    assert not set(invented) & set(FORBIDDEN)
    assert not set(COMMON) & set(FORBIDDEN)
    assert len(set(COMMON)) == len(COMMON)
