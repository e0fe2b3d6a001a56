"""Writing a zip with classic encryption (PKWARE APPNOTE 6.1), which the standard library reads and does not write."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_STORED, _DEFLATED = 0, 8
_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800
_UNIX: Final = 3 << 8 | 20
_DATE: Final = (2025 - 1980) << 9 | 1 << 5 | 1


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xEDB88320 if crc & 1 else crc >> 1
        table.append(crc)
    return table


_CRC: Final = _crc_table()


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a zip: its name as stored, its bytes, its Unix mode, and how it is written."""

    name: str
    data: bytes
    mode: int = 0o100664
    encrypted: bool = True
    method: int = _DEFLATED


def encrypt(data: bytes, password: bytes, crc: int) -> bytes:
    """Return `data` encrypted, after the twelve bytes whose last one lets a reader refuse a wrong password."""
    # Eleven bytes that should be random are hashed from the content instead, so that equal content gives equal bytes.
    header = hashlib.sha256(struct.pack("<I", crc) + password).digest()[:11] + bytes([crc >> 24])
    key0, key1, key2 = 0x12345678, 0x23456789, 0x34567890
    table = _CRC
    result = bytearray()
    for position, byte in enumerate(password + header + data):
        if position >= len(password):
            mixed = key2 | 2
            result.append(byte ^ (mixed * (mixed ^ 1) >> 8 & 0xFF))
        key0 = key0 >> 8 ^ table[(key0 ^ byte) & 0xFF]
        key1 = ((key1 + (key0 & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        key2 = key2 >> 8 ^ table[(key2 ^ key1 >> 24) & 0xFF]
    return bytes(result)


def write_zip(entries: Iterable[Entry], password: str) -> bytes:
    """Return the bytes of a zip archive. Equal entries and password give equal bytes: no clock, no randomness."""
    body = bytearray()
    directory = bytearray()
    count = 0
    for entry in entries:
        count += 1
        fields, name, content = _write_entry(entry, password.encode())
        offset = len(body)
        body += b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, *fields, len(name), 0) + name + content
        directory += b"PK\x01\x02" + struct.pack("<HHHHHHIIIHH", _UNIX, 20, *fields, len(name), 0)
        directory += struct.pack("<HHHII", 0, 0, 0, entry.mode << 16, offset) + name
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + b"PK\x05\x06" + end)


def _write_entry(entry: Entry, password: bytes) -> tuple[tuple[int, int, int, int, int, int, int], bytes, bytes]:
    name = entry.name.encode("utf-8", "surrogatepass")
    crc = zlib.crc32(entry.data)
    content = _deflate(entry.data) if entry.method == _DEFLATED else entry.data
    if entry.encrypted:
        content = encrypt(content, password, crc)
    flags = _ENCRYPTED * entry.encrypted | _UTF8 * (not entry.name.isascii())
    return (flags, entry.method, 0, _DATE, crc, len(content), len(entry.data)), name, content


def _deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()
