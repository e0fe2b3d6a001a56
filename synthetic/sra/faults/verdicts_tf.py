"""Faults and accepted shapes of the T/F probe, on sound gzip and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from synthetic.sra.faults.base import TF, Patch, Planter, Record
from synthetic.sra.faults.probes import MARK, bare_nan, fault, of_both

_NAMES: Final = ("p_correct", "tf_p_correct")


def _name(record: Record) -> str:
    return next(name for name in _NAMES if name in record)


def _tf(edit: Callable[[Record], object], where: Callable[[Record], bool] | None = None) -> Planter:
    return lambda patch: patch.edit_line(TF, edit, where)


def _value(value: object) -> Planter:
    """Set one of the nine values of a record that states no mean of them."""
    return _tf(lambda r: r[_name(r)].__setitem__(6, value), lambda r: not _has_mean(r))


def _mark_value(record: Record) -> None:
    record[_name(record)][2] = MARK


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
    """A line a rollout; where there are hashes, all nine stand on each."""
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


def _has_mean(record: Record) -> bool:
    return "mean_rollout_p_correct" in record


def _wrong_mean(record: Record) -> None:
    record["mean_rollout_p_correct"] = (record["mean_rollout_p_correct"] + 0.25) % 1.0


def _repeat_rollout(record: Record) -> None:
    name = _name(record)
    rows = _rollouts_of(record, lambda key, x: {key: x})
    rows[1]["sample"] = 0
    del record[name]
    record["rollouts"] = rows


FAULTS: Final = (
    *of_both("tf", TF),
    fault("tf_large", "A probability is 1.2.", "tf.", _value(1.2)),
    fault("tf_negative", "A probability is negative.", "tf.", _value(-0.2)),
    fault("tf_is_text", "A probability is a string.", "tf.", _value("0.5")),
    fault("tf_eight_values", "A record has eight values.", "tf.", _tf(lambda r: r[_name(r)].pop())),
    fault("tf_no_values", "A record has values under neither name.", "tf.", _tf(lambda r: r.pop(_name(r)))),
    fault("tf_both_differ", "Both names are there with different numbers.", "tf.", _tf(_both_names(0.125))),
    fault(
        "tf_repeated_sample",
        "Two of a record's rollouts have one sample number.",
        "tf.",
        _tf(_repeat_rollout, lambda r: not _has_mean(r)),
    ),
    fault("tf_null", "A value is null: the probe failed.", "tf.", _value(None), "info"),
    fault(
        "tf_bare_nan",
        "A value is the bare token NaN.",
        "tf.nan",
        bare_nan(TF, _mark_value, lambda r: not _has_mean(r)),
        "warning",
    ),
    fault(
        "tf_mean_wrong",
        "A stored mean is not that of the nine.",
        "tf.mean_differs",
        _tf(_wrong_mean, _has_mean),
        "warning",
    ),
    fault("tf_both_equal", "Both names are there with equal numbers.", "", _tf(_both_names(0.0)), "identical"),
    fault("tf_as_rollouts", "The values come as rollouts with sample numbers.", "", _every(_as_rollouts), "identical"),
    fault("tf_line_a_rollout", "The values come a line a rollout.", "", _every(_as_lines), "identical"),
    fault("tf_two_orders", "The values come with both orders.", "", _every(_two_orders), "identical"),
)
