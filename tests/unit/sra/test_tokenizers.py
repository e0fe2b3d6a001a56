from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from tests.unit.sra.entropy_cases import SHARED, piece
from transforms.sra import token_decoders, tokenizers
from transforms.sra.token_decoders import BYTE_ALPHABET, UNDECLARED_DECODER, UNSUPPORTED_DECODER
from transforms.sra.tokenizers import LARGEST_ID, Vocabulary, parse_tokenizer

TEXT = "Der Preis: 12,50 € für 中文 und naïve Köche. ANSWER: \\boxed{42} 🙂 the then them ANSWER: 7 " * 3
SENTENCEPIECE = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ],
}


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|im_end|>", "<|reserved_7|>"],
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    # A token with characters outside the byte alphabet stands for itself; "Ġ5" is inside it and stands for " 5".
    tokenizer.add_tokens([AddedToken("<think>"), AddedToken("中b"), AddedToken("a b 中"), AddedToken("Ġ5")])
    return tokenizer


def sentencepiece() -> Tokenizer:
    pieces = ["<pad>", "▁", "▁the", "ANSWER", ":", "▁42", "中", "7", "é", "▁▁", "<0x41", "0x41>", "<0x41>x"]
    vocab = {text: place for place, text in enumerate([*pieces, *(f"<0x{byte:02X}>" for byte in range(256)), "<0xc3>"])}
    tokenizer = Tokenizer(models.BPE(vocab, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(["<pad>", "<end_of_turn>"])
    tokenizer.add_tokens(["<unused▁1>"])
    return tokenizer


def parsed(document: dict[str, Any] | str) -> Vocabulary:
    text = document if isinstance(document, str) else json.dumps(document)
    vocabulary, issues = parse_tokenizer(text.encode(), "tokenizers/m/tokenizer.json")
    assert issues == []
    assert vocabulary is not None
    return vocabulary


def joined(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    return b"".join(piece(vocabulary, token_id) for token_id in ids).decode("utf-8", "replace")


def document(**changes: object) -> dict[str, Any]:
    base = {
        "version": "1.0",
        "added_tokens": [{"id": 2, "content": "<end>", "special": True}],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "Ġ1": 1}, "merges": []},
    }
    return {**base, **changes}


BYTE_LEVEL_LIBRARY = byte_level()
BYTE_LEVEL_VOCABULARY = parsed(BYTE_LEVEL_LIBRARY.to_str())
SENTENCEPIECE_LIBRARY = sentencepiece()
SENTENCEPIECE_VOCABULARY = parsed(SENTENCEPIECE_LIBRARY.to_str())


def test_byte_alphabet_is_the_librarys() -> None:
    assert set(BYTE_ALPHABET) == set(pre_tokenizers.ByteLevel.alphabet())
    library = Tokenizer(models.BPE({character: byte for byte, character in enumerate(BYTE_ALPHABET)}, []))
    library.decoder = decoders.ByteLevel()
    for text in ("\x00\t\n ~\x7f", "é中🙂", "".join(map(chr, range(0x80, 0x180)))):
        assert library.decode(list(text.encode())) == text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, BYTE_LEVEL_LIBRARY.get_vocab_size() - 1), max_size=40))
def test_byte_level_ids_decode_as_the_library_does(ids: list[int]) -> None:
    assert joined(BYTE_LEVEL_VOCABULARY, ids) == BYTE_LEVEL_LIBRARY.decode(ids)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_byte_level_generations_come_back(text: str) -> None:
    ids = BYTE_LEVEL_LIBRARY.encode(text, add_special_tokens=False).ids
    assert joined(BYTE_LEVEL_VOCABULARY, ids) == BYTE_LEVEL_LIBRARY.decode(ids)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_sentencepiece_generations_decode_as_the_library_does(data: st.DataObject) -> None:
    """Whole pieces, special ones, and characters spelled in byte pieces, so that the text is valid UTF-8."""
    library = SENTENCEPIECE_LIBRARY
    whole = [place for text, place in library.get_vocab().items() if len(text) != 6 or not text.startswith("<0x")]
    ids: list[int] = []
    for choice in data.draw(st.lists(st.one_of(st.sampled_from(whole), st.characters(codec="utf-8")), max_size=20)):
        spelled = (
            [choice] if isinstance(choice, int) else [library.get_vocab()[f"<0x{b:02X}>"] for b in choice.encode()]
        )
        ids += spelled
    assert joined(SENTENCEPIECE_VOCABULARY, ids) == library.decode(ids)


def test_a_character_can_be_split_over_tokens() -> None:
    euro = [BYTE_LEVEL_LIBRARY.get_vocab()[BYTE_ALPHABET[byte]] for byte in "€".encode()]
    assert [len(piece(BYTE_LEVEL_VOCABULARY, token_id)) for token_id in euro] == [1, 1, 1]
    assert joined(BYTE_LEVEL_VOCABULARY, euro) == "€"


def test_lower_case_byte_pieces_are_bytes_and_near_misses_are_text() -> None:
    ids = [SENTENCEPIECE_LIBRARY.get_vocab()[text] for text in ("<0xc3>", "<0x41", "0x41>", "<0x41>x")]
    assert [piece(SENTENCEPIECE_VOCABULARY, token_id) for token_id in ids] == [b"\xc3", b"<0x41", b"0x41>", b"<0x41>x"]


def test_special_tokens_have_no_text_and_other_added_tokens_have() -> None:
    library, vocabulary = BYTE_LEVEL_LIBRARY, BYTE_LEVEL_VOCABULARY
    assert piece(vocabulary, library.get_vocab()["<|reserved_7|>"]) == b""
    assert not vocabulary.has_digit[library.get_vocab()["<|reserved_7|>"]]
    assert vocabulary.known[library.get_vocab()["<|reserved_7|>"]]
    assert piece(vocabulary, library.get_vocab()["<think>"]) == b"<think>"
    assert piece(vocabulary, library.get_vocab()["中b"]) == "中b".encode()
    assert piece(vocabulary, library.get_vocab()["a b 中"]) == "a b 中".encode()
    assert piece(vocabulary, library.get_vocab()["Ġ5"]) == b" 5"


def test_digits_are_those_of_the_text_and_not_of_its_spelling() -> None:
    library, vocabulary = SENTENCEPIECE_LIBRARY, SENTENCEPIECE_VOCABULARY
    has_digit = {text: bool(vocabulary.has_digit[place]) for text, place in library.get_vocab().items()}
    assert has_digit["<0x31>"] and has_digit["▁42"] and has_digit["7"]
    assert not has_digit["<0x0A>"] and not has_digit["<0xB2>"] and not has_digit["中"]


def test_ids_that_the_file_skips_are_not_known() -> None:
    vocabulary = parsed(document(model={"type": "BPE", "vocab": {"a": 0, "b": 5}}, added_tokens=[]))
    assert vocabulary.size == 6
    assert vocabulary.known.tolist() == [True, False, False, False, False, True]
    assert np.diff(vocabulary.offsets).tolist() == [1, 0, 0, 0, 0, 1]


def test_an_added_token_may_repeat_its_piece_of_the_model() -> None:
    vocabulary = parsed(document(added_tokens=[{"id": 1, "content": "Ġ1", "special": True}]))
    assert (vocabulary.size, piece(vocabulary, 1)) == (2, b"")


def test_a_listed_vocabulary_numbers_its_pieces_in_order() -> None:
    library = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁a", -1.0), ("b", -2.0)], unk_id=0))
    library.decoder = decoders.Metaspace()
    vocabulary = parsed(library.to_str())
    assert [piece(vocabulary, token_id) for token_id in range(3)] == [b"<unk>", b" a", b"b"]
    assert joined(vocabulary, [2, 1, 2]) == library.decode([2, 1, 2]) == "b ab"


def test_blanks_stripped_from_the_whole_text_change_no_piece() -> None:
    steps = [*SENTENCEPIECE["decoders"], {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    vocabulary = parsed(
        document(decoder={"type": "Sequence", "decoders": steps}, model={"vocab": {"▁a": 0, "<0x41>": 1}})
    )
    assert [piece(vocabulary, token_id) for token_id in range(2)] == [b" a", b"A"]


def test_a_byte_order_mark_is_tolerated() -> None:
    vocabulary, issues = parse_tokenizer(b"\xef\xbb\xbf" + json.dumps(document()).encode(), "t.json")
    assert vocabulary is not None
    assert [issue.rule for issue in issues] == [tokenizers.BYTE_ORDER_MARK.name]


def test_a_piece_with_two_ids_is_an_error_that_names_it() -> None:
    data = json.dumps(document()).replace('"vocab": {', '"vocab": {"aa": 7, "aa": 8, ')
    vocabulary, issues = parse_tokenizer(data.encode(), "t.json")
    assert (vocabulary, [issue.rule for issue in issues]) == (None, [tokenizers.REPEATED_KEY.name])
    assert "model.vocab.aa" in issues[0].message


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"pre_tokenizer": {"type": "ByteLevel"}}, b" 1"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split"}, {"type": "ByteLevel"}]}}, b" 1"),
        ({}, b" 1"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "Ġ1".encode()),
        ({"model": {"type": "BPE", "byte_fallback": True, "vocab": {"a": 0, "Ġ1": 1}}}, "Ġ1".encode()),
        ({"model": {"type": "BPE", "vocab": {"a": 0, "▁1": 1}}}, b" 1"),
    ],
)
def test_the_family_is_inferred_where_no_decoder_is_declared(changes: dict[str, Any], expected: bytes) -> None:
    vocabulary, issues = parse_tokenizer(json.dumps(document(decoder=None, **changes)).encode(), "t.json")
    assert [issue.rule for issue in issues] == [UNDECLARED_DECODER.name]
    assert vocabulary is not None
    assert piece(vocabulary, 1) == expected


@pytest.mark.parametrize(
    "decoder",
    [
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "Sequence", "decoders": []},
        {"type": "Sequence"},
        {"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": "CTC"}]},
        {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteLevel"}]},
        {"type": "Sequence", "decoders": [{"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        {
            "type": "Sequence",
            "decoders": [{"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "ab"}, "content": ""}],
        },
        {"type": "Replace", "pattern": {"Regex": "▁"}, "content": " "},
        {"type": None},
        "ByteLevel",
        [],
    ],
)
def test_a_decoder_that_cannot_be_followed_is_an_error(decoder: object) -> None:
    assert rules_of(document(decoder=decoder)) == [UNSUPPORTED_DECODER.name]


@pytest.mark.parametrize(
    "decoder",
    [
        {"type": "ByteLevel"},
        {"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": "Fuse"}]},
        {"type": "Sequence", "decoders": [{"type": "Sequence", "decoders": [{"type": "ByteLevel"}]}]},
        {"type": "Replace", "pattern": {"String": "▁▁"}, "content": "  "},
        {
            "type": "Sequence",
            "decoders": [{"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}],
        },
        SENTENCEPIECE,
    ],
)
def test_a_decoder_that_acts_on_a_piece_at_a_time_is_read(decoder: object) -> None:
    assert rules_of(document(decoder=decoder)) == []


def rules_of(found: object) -> list[str]:
    vocabulary, issues = parse_tokenizer(json.dumps(found).encode(), "tokenizers/m/tokenizer.json")
    assert (vocabulary is None) == bool(issues)
    assert all(issue.path == "tokenizers/m/tokenizer.json" for issue in issues)
    return [issue.rule for issue in issues]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe{}", b'{"model": NaN}', b"PK\x03\x04", b"[" * 100_000])
def test_what_is_not_json_is_an_error(data: bytes) -> None:
    vocabulary, issues = parse_tokenizer(data, "t.json")
    assert (vocabulary, [issue.rule for issue in issues]) == (None, [tokenizers.UNREADABLE.name])


@pytest.mark.parametrize(
    "found",
    [
        [],
        "text",
        None,
        {},
        {"tokenizer_class": "Qwen2Tokenizer", "model_max_length": 131072},
        {"model": []},
        {"model": {"type": "BPE"}},
        {"model": {"vocab": {}}},
        {"model": {"vocab": []}},
        {"model": {"vocab": "abc"}},
        {"model": {"vocab": ["a", "b"]}},
        {"model": {"vocab": [["a", -1.0], [3, -1.0]]}},
        document(added_tokens={}),
        document(added_tokens="x"),
        document(added_tokens=["<end>"]),
        document(added_tokens=[{"id": 2}]),
        document(added_tokens=[{"content": "<end>"}]),
        document(added_tokens=[{"id": 2, "content": 7}]),
    ],
)
def test_json_that_is_not_a_tokenizer_is_an_error(found: object) -> None:
    assert rules_of(found) == [tokenizers.NOT_A_TOKENIZER.name]


def test_added_tokens_may_be_absent_or_null() -> None:
    assert (
        rules_of(document(added_tokens=None))
        == rules_of({"model": {"vocab": {"a": 0}}, "decoder": SENTENCEPIECE})
        == []
    )


@pytest.mark.parametrize("token_id", [-1, LARGEST_ID + 1, 1.5, "3", None, True, 10**30])
def test_an_id_that_is_no_id_is_an_error(token_id: object) -> None:
    assert rules_of(document(model={"vocab": {"a": 0, "b": token_id}})) == [tokenizers.BAD_ID.name]
    assert rules_of(document(added_tokens=[{"id": token_id, "content": "<end>"}])) == [tokenizers.BAD_ID.name]


def test_an_id_of_two_pieces_is_an_error_that_names_it() -> None:
    found = document(model={"vocab": {"a": 0, "secret": 7, "b": 7}}, added_tokens=[{"id": 0, "content": "<end>"}])
    _, issues = parse_tokenizer(json.dumps(found).encode(), "t.json")
    assert [issue.rule for issue in issues] == [tokenizers.REPEATED_ID.name]
    assert "0, 7" in issues[0].message and "secret" not in issues[0].message


def test_all_that_is_wrong_is_said_at_once() -> None:
    found = document(decoder={"type": "CTC"}, model={"vocab": {"a": 0, "b": -4}})
    assert rules_of(found) == [UNSUPPORTED_DECODER.name, tokenizers.BAD_ID.name]


def test_every_rule_has_its_own_name() -> None:
    rules = [*tokenizers.RULES, *token_decoders.RULES]
    assert len({rule.name for rule in rules}) == len(rules)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared folder with the mini bundle is not beside the checkout")
@pytest.mark.parametrize(
    "path", sorted(SHARED.glob("bundles/mini/tokenizers/*/tokenizer.json")), ids=lambda p: p.parent.name
)
def test_the_mini_bundles_tokenizers_decode_as_the_library_does(path: Path) -> None:
    library, vocabulary = Tokenizer.from_file(str(path)), parsed(path.read_text("utf-8"))
    assert vocabulary.size == library.get_vocab_size()
    assert vocabulary.known.all()
    rng = np.random.default_rng(7)
    # Of a run of byte pieces that is not UTF-8 the library turns every byte into U+FFFD, also those that are ASCII.
    whole = [
        token_id
        for text, token_id in library.get_vocab().items()
        if "Gemma" not in path.parent.name or not re.fullmatch("<0x[89A-F].>", text)
    ]
    for _ in range(200):
        ids = rng.choice(whole, 30).tolist()
        assert joined(vocabulary, ids) == library.decode(ids)


@pytest.mark.parametrize(
    "decoder",
    [
        {"type": ["ByteLevel"]},
        {"type": {"a": 1}},
        {"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": []}]},
        {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": None}]},
    ],
)
def test_a_step_whose_type_is_no_name_is_refused_in_words(decoder: object) -> None:
    assert rules_of(document(decoder=decoder)) == [UNSUPPORTED_DECODER.name]


def test_an_encoder_step_whose_type_is_no_name_tells_nothing_of_the_family() -> None:
    found = document(pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": []}, {"type": {}}]})
    del found["decoder"]
    _, issues = parse_tokenizer(json.dumps(found).encode(), "t")
    assert [issue.rule for issue in issues] == [UNDECLARED_DECODER.name]


@pytest.mark.parametrize(("part", "inside"), [("decoder", "decoders"), ("pre_tokenizer", "pretokenizers")])
def test_sequences_in_sequences_cost_no_recursion(part: str, inside: str) -> None:
    plain = document()
    del plain["decoder"]
    nested = json.dumps(plain)[:-1] + f', "{part}": {nested_json(inside, 250)}}}'
    _, issues = parse_tokenizer(nested.encode(), "t")
    assert [issue.rule for issue in issues] == ([] if part == "decoder" else [UNDECLARED_DECODER.name])


def nested_json(inside: str, depth: int) -> str:
    opening = f'{{"type": "Sequence", "{inside}": ['
    return opening * depth + '{"type": "ByteLevel"}' + "]}" * depth


def replaced(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def test_replacements_that_multiply_a_piece_are_refused_and_not_carried_out() -> None:
    doubling = {"type": "Sequence", "decoders": [replaced("a", "aa")] * 60}
    assert rules_of(document(decoder=doubling)) == [UNSUPPORTED_DECODER.name]
    assert rules_of(document(decoder=replaced("a", "b" * 65))) == [UNSUPPORTED_DECODER.name]
    assert rules_of(document(decoder=replaced("a", "b" * 64))) == []


def test_more_steps_than_any_tokenizer_has_are_refused() -> None:
    many = {"type": "Sequence", "decoders": [replaced("a", "b")] * 65}
    assert rules_of(document(decoder=many)) == [UNSUPPORTED_DECODER.name]
    many["decoders"] = [replaced("a", "b")] * 64
    assert rules_of(document(decoder=many)) == []
