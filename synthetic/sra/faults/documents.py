"""Faults of the audit, of tokenizer files and of the questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from synthetic.sra.faults.base import AUDIT, INSTANCES, TF, TOKENIZER, Fault, Outcome, Patch, Record


def _audit(
    name: str,
    description: str,
    edit: Callable[[Record], object],
    outcome: Outcome = "refused",
    rule: str = "audit.not_borne_out",
) -> Fault:
    return Fault(f"audit_{name}", description, outcome, rule, lambda patch: patch.edit_json(AUDIT, edit))


def _add(*keys: str, by: int = 1) -> Callable[[Record], None]:
    """Add to the count at the end of a path of keys; `*` is the first key there."""

    def edit(document: Record) -> None:
        *path, last = keys
        for key in path:
            document = document[next(iter(document)) if key == "*" else key]
        document[last] += by

    return edit


def _without_probe(patch: Patch) -> None:
    """Take a cell's T/F file away and leave the audit's count of its records."""
    patch.remove(patch.pick(TF))


def _instances(name: str, description: str, rule: str, edit: Callable[[list[Any]], object]) -> Fault:
    def plant(patch: Patch) -> None:
        patch.edit_json(INSTANCES, edit)

    return Fault(f"instances_{name}", description, "refused", rule, plant, refreshable=False, unrefreshed=None)


def _other_file(patch: Patch) -> None:
    """Add what a desktop leaves beside a file it has copied."""
    patch.write("instances/._champ.json", b"\x00\x05\x16\x07")


def _tokenizer(name: str, description: str, data: bytes) -> Fault:
    def plant(patch: Patch) -> None:
        patch.write(patch.pick(TOKENIZER), data)

    return Fault(f"tokenizer_{name}", description, "refused", "tokenizer.", plant)


def _remove_tokenizer(patch: Patch) -> None:
    patch.remove(patch.pick(TOKENIZER))


FAULTS: Final = (
    _audit("rollouts_wrong", "The count of rollouts is not borne out.", _add("rollouts", by=9)),
    _audit(
        "question_conditions_wrong", "The count of question-conditions is not borne out.", _add("question_conditions")
    ),
    _audit("ab_records_wrong", "The count of A/B records is not borne out.", _add("joins", "ab", "records")),
    _audit(
        "tf_verified_wrong", "The count of T/F records with hashes is not borne out.", _add("joins", "tf", "verified")
    ),
    _audit(
        "tf_positional_wrong", "The count of T/F records without is not borne out.", _add("joins", "tf", "positional")
    ),
    _audit("tokens_wrong", "A cell's count of tokens is not borne out.", _add("entropy", "*", "tokens")),
    _audit(
        "entropy_rollouts_wrong",
        "A cell's count of entropy rollouts is not borne out.",
        _add("entropy", "*", "rollouts"),
    ),
    _audit(
        "unknown_key",
        "The audit has a key nobody knows.",
        lambda document: document.update(colour="red"),
        "warning",
        "audit.unknown_key",
    ),
    _audit(
        "absent_key",
        "The audit lacks a key.",
        lambda document: document.pop("rollouts"),
        "warning",
        "audit.absent_key",
    ),
    _audit(
        "count_is_text",
        "A count is a string.",
        lambda document: document.update(rollouts="many"),
        rule="audit.mistyped",
    ),
    Fault(
        "audit_not_json", "The audit is not JSON.", "refused", "audit.", lambda patch: patch.write(AUDIT, b"{counts")
    ),
    Fault(
        "tf_file_gone",
        "A T/F file is gone, the audit still counts its records.",
        "refused",
        "audit.",
        _without_probe,
        unrefreshed=("refused", "manifest.missing_file"),
    ),
    Fault(
        "tokenizer_gone",
        "A model with entropies has no tokenizer file.",
        "warning",
        "tokenizer.none",
        _remove_tokenizer,
        unrefreshed=("refused", "manifest.missing_file"),
    ),
    _tokenizer("not_json", "A tokenizer file is not JSON.", b"vocabulary"),
    _tokenizer(
        "something_else", "A tokenizer file is JSON of another kind.", b'{"model_type": "qwen", "vocab_size": 12}'
    ),
    _tokenizer("array", "A tokenizer file is a JSON array.", b"[1, 2, 3]"),
    Fault(
        "instances_other_file",
        "A file that is no data set's stands beside the questions.",
        "warning",
        "questions.other_dataset",
        _other_file,
        refreshable=False,
        unrefreshed=None,
    ),
    _instances(
        "repeated",
        "A question stands twice in the questions.",
        "questions.repeated_instance_id",
        lambda rows: rows.append(rows[0]),
    ),
    _instances(
        "missing",
        "The bundle has a question that the questions lack.",
        "sampling.unknown_question",
        lambda rows: rows.pop(),
    ),
    _instances(
        "no_gold",
        "A question has no gold answer.",
        "questions.missing_key",
        lambda rows: rows[0]["eval_data"].pop("answer"),
    ),
    _instances("no_id", "A question has no name.", "questions.missing_key", lambda rows: rows[0].pop("instance_id")),
    _instances(
        "gold_is_number",
        "A gold answer is a number where text is due.",
        "questions.mistyped",
        lambda rows: rows[0]["eval_data"].update(answer=12),
    ),
)
