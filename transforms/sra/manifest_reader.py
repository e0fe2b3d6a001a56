"""Reading a bundle's manifest: tolerant of dress, trusting no path."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from transforms.issue_log import IssueLog, shown, shown_all
from transforms.sra.layout import MANIFEST_PATH
from warehouse.contracts import Issue, Rule, Severity, fingerprint, has_errors
from warehouse.contracts.sra import SOURCE

_NAMES: Final = {
    "path": "path",
    "size_bytes": "size",
    "bytes": "size",
    "size": "size",
    "sha256": "sha256",
    "sha-256": "sha256",
    "sha_256": "sha256",
    "digest": "sha256",
}
_WANTED: Final = ("path", "size", "sha256")
_LONGEST_PATH: Final = 4096
_LARGEST_SIZE: Final = 2**63 - 1
# A tab or a line break inside a quoted field is a legal, if odd, name; no other control character is.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HASH: Final = re.compile("[0-9A-Fa-f]{64}")
_SIZE: Final = re.compile("[0-9]{1,19}")


def _error(name: str, description: str) -> Rule:
    return Rule(f"manifest.{name}", Severity.ERROR, description)


HEADER = _error("header", "The header does not name path, size and hash once each.")
NOT_CSV = _error("not_csv", "A line is not CSV.")
NOT_UTF8 = _error("not_utf8", "A line is not UTF-8.")
FIELD_COUNT = _error("field_count", "A line has not as many fields as the header.")
BAD_SIZE = _error("bad_size", "A size is not a whole number of bytes.")
BAD_HASH = _error("bad_hash", "A hash is not 64 hexadecimal digits.")
BAD_PATH = _error("bad_path", "A path is empty, absolute, too long, leaves the bundle or holds what no path may.")
REPEATED_PATH = _error("repeated_path", "A path is listed twice.")
LISTS_ITSELF = _error("lists_itself", "The manifest lists itself, whose hash it cannot know.")
NO_ENTRIES = _error("no_entries", "The manifest lists no file.")
UNKNOWN_COLUMN = Rule("manifest.unknown_column", Severity.WARNING, "The manifest has a column nobody knows.")
DRESS = Rule("manifest.dress", Severity.INFO, "The manifest is written in a tolerated, unusual way.")
RULES: Final = (
    HEADER, NOT_CSV, NOT_UTF8, FIELD_COUNT, BAD_SIZE, BAD_HASH, BAD_PATH, REPEATED_PATH, LISTS_ITSELF, NO_ENTRIES,
    UNKNOWN_COLUMN, DRESS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One listed file. `refused` entries have a path that must not be opened, which is already an error."""

    path: str
    size_bytes: int
    sha256: str
    line: int
    refused: bool = False


def parse_manifest(data: bytes, path: str = MANIFEST_PATH) -> tuple[list[ManifestEntry], list[Issue]]:
    """Return the listed files in the order of the manifest, and everything noticed; never raises.

    A line with an error gives no entry, but a well-formed line whose path is refused gives a refused one.
    """
    log = IssueLog(source=SOURCE, path=path)
    reader = _Reader(log)
    entries = list(reader.entries(data))
    if not entries and not has_errors(log.issues):
        log.add(NO_ENTRIES, "The manifest lists no file; expected one line a file.")
    return entries, log.issues


class _Reader:
    def __init__(self, log: IssueLog) -> None:
        self._log = log
        self._dress: dict[str, tuple[int, int]] = {}
        self._seen: dict[str, int] = {}

    def entries(self, data: bytes) -> Iterator[ManifestEntry]:
        text = data.decode("utf-8", "surrogateescape")
        if text.startswith("\ufeff"):
            self._note_dress("start with a byte order mark", 1)
            text = text[1:]
        rows = self._rows(text)
        header = next(rows, None)
        order = self._order(header)
        if header is not None and order is not None:
            for line, row in rows:
                entry = self._entry(line, row, len(header[1]), order)
                if entry is not None:
                    yield entry
        self._report_dress()

    def _rows(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield every line of the CSV that is not blank, with its number."""
        reader, line = csv.reader(io.StringIO(text, newline=""), strict=True), 1
        if "\r\n" in text:
            self._note_dress("end in CRLF", text.count("\n", 0, text.index("\r\n")) + 1, text.count("\r\n"))
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                self._log.add(NOT_CSV, f"Line {line} is not CSV ({error}). Expected path,size,hash.", line=line)
            else:
                if any(field.strip() for field in row):
                    yield line, row
                else:
                    self._note_dress("are blank", line)
            line = reader.line_num + 1

    def _order(self, header: tuple[int, list[str]] | None) -> list[int] | None:
        """Return where path, size and hash stand in a line, or None where the header does not say."""
        if header is None:
            self._log.add(HEADER, "The manifest is empty; expected a header that names path, size_bytes and sha256.")
            return None
        names = [_NAMES.get(field.strip().lower()) for field in header[1]]
        seen = shown_all(field.strip() for field in header[1])
        if sorted(name for name in names if name) != sorted(_WANTED):
            message = f"The header names {seen}; expected path, size_bytes (or bytes, size) and sha256 (or sha-256, "
            self._log.add(HEADER, message + "digest), once each.", line=header[0])
            return None
        unknown = [field.strip() for field, name in zip(header[1], names, strict=True) if name is None]
        if unknown:
            message = f"The header has columns nobody knows: {shown_all(unknown)}. They are not read."
            self._log.add(UNKNOWN_COLUMN, message, line=header[0])
        return [names.index(name) for name in _WANTED]

    def _entry(self, line: int, row: list[str], width: int, order: Sequence[int]) -> ManifestEntry | None:
        if any(_SURROGATE.search(field) for field in row):
            self._log.add(NOT_UTF8, f"Line {line} is not UTF-8; its file cannot be named.", line=line)
            return None
        if len(row) != width:
            message = f"Line {line} has {len(row)} fields where the header has {width}; quote paths that hold a comma."
            self._log.add(FIELD_COUNT, message, line=line, value=str(len(row)))
            return None
        path, size_text, hash_text = (row[k] for k in order)
        size, sha256 = self._size(size_text.strip(), line), self._sha256(hash_text.strip(), line)
        name = self._normal(path, line)
        refused = self._refused(name, line)
        repeated = self._repeated(name, line)
        if size is None or sha256 is None or repeated or (refused and not _can_be_stored(name)):
            return None
        return ManifestEntry(name, size, sha256, line, refused)

    def _size(self, text: str, line: int) -> int | None:
        if _SIZE.fullmatch(text) and int(text) <= _LARGEST_SIZE:
            return int(text)
        message = f"Line {line} gives a size of {len(text)} characters that is not a whole number of bytes."
        self._log.add(BAD_SIZE, message, line=line, value=fingerprint(text))
        return None

    def _sha256(self, text: str, line: int) -> str | None:
        if not _HASH.fullmatch(text):
            message = f"Line {line} gives a hash of {len(text)} characters that is not 64 hexadecimal digits."
            self._log.add(BAD_HASH, message, line=line, value=fingerprint(text))
            return None
        if text != text.lower():
            self._note_dress("write the hash in upper case", line)
        return text.lower()

    def _normal(self, path: str, line: int) -> str:
        """Return the path without `./` in front and without empty or `.` parts inside."""
        parts = path.split("/")
        kept = [part for k, part in enumerate(parts) if part not in {"", "."} or (k == 0 and part == "")]
        if kept != parts:
            self._note_dress("write the path with ./ or //", line)
        return "/".join(kept)

    def _refused(self, path: str, line: int) -> bool:
        reason = _why_refused(path)
        if reason is not None:
            message = f"Line {line} lists a path that {reason}; expected a path below the bundle, with '/'."
            self._log.add(BAD_PATH, message, line=line, value=shown(path))
            return True
        if path == MANIFEST_PATH:
            message = f"Line {line} lists the manifest itself, whose hash cannot be written in it. Leave the line out."
            self._log.add(LISTS_ITSELF, message, line=line, value=shown(path))
            return True
        return False

    def _repeated(self, path: str, line: int) -> bool:
        first = self._seen.setdefault(path, line)
        if first == line:
            return False
        message = f"Line {line} lists a path that line {first} lists already. Keep the line that is right."
        self._log.add(REPEATED_PATH, message, line=line, value=shown(path))
        return True

    def _note_dress(self, what: str, line: int, n: int = 1) -> None:
        first, before = self._dress.get(what, (line, 0))
        self._dress[what] = (first, before + n)

    def _report_dress(self) -> None:
        for what, (first, n) in self._dress.items():
            self._log.add(
                DRESS, f"{n} lines {what}, the first is line {first}; read all the same.", line=first, value=str(n)
            )


def _can_be_stored(path: str) -> bool:
    return bool(path) and "\x00" not in path and len(path) <= _LONGEST_PATH


def _why_refused(path: str) -> str | None:
    """Return why a path of the manifest may not be opened, or None where it may."""
    if not path:
        return "is empty"
    if path.startswith("/") or re.match("[A-Za-z]:", path):
        return "is absolute"
    if "\\" in path:
        return "holds a backslash"
    if ".." in path.split("/"):
        return "holds '..'"
    if _CONTROL.search(path):
        return "holds a control character"
    return f"is longer than {_LONGEST_PATH} bytes" if len(path.encode()) > _LONGEST_PATH else None
