"""The manifest: header variants and dress are read, unsafe paths are refused, every difference to the disk is named."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.record_cases import noticed
from transforms.inputs import LFS_POINTER
from transforms.sra import manifest, manifest_reader
from transforms.sra.layout import MANIFEST_PATH
from transforms.sra.manifest import FoundFile, ManifestEntry, compare_manifest, parse_manifest
from warehouse.contracts import TABLES, Rule, Severity

A, B = "a" * 64, "0123456789abcdef" * 4
PLAIN = f"path,size_bytes,sha256\naux/a.json,3,{A}\naux/b.json,0,{B}\n"
ENTRIES = [ManifestEntry("aux/a.json", 3, A, 2), ManifestEntry("aux/b.json", 0, B, 3)]


def one(path: str, size: str = "3", sha256: str = A) -> bytes:
    """A manifest of one line, quoted as CSV is."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["path", "size_bytes", "sha256"], [path, size, sha256]])
    return text.getvalue().encode()


def test_a_plain_manifest_is_read_and_nothing_is_noticed() -> None:
    assert parse_manifest(PLAIN.encode()) == (ENTRIES, [])


@pytest.mark.parametrize(
    "header", ["path,size_bytes,sha256", "path,bytes,sha-256", "PATH, Size ,Digest", "path,size,SHA-256"]
)
def test_header_variants(header: str) -> None:
    assert parse_manifest(PLAIN.replace("path,size_bytes,sha256", header).encode()) == (ENTRIES, [])


def test_columns_come_in_any_order() -> None:
    assert parse_manifest(f"sha256,path,bytes\n{A},aux/a.json,3\n".encode()) == (ENTRIES[:1], [])


@pytest.mark.parametrize(
    ("data", "n"),
    [
        (PLAIN.replace("\n", "\r\n").encode(), 1),
        (b"\xef\xbb\xbf" + PLAIN.encode(), 1),
        (PLAIN.replace(A, A.upper()).encode(), 1),
        (PLAIN.replace("aux/a", "./aux/a").replace("aux/b", "././aux//b").encode(), 1),
        ((PLAIN + "\n \n\n").encode(), 1),
        (PLAIN.replace("\naux/b", "\n\naux/b").encode(), 1),
        (b"\xef\xbb\xbf" + PLAIN.replace(B, B.upper()).replace("aux/a", "./aux/a").encode() + b"\r\n", 5),
    ],
)
def test_dress_is_tolerated_and_noted(data: bytes, n: int) -> None:
    entries, issues = parse_manifest(data)
    assert [(e.path, e.size_bytes, e.sha256) for e in entries] == [(e.path, e.size_bytes, e.sha256) for e in ENTRIES]
    assert noticed(issues) == ["manifest.dress"] * n
    assert {issue.severity for issue in issues} == {Severity.INFO}


def test_paths_with_commas_quotes_and_line_breaks_are_quoted() -> None:
    odd = 'aux/a, "b"; DROP\n\tTABLE 𝔸 é.json'
    entries, issues = parse_manifest(one(odd))
    assert ([entry.path for entry in entries], issues) == ([odd], [])


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    data = f'path,size_bytes,sha256\n"a\nb",3,{A}\nc,x,{A}\n'.encode()
    entries, issues = parse_manifest(data)
    assert [entry.line for entry in entries] == [2]
    assert [(issue.rule, issue.line) for issue in issues] == [("manifest.bad_size", 4)]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", manifest_reader.HEADER),
        (b"\n\n", manifest_reader.HEADER),
        (b"path,size_bytes\na,3\n", manifest_reader.HEADER),
        (b"path,size_bytes,colour\na,3,red\n", manifest_reader.HEADER),
        (b"path,size,bytes,sha256\n", manifest_reader.HEADER),
        (f"aux/a.json,3,{A}\n".encode(), manifest_reader.HEADER),
        (b"path,size_bytes,sha256\n", manifest_reader.NO_ENTRIES),
        (PLAIN.encode() + b"aux/c.json,3\n", manifest_reader.FIELD_COUNT),
        (PLAIN.encode() + f"aux/c,d.json,3,{A}\n".encode(), manifest_reader.FIELD_COUNT),
        (PLAIN.encode() + b'aux/c.json,"3"4,' + A.encode() + b"\n", manifest_reader.NOT_CSV),
        (PLAIN.encode() + b'aux/c.json,3,"' + A.encode() + b"\n", manifest_reader.NOT_CSV),
        (PLAIN.encode() + b"aux/\xff.json,3," + A.encode() + b"\n", manifest_reader.NOT_UTF8),
        *((one("c", size), manifest_reader.BAD_SIZE) for size in ("", "3.5", "-3", "+3", "1e3", "٣", "9" * 19, "1_0")),
        *((one("c", "3", text), manifest_reader.BAD_HASH) for text in ("", A[:-1], A + "a", "g" * 64, "٣" * 64)),
        (PLAIN.encode() + f"aux/a.json,3,{A}\n".encode(), manifest_reader.REPEATED_PATH),
        (PLAIN.encode() + f".//aux/./a.json,4,{B}\n".encode(), manifest_reader.REPEATED_PATH),
    ],
)  # fmt: skip
def test_a_bad_line_has_a_name(data: bytes, rule: Rule) -> None:
    issues = [issue for issue in parse_manifest(data)[1] if issue.severity is not Severity.INFO]
    assert noticed(issues) == [rule.name]
    assert rule.severity is Severity.ERROR


def test_all_bad_lines_are_named_and_the_good_ones_kept() -> None:
    data = PLAIN + f"x,1\ny,no,{A}\nz,1,short\nok,1,{A}\n"
    entries, issues = parse_manifest(data.encode())
    assert [entry.path for entry in entries] == ["aux/a.json", "aux/b.json", "ok"]
    assert [issue.line for issue in issues] == [4, 5, 6]


@pytest.mark.parametrize(
    ("path", "stored"),
    [
        ("/etc/passwd", True),
        ("//etc/passwd", True),
        ("C:/a", True),
        ("c:a", True),
        ("../a", True),
        ("models/../../a", True),
        ("models/..", True),
        ("..", True),
        ("models\\a", True),
        ("a\x01b", True),
        ("a\x1bb", True),
        ("a\x7fb", True),
        ("a\x00b", False),
        ("", False),
        (".", False),
        ("/", False),
        ("a" * 4097, False),
    ],
)
def test_an_unsafe_path_is_refused(path: str, stored: bool) -> None:
    entries, issues = parse_manifest(one(path))
    errors = [issue for issue in issues if issue.severity is Severity.ERROR]
    assert noticed(errors) == ["manifest.bad_path"]
    assert [entry.refused for entry in entries] == [True] * stored


@pytest.mark.parametrize("path", ["a..b", "..a", "a/b..", "ab:c", "aux/C:", "a b", ".hidden", "é/中"])
def test_a_path_that_only_looks_unsafe_is_not(path: str) -> None:
    entries, issues = parse_manifest(one(path))
    assert ([entry.refused for entry in entries], issues) == ([False], [])


def test_the_manifest_cannot_list_itself() -> None:
    entries, issues = parse_manifest(one("./MANIFEST.csv"))
    assert noticed(issues) == ["manifest.lists_itself", "manifest.dress"]
    assert [entry.refused for entry in entries] == [True]


def test_an_unknown_column_is_a_warning() -> None:
    data = f"path,colour,size_bytes,sha256\naux/a.json,red,3,{A}\n"
    entries, issues = parse_manifest(data.encode())
    assert entries == ENTRIES[:1]
    assert [(issue.rule, issue.severity) for issue in issues] == [("manifest.unknown_column", Severity.WARNING)]
    assert "'colour'" in issues[0].message


FOUND = {"aux/a.json": FoundFile("file", 3, A), "aux/b.json": FoundFile("symlink_inside", 0, B)}


def compared(found: dict[str, FoundFile]) -> tuple[dict[str, str], list[tuple[str, str | None]]]:
    frame, issues = compare_manifest(ENTRIES, found)
    assert dict(frame.schema) == TABLES["source_files"].polars_schema
    TABLES["source_files"].schema.validate(frame)
    return dict(frame.select("path", "status").iter_rows()), [(issue.rule, issue.path) for issue in issues]


def test_a_bundle_that_is_as_its_manifest_says() -> None:
    statuses, issues = compared(FOUND | {MANIFEST_PATH: FoundFile("file", 9, A)})
    assert set(statuses.values()) == {"ok"} and len(statuses) == 3
    assert issues == []


@pytest.mark.parametrize(
    ("change", "status", "rule"),
    [
        (None, "missing", manifest.MISSING),
        (FoundFile("file", 4, B), "size_mismatch", manifest.SIZE_MISMATCH),
        (FoundFile("file", 3, B), "hash_mismatch", manifest.HASH_MISMATCH),
        (FoundFile("symlink_outside"), "refused", manifest.LEAVES_BUNDLE),
        (FoundFile("other"), "refused", manifest.NOT_A_FILE),
    ],
)
def test_a_listed_file_that_is_not_as_listed(change: FoundFile | None, status: str, rule: Rule) -> None:
    found = {path: file for path, file in {**FOUND, "aux/a.json": change}.items() if file is not None}
    statuses, issues = compared(found)
    assert statuses == {"aux/a.json": status, "aux/b.json": "ok"}
    assert issues == [(rule.name, "aux/a.json")]
    assert rule.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("file", "status", "rule"),
    [
        (FoundFile("file", 1, A), "unlisted", manifest.UNLISTED),
        (FoundFile("other"), "unlisted", manifest.UNLISTED),
        (FoundFile("symlink_outside"), "unlisted", manifest.UNLISTED),
    ],
)
def test_a_file_that_is_not_listed(file: FoundFile, status: str, rule: Rule) -> None:
    statuses, issues = compared(FOUND | {"notes.txt": file})
    assert statuses["notes.txt"] == status
    assert issues == [(rule.name, "notes.txt")]
    assert manifest.UNLISTED.severity is Severity.WARNING


def test_what_is_not_listed_is_one_finding_with_a_count_and_examples() -> None:
    found = {"a.txt": FoundFile("file", 1, A), ".git/": FoundFile("folder", n_files=214)}
    frame, issues = compare_manifest(ENTRIES, FOUND | found)
    (issue,) = issues
    assert (issue.rule, issue.path, issue.value) == ("manifest.unlisted_file", None, "215")
    assert "'a.txt'" in issue.message and "'.git/' (214 files)" in issue.message
    assert frame.filter(status="unlisted")["path"].to_list() == [".git/", "a.txt"]
    assert frame.filter(path=".git/")["kind"].to_list() == ["other"]


@pytest.mark.parametrize(
    ("file", "rule", "status"),
    [
        (FoundFile("symlink_outside"), manifest.LEAVES_BUNDLE, "refused"),
        (FoundFile("file", 130, B, is_pointer=True), LFS_POINTER, "size_mismatch"),
    ],
)
def test_one_cause_in_many_files_is_one_finding(file: FoundFile, rule: Rule, status: str) -> None:
    entries = [ManifestEntry(f"aux/{k:02}", 3, A, k) for k in range(30)]
    frame, (issue,) = compare_manifest(entries, {entry.path: file for entry in entries})
    assert (issue.rule, issue.path, issue.value) == (rule.name, None, "30")
    assert "'aux/00'" in issue.message and "and 25 more" in issue.message
    assert set(frame["status"]) == {status}


def test_a_pointer_that_the_manifest_was_made_of_is_refused_too() -> None:
    frame, issues = compare_manifest(ENTRIES[:1], {"aux/a.json": FoundFile("file", 3, A, is_pointer=True)})
    assert (frame["status"].to_list(), [issue.rule for issue in issues]) == (["refused"], [LFS_POINTER.name])


def test_files_with_causes_of_their_own_are_named_and_a_flood_of_them_is_counted() -> None:
    entries = [ManifestEntry(f"aux/{k:02}", 3, A, k) for k in range(30)]
    _, issues = compare_manifest(entries, {})
    assert [(issue.rule, issue.path) for issue in issues[:20]] == [
        ("manifest.missing_file", f"aux/{k:02}") for k in range(20)
    ]
    assert [(issue.rule, issue.path, issue.value) for issue in issues[20:]] == [("manifest.missing_file", None, "10")]


def test_all_differences_are_named_at_once() -> None:
    _, issues = compared({"x": FoundFile("file", 1, A), "aux/b.json": FoundFile("file", 1, B)})
    assert [rule for rule, _ in issues] == ["manifest.missing_file", "manifest.size_mismatch", "manifest.unlisted_file"]


def test_a_refused_path_stays_refused_whatever_stands_there() -> None:
    entries, _ = parse_manifest(one("../a"))
    frame, issues = compare_manifest(entries, {"../a": FoundFile("file", 3, A)})
    assert (frame["status"].to_list(), frame["sha256_actual"].to_list(), issues) == (["refused"], [None], [])


def test_kinds_and_both_hashes_stand_in_the_table() -> None:
    frame, _ = compare_manifest(ENTRIES, FOUND | {"models/m/d/c/tf_logprob9.jsonl.gz": FoundFile("file", 5, B)})
    assert frame.row(2, named=True) == {
        "source": "sra",
        "path": "models/m/d/c/tf_logprob9.jsonl.gz",
        "kind": "tf",
        "bytes_declared": None,
        "bytes_actual": 5,
        "sha256_declared": None,
        "sha256_actual": B,
        "status": "unlisted",
    }


def test_a_name_on_disk_that_is_not_utf8_is_written_out() -> None:
    frame, issues = compare_manifest([], {"aux/\udcff": FoundFile("file", 1, A)})
    assert frame["path"].to_list() == ["aux/\\xff"]
    assert [issue.path for issue in issues] == ["aux/\\xff"]


def test_every_rule_is_listed_once() -> None:
    modules = (manifest, manifest_reader)
    rules = {value.name for module in modules for value in vars(module).values() if isinstance(value, Rule)}
    assert sorted(rule.name for rule in manifest.RULES) == sorted(rules)


def rows_as_csv(rows: list[tuple[str, str, str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([("path", "size_bytes", "sha256"), *rows])
    return text.getvalue().encode("utf-8", "surrogatepass")


ROWS = st.tuples(
    st.text(max_size=12), st.integers(0, 2**40).map(str) | st.text(max_size=4), st.sampled_from([A, B, "z"])
)


@given(st.binary(max_size=300) | st.lists(ROWS, max_size=6).map(rows_as_csv))
@settings(max_examples=200, deadline=None)
def test_never_raises_and_loses_no_line(data: bytes) -> None:
    entries, issues = parse_manifest(data)
    paths = [entry.path for entry in entries]
    assert len(set(paths)) == len(paths)
    assert entries or any(issue.severity is Severity.ERROR for issue in issues)
    for entry in entries:
        assert entry.refused or (entry.path and ".." not in entry.path.split("/") and not entry.path.startswith("/"))
    compare_manifest(entries, {path: FoundFile("file", 3, A) for path in paths})


@given(st.lists(ROWS, max_size=6))
@settings(max_examples=100, deadline=None)
def test_every_line_gives_an_entry_or_an_error(rows: list[tuple[str, str, str]]) -> None:
    entries, issues = parse_manifest(rows_as_csv(rows))
    named = {issue.line for issue in issues if issue.severity is Severity.ERROR}
    read = list(csv.reader(io.StringIO(rows_as_csv(rows).decode("utf-8", "surrogateescape"), newline="")))
    n_lines = sum(any(field.strip() for field in row) for row in read[1:])
    assert len({entry.line for entry in entries} | named - {None}) >= n_lines


@pytest.mark.parametrize(("size", "sha256"), [("a patient's note", A), ("3", "a patient's note")])
def test_what_stands_where_a_size_or_hash_should_is_not_repeated(size: str, sha256: str) -> None:
    (issue,) = [issue for issue in parse_manifest(one("c", size, sha256))[1] if issue.severity is Severity.ERROR]
    assert "patient" not in issue.message + (issue.value or "")
    assert issue.value is not None
    assert issue.value.startswith("16 bytes, SHA-256 ")
