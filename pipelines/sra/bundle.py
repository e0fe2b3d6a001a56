"""A bundle on disk, verified whole before a byte of it is parsed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from pipelines.disk import inspect_all, regular_bytes
from pipelines.progress import Reporter
from pipelines.sra.jobs import FileRef
from pipelines.sra.reading import ChangedError, read_verified
from transforms.sra.layout import AUDIT_PATH, MANIFEST_PATH, CellKey, check_cell_files, group_cells, tokenizer_model
from transforms.sra.manifest import FoundFile, compare_manifest, parse_manifest
from transforms.sra.question import Question
from transforms.sra.questions import parse_questions
from transforms.sra.tokenizers import parse_tokenizer
from warehouse.contracts import TABLES, Issue, Rule, Severity, has_errors
from warehouse.contracts.sra import SOURCE
from warehouse.errors import LakeError

NO_MANIFEST = Rule("manifest.none", Severity.ERROR, "The bundle has no manifest, so nothing of it can be verified.")
NO_QUESTIONS = Rule("questions.none", Severity.ERROR, "A data set of the bundle has no questions file.")
UNREADABLE_QUESTIONS = Rule("questions.unreadable", Severity.ERROR, "A questions file can not be read.")
NO_TOKENIZER = Rule("tokenizer.none", Severity.WARNING, "A model with entropies has no tokenizer: its spans are null.")
TOO_LARGE = Rule("bundle.file_too_large", Severity.ERROR, "A file is larger than may be read.")
NO_CELLS = Rule("bundle.no_cells", Severity.ERROR, "The bundle has no cell.")
RULES: Final = (NO_MANIFEST, NO_QUESTIONS, UNREADABLE_QUESTIONS, NO_TOKENIZER, TOO_LARGE, NO_CELLS)

DEFAULT_MAX_BYTES: Final = 1 << 30
MAX_MANIFEST: Final = 64 << 20


@dataclass(slots=True)
class VerifiedBundle:
    """A bundle after verification: its rows of `source_files`, its sound cells, and everything wrong with it.

    `cells` has the cells all of whose files are sound; `unsound` the kinds of file of the others.
    `faultless_tokenizers` has the hashes of tokenizers in which there was nothing to note.
    """

    root: Path
    source_files: pl.DataFrame
    issues: list[Issue] = field(default_factory=list)
    cells: dict[CellKey, dict[str, FileRef]] = field(default_factory=dict)
    unsound: dict[CellKey, set[str]] = field(default_factory=dict)
    tokenizers: dict[str, FileRef] = field(default_factory=dict)
    faultless_tokenizers: set[str] = field(default_factory=set)
    audit: bytes | None = None
    manifest_sha256: str | None = None


def verify_bundle(
    root: Path,
    workers: int,
    reporter: Reporter,
    max_bytes: int = DEFAULT_MAX_BYTES,
    faultless_tokenizers: Iterable[str] = (),
) -> VerifiedBundle:
    """Compare every file of a bundle with its manifest, by size and SHA-256, and group what is sound into cells.

    A file of more than `max_bytes` is hashed and not read. Tokenizers whose hash is in `faultless_tokenizers` were
    parsed before, without a finding, and are not parsed for the sake of it again.
    """
    manifest = root / MANIFEST_PATH
    if not manifest.is_file():
        message = f"The bundle has no {MANIFEST_PATH}: name the folder that holds it."
        return VerifiedBundle(
            root, TABLES["source_files"].empty(), [NO_MANIFEST.issue(message, source=SOURCE, path=MANIFEST_PATH)]
        )
    try:
        data = regular_bytes(manifest, MAX_MANIFEST)
    except OSError as problem:
        raise LakeError(
            f"{manifest} can not be read ({problem.strerror}): name the folder of a readable bundle."
        ) from problem
    entries, issues = parse_manifest(data)
    readable = [entry.path for entry in entries if not entry.refused]
    found = inspect_all(root, readable, workers, reporter)
    source_files, more = compare_manifest(entries, found)
    bundle = VerifiedBundle(root, source_files, [*issues, *more], manifest_sha256=hashlib.sha256(data).hexdigest())
    _set_aside_too_large(bundle, max_bytes)
    _group(bundle, found)
    _read_small_files(bundle, found, frozenset(faultless_tokenizers))
    return bundle


def _set_aside_too_large(bundle: VerifiedBundle, max_bytes: int) -> None:
    """Make a file that would be read, and is larger than may be read, an unsound one."""
    large = (pl.col("status") == "ok") & (pl.col("kind") != "other") & (pl.col("bytes_actual") > max_bytes)
    for path, size in bundle.source_files.filter(large).select("path", "bytes_actual").iter_rows():
        message = f"The file has {size} bytes and at most {max_bytes} are read: see --max-file-bytes."
        bundle.issues.append(TOO_LARGE.issue(message, source=SOURCE, path=path, value=str(size)))
    refused = pl.when(large).then(pl.lit("refused")).otherwise(pl.col("status"))
    bundle.source_files = bundle.source_files.with_columns(status=refused)


def _reference(path: str, file: FoundFile) -> FileRef:
    if file.sha256 is None or file.size is None:
        raise ValueError(f"{path} was not read: only files whose status is ok have a hash")
    return FileRef(path, file.sha256, file.size)


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
            bundle.cells[cell] = {kind: _reference(path, found[path]) for kind, path in files.items()}
    if not bundle.cells and not bundle.unsound:
        message = "The manifest lists no models/<model>/<dataset>/<condition>/sampling9.jsonl.gz: nothing to build."
        bundle.issues.append(NO_CELLS.issue(message, source=SOURCE, path=MANIFEST_PATH))


def _read_small_files(bundle: VerifiedBundle, found: dict[str, FoundFile], faultless: frozenset[str]) -> None:
    """Read what is not of one cell: the audit, and the tokenizers, each checked once."""
    for path in bundle.source_files.filter(status="ok")["path"]:
        model = tokenizer_model(path)
        if model is None and path != AUDIT_PATH:
            continue
        if model is not None and found[path].sha256 in faultless:
            _use_tokenizer(bundle, model, _reference(path, found[path]), [])
            continue
        try:
            data = read_verified(bundle.root, _reference(path, found[path]))
        except ChangedError as problem:
            bundle.issues.append(problem.issue)
            continue
        if model is None:
            bundle.audit = data
        else:
            _read_tokenizer(bundle, model, _reference(path, found[path]), data)
    _without_tokenizer(bundle, {m for p in bundle.source_files["path"] if (m := tokenizer_model(p))})


def _read_tokenizer(bundle: VerifiedBundle, model: str, reference: FileRef, data: bytes) -> None:
    _vocabulary, issues = parse_tokenizer(data, reference.path)
    _use_tokenizer(bundle, model, reference, issues)


def _use_tokenizer(bundle: VerifiedBundle, model: str, reference: FileRef, issues: list[Issue]) -> None:
    bundle.issues += [issue.at(source=SOURCE, path=reference.path, model=model) for issue in issues]
    if not has_errors(issues):
        bundle.tokenizers[model] = reference
    if not issues:
        bundle.faultless_tokenizers.add(reference.sha256)


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


def read_question_files(folder: Path, bundle: VerifiedBundle, max_bytes: int = DEFAULT_MAX_BYTES) -> QuestionFiles:
    """Read `<folder>/<dataset>.json`; a data set of the bundle without a sound one makes its cells unsound."""
    found = QuestionFiles()
    rows: list[tuple[object, ...]] = []
    for file in sorted(folder.glob("*.json")):
        path = f"instances/{file.name}"
        try:
            data = regular_bytes(file, max_bytes)
        except OSError as problem:
            message = f"{file} can not be read ({problem.strerror}): name a folder of readable files."
            found.issues.append(UNREADABLE_QUESTIONS.issue(message, source=SOURCE, path=path))
            rows.append((SOURCE, path, "questions", None, None, None, None, "refused"))
            continue
        sha256 = hashlib.sha256(data).hexdigest()
        rows.append((SOURCE, path, "questions", None, len(data), None, sha256, "ok"))
        questions, issues = parse_questions(file.stem, data, path)
        found.issues += [issue.at(source=SOURCE, path=path, dataset=file.stem) for issue in issues]
        if questions and not has_errors(issues):
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
