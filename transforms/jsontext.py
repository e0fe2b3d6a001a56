"""One JSON text from strangers, decoded strictly; and whether it has a key twice, of which a decoder keeps one value.

No byte is replaced, and nothing nests so deep that what follows could fail on it. Lines and documents are read by it.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

BOM: Final = b"\xef\xbb\xbf"
DEEPEST: Final = 512
"""Levels of nesting that are read. Python's own encoder and decoder give up at about twice as many."""
_BLOCK: Final = 1 << 22
_LONGEST_PLACE: Final = 40
_COLON, _QUOTE, _BACKSLASH, _SPACE = b':"\\ '
# Strings first, so that a token inside one is not seen; possessive, so that hostile quotes cost linear time.
_STRING_OR_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?(?:"|\Z)|-?Infinity|NaN', re.DOTALL)
_STRING_AND_COLON: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?(?:"|\Z)(\s*+:)?', re.DOTALL)


class Flaw(Enum):
    """Why a text is not decoded."""

    NOT_UTF8 = auto()
    HALF_PAIR = auto()
    TOO_DEEP = auto()
    NOT_JSON = auto()


class UndecodableError(ValueError):
    """A text that is not decoded; its own text completes "The line …"."""

    def __init__(self, flaw: Flaw, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.flaw = flaw
        self.line = line


class Decoded(NamedTuple):
    """A text's value, how many keys all of its objects have together, and how many bare tokens it held."""

    value: Any
    n_keys: int
    n_bare: int


def decode(text: bytes | memoryview) -> Decoded:
    """Return what a JSON text holds. Raises UndecodableError.

    Bare `NaN`, `Infinity` and `-Infinity` outside strings, which `json.dumps` writes and JSON does not have, are read
    as the floats they mean, so that they can be told from null.
    """
    n_bare = 0
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        value, n_bare = _decode_bare_tokens(bytes(text), error)
    return Decoded(value, _measured(value), n_bare)


def _decode_bare_tokens(text: bytes, error: orjson.JSONDecodeError) -> tuple[Any, int]:
    """Return the value of a text that is JSON but for bare tokens, and their number."""
    standard, n_bare = blank_bare_tokens(text)
    if n_bare == 0:
        raise _undecodable(text, error) from error
    try:
        # The strict decoder judges everything but the tokens, the lenient one then gives the values.
        _measured(orjson.loads(standard))
    except orjson.JSONDecodeError as found:
        raise _undecodable(standard, found) from found
    return json.loads(text.decode(), parse_int=orjson.loads), n_bare


def blank_bare_tokens(text: bytes) -> tuple[bytes, int]:
    """Return a text with every `NaN`, `Infinity` and `-Infinity` outside strings made `null`, and their number."""
    n_bare = 0

    def replace(found: re.Match[bytes]) -> bytes:
        nonlocal n_bare
        if found[0].startswith(b'"'):
            return found[0]
        n_bare += 1
        return b"null"

    return _STRING_OR_TOKEN.sub(replace, text), n_bare


def _undecodable(text: bytes, error: orjson.JSONDecodeError) -> UndecodableError:
    try:
        text.decode()
    except UnicodeDecodeError as found:
        return UndecodableError(Flaw.NOT_UTF8, f"is not UTF-8 at its byte {found.start}; expected UTF-8 throughout")
    if "depth" in error.msg:
        return _too_deep()
    if "surrogate" in error.msg:
        return UndecodableError(
            Flaw.HALF_PAIR, f"has half a surrogate pair, which is not text, before its character {error.pos}"
        )
    place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"its character {error.pos}"
    return UndecodableError(Flaw.NOT_JSON, f"is not JSON: {error.msg}, at {place}", error.lineno)


def _too_deep() -> UndecodableError:
    return UndecodableError(Flaw.TOO_DEEP, f"nests deeper than {DEEPEST} levels; it is not read")


def _measured(value: object) -> int:
    """Return the number of keys of all objects of a value. Raises UndecodableError where it nests too deep."""
    n_keys = depth = 0
    level = [value]
    # Level by level, so that depth costs no recursion.
    while level:
        if depth >= DEEPEST and not {dict, list}.isdisjoint(map(type, level)):
            raise _too_deep()
        inner: list[Any] = []
        for found in level:
            if type(found) is dict:
                n_keys += len(found)
                inner += found.values()
            elif type(found) is list:
                inner += found
        level, depth = inner, depth + 1
    return n_keys


# --- keys that are written more than once ---------------------------------------------------------------------------


def count_written_keys(text: bytes | memoryview) -> int:
    """Return how many keys are written in a JSON text: more than it decodes to where some are repeated."""
    return sum(found.start(1) >= 0 for found in _STRING_AND_COLON.finditer(text))


def bound_written_keys(text: bytes | memoryview) -> int:
    """Return a number that `count_written_keys` does not exceed, in a fraction of its time; it is mostly the same.

    Every colon counts that may follow a key: a quote stands before it that is not plainly escaped, or white space.
    """
    written, total = np.frombuffer(text, np.uint8), 0
    for start in range(0, len(written), _BLOCK):
        colons = np.flatnonzero(written[start : start + _BLOCK] == _COLON) + start
        last, second, third = (written[colons[colons >= 3] - k] for k in (1, 2, 3))
        is_open = (last == _QUOTE) & ((second != _BACKSLASH) | (third == _BACKSLASH))
        is_apart = (last <= _SPACE) & ((second == _QUOTE) | (second <= _SPACE))
        total += int(np.count_nonzero(is_open | is_apart))
    return total


def repeated_keys(text: bytes) -> list[str]:
    """Return where a text that can be decoded has a key more than once in one object, as `[2].eval_data.answer`.

    Indices count from 0.
    """
    # Each with its object, which so stays alive: no other one gets its id.
    repeated: dict[int, tuple[dict[str, Any], list[str]]] = {}

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            repeated[id(found)] = found, [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
        return found

    whole = json.loads(blank_bare_tokens(text)[0].decode(), object_pairs_hook=look, parse_int=float)
    return [place for found, where in _objects(whole) for place in _named(where, repeated.get(id(found)))]


def _objects(whole: object) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every object in a value with its place, from the outermost in."""
    waiting: list[tuple[Any, str]] = [(whole, "")]
    # The list grows while it is walked, so that depth costs no recursion.
    for value, where in waiting:
        if isinstance(value, dict):
            yield value, where
            waiting += ((inner, _below(where, key)) for key, inner in value.items())
        elif isinstance(value, list):
            waiting += ((inner, f"{where}[{k}]") for k, inner in enumerate(value))


def _named(where: str, repeated: tuple[object, list[str]] | None) -> list[str]:
    return [_below(where, key) for key in repeated[1]] if repeated else []


def _below(where: str, key: str) -> str:
    # Keys may be endless: of a long place its end and of a long key its start tells enough.
    return f"{where[-_LONGEST_PLACE:]}.{key[:_LONGEST_PLACE]}" if where else key[:_LONGEST_PLACE]


def json_type(value: object) -> str:
    """Return the JSON type of a decoded value, in words."""
    if value is None:
        return "null"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    names = {bool: "a boolean", str: "a string", dict: "an object", list: "an array"}
    return names.get(type(value), "a number")
