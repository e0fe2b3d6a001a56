"""The questions of SRA-Bench on disk, which no manifest lists."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from pipelines.disk import regular_bytes
from pipelines.sra.bundle import DEFAULT_MAX_BYTES, VerifiedBundle
from transforms.inputs import is_lfs_pointer, lfs_pointers
from transforms.sra.grading.gold import KINDS
from transforms.sra.question import Question
from transforms.sra.questions import other_data_sets, parse_questions
from warehouse.contracts import TABLES, Issue, Rule, Severity, has_errors
from warehouse.contracts.sra import SOURCE

NO_QUESTIONS = Rule("questions.none", Severity.ERROR, "A data set of the bundle has no questions file.")
UNREADABLE_QUESTIONS = Rule("questions.unreadable", Severity.ERROR, "A questions file can not be read.")
RULES: Final = (NO_QUESTIONS, UNREADABLE_QUESTIONS)


@dataclass(slots=True)
class QuestionFiles:
    """The questions by data set, the hash of each file, their rows of `source_files`, and what is wrong with them."""

    questions: dict[str, dict[str, Question]] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)
    source_files: pl.DataFrame = field(default_factory=TABLES["source_files"].empty)
    issues: list[Issue] = field(default_factory=list)


def read_question_files(folder: Path, bundle: VerifiedBundle, max_bytes: int = DEFAULT_MAX_BYTES) -> QuestionFiles:
    """Read `<folder>/<dataset>.json`; a data set of the bundle without a sound one makes its cells unsound.

    What is named otherwise, as an editor's lock file, is not opened: it is a warning.
    """
    found = QuestionFiles()
    files = {f"instances/{file.name}": file for file in sorted(folder.glob("*.json"))}
    others = [path for path, file in files.items() if file.stem not in KINDS]
    if others:
        found.issues.append(other_data_sets(others))
    data = {path: _bytes(path, file, max_bytes, found) for path, file in files.items() if path not in others}
    pointers = [path for path, read in data.items() if read is not None and is_lfs_pointer(read)]
    if pointers:
        found.issues.append(lfs_pointers(pointers, source=SOURCE))
    for path, read in data.items():
        if read is not None and path not in pointers:
            _parse(path, files[path].stem, read, found)
    rows = [_row(path, data.get(path), is_ours=path in data, is_refused=path in pointers) for path in files]
    found.source_files = pl.DataFrame(rows, schema=TABLES["source_files"].polars_schema, orient="row")
    for dataset in sorted({cell.dataset for cell in bundle.cells} - found.questions.keys()):
        _set_aside(dataset, folder, bundle, found, is_there=f"instances/{dataset}.json" in data)
    return found


def _bytes(path: str, file: Path, max_bytes: int, found: QuestionFiles) -> bytes | None:
    try:
        return regular_bytes(file, max_bytes)
    except OSError as problem:
        message = f"{file} can not be read ({problem.strerror}): name a folder of readable files."
        found.issues.append(UNREADABLE_QUESTIONS.issue(message, source=SOURCE, path=path))
        return None


def _parse(path: str, dataset: str, data: bytes, found: QuestionFiles) -> None:
    questions, issues = parse_questions(dataset, data, path)
    found.issues += [issue.at(source=SOURCE, path=path, dataset=dataset) for issue in issues]
    if questions and not has_errors(issues):
        found.questions[dataset] = {question.instance_id: question for question in questions}
        found.sha256[dataset] = hashlib.sha256(data).hexdigest()


def _row(path: str, data: bytes | None, *, is_ours: bool, is_refused: bool) -> tuple[object, ...]:
    """Return a file's row of `source_files`."""
    kind, status = ("questions", "refused") if is_ours else ("other", "unlisted")
    if data is None or is_refused:
        return SOURCE, path, kind, None, None, None, None, status
    return SOURCE, path, kind, None, len(data), None, hashlib.sha256(data).hexdigest(), "ok"


def _set_aside(dataset: str, folder: Path, bundle: VerifiedBundle, found: QuestionFiles, *, is_there: bool) -> None:
    """Make the cells of a data set without sound questions unsound; what is wrong with a file was said of the file."""
    if not is_there:
        message = f"The cells of {dataset!r} need {folder / (dataset + '.json')}, which is not there."
        path = f"instances/{dataset}.json"
        found.issues.append(NO_QUESTIONS.issue(message, source=SOURCE, path=path, dataset=dataset))
    for cell in [cell for cell in bundle.cells if cell.dataset == dataset]:
        bundle.unsound[cell] = set(bundle.cells.pop(cell))
