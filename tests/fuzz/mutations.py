"""Mutations that know what they change: JSON values, lines, CSV cells, sections of one input; and plain bytes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

Mutate = Callable[[bytes, Random], bytes]

CANARY: Final = "Zq7secret"
"""Stands in mutated texts, never in names: no message may repeat it."""
NAMES: Final = frozenset(
    ("instance_id", "model", "dataset", "condition", "skill_id", "tossup_index", "subject_id", "finish_reason",
     "answer_type", "output_type", "task_type", "type", "irt_model", "path", "key")
)  # fmt: skip
"""Keys whose values are names, which messages may show."""
_DEEP: Final = json.loads("[" * 300 + "]" * 300)
_DEEPER: Final = json.loads('{"a":' * 450 + "1" + "}" * 450)
_TEXTS: Final = (
    "", " ", "NaN", "null", "\x00", "\x1b[31m", "\u202eabc", "\ud800", "\U000e0001" * 70, "é" * 70, "\n" * 70,
    "x" * 300,
    f"{CANARY} {CANARY}", CANARY * 30, f"the answer is {CANARY}", "ANSWER: 1", "[H7, +]", "M1", "'", '"',
    "\\", "0", "-1", "1e5",
    "Infinity", "a,b", "..", "/", "\ufeff", "\u2028", "٣", "=1+1",
)  # fmt: skip
_NUMBERS: Final = (
    0, -1, 1, 2, 8, 9, 10, 255, 2**31 - 1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30,
    10**400,
    0.0, -0.0, 0.5, 1.0, 8.0, 1.5, 1e-9, 5e-324, 1e308, -1e308, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
_OTHERS: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    [],
    {},
    [None],
    {"a": 1},
    [[]],
    [1, "a", None, {}],
    _DEEP,
    _DEEPER,
)
_KEYS: Final = ("", "zz", "\x00", "\x1b[2J", "\U000e0001" * 70, "k" * 5000, "a b", "é", '"', "sample", "NaN", "x:")


def any_value(rng: Random) -> Any:
    """Return a JSON value that tends to be at an edge."""
    value = rng.choice(rng.choice((_TEXTS, _NUMBERS, _NUMBERS, _OTHERS)))
    # A copy, for what is put into a document may be changed there.
    return json.loads(json.dumps(value)) if isinstance(value, list | dict) else value


def mutated_value(value: Any, rng: Random) -> Any:
    """Return a JSON document with one to three places changed; the document given stays as it is."""
    found = json.loads(json.dumps(value))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = _places(found)
        if not places:
            return any_value(rng)
        found = _changed(found, *rng.choice(places), rng)
    return found


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) of a document, at most some thousands."""
    places: list[tuple[Any, Any]] = []
    waiting = [document]
    for node in waiting:
        if len(places) > 3_000:
            break
        pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, value in pairs:
            places.append((node, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    return places


def _changed(document: Any, container: Any, key: Any, rng: Random) -> Any:
    old = container[key]
    action = rng.randrange(9)
    if action <= 2:
        container[key] = _edge(key, old, rng)
    elif action == 3:
        del container[key]
    elif action == 4:
        container[key] = _nudged(old, rng)
    elif action == 5 and isinstance(container, list):
        container.insert(rng.randrange(len(container) + 1), old if rng.random() < 0.5 else any_value(rng))
    elif action == 5 or (action == 6 and isinstance(container, dict)):
        container[rng.choice(_KEYS)] = old if rng.random() < 0.3 else any_value(rng)
    elif action == 6 and len(container) > 1:
        other = rng.randrange(len(container))
        container[key], container[other] = container[other], container[key]
    elif action == 7 and isinstance(container, dict):
        container[rng.choice([*container, *_KEYS])] = container.pop(key)
    elif action == 8:
        _, place = rng.choice(_places(document))
        container[key] = [old] if rng.random() < 0.5 else {str(place): old}
    return document


def _edge(key: Any, old: Any, rng: Random) -> Any:
    value = any_value(rng)
    is_named = isinstance(key, str) and key in NAMES
    return old if is_named and isinstance(value, str) and CANARY in value else value


def _nudged(old: Any, rng: Random) -> Any:
    """Return something near a value: a number a little off, a text a little longer, shorter or in another case."""
    if isinstance(old, bool) or old is None:
        return not old
    if isinstance(old, int) and abs(old) > 10**15:
        return rng.choice((old + 1, old - 1, -old, str(old)))
    if isinstance(old, int | float):
        return rng.choice((old + 1, old - 1, -old, old * 2, float(old), str(old), old + 1e-9))
    if isinstance(old, str):
        cut = rng.randrange(len(old) + 1)
        return rng.choice((old[:cut], old + rng.choice(_TEXTS[:8]), old.upper(), old[:cut] + old[cut + 1 :], old * 2))
    return list(old) * 2 if isinstance(old, list) else list(old)


def encoded(value: Any, rng: Random) -> bytes:
    """Return a value as JSON text, dressed in one of several ways, now and then with a key twice or a bare token."""
    separators = rng.choice(((",", ":"), (", ", ": "), (",", " : ")))
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=separators)
    if rng.random() < 0.03 and text.startswith("{") and isinstance(value, dict) and value:
        key = rng.choice(list(value))
        text = "{" + json.dumps(key) + ":" + rng.choice(("1", "null", "NaN")) + "," + text[1:]
    return text.encode("utf-8", "surrogatepass")


def json_document(data: bytes, rng: Random) -> bytes:
    """Mutate one JSON document; what is none is mutated as bytes."""
    try:
        value = json.loads(data)
        return encoded(mutated_value(value, rng), rng)
    except (ValueError, RecursionError):
        return plain(data, rng)


def json_lines(data: bytes, rng: Random) -> bytes:
    """Mutate a line of JSON lines, or how the lines stand to one another."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    action = rng.randrange(12)
    if action < 8:
        lines[at] = json_document(lines[at], rng) if lines[at].strip() else encoded({"a": any_value(rng)}, rng)
    elif action == 8:
        lines.insert(
            at, rng.choice((b"", b" ", b"\r", b"[]", b"null", b"{}", b"\xff", b"{", lines[rng.randrange(len(lines))]))
        )
    elif action == 9:
        del lines[at]
    elif action == 10:
        rng.shuffle(lines)
    else:
        return rng.choice((b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n"), data + b"\n\n", plain(data, rng)))
    return b"\n".join(lines)


def csv_table(data: bytes, rng: Random) -> bytes:
    """Mutate the cells, rows or columns of a CSV file."""
    try:
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    except (UnicodeDecodeError, csv.Error):
        return plain(data, rng)
    if not rows or not rows[0] or rng.random() < 0.15:
        return plain(data, rng)
    row = rng.choice(rows)
    action = rng.randrange(8)
    if action <= 2 and row:
        cell = rng.randrange(len(row))
        row[cell] = str(rng.choice((*_TEXTS, *_NUMBERS, "../x", "/x", "A:\\", "0" * 64, "G" * 64, *rows[0])))
    elif action == 3:
        row.insert(rng.randrange(len(row) + 1), str(rng.choice(_TEXTS)))
    elif action == 4 and row:
        row.pop(rng.randrange(len(row)))
    elif action == 5:
        rows.insert(rng.randrange(len(rows) + 1), list(row))
    elif action == 6:
        rows.remove(row)
    else:
        rng.shuffle(rows)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=rng.choice(("\n", "\n", "\r\n"))).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


_TOKENS: Final = (
    b"\x00", b"\xff", b"\n", b"\r\n", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"NaN", b"-Infinity", b"null",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"1e999", b"9" * 400, b"((((", b" " * 64,
)  # fmt: skip


def plain(data: bytes, rng: Random) -> bytes:
    """Mutate bytes that may mean anything."""
    found = bytearray(data)
    at = rng.randrange(len(found) + 1)
    end = min(len(found), at + rng.choice((1, 1, 2, 4, 8, 64, 512)))
    action = rng.randrange(7)
    if action <= 1 and at < len(found):
        found[at] ^= 1 << rng.randrange(8)
    elif action == 2:
        del found[at:end]
    elif action == 3:
        found[at:at] = rng.choice(_TOKENS)
    elif action == 4:
        found[at:end] = bytes(rng.randrange(256) for _ in range(end - at))
    elif action == 5:
        found[at:at] = found[at:end]
    else:
        del found[at:]
    return bytes(found)


# --- several files in one input ---


def packed(parts: Sequence[bytes]) -> bytes:
    """Return several files as one input."""
    return b"".join(len(part).to_bytes(4, "little") + part for part in parts)


def unpacked(data: bytes, n: int) -> list[bytes]:
    """Return the `n` files of an input; whatever the bytes are, there are as many."""
    parts, at = [], 0
    for _ in range(n):
        size = int.from_bytes(data[at : at + 4], "little")
        parts.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return parts


def sections(*mutators: Mutate) -> Mutate:
    """Return a mutation of one of several packed files, each by its own mutation."""

    def mutate(data: bytes, rng: Random) -> bytes:
        parts = unpacked(data, len(mutators))
        at = rng.randrange(len(parts))
        parts[at] = mutators[at](parts[at], rng)
        return packed(parts)

    return mutate
