"""Inflating gzip in memory: every member checked, never beyond a bound, each kind of damage with its own name."""

from __future__ import annotations

from typing import Final, cast

from isal import isal_zlib

from transforms.inputs import LFS_POINTER, POINTER_MESSAGE, is_lfs_pointer
from transforms.issue_log import IssueLog
from warehouse.contracts import Issue, Rule, Severity

DEFAULT_MAX_BYTES: Final = 4 << 30
# The library's stub calls the exception class an instance.
_IsalError = cast("type[Exception]", isal_zlib.error)
_GZIP_WBITS: Final = 31
_MAGIC: Final = b"\x1f\x8b"
_FIRST_CHUNK: Final = 1 << 12
_LARGEST_CHUNK: Final = 1 << 20

EMPTY = Rule("gzip.empty", Severity.ERROR, "A file that should be gzip has no bytes.")
NOT_GZIP = Rule("gzip.not_gzip", Severity.ERROR, "A file that should be gzip does not start like one.")
TRUNCATED = Rule("gzip.truncated", Severity.ERROR, "A gzip file ends inside a member.")
CHECKSUM = Rule("gzip.checksum", Severity.ERROR, "A member does not give the CRC-32 and length its trailer states.")
DAMAGED = Rule("gzip.damaged", Severity.ERROR, "A member's header or compressed data is not valid.")
TRAILING_BYTES = Rule("gzip.trailing_bytes", Severity.ERROR, "Bytes that are no member follow the last member.")
TOO_LARGE = Rule("gzip.too_large", Severity.ERROR, "A file inflates beyond the configured bound.")
SEVERAL_MEMBERS = Rule("gzip.several_members", Severity.INFO, "A file has more than one gzip member.")
ZERO_PADDING = Rule("gzip.zero_padding", Severity.INFO, "Zero bytes follow the last member.")
RULES: Final = (
    EMPTY, NOT_GZIP, TRUNCATED, CHECKSUM, DAMAGED, TRAILING_BYTES, TOO_LARGE, SEVERAL_MEMBERS, ZERO_PADDING,
    LFS_POINTER,
)  # fmt: skip


class _RefusedError(Exception):
    """A file that cannot be inflated whole; carries the finding."""

    def __init__(self, rule: Rule, message: str) -> None:
        super().__init__(message)
        self.rule = rule


def inflate(data: bytes, path: str, max_bytes: int = DEFAULT_MAX_BYTES) -> tuple[bytes | None, list[Issue]]:
    """Return the inflated bytes of a gzip file, or None with an error where any of it cannot be trusted.

    Inflation stops one byte beyond `max_bytes`, whatever the file claims or holds. Several members are read as one
    stream and noted, as are zero bytes behind the last one; anything else there is an error.
    """
    log = IssueLog(path=path)
    try:
        inflated = _members(data, log, max_bytes)
        _refuse_pointer(inflated)
    except _RefusedError as refused:
        log.add(refused.rule, str(refused))
        return None, log.issues
    return inflated, log.issues


def _refuse_pointer(data: bytes) -> None:
    if is_lfs_pointer(data):
        raise _RefusedError(LFS_POINTER, POINTER_MESSAGE)


def _members(data: bytes, log: IssueLog, max_bytes: int) -> bytes:
    if not data:
        raise _RefusedError(EMPTY, "The file has 0 bytes; expected a gzip file. Fetch it again.")
    _refuse_pointer(data)
    if not data.startswith(_MAGIC):
        raise _RefusedError(NOT_GZIP, f"The file starts with {data[:2].hex(' ')}; expected gzip's 1f 8b.")
    first, position = _first_member(data, max_bytes)
    parts, room = [first], max_bytes - len(first)
    while (position := _next_member(data, position, log)) < len(data):
        part, position = _later_member(data, position, room, len(parts) + 1, max_bytes)
        parts.append(part)
        room -= len(part)
    if len(parts) == 1:
        return first
    log.add(SEVERAL_MEMBERS, f"The file has {len(parts)} gzip members; they are read as one.", value=str(len(parts)))
    return b"".join(parts)


def _next_member(data: bytes, position: int, log: IssueLog) -> int:
    """Return where the next member starts, or the end of the data where only zeros, or nothing, follow."""
    if data.startswith(_MAGIC, position) or position == len(data):
        return position
    rest = len(data) - position
    if data.count(0, position) == rest:
        log.add(ZERO_PADDING, f"{rest} zero bytes follow the last gzip member; they are left out.", value=str(rest))
        return len(data)
    raise _RefusedError(
        TRAILING_BYTES, f"{rest} bytes from byte {position} on belong to no gzip member; expected the end of the file."
    )


def _first_member(data: bytes, max_bytes: int) -> tuple[bytes, int]:
    """Inflate the member that almost every file consists of, in one call and without a copy."""
    stream = isal_zlib.decompressobj(wbits=_GZIP_WBITS)
    inflated = _step(stream, data, max_bytes + 1, 1)
    _check_room(len(inflated), max_bytes, max_bytes)
    if not stream.eof:
        raise _cut_short(1, len(data))
    return inflated, len(data) - len(stream.unused_data)


def _later_member(data: bytes, start: int, room: int, number: int, max_bytes: int) -> tuple[bytes, int]:
    """Inflate one member from `start`, in growing chunks: what a chunk leaves unused is copied, once a member."""
    stream, view = isal_zlib.decompressobj(wbits=_GZIP_WBITS), memoryview(data)
    parts: list[bytes] = []
    position, size, inflated = start, _FIRST_CHUNK, 0
    while not stream.eof:
        if position >= len(data):
            raise _cut_short(number, len(data))
        chunk = view[position : position + size]
        parts.append(_step(stream, chunk, room - inflated + 1, number))
        inflated += len(parts[-1])
        _check_room(inflated, room, max_bytes)
        position, size = position + len(chunk), min(2 * size, _LARGEST_CHUNK)
    return b"".join(parts), position - len(stream.unused_data)


def _step(stream: isal_zlib.Decompress, chunk: bytes | memoryview, most: int, number: int) -> bytes:
    try:
        return bytes(stream.decompress(chunk, most))
    except _IsalError as error:
        if "checksum" in str(error).lower():
            raise _RefusedError(
                CHECKSUM, f"Gzip member {number} does not give the CRC-32 and length it states: its bytes are damaged."
            ) from error
        raise _RefusedError(DAMAGED, f"Gzip member {number} is damaged ({error}). Fetch the file again.") from error


def _check_room(inflated: int, room: int, max_bytes: int) -> None:
    if inflated > room:
        raise _RefusedError(
            TOO_LARGE, f"The file inflates to more than {max_bytes} bytes, the bound for a file; the rest is not read."
        )


def _cut_short(number: int, size: int) -> _RefusedError:
    return _RefusedError(
        TRUNCATED, f"The file ends at byte {size} inside gzip member {number}, which is cut short. Fetch it again."
    )
