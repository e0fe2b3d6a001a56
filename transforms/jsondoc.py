"""JSON documents of every source: read whole, or refused with a name for what is wrong.

No key is dropped in silence: one that stands twice in an object is an error, with its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from transforms.inputs import LFS_POINTER, POINTER_MESSAGE, is_lfs_pointer
from transforms.issue_log import IssueLog, shown_all
from transforms.jsontext import (
    BOM,
    Flaw,
    UndecodableError,
    bound_written_keys,
    count_written_keys,
    decode,
    json_type,
    repeated_keys,
)
from warehouse.contracts import Rule, Severity, fingerprint

MOST_BYTES: Final = 256 << 20

TOO_LARGE = Rule("json.too_large", Severity.ERROR, "A JSON document is larger than the bound.")
RULES: Final = (TOO_LARGE,)


@dataclass(frozen=True, slots=True)
class Form:
    """What one kind of document has to be, and the rules under which a reader says that it is not.

    `expected` completes "Expected …". `bare_tokens` says whether NaN may stand in it, as Python writes it.
    """

    expected: str
    not_utf8: Rule
    half_pair: Rule
    not_json: Rule
    other_shape: Rule
    repeated_key: Rule
    byte_order_mark: Rule
    bare_tokens: bool = False


def read_array(data: bytes, log: IssueLog, form: Form) -> list[Any]:
    """Return the elements of a document that is an array; none, with an error in `log`, where it is not, or is empty.

    A key that an object has twice is an error too, and the document is returned all the same.
    """
    found = _document(data, log, form)
    if isinstance(found, list) and found:
        return found
    if found is not _NOTHING:
        _note_shape("an empty array" if found == [] else json_type(found), log, form)
    return []


def read_object(data: bytes, log: IssueLog, form: Form) -> dict[str, Any] | None:
    """Return a document that is an object; None, with an error in `log`, where it is not. See `read_array`."""
    found = _document(data, log, form)
    if isinstance(found, dict):
        return found
    if found is not _NOTHING:
        _note_shape(json_type(found), log, form)
    return None


_NOTHING: Final = object()


def _note_shape(what: str, log: IssueLog, form: Form) -> None:
    log.add(form.other_shape, f"The file holds {what}; expected {form.expected}.", value=what)


def _document(data: bytes, log: IssueLog, form: Form) -> object:
    if is_lfs_pointer(data):
        log.add(LFS_POINTER, POINTER_MESSAGE)
        return _NOTHING
    if len(data) > MOST_BYTES:
        log.add(TOO_LARGE, f"The file has {len(data)} bytes; at most {MOST_BYTES} of a JSON document are read.")
        return _NOTHING
    if data.startswith(BOM):
        log.add(form.byte_order_mark, "The file starts with a byte order mark; it is skipped.")
        data = data[len(BOM) :]
    try:
        value, n_keys, n_bare = decode(data)
        if n_bare and not form.bare_tokens:
            raise UndecodableError(Flaw.NOT_JSON, f"is not JSON: it holds NaN or Infinity, {n_bare} times")
    except UndecodableError as problem:
        rules = {Flaw.NOT_UTF8: form.not_utf8, Flaw.HALF_PAIR: form.half_pair}
        message = f"The file {problem}. Expected {form.expected}."
        log.add(rules.get(problem.flaw, form.not_json), message, line=problem.line, value=fingerprint(data))
        return _NOTHING
    if bound_written_keys(data) > n_keys and count_written_keys(data) > n_keys:
        names = shown_all(repeated_keys(data))
        message = f"The file has these keys twice in one object, of which a reader would keep one value: {names}."
        log.add(form.repeated_key, message, value=names)
    return value
