"""Faults of GRACE: of its encrypted zip, of the packets in it and of model runs."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, Final

from synthetic.grace import synth_release, synth_runs
from synthetic.sra.faults.base import POINTER
from synthetic.zipcrypto import Entry, write_zip
from tests.faults.bundles import Files
from tests.faults.other_faults import Edit, OtherFault, flipped, of_bytes, replaced
from warehouse.contracts.grace import DEFAULT_PASSWORD

ZIP: Final = "grace/release.zip"


RUNS: Final = "grace/runs/packet1_model_human_output.json"


def sound() -> Files:
    """Return a sound release and runs, by path."""
    runs = synth_runs(1, n_packets=2, n_questions=5, elicitation="verb")
    return {ZIP: synth_release(1, 2, 5)} | {f"grace/runs/{name}": data for name, data in runs.items()}


def _pointer(_data: bytes) -> bytes:
    return POINTER


def _entries(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            yield info.filename, archive.read(info, DEFAULT_PASSWORD.encode())


def _zipped(change: Callable[[dict[str, bytes]], object], password: str = DEFAULT_PASSWORD) -> Edit:
    """Change the entries of the release."""

    def plant(files: Files) -> None:
        entries = dict(_entries(files[ZIP]))
        change(entries)
        files[ZIP] = write_zip(
            [Entry(name, data) for name, data in entries.items() if not name.endswith("/")], password
        )

    return plant


def _packet(change: Callable[[bytes], bytes]) -> Edit:
    """Change the bytes of the first packet."""

    def edit(entries: dict[str, bytes]) -> None:
        name = next(name for name in entries if name.endswith("packet1_buzzpoints.json"))
        entries[name] = change(entries[name])

    return _zipped(edit)


def _json(change: Callable[[Any], object]) -> Callable[[bytes], bytes]:
    def edit(data: bytes) -> bytes:
        document = json.loads(data)
        change(document)
        return json.dumps(document).encode()

    return edit


def _question(change: Callable[[dict[str, Any]], object]) -> Edit:
    return _packet(_json(lambda questions: change(questions[2])))


def _run(change: Callable[[dict[str, Any]], object]) -> Edit:
    def edit(questions: list[dict[str, Any]]) -> None:
        runs = next(q[m] for q in questions for m in ("M1", "M2") if q.get(m))
        change(runs[0])

    return of_bytes(RUNS, _json(edit))


def _runs(change: Callable[[list[dict[str, Any]]], object]) -> Edit:
    return of_bytes(RUNS, _json(change))


def _repeat_first(entries: dict[str, bytes]) -> None:
    name = next(name for name in entries if name.endswith("packet1_buzzpoints.json"))
    entries[name.replace("[public]", "")] = entries[name]


def _number_nine(entries: dict[str, bytes]) -> None:
    name = next(name for name in entries if name.endswith("packet2_buzzpoints.json"))
    questions = [question | {"tossup_index": f"n{k}"} for k, question in enumerate(json.loads(entries[name]))]
    entries[name.replace("packet2", "packet9")] = json.dumps(questions).encode()


def _only_text(entries: dict[str, bytes]) -> None:
    entries.clear()
    entries["readme.txt"] = b""


def _opposite_marks(question: dict[str, Any]) -> None:
    swapped = {"+": "-", "-": "+"}
    text = question["question_buzzpoints"]
    question["question_buzzpoints"] = re.sub(r", ([+-])\]", lambda m: f", {swapped[m[1]]}]", text)


def _add(name: str, data: bytes = b"[]") -> Callable[[dict[str, bytes]], object]:
    return lambda entries: entries.update({name: data})


def _twice_the_team(question: dict[str, Any]) -> None:
    question["position"] = [*question["position"], question["position"][-1]]


def _other_text(question: dict[str, Any]) -> None:
    question["question_buzzpoints"] = "other " + question["question_buzzpoints"]


def _one_index(questions: list[dict[str, Any]]) -> None:
    questions[1]["tossup_index"] = questions[0]["tossup_index"]


def _nowhere(questions: list[dict[str, Any]]) -> None:
    questions[0]["tossup_index"] = "nowhere"


def _buzz(word: int, team: str, sign: str) -> Edit:
    """Add a buzz to a question's list."""
    return _question(lambda question: question["position"].append({str(word): f"[{team}, {sign}]"}))


def _more(path: str) -> Edit:
    def plant(files: Files) -> None:
        files[path] = b"{}"

    return plant


def _confidence(value: object) -> Edit:
    return _run(lambda run: run.update(conf=value))


def _grace(name: str, description: str, outcome: str, rule: str, plant: Edit) -> OtherFault:
    stated = f"grace.{rule}" if "." not in rule else rule
    return OtherFault("grace", f"grace_{name}", description, outcome, stated, plant)  # type: ignore[arg-type]


GRACE: Final = (
    _grace(
        "flipped_byte",
        "A byte of an entry is another.",
        "refused",
        "entry_damaged",
        of_bytes(ZIP, flipped(lambda d: 400)),
    ),
    _grace(
        "truncated",
        "The last third is gone.",
        "refused",
        "archive_unreadable",
        of_bytes(ZIP, lambda d: d[: len(d) * 2 // 3]),
    ),
    _grace("empty", "The zip has no bytes.", "refused", "archive_unreadable", of_bytes(ZIP, lambda _: b"")),
    _grace("not_a_zip", "The file is text.", "refused", "archive_unreadable", of_bytes(ZIP, lambda _: b"not a zip")),
    _grace("other_password", "The zip has another password.", "refused", "wrong_password", _zipped(len, "other")),
    _grace(
        "outside",
        "An entry's name leaves its folder.",
        "refused",
        "entry_parent",
        _zipped(_add("../packet9_buzzpoints.json")),
    ),
    _grace(
        "absolute",
        "An entry's name is absolute.",
        "refused",
        "entry_absolute",
        _zipped(_add("/packet9_buzzpoints.json")),
    ),
    _grace(
        "backslash",
        "A name holds a backslash.",
        "refused",
        "entry_backslash",
        _zipped(_add("..\\packet9_buzzpoints.json")),
    ),
    _grace(
        "nested",
        "An entry lies two folders deep.",
        "refused",
        "entry_nested",
        _zipped(_add("a/b/packet9_buzzpoints.json")),
    ),
    _grace("packet_twice", "A packet is there twice.", "refused", "entry_repeated", _zipped(_repeat_first)),
    _grace("no_packets", "No entry is a packet.", "refused", "no_packets", _zipped(_only_text)),
    _grace("unlisted", "An entry is no packet.", "warning", "entry_unlisted", _zipped(_add("readme.txt"))),
    _grace("gap", "The packets' numbers leave some out.", "warning", "packet_gap", _zipped(_number_nine)),
    _grace(
        "not_utf8",
        "A packet is not UTF-8.",
        "refused",
        "not_utf8",
        _packet(replaced(b'"question": "', b'"question": "\xff')),
    ),
    _grace(
        "byte_order_mark",
        "A packet starts with a mark.",
        "info",
        "byte_order_mark",
        _packet(lambda d: b"\xef\xbb\xbf" + d),
    ),
    _grace("not_json", "A packet stops in its middle.", "refused", "not_json", _packet(lambda d: d[: len(d) // 2])),
    _grace("not_a_list", "A packet is an object.", "refused", "not_a_list", _packet(lambda _: b"{}")),
    _grace(
        "repeated_key",
        "An object has a key twice.",
        "refused",
        "repeated_key",
        _packet(replaced(b"{", b'{"category": "x", ')),
    ),
    _grace("missing_key", "A question has no answer.", "refused", "missing_key", _question(lambda q: q.pop("answer"))),
    _grace("unknown_key", "A key nobody knows.", "warning", "unknown_key", _question(lambda q: q.update(colour="red"))),
    _grace("mistyped", "A question is a number.", "refused", "mistyped", _question(lambda q: q.update(question=3))),
    _grace(
        "repeated_index",
        "Two questions have one index.",
        "refused",
        "repeated_tossup_index",
        _packet(_json(_one_index)),
    ),
    _grace(
        "unknown_category",
        "A category nobody knows.",
        "warning",
        "unknown_category",
        _question(lambda q: q.update(category="Cooking")),
    ),
    _grace("buzz_sign", "A buzz is neither right nor wrong.", "refused", "position_malformed", _buzz(1, "H1", "?")),
    _grace("repeated_team", "A team buzzes twice.", "refused", "repeated_team", _question(_twice_the_team)),
    _grace("buzz_outside", "A buzz stands after the end.", "refused", "word_out_of_range", _buzz(900, "H9", "+")),
    _grace("text_differs", "The marked text is another.", "refused", "text_differs", _question(_other_text)),
    _grace("mark_differs", "A mark says the opposite.", "refused", "marks_differ", _question(_opposite_marks)),
    _grace(
        "runs_flipped_byte",
        "A byte of a run file is another.",
        "refused",
        "not_json",
        of_bytes(RUNS, flipped(lambda d: 0)),
    ),
    _grace(
        "runs_unknown_question",
        "A question that the release has not.",
        "refused",
        "runs_unknown_question",
        _runs(_nowhere),
    ),
    _grace(
        "runs_repeated_question",
        "A question twice.",
        "refused",
        "runs_repeated_question",
        _runs(lambda qs: qs.append(qs[0])),
    ),
    _grace("runs_large", "A probability is 1.2.", "refused", "confidence_range", _confidence(1.2)),
    _grace("runs_negative", "A probability is negative.", "refused", "confidence_range", _confidence(-0.1)),
    _grace("runs_nan", "A probability is NaN.", "refused", "confidence_not_finite", _confidence(float("nan"))),
    _grace(
        "runs_infinite", "A probability is infinite.", "refused", "confidence_not_finite", _confidence(float("inf"))
    ),
    _grace("runs_text", "A probability is a string.", "refused", "mistyped", _confidence("0.5")),
    _grace(
        "runs_missing_question", "A question is left out.", "info", "runs_missing_questions", _runs(lambda qs: qs.pop())
    ),
    _grace("lfs_pointer", "The zip is a Git LFS pointer.", "refused", "input.lfs_pointer", of_bytes(ZIP, _pointer)),
    _grace("packet_lfs_pointer", "A packet is a Git LFS pointer.", "refused", "input.lfs_pointer", _packet(_pointer)),
    _grace("runs_lfs_pointer", "A run file is a pointer.", "refused", "input.lfs_pointer", of_bytes(RUNS, _pointer)),
    _grace("runs_unlisted", "A file is no run file.", "warning", "runs_file_unlisted", _more("grace/runs/notes.json")),
)
