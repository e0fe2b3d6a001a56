"""Faults and accepted shapes of the A/B and T/F probes, on sound gzip and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from transforms.sra.synth.faults.base import AB, TF, Fault, Outcome, Patch, Planter, Record
from transforms.sra.synth.records import compress, inflate

_NAMES: Final = ("p_correct", "tf_p_correct")


def _fault(name: str, description: str, rule: str, plant: Planter, outcome: Outcome = "refused") -> Fault:
    return Fault(name, description, outcome, rule, plant)


def _name(record: Record) -> str:
    return next(name for name in _NAMES if name in record)


def _ab(edit: Callable[[Record], object]) -> Planter:
    return lambda patch: patch.edit_line(AB, edit)


def _order(key: str, value: object) -> Planter:
    """Set one figure of order BA of one rollout."""
    return _ab(lambda record: record["rollouts"][3]["orders"]["BA"].update({key: value}))


def _tf(edit: Callable[[Record], object], where: Callable[[Record], bool] | None = None) -> Planter:
    return lambda patch: patch.edit_line(TF, edit, where)


def _value(value: object) -> Planter:
    """Set one of the nine values of a record that states no mean of them."""
    return _tf(lambda r: r[_name(r)].__setitem__(6, value), lambda r: "mean_rollout_p_correct" not in r)


def _lines(pattern: str, edit: Callable[[list[Record]], list[Record]]) -> Planter:
    def plant(patch: Patch) -> None:
        path = patch.pick(pattern)
        patch.write_lines(path, edit(patch.lines(path)))

    return plant


def _break_hash(record: Record) -> None:
    record["answer_sha256s"][7] = "0" * 64


def _swap_hashes(record: Record) -> bool:
    """Exchange two different hashes, which a reader that guesses permutations would undo."""
    hashes = record["answer_sha256s"]
    other = next((k for k, value in enumerate(hashes) if value != hashes[0]), None)
    if other is not None:
        hashes[0], hashes[other] = hashes[other], hashes[0]
    return other is not None


def _bare_nan(patch: Patch) -> None:
    """Write one value as `NaN`, as Python's `json` does and JSON does not allow."""
    marked = "a value to be replaced"
    path = patch.edit_line(
        TF, lambda r: r[_name(r)].__setitem__(2, marked), lambda r: "mean_rollout_p_correct" not in r
    )
    lines = inflate(patch.read(path)).splitlines()
    patch.write(path, compress(line.replace(f'"{marked}"'.encode(), b"NaN") for line in lines))


def _both_names(shift: float) -> Callable[[Record], None]:
    def edit(record: Record) -> None:
        name = _name(record)
        other = _NAMES[1 - _NAMES.index(name)]
        record[other] = [None if x is None else abs(x - shift) for x in record[name]]

    return edit


def _every(shape: Callable[[Record], list[Record]]) -> Planter:
    """Write every record of every T/F file in another shape with the same values."""

    def plant(patch: Patch) -> None:
        for path in patch.paths(TF):
            patch.write_lines(path, [new for record in patch.lines(path) for new in shape(record)])

    return plant


def _rollouts_of(record: Record, one: Callable[[str, Any], Record]) -> list[Record]:
    name = _name(record)
    return [{"sample": k, **one(name, x)} for k, x in enumerate(record[name])]


def _rest(record: Record) -> Record:
    return {key: value for key, value in record.items() if key not in _NAMES}


def _as_rollouts(record: Record) -> list[Record]:
    return [{**_rest(record), "rollouts": _rollouts_of(record, lambda name, x: {name: x})}]


def _as_lines(record: Record) -> list[Record]:
    """A line a rollout; records with hashes stay whole, for nine hashes belong to nine answers."""
    if _hashed(record):
        return [record]
    return [{**_rest(record), **row} for row in _rollouts_of(record, lambda name, x: {name: x})]


def _orders(value: float | None) -> dict[str, float | None]:
    """Two orders whose mean is the value exactly."""
    if value is None:
        return {"TF": None, "FT": None}
    halves = (2.0**-k for k in range(3, 40))
    fitting = (h for h in halves if h <= min(value, 1 - value) and ((value + h) + (value - h)) / 2 == value)
    half = next(fitting, 0.0)
    return {"TF": value + half, "FT": value - half}


def _two_orders(record: Record) -> list[Record]:
    """Add the two orders beside the value that is their mean."""
    return [{**_rest(record), "rollouts": _rollouts_of(record, lambda name, x: {name: x, "orders": _orders(x)})}]


def _hashed(record: Record) -> bool:
    return "answer_sha256s" in record


def _has_mean(record: Record) -> bool:
    return "mean_rollout_p_correct" in record


def _differing(record: Record) -> bool:
    return _hashed(record) and len(set(record["answer_sha256s"])) > 1


def _wrong_mean(record: Record) -> None:
    record["mean_rollout_p_correct"] = (record["mean_rollout_p_correct"] + 0.25) % 1.0


def _repeat_rollout(record: Record) -> None:
    name = _name(record)
    rows = _rollouts_of(record, lambda key, x: {key: x})
    rows[1]["sample"] = 0
    del record[name]
    record["rollouts"] = rows


def _both(kind: str, pattern: str) -> tuple[Fault, ...]:
    """Faults that the files of both probes may have."""
    return (
        _fault(
            f"{kind}_unknown_question",
            f"A record is about a question the data set does not have ({kind}).",
            kind,
            _lines(pattern, lambda rows: [{**rows[0], "instance_id": "champ_99999"}, *rows[1:]]),
        ),
        _fault(
            f"{kind}_missing_question",
            f"A probe lacks one question ({kind}).",
            kind,
            _lines(pattern, lambda rows: rows[1:]),
        ),
        _fault(
            f"{kind}_repeated_question",
            f"A question has two records ({kind}).",
            kind,
            _lines(pattern, lambda rows: [*rows, rows[0]]),
        ),
        _fault(
            f"{kind}_no_instance_id",
            f"A needed key is gone: instance_id ({kind}).",
            kind,
            _lines(pattern, lambda rows: [{k: v for k, v in rows[0].items() if k != "instance_id"}, *rows[1:]]),
        ),
        _fault(
            f"{kind}_wrong_model",
            f"A record names another model than its folder ({kind}).",
            kind,
            _lines(pattern, lambda rows: [{**rows[0], "model": "Qwen9-1B"}, *rows[1:]]),
        ),
        _fault(
            f"{kind}_hash_mismatch",
            f"A hash is not that of the sample's answer ({kind}).",
            "hash_mismatch",
            lambda patch: patch.edit_line(pattern, _break_hash, _hashed),
        ),
        _fault(
            f"{kind}_hashes_swapped",
            f"Two hashes have changed places ({kind}).",
            "hash_mismatch",
            lambda patch: patch.edit_line(pattern, _swap_hashes, _differing),
        ),
        _fault(
            f"{kind}_eight_hashes",
            f"A record has eight hashes ({kind}).",
            kind,
            lambda patch: patch.edit_line(pattern, lambda r: r["answer_sha256s"].pop(), _hashed),
        ),
        _fault(
            f"{kind}_unknown_key",
            f"A record has a key nobody knows ({kind}).",
            f"{kind}.unknown_key",
            _lines(pattern, lambda rows: [{**rows[0], "colour": "red"}, *rows[1:]]),
            "warning",
        ),
        _fault(
            f"{kind}_shuffled",
            f"Lines stand in another order ({kind}).",
            "another_order",
            _lines(pattern, lambda rows: [*rows[1:], rows[0]]),
            "info",
        ),
    )


FAULTS: Final = (
    *_both("ab", AB),
    *_both("tf", TF),
    _fault("ab_eight_rollouts", "A record has eight rollouts.", "ab", _ab(lambda r: r["rollouts"].pop())),
    _fault(
        "ab_repeated_sample",
        "Two rollouts have one sample number.",
        "ab",
        _ab(lambda r: r["rollouts"][1].update(sample=0)),
    ),
    _fault("ab_no_order", "One of the two orders is gone.", "ab", _ab(lambda r: r["rollouts"][3]["orders"].pop("BA"))),
    _fault(
        "ab_no_letter",
        "A letter's log-probability is gone.",
        "ab",
        _ab(lambda r: r["rollouts"][3]["orders"]["AB"].pop("logp_B")),
    ),
    _fault("ab_no_hashes", "The answer hashes are gone.", "ab", _ab(lambda r: r.pop("answer_sha256s"))),
    _fault("ab_logp_is_text", "A log-probability is a string.", "ab", _order("logp_A", "-0.1")),
    _fault("ab_positive_logp", "A log-probability is positive.", "ab", _order("logp_B", 0.3)),
    _fault("ab_mass_large", "A letter mass is 1.2.", "ab", _order("letter_mass", 1.2)),
    _fault("ab_mass_negative", "A letter mass is negative.", "ab", _order("letter_mass", -0.04)),
    _fault("tf_large", "A probability is 1.2.", "tf", _value(1.2)),
    _fault("tf_negative", "A probability is negative.", "tf", _value(-0.2)),
    _fault("tf_is_text", "A probability is a string.", "tf", _value("0.5")),
    _fault("tf_eight_values", "A record has eight values.", "tf", _tf(lambda r: r[_name(r)].pop())),
    _fault("tf_no_values", "A record has values under neither name.", "tf", _tf(lambda r: r.pop(_name(r)))),
    _fault("tf_both_differ", "Both names are there with different numbers.", "tf", _tf(_both_names(0.125))),
    _fault(
        "tf_repeated_sample",
        "Two of a record's rollouts have one sample number.",
        "tf",
        _tf(_repeat_rollout, lambda r: not _has_mean(r)),
    ),
    _fault("tf_null", "A value is null: the probe failed.", "tf", _value(None), "info"),
    _fault("tf_bare_nan", "A value is the bare token NaN.", "nan", _bare_nan, "warning"),
    _fault("tf_mean_wrong", "A stored mean is not that of the nine.", "mean", _tf(_wrong_mean, _has_mean), "warning"),
    _fault("tf_both_equal", "Both names are there with equal numbers.", "", _tf(_both_names(0.0)), "identical"),
    _fault("tf_as_rollouts", "The values come as rollouts with sample numbers.", "", _every(_as_rollouts), "identical"),
    _fault("tf_line_a_rollout", "The values without hashes come a line a rollout.", "", _every(_as_lines), "identical"),
    _fault("tf_two_orders", "The values come with both orders.", "", _every(_two_orders), "identical"),
)
