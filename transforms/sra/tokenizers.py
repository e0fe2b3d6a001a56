"""Token ids to bytes: what each id of a Hugging Face `tokenizer.json` contributes to the generated text.

The vocabulary is the model's pieces and the file's added tokens. Special tokens stand among a generation's ids and have
no text.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from transforms.issue_log import IssueLog, shown_all
from transforms.jsondoc import Form, read_object
from transforms.sra.token_decoders import read_decoder
from warehouse.contracts.issues import Issue, Rule, Severity, has_errors

LARGEST_ID: Final = 2**22 - 1
"""Ids above this are damage: no vocabulary is near it, and one bad number must not ask for gigabytes."""

UNREADABLE = Rule("tokenizer.unreadable", Severity.ERROR, "The tokenizer file is not JSON in UTF-8.")
NOT_A_TOKENIZER = Rule("tokenizer.not_a_tokenizer", Severity.ERROR, "The file is not a Hugging Face tokenizer.")
BAD_ID = Rule("tokenizer.bad_token_id", Severity.ERROR, f"A token id is not a whole number from 0 to {LARGEST_ID:,}.")
REPEATED_KEY = Rule("tokenizer.repeated_key", Severity.ERROR, "An object of the tokenizer file has one key twice.")
BYTE_ORDER_MARK = Rule("tokenizer.byte_order_mark", Severity.INFO, "The tokenizer file starts with a byte order mark.")
REPEATED_ID = Rule("tokenizer.repeated_token_id", Severity.ERROR, "Different pieces claim one token id.")
RULES: Final = (UNREADABLE, NOT_A_TOKENIZER, BAD_ID, REPEATED_KEY, BYTE_ORDER_MARK, REPEATED_ID)

_ADVICE: Final = "Fetch the model's own tokenizer.json again, or leave the file out: the model's spans are then null."
_FORM: Final = Form(
    f"a Hugging Face tokenizer. {_ADVICE.removesuffix('.')}", UNREADABLE, UNREADABLE, UNREADABLE,
    other_shape=NOT_A_TOKENIZER, repeated_key=REPEATED_KEY, byte_order_mark=BYTE_ORDER_MARK,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The bytes of every token id; n is the largest id plus one.

    Shapes: `offsets` int64[n + 1] into `blob` uint8[all bytes, in id order]; `has_digit` bool[n], whether the bytes
    hold an ASCII digit; `known` bool[n], false for ids the file skips. Special tokens are known and have no bytes.
    """

    offsets: NDArray[np.int64]
    blob: NDArray[np.uint8]
    has_digit: NDArray[np.bool_]
    known: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Largest token id plus one."""
        return len(self.known)

    @classmethod
    def from_bytes(cls, blob: bytes, lengths: NDArray[np.int64], known: NDArray[np.bool_]) -> Vocabulary:
        """Build from all bytes in id order, each id's number of bytes, and which ids exist."""
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        array = np.frombuffer(blob, np.uint8)
        digits = np.concatenate([np.zeros(1, np.int64), np.cumsum((array >= ord("0")) & (array <= ord("9")))])
        return cls(offsets, array, digits[offsets[1:]] > digits[offsets[:-1]], known)


@dataclass(frozen=True)
class _Claims:
    """Who claims which id: the model's pieces, then the added tokens, with `special` true for those without text."""

    pieces: list[str]
    ids: list[Any]
    added_pieces: list[str]
    added_ids: list[Any]
    special: list[bool]


def parse_tokenizer(data: bytes, path: str) -> tuple[Vocabulary | None, list[Issue]]:
    """Read a Hugging Face `tokenizer.json`; `path` is how messages name it.

    Returns the vocabulary, or None with at least one error. A generation's bytes, joined and read as UTF-8, are what
    the `tokenizers` library decodes with special tokens skipped, except that lone bytes stay bytes and not U+FFFD.
    """
    log = IssueLog(path=path)
    with _paused_collector():
        document = read_object(data, log, _FORM)
    if document is None:
        return None, log.issues
    claims = _claims(document)
    if isinstance(claims, str):
        log.add(NOT_A_TOKENIZER, f"{path} cannot be read as a Hugging Face tokenizer: {claims}. {_ADVICE}")
        return None, log.issues
    decoder, issues = read_decoder(document, claims.pieces, path)
    issues = [*log.issues, *issues]
    issues += _bad_ids(claims, path) or _conflicts(claims, path)
    if decoder is None or has_errors(issues):
        return None, issues
    pieces, known = _by_id(claims)
    return Vocabulary.from_bytes(*decoder.spell(pieces), known), issues


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Hold the cycle collector: half a million merges are as many lists, and scanning them doubles the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _claims(document: dict[str, Any]) -> _Claims | str:
    """Return who claims which id, or why the document is not a tokenizer."""
    model = document.get("model")
    if not isinstance(model, dict):
        return f"expected an object under 'model'; its keys are {shown_all(document)}"
    entries = _model_entries(model.get("vocab"))
    if entries is None:
        return f"expected model.vocab to map pieces to ids, or to list pieces with scores; model has {shown_all(model)}"
    added = [] if document.get("added_tokens") is None else document["added_tokens"]
    if not (isinstance(added, list) and all(_is_added_token(token) for token in added)):
        return "expected 'added_tokens' to list objects with a string 'content' and an 'id'"
    special = [token.get("special", False) is True for token in added]
    return _Claims(*entries, [token["content"] for token in added], [token["id"] for token in added], special)


def _model_entries(vocab: object) -> tuple[list[str], list[Any]] | None:
    """Return pieces and ids of a vocabulary of either shape: piece to id, or [piece, score] in id order."""
    if isinstance(vocab, dict) and vocab:
        return list(vocab), list(vocab.values())
    if not isinstance(vocab, list) or not vocab:
        return None
    if not all(isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str) for entry in vocab):
        return None
    return [piece for piece, _ in vocab], list(range(len(vocab)))


def _is_added_token(token: object) -> bool:
    return isinstance(token, dict) and isinstance(token.get("content"), str) and "id" in token


def _bad_ids(claims: _Claims, path: str) -> list[Issue]:
    ids = claims.ids + claims.added_ids
    if set(map(type, ids)) == {int} and min(ids) >= 0 and max(ids) <= LARGEST_ID:
        return []
    bad = [token_id for token_id in ids if type(token_id) is not int or not 0 <= token_id <= LARGEST_ID]
    first = f"{bad[0]}" if type(bad[0]) in (int, float) else f"a {type(bad[0]).__name__}"
    message = (
        f"{path}: {len(bad):,} of {len(ids):,} token ids are not whole numbers from 0 to {LARGEST_ID:,}; the first is "
        f"{first}. {_ADVICE}"
    )
    return [BAD_ID.issue(message, path=path, value=first)]


def _conflicts(claims: _Claims, path: str) -> list[Issue]:
    """Find ids that different pieces claim; an added token that repeats the model's own piece is no conflict."""
    ids = np.array(claims.ids + claims.added_ids, np.int64)
    repeated = set(np.flatnonzero(np.bincount(ids) > 1).tolist())
    if not repeated:
        return []
    owners: dict[int, set[str]] = {}
    for token_id, piece in zip(ids.tolist(), claims.pieces + claims.added_pieces, strict=True):
        if token_id in repeated:
            owners.setdefault(token_id, set()).add(piece)
    bad = sorted(token_id for token_id, pieces in owners.items() if len(pieces) > 1)
    if not bad:
        return []
    message = (
        f"{path}: {len(bad):,} token ids are claimed by different pieces, so their text is unsure: {shown_all(bad)}. "
        f"{_ADVICE}"
    )
    return [REPEATED_ID.issue(message, path=path, value=str(bad[0]))]


def _by_id(claims: _Claims) -> tuple[list[str], NDArray[np.bool_]]:
    """Return each id's piece ("" for special tokens and holes) and whether the id exists."""
    pieces = [""] * (max(claims.ids + claims.added_ids) + 1)
    known = np.zeros(len(pieces), np.bool_)
    for token_id, piece in zip(claims.ids, claims.pieces, strict=True):
        pieces[token_id] = piece
    for token_id, piece, special in zip(claims.added_ids, claims.added_pieces, claims.special, strict=True):
        pieces[token_id] = "" if special else piece
    known[claims.ids] = True
    known[claims.added_ids] = True
    return pieces, known
