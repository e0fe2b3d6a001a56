"""Faults of `sampling9.jsonl.gz`, on sound gzip and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from synthetic.sra.faults.base import SAMPLING, TF, Fault, Outcome, Patch, Planter, Record

_NINE: Final = 9
_WITH_ENTROPY: Final = SAMPLING.replace("*", "*/direct")


def _fault(name: str, description: str, rule: str, plant: Planter, outcome: Outcome = "refused") -> Fault:
    return Fault(f"sampling_{name}", description, outcome, rule, plant)


def _record(edit: Callable[[Record], object]) -> Planter:
    return lambda patch: patch.edit_line(SAMPLING, edit)


def _set(key: str, value: object) -> Planter:
    return _record(lambda record: record.update({key: value}))


def _drop(key: str) -> Planter:
    return _record(lambda record: record.pop(key))


def _rollout(edit: Callable[[Record], object], which: int = 4) -> Planter:
    return _record(lambda record: edit(record["rollouts"][which]))


def _lines(edit: Callable[[list[Record]], list[Record]]) -> Planter:
    def plant(patch: Patch) -> None:
        path = patch.pick(SAMPLING)
        patch.write_lines(path, edit(patch.lines(path)))

    return plant


def _tenth(record: Record) -> None:
    record["rollouts"].append({**record["rollouts"][0], "sample": 9})


def _repeat_sample(record: Record) -> None:
    record["rollouts"][5]["sample"] = record["rollouts"][2]["sample"]


def _copy(record: Record, last: float) -> None:
    """Move the agreement onto every rollout, the last copy as given."""
    agreement = record.pop("agreement")
    for rollout in record["rollouts"]:
        rollout["agreement"] = agreement
    record["rollouts"][-1]["agreement"] = agreement if last < 0 else last


def _copy_constant(patch: Patch) -> None:
    path = patch.pick(SAMPLING)
    records = patch.lines(path)
    for record in records:
        _copy(record, last=-1.0)
    patch.write_lines(path, records)


def _wrong_agreement(record: Record) -> None:
    record["agreement"] = (record["agreement"] + 1 / 3) % 1.0


def _other_copy(record: Record) -> None:
    _copy(record, last=(record["agreement"] + 1 / 3) % 1.0)


def _shuffle(patch: Patch) -> None:
    """Give every sampling file another order of lines and of rollouts."""
    for path in patch.paths(SAMPLING):
        records = patch.lines(path)
        for record in records:
            record["rollouts"] = [record["rollouts"][k] for k in patch.rng.permutation(_NINE).tolist()]
        patch.write_lines(path, records[::-1])


def _regenerate(patch: Patch) -> None:
    """Give other answers to the questions whose T/F record has no hashes, in a cell without an A/B probe."""
    path = patch.pick("bundle/models/Gemma*/direct/sampling9.jsonl.gz")
    probe = patch.lines(path.replace("sampling9", TF.rsplit("/", 1)[-1].split(".")[0]))
    positional = {record["instance_id"] for record in probe if "answer_sha256s" not in record}
    records = patch.lines(path)
    for record in records:
        if record["instance_id"] in positional:
            for rollout in record["rollouts"]:
                rollout["answer"] = f"drawn again, {rollout['sample']}"
                rollout["correct"] = False
            record["agreement"] = 0.0
    patch.write_lines(path, records)


def _misplaced(key: str, value: str) -> Fault:
    return _fault(f"wrong_{key}", f"A record names another {key} than its folder.", "sampling.", _set(key, value))


FAULTS: Final = (
    _fault(
        "eight_rollouts",
        "A question has eight rollouts.",
        "sampling.missing_sample",
        _record(lambda r: r["rollouts"].pop()),
    ),
    _fault("ten_rollouts", "A question has ten rollouts.", "sampling.", _record(_tenth)),
    _fault(
        "repeated_sample",
        "Two rollouts of a question have one sample number.",
        "sampling.repeated_sample",
        _record(_repeat_sample),
    ),
    _fault("sample_nine", "A sample is numbered 9.", "sampling.", _rollout(lambda r: r.update(sample=9))),
    _fault("sample_negative", "A sample is numbered -1.", "sampling.", _rollout(lambda r: r.update(sample=-1))),
    _fault(
        "repeated_question",
        "A question has two lines.",
        "sampling.repeated_question",
        _lines(lambda rows: [*rows, rows[0]]),
    ),
    _fault(
        "unknown_question",
        "A record is about a question the data set does not have.",
        "sampling.unknown_question",
        _lines(lambda rows: [{**rows[0], "instance_id": "champ_99999"}, *rows[1:]]),
    ),
    _fault(
        "missing_question", "A cell lacks one question.", "sampling.missing_question", _lines(lambda rows: rows[1:])
    ),
    _misplaced("model", "Qwen9-1B"),
    _misplaced("dataset", "champions"),
    _misplaced("condition", "silver_skill"),
    _fault("no_native_answer", "A needed key is gone: native_answer.", "sampling.", _drop("native_answer")),
    _fault("no_instance_id", "A needed key is gone: instance_id.", "sampling.", _drop("instance_id")),
    _fault("no_rollouts", "A needed key is gone: rollouts.", "sampling.", _drop("rollouts")),
    _fault("no_text", "A needed key of a rollout is gone: text.", "sampling.", _rollout(lambda r: r.pop("text"))),
    _fault("no_answer", "A needed key of a rollout is gone: answer.", "sampling.", _rollout(lambda r: r.pop("answer"))),
    _fault("text_is_number", "A rollout's text is a number.", "sampling.", _rollout(lambda r: r.update(text=12))),
    _fault("sample_is_text", "A sample number is a string.", "sampling.", _rollout(lambda r: r.update(sample="4"))),
    _fault("agreement_is_text", "The agreement is a string.", "sampling.", _set("agreement", "0.5")),
    _fault("rollouts_is_object", "The rollouts are an object.", "sampling.", _set("rollouts", {"0": {}})),
    _fault(
        "cap_repair_is_text",
        "A cap_repair flag is a string.",
        "sampling.",
        _rollout(lambda r: r["meta"].update(cap_repair="no")),
    ),
    _fault("agreement_large", "An agreement is 1.2.", "sampling.", _set("agreement", 1.2)),
    _fault("agreement_negative", "An agreement is negative.", "sampling.", _set("agreement", -0.1)),
    _fault(
        "agreement_copies_differ",
        "Copies of the agreement on the rollouts differ.",
        "sampling.agreement_copies_differ",
        _record(_other_copy),
    ),
    _fault(
        "agreement_copied",
        "The agreement stands on each rollout, everywhere the same.",
        "",
        _copy_constant,
        "identical",
    ),
    _fault(
        "agreement_wrong",
        "An agreement is not the share of equal answers.",
        "sampling.agreement_differs",
        _record(_wrong_agreement),
        "warning",
    ),
    _fault("unknown_key", "A record has a key nobody knows.", "sampling.unknown_key", _set("colour", "red"), "warning"),
    _fault(
        "unknown_rollout_key",
        "A rollout has a key nobody knows.",
        "sampling.unknown_key",
        _rollout(lambda r: r.update(colour="red")),
        "warning",
    ),
    _fault(
        "n_tokens_wrong",
        "A token count is not the index's.",
        "entropy_index.tokens_differ",
        lambda patch: patch.edit_line(_WITH_ENTROPY, lambda r: r["rollouts"][4].update(n_tokens=7)),
        "warning",
    ),
    _fault("shuffled", "Lines and rollouts stand in another order.", "sampling.another_order", _shuffle, "info"),
    Fault(
        "sampling_regenerated",
        "Answers were drawn again, T/F values without hashes were not.",
        "warning",
        "stale_positional_join",
        _regenerate,
        second_build=True,
    ),
)
