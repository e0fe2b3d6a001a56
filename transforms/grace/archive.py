"""The encrypted zip, read in memory and entry by entry. Nothing is unpacked and no path of it is ever followed."""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from transforms.grace import rules
from transforms.grace.entries import BROKEN, Content, Outcome, is_encrypted, read_entry
from transforms.grace.tables import Limits, Row, file_row
from transforms.inputs import LFS_POINTER, POINTER_MESSAGE, is_lfs_pointer
from transforms.issue_log import of_files, shown
from warehouse.contracts import Issue, Rule, fingerprint
from warehouse.contracts.grace import SOURCE

_PATH_LENGTH: Final = 200
_PACKET: Final = re.compile(r"packet([0-9]+)_buzzpoints\.json")


@dataclass(slots=True)
class Archive:
    """The packets of an archive by number, with what was noticed and a row for each file."""

    name: str
    packets: dict[int, bytes] = field(default_factory=dict)
    paths: dict[int, str] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    files: list[Row] = field(default_factory=list)

    def note(self, rule: Rule, message: str, path: str | None = None, value: str | None = None) -> None:
        """Record a finding about the archive or one entry of it."""
        self.issues.append(rule.issue(message, source=SOURCE, path=path or self.name, value=value))

    def path_of(self, info: zipfile.ZipInfo) -> str:
        """Return how `source_files` names an entry: archive, '!/', entry; escaped, and cut where it is endless."""
        name = ascii(info.orig_filename)[1:-1]
        if len(name) > _PATH_LENGTH:
            name = f"{name[:_PATH_LENGTH]}… ({fingerprint(name)})"
        return f"{self.name}!/{name}"


def read_archive(data: bytes, name: str, password: str, limits: Limits) -> Archive:
    """Return the packets of a zip. Grain of `packets`: entry named packetN_buzzpoints.json, at most one folder deep.

    Nothing is raised for what the bytes hold: every entry that is hostile, damaged, too large or not opened by
    `password` is an error among the findings, and the entries that are sound are still returned.
    """
    found = Archive(name)
    if len(data) > limits.archive_bytes:
        message = (
            f"{name} has {len(data)} bytes, more than the {limits.archive_bytes} that are read: is it the release?"
        )
        found.note(rules.ARCHIVE_TOO_LARGE, message)
        found.files.append(file_row(name, "release", "refused", None))
        return found
    if is_lfs_pointer(data):
        found.note(LFS_POINTER, POINTER_MESSAGE)
        found.files.append(file_row(name, "release", "refused", data))
        return found
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found.files.append(file_row(name, "release", "ok", data))
            _read_entries(archive, found, password, limits)
    except BROKEN as error:
        message = f"{name} is not a zip file that can be read ({_reason(error)}): fetch the release again."
        found.note(rules.ARCHIVE_UNREADABLE, message)
        found.files = [file_row(name, "release", "refused", data)]
    return found


def _reason(error: BaseException) -> str:
    """Name an exception by its type: its text may quote the input."""
    return type(error).__name__


def _read_entries(archive: zipfile.ZipFile, found: Archive, password: str, limits: Limits) -> None:
    infos = archive.infolist()
    if len(infos) > limits.entries:
        message = f"{found.name} has {len(infos)} entries, more than the {limits.entries} that are read."
        found.note(rules.ARCHIVE_TOO_LARGE, message)
        return
    wanted = _packet_entries(infos, found)
    _read_packets(archive, wanted, found, password, limits)
    if not wanted:
        message = f"{found.name} has no sound entry named packetN_buzzpoints.json: is it the release?"
        found.note(rules.NO_PACKETS, message)
    elif missing := sorted(set(range(1, max(wanted) + 1)) - set(wanted))[:20]:
        message = f"{found.name} has packets up to {max(wanted)} and none numbered {missing}: is it complete?"
        found.note(rules.PACKET_GAP, message)


def _packet_entries(infos: list[zipfile.ZipInfo], found: Archive) -> dict[int, zipfile.ZipInfo]:
    """Sort the entries out by their names alone: packets are returned, the rest is recorded."""
    names = Counter(info.orig_filename for info in infos)
    numbers = Counter(number for info in infos if (number := _number(info)) is not None)
    wanted: dict[int, zipfile.ZipInfo] = {}
    refused: set[str] = set()
    strangers: dict[str, int] = {}
    for info in infos:
        number = _number(info)
        repeated = names[info.orig_filename] > 1 or (number is not None and numbers[number] > 1)
        finding = _hostile(info) or (_REPEATED if repeated else None)
        if finding:
            if info.orig_filename not in refused:
                _refuse(info, found, *finding)
            refused.add(info.orig_filename)
        elif number is not None:
            wanted[number] = info
        elif not info.orig_filename.endswith("/"):
            strangers[found.path_of(info)] = 1
            found.files.append(file_row(found.path_of(info), "other", "unlisted", None, info.file_size))
    if strangers:
        one, many = "This entry is not a packet and is not read.", "are not packets and are not read"
        found.issues.append(of_files(rules.ENTRY_UNLISTED, strangers, one, many, source=SOURCE, path=found.name))
    return wanted


def _number(info: zipfile.ZipInfo) -> int | None:
    match = _PACKET.fullmatch(info.orig_filename.rsplit("/", 1)[-1])
    return int(match[1][:9]) if match else None


_REPEATED: Final = (
    rules.ENTRY_REPEATED,
    "its name or its packet's number occurs twice, and which one counts is unknown",
)


def _hostile(info: zipfile.ZipInfo) -> tuple[Rule, str] | None:
    """Return why an entry must not be read, or None. Judged on the name as stored, before zipfile touches it up."""
    name, mode = info.orig_filename, info.external_attr >> 16
    parts = name.rstrip("/").split("/")
    written = _PACKET.fullmatch(parts[-1])
    reasons: tuple[tuple[bool, Rule, str], ...] = (
        (not name or not name.isprintable(), rules.ENTRY_CONTROL, "its name is empty or holds a control character"),
        ("\\" in name, rules.ENTRY_BACKSLASH, "its name holds a backslash"),
        (name.startswith("/") or name[1:2] == ":", rules.ENTRY_ABSOLUTE, "its name is an absolute path"),
        ("." in parts or ".." in parts or "" in parts, rules.ENTRY_PARENT, "its name leaves its folder"),
        (bool(stat.S_IFMT(mode)) and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)), rules.ENTRY_LINK, "it is a link"),
        (written is not None and len(parts) > 2, rules.ENTRY_NESTED, "it lies deeper than one folder"),
        (
            written is not None and not re.fullmatch(r"[1-9][0-9]{0,3}", written[1]),
            rules.ENTRY_NUMBER,
            "its number is not a whole number from 1 to 9999 without leading zeros",
        ),
    )
    return next(((rule, reason) for holds, rule, reason in reasons if holds), None)


def _refuse(info: zipfile.ZipInfo, found: Archive, rule: Rule, reason: str) -> None:
    path = found.path_of(info)
    found.note(rule, f"Entry {shown(info.orig_filename)} of {found.name} is refused: {reason}.", path)
    found.files.append(file_row(path, "packet", "refused", None, info.file_size))


def _read_packets(
    archive: zipfile.ZipFile, wanted: dict[int, zipfile.ZipInfo], found: Archive, password: str, limits: Limits
) -> None:
    stored = sum(info.compress_size for info in wanted.values())
    if stored > limits.archive_bytes:
        message = f"The entries of {found.name} claim {stored} bytes together, more than an archive that is read has."
        found.note(rules.ENTRIES_OVERLAP, message)
        return
    contents: dict[int, Content] = {}
    left = limits.total_bytes
    for number in sorted(wanted):
        contents[number] = read_entry(archive, wanted[number], password, min(limits.entry_bytes, left))
        left -= len(contents[number].data)
    _note_encryption(wanted, contents, found)
    for number, content in contents.items():
        _keep(number, wanted[number], content, found)


def _note_encryption(wanted: dict[int, zipfile.ZipInfo], contents: dict[int, Content], found: Archive) -> None:
    """Say once, not once an entry, that the password is wrong or that there is nothing to open."""
    encrypted = [contents[number].outcome for number, info in wanted.items() if is_encrypted(info)]
    if wanted and not encrypted:
        found.note(rules.ARCHIVE_PLAIN, f"{found.name} is not encrypted; it is read all the same.")
    if Outcome.PASSWORD in encrypted and Outcome.READ not in encrypted:
        message = (
            f"The password does not open {found.name}: none of its {len(encrypted)} encrypted packets could be read. "
            "Give the one the publishers print."
        )
        found.note(rules.WRONG_PASSWORD, message)


_OUTCOME_RULES: Final = {
    Outcome.METHOD: rules.ENTRY_METHOD,
    Outcome.PASSWORD: rules.ENTRY_DAMAGED,
    Outcome.DAMAGED: rules.ENTRY_DAMAGED,
    Outcome.TOO_LARGE: rules.ENTRY_TOO_LARGE,
}


def _keep(number: int, info: zipfile.ZipInfo, content: Content, found: Archive) -> None:
    path = found.path_of(info)
    if content.outcome is Outcome.READ:
        _keep_read(number, info, content.data, found)
        return
    found.files.append(file_row(path, "packet", "refused", None, info.file_size))
    told = any(issue.rule == rules.WRONG_PASSWORD.name for issue in found.issues) and is_encrypted(info)
    if told and content.outcome in (Outcome.PASSWORD, Outcome.DAMAGED):
        return
    hint = ", or the password is wrong" if is_encrypted(info) and content.outcome is Outcome.DAMAGED else ""
    message = f"Packet {number} of {found.name} is not read: it {content.reason}{hint}."
    found.note(_OUTCOME_RULES[content.outcome], message, path)


def _keep_read(number: int, info: zipfile.ZipInfo, data: bytes, found: Archive) -> None:
    path = found.path_of(info)
    if len(data) != info.file_size:
        message = f"Packet {number} of {found.name} has {len(data)} bytes, its header states {info.file_size}."
        found.note(rules.ENTRY_SIZE, message, path)
        found.files.append(file_row(path, "packet", "size_mismatch", data, info.file_size))
        return
    found.packets[number] = data
    found.paths[number] = path
    found.files.append(file_row(path, "packet", "ok", data, info.file_size))
