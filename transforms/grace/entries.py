"""Reading one zip entry within limits, and saying why one could not be read."""

from __future__ import annotations

import struct
import zipfile
import zlib
from dataclasses import dataclass
from enum import Enum
from typing import Final

_CHUNK: Final = 1 << 16
_ENCRYPTED, _PATCHED, _STRONG = 0x1, 0x20, 0x40
_AES: Final = 99
_READ_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises on hostile bytes, found by feeding it damaged archives.
BROKEN: Final = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    IndexError,
    struct.error,
    zlib.error,
)


class Outcome(Enum):
    """What became of an entry."""

    READ = "read"
    METHOD = "method"
    PASSWORD = "password"
    DAMAGED = "damaged"
    TOO_LARGE = "too large"


@dataclass(frozen=True, slots=True)
class Content:
    """An entry's bytes, whole where `outcome` is READ and empty otherwise; `reason` completes 'it …'."""

    outcome: Outcome
    data: bytes = b""
    reason: str = ""


def is_encrypted(info: zipfile.ZipInfo) -> bool:
    """Tell whether an entry is encrypted."""
    return bool(info.flag_bits & _ENCRYPTED)


def read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, password: str, limit: int) -> Content:
    """Return an entry's bytes, at most `limit` of them: the size its header states is never believed."""
    if refusal := _method_refusal(info):
        return Content(Outcome.METHOD, reason=refusal)
    parts: list[bytes] = []
    size = 0
    try:
        with archive.open(info, pwd=password.encode("utf-8", "surrogatepass")) as stream:
            while chunk := stream.read(_CHUNK):
                parts.append(chunk)
                size += len(chunk)
                if size > limit:
                    return Content(Outcome.TOO_LARGE, reason=f"inflates to more than {limit} bytes")
    except BROKEN as error:
        return _failed(info, error)
    return Content(Outcome.READ, b"".join(parts))


def _method_refusal(info: zipfile.ZipInfo) -> str:
    if info.compress_type == _AES:
        return "is encrypted with AES; only classic zip encryption is read"
    if info.flag_bits & _STRONG:
        return "is encrypted with strong encryption; only classic zip encryption is read"
    if info.flag_bits & _PATCHED:
        return "is patched data, which is not read"
    if info.compress_type not in _READ_METHODS:
        return f"is compressed by method {info.compress_type}; only stored (0) and deflated (8) entries are read"
    return ""


def _failed(info: zipfile.ZipInfo, error: BaseException) -> Content:
    # zipfile has no exception type of its own for a password that its one-byte check refuses.
    if is_encrypted(info) and isinstance(error, RuntimeError) and "password" in str(error):
        return Content(Outcome.PASSWORD, reason="is not opened by the password")
    # The exception's text may quote the input, so only its type is told.
    return Content(Outcome.DAMAGED, reason=f"is damaged or cut short ({type(error).__name__})")
