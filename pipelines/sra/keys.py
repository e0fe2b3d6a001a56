"""What each half of a cell is made from, as one hash: where it is known, the half is reused and not made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from pipelines.sra.jobs import FileRef
from transforms.sra.grading import GRADING_VERSION
from transforms.sra.join import TfMemory
from transforms.sra.layout import CellKey
from warehouse.code import code_hash, contract_hash
from warehouse.contracts import TABLES

TOKEN_TABLES: Final = ("token_entropies", "rollout_entropies")
ANSWER_TABLES: Final = (
    "rollouts",
    "rollout_texts",
    "question_conditions",
    "ab_verdicts",
    "tf_verdicts",
    "unknown_fields",
)
_BOTH: Final = (
    "transforms/gzipped.py", "transforms/inputs.py", "transforms/json*.py",
    "transforms/issue_log.py", "transforms/sra/cell.py", "transforms/sra/consequences.py",
    "transforms/sra/record*.py", "transforms/sra/layout.py",
    "transforms/sra/entropy*.py", "pipelines/sra/worker.py", "pipelines/sra/reading.py", "warehouse/storage/parquet.py",
)  # fmt: skip
_TOKENS: Final = (*_BOTH, "transforms/sra/spans.py", "transforms/sra/token*.py")
_ANSWERS: Final = (
    *_BOTH, "transforms/sra/sampling*.py", "transforms/sra/probes.py", "transforms/sra/verdicts_*.py",
    "transforms/sra/tf_shapes.py", "transforms/sra/join.py", "transforms/sra/question*.py",
    "transforms/sra/grading/*.py", "transforms/sra/coverage.py", "transforms/sra/audit.py",
)  # fmt: skip


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _contracts(tables: tuple[str, ...]) -> str:
    return contract_hash(TABLES[name] for name in tables)


def tokenizers_key() -> str:
    """Return the hash of the code that tells a sound tokenizer."""
    return code_hash("transforms/sra/token*.py", "transforms/json*.py", "transforms/inputs.py")


def tokens_key(cell: CellKey, files: Mapping[str, FileRef], tokenizer: FileRef | None, layout: str) -> str | None:
    """Return the key of a cell's first half, or None where the cell has no entropies."""
    if "entropy_bin" not in files or "entropy_index" not in files:
        return None
    inputs = [files[kind].sha256 for kind in ("entropy_bin", "entropy_index")]
    return _hash(
        cell.name, inputs, tokenizer.sha256 if tokenizer else None, layout,
        code_hash(*_TOKENS), _contracts(TOKEN_TABLES),
    )  # fmt: skip


def answers_key(
    cell: CellKey,
    files: Mapping[str, FileRef],
    questions: str | None,
    first_half: str | None,
    memory: TfMemory | None,
    acceptance: TfMemory | None,
) -> str:
    """Return the key of a cell's second half; `questions` is the hash of its data set's questions file."""
    inputs = {kind: reference.sha256 for kind, reference in files.items() if kind != "entropy_bin"}
    return _hash(
        cell.name, inputs, questions, first_half, memory, acceptance, GRADING_VERSION,
        code_hash(*_ANSWERS), _contracts(ANSWER_TABLES),
    )  # fmt: skip
