"""How a Hugging Face tokenizer file says its pieces become text, and the pieces' bytes under each way.

The decoders that matter here act on one piece at a time, so a piece's bytes do not depend on its neighbours:
`ByteLevel`; and, alone or in a `Sequence`, `Replace` of a fixed string, `Metaspace`, `ByteFallback`, `Fuse` and a
`Strip` of blanks at the ends of the fused text (which can move neither an answer marker nor a digit).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from transforms.issue_log import shown
from warehouse.contracts.issues import Issue, Rule, Severity

UNSUPPORTED_DECODER = Rule(
    "tokenizer.unsupported_decoder",
    Severity.ERROR,
    "The tokenizer's decoder is neither byte-level nor SentencePiece-style.",
)
UNDECLARED_DECODER = Rule(
    "tokenizer.undeclared_decoder",
    Severity.INFO,
    "The tokenizer declares no decoder; its family was inferred.",
)
RULES: Final = (UNSUPPORTED_DECODER, UNDECLARED_DECODER)

SPACE_MARK: Final = "\u2581"
_MOST_STEPS: Final = 64
# A piece may become this many times longer; steps that each double it would else fill any memory.
_LARGEST_GROWTH: Final = 64
_BYTE_PIECE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def _byte_alphabet() -> str:
    """GPT-2's printable character for each byte: itself where printable in Latin-1, else the next from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in printable else next(spare)) for byte in range(256))


BYTE_ALPHABET: Final = _byte_alphabet()
_ALPHABET: Final = frozenset(BYTE_ALPHABET)
_UNMAPPED: Final = -1


def _byte_of_code_point() -> NDArray[np.int16]:
    table = np.full(0x200, _UNMAPPED, np.int16)
    table[[ord(character) for character in BYTE_ALPHABET]] = np.arange(256, dtype=np.int16)
    return table


_BYTE_OF: Final = _byte_of_code_point()


@dataclass(frozen=True)
class Decoder:
    """Either byte-level, or replacements in order and, where `byte_fallback`, `<0xNN>` for a lone byte."""

    byte_level: bool
    replacements: tuple[tuple[str, str], ...] = ()
    byte_fallback: bool = False

    def spell(self, pieces: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
        """Return the bytes of all pieces end to end, and int64[len(pieces)], each piece's number of bytes."""
        if self.byte_level:
            return _spell_byte_level(pieces)
        spelled = _spell_sentencepiece(pieces, self)
        return b"".join(spelled), _lengths(spelled)


BYTE_LEVEL: Final = Decoder(byte_level=True)
SENTENCEPIECE: Final = Decoder(byte_level=False, replacements=((SPACE_MARK, " "),), byte_fallback=True)


def read_decoder(document: Mapping[str, Any], pieces: Iterable[str], path: str) -> tuple[Decoder | None, list[Issue]]:
    """Return the decoder the file declares, or None with an error; where it declares none, the one its parts imply."""
    if document.get("decoder") is None:
        decoder = _inferred(document, pieces)
        family = "byte-level" if decoder.byte_level else "SentencePiece-style"
        message = f"{path}: the tokenizer declares no decoder; its pieces are read as {family}."
        return decoder, [UNDECLARED_DECODER.issue(message, path=path)]
    steps = _flattened(document["decoder"], "decoders")
    decoder_or_reason = _compiled(steps)
    if isinstance(decoder_or_reason, Decoder):
        return decoder_or_reason, []
    message = (
        f"{path}: the tokenizer's decoder cannot be followed: {decoder_or_reason}; expected ByteLevel, or a "
        "sequence of Replace, Metaspace, ByteFallback, Fuse and Strip. Put a tokenizer of one of these families in its "
        "place, or leave the file out: the model's spans are then null."
    )
    return None, [UNSUPPORTED_DECODER.issue(message, path=path)]


def _flattened(part: object, children: str) -> list[Mapping[str, Any]]:
    """Return the steps of a declaration that may be a (nested) `Sequence`."""
    steps: list[Mapping[str, Any]] = []
    waiting = [part]
    while waiting:
        found = waiting.pop()
        if not isinstance(found, dict):
            steps += [] if found is None else [{"type": f"a {type(found).__name__}"}]
            continue
        inner = found.get(children)
        if _kind(found) == "Sequence" and isinstance(inner, list):
            waiting += reversed(inner)
        else:
            steps.append(found)
    return steps


def _kind(step: Mapping[str, Any]) -> str:
    """Return the type a step states; a type that is no string is named by what it is."""
    kind = step.get("type")
    return kind if isinstance(kind, str) else f"a {type(kind).__name__}"


def _compiled(steps: Sequence[Mapping[str, Any]]) -> Decoder | str:
    """Return the decoder that does what the steps do, or why there is none."""
    kinds = [_kind(step) for step in steps]
    if not kinds:
        return "it has no steps"
    if len(kinds) > _MOST_STEPS:
        return f"it has {len(kinds)} steps, more than the {_MOST_STEPS} that are followed"
    if kinds[0] == "ByteLevel":
        return BYTE_LEVEL if set(kinds[1:]) <= {"Fuse"} else "steps other than Fuse follow ByteLevel"
    replacements: list[tuple[str, str]] = []
    for place, step in enumerate(steps):
        found = _replacement(step, fused="Fuse" in kinds[:place])
        if isinstance(found, str):
            return found
        replacements += found
    if math.prod(max(1.0, len(new) / len(old)) for old, new in replacements) > _LARGEST_GROWTH:
        return f"its replacements can make a piece more than {_LARGEST_GROWTH} times longer"
    return Decoder(False, tuple(replacements), "ByteFallback" in kinds)


def _replacement(step: Mapping[str, Any], *, fused: bool) -> list[tuple[str, str]] | str:
    """Return what one step replaces in a piece (perhaps nothing), or why it cannot be done a piece at a time."""
    match step:
        case {"type": "Fuse" | "ByteFallback"}:
            return []
        case {"type": "Strip", "content": str(blank)} if fused and blank.isspace():
            return []
        case {"type": "Metaspace", "replacement": str(mark)} if len(mark) == 1:
            return [(mark, " ")]
        case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)} if len(old) == 1 or not fused:
            return [(old, new)] if old else []
    return f"its step {shown(_kind(step))} is not known, or not one that can be done a piece at a time"


def _inferred(document: Mapping[str, Any], pieces: Iterable[str]) -> Decoder:
    """Tell the family from the parts that encode, else from the characters the pieces are made of."""
    steps = _flattened(document.get("pre_tokenizer"), "pretokenizers")
    kinds = {_kind(step) for step in steps}
    if "ByteLevel" in kinds:
        return BYTE_LEVEL
    model = document["model"]
    if "Metaspace" in kinds or model.get("byte_fallback") is True or model.get("type") == "Unigram":
        return SENTENCEPIECE
    return BYTE_LEVEL if _ALPHABET.issuperset("".join(pieces)) else SENTENCEPIECE


def _spell_byte_level(pieces: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """Map every character to its byte; a piece with a character outside the alphabet stands for its own UTF-8."""
    values = _bytes_of("".join(pieces))
    outside = np.flatnonzero(values == _UNMAPPED)
    if len(outside):
        ends = np.cumsum(_lengths(pieces))
        literal = set(np.searchsorted(ends, outside, side="right").tolist())
        pieces = [_as_byte_level(piece) if place in literal else piece for place, piece in enumerate(pieces)]
        values = _bytes_of("".join(pieces))
    return values.astype(np.uint8).tobytes(), _lengths(pieces)


def _bytes_of(text: str) -> NDArray[np.int16]:
    """Return int16[characters]: the byte each character stands for, or -1."""
    code_points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    return np.where(code_points < len(_BYTE_OF), _BYTE_OF[code_points & (len(_BYTE_OF) - 1)], np.int16(_UNMAPPED))


def _as_byte_level(text: str) -> str:
    return "".join(BYTE_ALPHABET[byte] for byte in text.encode())


def _spell_sentencepiece(pieces: Sequence[str], decoder: Decoder) -> list[bytes]:
    for old, new in decoder.replacements:
        pieces = [piece.replace(old, new) for piece in pieces]
    spelled = [piece.encode() for piece in pieces]
    if decoder.byte_fallback:
        for place in [place for place, piece in enumerate(pieces) if piece.startswith("<0x")]:
            if matched := _BYTE_PIECE.fullmatch(pieces[place]):
                spelled[place] = bytes([int(matched[1], 16)])
    return spelled


def _lengths(parts: Sequence[str] | Sequence[bytes]) -> NDArray[np.int64]:
    return np.fromiter(map(len, parts), np.int64, len(parts))
