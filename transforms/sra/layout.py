"""Where things stand in an SRA bundle, and which signal is to be expected of which cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from warehouse.contracts import Issue, Rule, Severity
from warehouse.contracts.sra import CONDITIONS, MODELS, SOURCE

MANIFEST_PATH: Final = "MANIFEST.csv"
AUDIT_PATH: Final = "BUNDLE_AUDIT.json"
CELL_FILES: Final = {
    "sampling9.jsonl.gz": "sampling",
    "ab_logprob9.jsonl.gz": "ab",
    "tf_logprob9.jsonl.gz": "tf",
    "token_entropy9.bin": "entropy_bin",
    "token_entropy9.index.jsonl.gz": "entropy_index",
}
NO_SAMPLING = Rule("layout.no_sampling", Severity.ERROR, "A cell has a probe or entropies but no sampling file.")
HALF_ENTROPY = Rule("layout.half_entropy", Severity.ERROR, "A cell has one of the two entropy files without the other.")
NOT_APPLICABLE_FILE = Rule(
    "layout.not_applicable_file", Severity.WARNING, "A probe's file stands where the probe has no meaning; not read."
)
RULES: Final = (NO_SAMPLING, HALF_ENTROPY, NOT_APPLICABLE_FILE)


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """One model, data set and condition, named as the bundle's folders name them."""

    model: str
    dataset: str
    condition: str

    @property
    def name(self) -> str:
        """The cell as the audit and the command line write it: `model/dataset/condition`."""
        return f"{self.model}/{self.dataset}/{self.condition}"

    @property
    def columns(self) -> dict[str, str]:
        """The cell's keys by column name; also the place of a finding."""
        return {"model": self.model, "dataset": self.dataset, "condition": self.condition}

    def path(self, file_name: str) -> str:
        """The path of one of the cell's files in the bundle."""
        return f"models/{self.name}/{file_name}"


def cell_of(path: str) -> CellKey | None:
    """Return the cell a path belongs to, or None where it is not a file that cells have."""
    parts = path.split("/")
    if len(parts) != 5 or parts[0] != "models" or parts[4] not in CELL_FILES or not all(parts):
        return None
    return CellKey(*parts[1:4])


def tokenizer_model(path: str) -> str | None:
    """Return the model whose tokenizer file a path is, or None where it is none."""
    parts = path.split("/")
    is_tokenizer = len(parts) == 3 and parts[0] == "tokenizers" and parts[2] == "tokenizer.json"
    return parts[1] if is_tokenizer and parts[1] else None


def kind_of(path: str) -> str:
    """Return what a file of a bundle holds: the `kind` of `source_files`; `other` files are verified and not read."""
    if cell_of(path) is not None:
        return CELL_FILES[path.rsplit("/", 1)[1]]
    if tokenizer_model(path) is not None:
        return "tokenizer"
    return {MANIFEST_PATH: "manifest", AUDIT_PATH: "audit"}.get(path, "other")


def group_cells(paths: Iterable[str]) -> dict[CellKey, dict[str, str]]:
    """Return every cell's files as kind to path, cells in order. Give it the paths that verification found sound."""
    cells: dict[CellKey, dict[str, str]] = {}
    for path in paths:
        cell = cell_of(path)
        if cell is not None:
            cells.setdefault(cell, {})[kind_of(path)] = path
    return dict(sorted(cells.items()))


def check_cell_files(cell: CellKey, files: Mapping[str, str]) -> list[Issue]:
    """Return what is wrong with the set of files (kind to path) of one cell."""
    issues = []
    if "sampling" not in files:
        message = f"The cell {cell.name!r} has {len(files)} files but no sampling9.jsonl.gz to bind them to."
        issues.append(NO_SAMPLING.issue(message, source=SOURCE, **cell.columns))
    if ("entropy_bin" in files) != ("entropy_index" in files):
        path = files.get("entropy_bin", files.get("entropy_index"))
        message = "token_entropy9.bin and token_entropy9.index.jsonl.gz need one another; only this one is there."
        issues.append(HALF_ENTROPY.issue(message, source=SOURCE, path=path, **cell.columns))
    if "ab" in files and not is_applicable(cell, "ab"):
        message = f"{NO_LETTERS} The file is verified and not read."
        issues.append(NOT_APPLICABLE_FILE.issue(message, source=SOURCE, path=files["ab"], **cell.columns))
    return issues


# --- which signal is to be expected where ---------------------------------------------------------------------------

GEMMA: Final = ("Gemma-4-26B-A4B-it", "Gemma-4-31B-it")
NO_LETTERS: Final = (
    "The A/B probe does not apply: this model puts about 0.017 of its probability on the two letters, so a number "
    "would be noise that looks like a signal."
)
CHUNKED_PASS: Final = (
    "Entropies come from a chunked forward pass with a KV cache: largest difference to a single pass 0.12, against "
    "0.08 between kernels, correlation 0.9994."
)
_GOLD: Final = CONDITIONS[2]
_WHOLE_CELL: Final = "Withheld by the publisher's design: the model was not run under gold_skill for this release."
_TF_GOLD: Final = "Withheld by the publisher's design: under gold_skill the T/F probe is published for one model only."
_ENTROPY_GOLD: Final = "Withheld by the publisher's design: token entropies are published for direct and llm_select."


@dataclass(frozen=True, slots=True)
class Expectation:
    """Whether a signal is to be there, and where it is not, why."""

    status: Literal["expected", "not_applicable", "withheld"]
    reason: str | None = None


def expectation(cell: CellKey, signal: str) -> Expectation:
    """Return what the publishers say of one signal of one cell.

    They speak of five models and three conditions. Of any other model or condition every signal is expected, so that
    what is not there is shown as missing and never explained away. A signal that is there although it is withheld is
    a present signal; one that does not apply is not read even if a file claims to hold it.
    """
    if signal == "ab" and cell.model in GEMMA:
        return Expectation("not_applicable", NO_LETTERS)
    reason = _withheld(cell, signal) if cell.condition == _GOLD else None
    return Expectation("withheld", reason) if reason else Expectation("expected")


def is_applicable(cell: CellKey, signal: str) -> bool:
    """Tell whether a signal means anything for the cell's model."""
    return expectation(cell, signal).status != "not_applicable"


def _withheld(cell: CellKey, signal: str) -> str | None:
    if cell.model == GEMMA[0]:
        return _WHOLE_CELL
    if cell.model not in MODELS:
        return None
    if signal.startswith("entropy"):
        return _ENTROPY_GOLD
    return _TF_GOLD if signal == "tf" and cell.model != GEMMA[1] else None


def standing_note(cell: CellKey, signal: str) -> str | None:
    """Return what is to be said wherever the coverage of a signal that is there is shown."""
    return CHUNKED_PASS if cell.model == GEMMA[1] and signal.startswith("entropy") else None
