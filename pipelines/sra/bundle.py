"""A bundle on disk, verified whole before a byte of it is parsed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from pipelines.disk import inspect_all
from pipelines.progress import Reporter
from pipelines.sra.jobs import FileRef
from transforms.sra.layout import AUDIT_PATH, MANIFEST_PATH, CellKey, check_cell_files, group_cells, tokenizer_model
from transforms.sra.manifest import FoundFile, compare_manifest, parse_manifest
from transforms.sra.questions import Question, parse_questions
from transforms.sra.tokenizers import parse_tokenizer
from warehouse.contracts import TABLES, Issue, Rule, Severity, has_errors
from warehouse.contracts.sra import SOURCE
from warehouse.storage.files import sha256_file

NO_MANIFEST = Rule("manifest.none", Severity.ERROR, "The bundle has no manifest, so nothing of it can be verified.")
NO_QUESTIONS = Rule("questions.none", Severity.ERROR, "A data set of the bundle has no questions file.")
NO_TOKENIZER = Rule("tokenizer.none", Severity.WARNING, "A model with entropies has no tokenizer: its spans are null.")
NO_CELLS = Rule("bundle.no_cells", Severity.ERROR, "The bundle has no cell.")
RULES: Final = (NO_MANIFEST, NO_QUESTIONS, NO_TOKENIZER, NO_CELLS)


@dataclass(slots=True)
class VerifiedBundle:
    """A bundle after verification: its rows of `source_files`, its sound cells, and everything wrong with it.

    `cells` has the cells all of whose files are sound; `unsound` the kinds of file of the others.
    """

    root: Path
    source_files: pl.DataFrame
    issues: list[Issue] = field(default_factory=list)
    cells: dict[CellKey, dict[str, FileRef]] = field(default_factory=dict)
    unsound: dict[CellKey, set[str]] = field(default_factory=dict)
    tokenizers: dict[str, FileRef] = field(default_factory=dict)
    audit: bytes | None = None
    manifest_sha256: str | None = None


def verify_bundle(root: Path, workers: int, reporter: Reporter) -> VerifiedBundle:
    """Compare every file of a bundle with its manifest, by size and SHA-256, and group what is sound into cells."""
    manifest = root / MANIFEST_PATH
    if not manifest.is_file():
        message = f"The bundle has no {MANIFEST_PATH}: name the folder that holds it."
        return VerifiedBundle(
            root, TABLES["source_files"].empty(), [NO_MANIFEST.issue(message, source=SOURCE, path=MANIFEST_PATH)]
        )
    entries, issues = parse_manifest(manifest.read_bytes())
    readable = [entry.path for entry in entries if not entry.refused]
    found = inspect_all(root, readable, workers, reporter)
    source_files, more = compare_manifest(entries, found)
    bundle = VerifiedBundle(root, source_files, [*issues, *more], manifest_sha256=sha256_file(manifest))
    _group(bundle, found)
    _read_small_files(bundle)
    return bundle


def _group(bundle: VerifiedBundle, found: dict[str, FoundFile]) -> None:
    """Sort the files into cells; a cell with a file that is not sound is unsound as a whole."""
    status = dict(bundle.source_files.select("path", "status").iter_rows())
    listed = [path for path, state in status.items() if state != "unlisted"]
    for cell, files in group_cells(listed).items():
        issues = check_cell_files(cell, files)
        bundle.issues += issues
        if has_errors(issues) or any(status[path] != "ok" for path in files.values()):
            bundle.unsound[cell] = set(files)
        else:
            bundle.cells[cell] = {kind: FileRef(path, str(found[path].sha256)) for kind, path in files.items()}
    if not bundle.cells and not bundle.unsound:
        message = "The manifest lists no models/<model>/<dataset>/<condition>/sampling9.jsonl.gz: nothing to build."
        bundle.issues.append(NO_CELLS.issue(message, source=SOURCE, path=MANIFEST_PATH))


def _read_small_files(bundle: VerifiedBundle) -> None:
    """Read what is not of one cell: the audit, and the tokenizers, each checked once."""
    sound = bundle.source_files.filter(status="ok")
    for path, sha256 in sound.select("path", "sha256_actual").iter_rows():
        model = tokenizer_model(path)
        if model is not None:
            _vocabulary, issues = parse_tokenizer((bundle.root / path).read_bytes(), path)
            bundle.issues += [issue.at(source=SOURCE, path=path, model=model) for issue in issues]
            if not has_errors(issues):
                bundle.tokenizers[model] = FileRef(path, sha256)
        elif path == AUDIT_PATH:
            bundle.audit = (bundle.root / path).read_bytes()
    _without_tokenizer(bundle, {m for p in bundle.source_files["path"] if (m := tokenizer_model(p))})


def _without_tokenizer(bundle: VerifiedBundle, listed: set[str]) -> None:
    """Set cells aside whose model's tokenizer is unsound; warn of models that have none."""
    for cell, files in list(bundle.cells.items()):
        if "entropy_bin" in files and cell.model in listed and cell.model not in bundle.tokenizers:
            bundle.unsound[cell] = set(bundle.cells.pop(cell))
    with_entropies = {cell.model for cell, files in bundle.cells.items() if "entropy_bin" in files}
    for model in sorted(with_entropies - listed):
        path = f"tokenizers/{model}/tokenizer.json"
        message = f"The bundle has no {path}: the spans of this model's entropies are null."
        bundle.issues.append(NO_TOKENIZER.issue(message, source=SOURCE, path=path, model=model))


@dataclass(slots=True)
class QuestionFiles:
    """The questions by data set, the hash of each file, their rows of `source_files`, and what is wrong with them."""

    questions: dict[str, dict[str, Question]] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)
    source_files: pl.DataFrame = field(default_factory=TABLES["source_files"].empty)
    issues: list[Issue] = field(default_factory=list)


def read_question_files(folder: Path, bundle: VerifiedBundle) -> QuestionFiles:
    """Read `<folder>/<dataset>.json`; a data set of the bundle without a sound one makes its cells unsound."""
    found = QuestionFiles()
    rows = []
    for file in sorted(folder.glob("*.json")):
        data, path = file.read_bytes(), f"instances/{file.name}"
        sha256 = sha256_file(file)
        rows.append((SOURCE, path, "questions", None, len(data), None, sha256, "ok"))
        questions, issues = parse_questions(file.stem, data, path)
        found.issues += [issue.at(source=SOURCE, path=path, dataset=file.stem) for issue in issues]
        if not has_errors(issues):
            found.questions[file.stem] = {question.instance_id: question for question in questions}
            found.sha256[file.stem] = sha256
    found.source_files = pl.DataFrame(rows, schema=TABLES["source_files"].polars_schema, orient="row")
    for dataset in sorted({cell.dataset for cell in bundle.cells} - found.questions.keys()):
        path = f"instances/{dataset}.json"
        message = f"The cells of {dataset!r} need {folder / (dataset + '.json')}, which is missing or not sound."
        found.issues.append(NO_QUESTIONS.issue(message, source=SOURCE, path=path, dataset=dataset))
        for cell in [cell for cell in bundle.cells if cell.dataset == dataset]:
            bundle.unsound[cell] = set(bundle.cells.pop(cell))
    return found
