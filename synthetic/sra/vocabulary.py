"""Vocabularies and their `tokenizer.json`: byte-level BPE for Qwen and GLM, SentencePiece style for Gemma.

A vocabulary here is only ever decoded, so it carries pieces and no merges. Its own `encode` splits text into pieces
greedily; how long a piece may be is an argument, so that one text has several splittings, as sampling produces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

import orjson

from synthetic.sra.spec import Scale
from synthetic.sra.streams import stream
from synthetic.sra.words import COMMON, WIDE, invent

Family = Literal["qwen", "glm", "gemma"]
SIZES: Final[dict[Scale, dict[Family, int]]] = {
    "tiny": {"qwen": 2000, "glm": 2800, "gemma": 2200},
    "small": {"qwen": 6000, "glm": 6100, "gemma": 7000},
    "full": {"qwen": 151_665, "glm": 151_336, "gemma": 262_140},
}
SPECIAL: Final[dict[Family, tuple[str, ...]]] = {
    "qwen": ("<|endoftext|>", "<|im_end|>"),
    "glm": ("<|endoftext|>", "<|user|>", "<|assistant|>"),
    "gemma": ("<bos>", "<end_of_turn>"),
}
PLAIN_ADDED: Final[dict[Family, tuple[str, ...]]] = {
    "qwen": ("<think>", "</think>"),
    "glm": ("<think>", "</think>"),
    "gemma": (),
}
_LONGEST: Final = 24
MARKS: Final = (
    "ANSWER:", "ANSWER", " ANSWER", "\nANSWER", "ANS", "\nANS", "WER", "WER:", "SWER", "answer", " answer", "Answer",
    "Answer:", " is", " is:", "The", " the", "\\boxed", "\\boxed{", " \\boxed{", "\\box", "ed{", "}", "choice",
    "choice_", "_", " choice", "yes", " yes", "no", " no", "Yes", "No", "True", "False", "think", "weeks", " weeks",
    "days", " days", "final", " final", ": ", ".\n", "\n\n", "**", " **", "**\n",
    ", ", "('", "')", "', '", "{\"", "\": \"", "\"}",
    " x", " n", " =", " = ", "sqrt", "(n",
)  # fmt: skip


def family_of(model: str) -> Family:
    """Vocabulary family of a model."""
    return "gemma" if model.startswith("Gemma") else "glm" if model.startswith("GLM") else "qwen"


def _byte_letters() -> list[str]:
    """The published GPT-2 mapping from bytes to printable letters that byte-level BPE files are written in."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    spare = iter(range(256, 512))
    return [chr(b) if b in printable else chr(next(spare)) for b in range(256)]


_LETTERS: Final = _byte_letters()


@dataclass(frozen=True)
class Vocabulary:
    """Pieces in id order. `added` are the tokens beside the model's own, by id; `special` those left out of text."""

    family: Family
    pieces: tuple[bytes, ...]
    names: tuple[str, ...]
    added: dict[str, int]
    special: frozenset[int]

    @cached_property
    def by_bytes(self) -> dict[bytes, int]:
        """Id by text; a character's own piece wins over the byte of the same value."""
        lookup = {piece: k for k, piece in enumerate(self.pieces) if k not in self.special}
        if self.family == "gemma":
            lookup |= {p: k for k, p in enumerate(self.pieces) if len(p) == 1 and not self.names[k].startswith("<0x")}
        return lookup

    def encode(self, text: str | bytes, longest: int = _LONGEST) -> tuple[int, ...]:
        """Split greedily into pieces of at most `longest` bytes; single bytes always exist."""
        data = text if isinstance(text, bytes) else text.encode()
        lookup, ids, start = self.by_bytes, [], 0
        while start < len(data):
            width = min(longest, len(data) - start)
            while (found := lookup.get(data[start : start + width])) is None:
                width -= 1
            ids.append(found)
            start += width
        return tuple(ids)

    def tokenizer_json(self) -> bytes:
        """The Hugging Face `tokenizers` file of this vocabulary."""
        own = len(self.pieces) - len(self.added)
        model: dict[str, object] = {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": self.family == "gemma",
            "ignore_merges": False, "vocab": {name: k for k, name in enumerate(self.names[:own])}, "merges": [],
        }  # fmt: skip
        whole = {
            "version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [self._added_entry(name, k) for name, k in self.added.items()],
            "normalizer": None, "pre_tokenizer": None, "post_processor": None,
            "decoder": _decoder(self.family), "model": model,
        }  # fmt: skip
        return orjson.dumps(whole)

    def _added_entry(self, name: str, k: int) -> dict[str, object]:
        flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        return {"id": k, "content": name, **flags, "special": k in self.special}


def _decoder(family: Family) -> dict[str, object]:
    if family != "gemma":
        return {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    space = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    return {"type": "Sequence", "decoders": [space, {"type": "ByteFallback"}, {"type": "Fuse"}]}


def _texts(family: Family) -> list[str]:
    """Pieces every vocabulary of the family has, whatever its size."""
    numbers = [str(k) for k in range(10, 1000)] if family == "glm" else []
    words = [form for word in COMMON for form in (f" {word}", word, f" {word.capitalize()}")]
    wide = [w for c in WIDE[::2] for w in (c, f" {c}")]
    return [*map(chr, range(32, 127)), "\n", *MARKS, *numbers, *words, *wide]


def _pieces(family: Family, size: int, seed: int) -> list[tuple[str, bytes]]:
    """(name in the file, bytes) of the model's own pieces, in id order: shuffled, so that an id says nothing."""
    rng = stream(seed, "vocabulary", family)
    if family == "gemma":
        single = [(f"<0x{b:02X}>", bytes([b])) for b in range(256)]
        texts = [(t.replace(" ", "▁"), t.encode()) for t in _texts(family)]
    else:
        single = [(_LETTERS[b], bytes([b])) for b in range(256)]
        # Pieces that end inside a character, as merges over bytes produce.
        broken = [(" " + c).encode()[:-1] for c in WIDE[1::2]] + [
            c.encode()[:-1] for c in WIDE[1::2] if len(c.encode()) > 2
        ]
        texts = [(_letters(t), t) for t in [*(x.encode() for x in _texts(family)), *broken]]
    pieces = dict(single + texts)
    for word in invent(rng, size):
        if len(pieces) >= size:
            break
        name = f"▁{word}" if family == "gemma" else f"Ġ{word}"
        pieces[name] = f" {word}".encode()
    items = list(pieces.items())
    return [items[k] for k in rng.permutation(len(items)).tolist()]


def _letters(data: bytes) -> str:
    return "".join(_LETTERS[b] for b in data)


@lru_cache(maxsize=8)
def vocabulary(family: Family, scale: Scale, seed: int) -> Vocabulary:
    """Build the vocabulary of a family. Models of one family share it, as published ones do."""
    own = _pieces(family, SIZES[scale][family], seed)
    names = [*SPECIAL[family], *PLAIN_ADDED[family]]
    added = {name: len(own) + k for k, name in enumerate(names)}
    special = frozenset(added[name] for name in SPECIAL[family])
    pieces = (*(piece for _, piece in own), *(name.encode() for name in names))
    return Vocabulary(family, pieces, (*(name for name, _ in own), *names), added, special)
