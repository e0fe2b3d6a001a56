"""py-irt's parameter files: abilities, difficulties and discriminations as JSON, read and written.

Their logit is the sum over dimensions of discrimination · (ability - difficulty).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from transforms.irt.data import Floats
from transforms.irt.settings import IrtInputError
from transforms.issue_log import IssueLog, shown_all
from transforms.jsondoc import Form, read_object
from warehouse.contracts import Rule, Severity, has_errors

_NAMES: Final = ("ability", "diff", "disc")
_ROTATED: Final = "_rot"
_TO_THEIRS: Final = {"1pl": "1pl", "2pl": "2pl", "m2pl": "multidim_2pl"}
_UNSOUND: Final = Rule("irt.parameter_file", Severity.ERROR, "A parameter file is not a JSON object of parameters.")
_MARK: Final = Rule("irt.byte_order_mark", Severity.INFO, "A parameter file starts with a byte order mark.")
_FORM: Final = Form(
    "an object with ability, diff, disc and the names", _UNSOUND, _UNSOUND, _UNSOUND, other_shape=_UNSOUND,
    repeated_key=_UNSOUND, byte_order_mark=_MARK, bare_tokens=True,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameters:
    """A fit's parameters with the names of its rows: `slopes` (items, dims), `intercepts` (items,), `abilities`
    (models, dims), such that logit = slopes · ability + intercept.
    """

    irt_model: str
    models: list[str]
    items: list[str]
    slopes: Floats
    intercepts: Floats
    abilities: Floats


def write_parameters(found: Parameters) -> bytes:
    """Return the parameters as py-irt's JSON. In one dimension lists are flat.

    An intercept is one number and py-irt has a difficulty a dimension: it is spread along the item's own direction,
    which gives the same logits.
    """
    with np.errstate(over="ignore", under="ignore"):
        lengths = (found.slopes**2).sum(axis=1)
    if (lengths == 0.0).any():
        raise IrtInputError(
            f"{int((lengths == 0.0).sum())} items have no slope, so no difficulty that py-irt can hold."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        difficulties = -found.slopes * (found.intercepts / lengths)[:, None]
    if not np.isfinite(difficulties).all():
        raise IrtInputError("The slopes or intercepts are too large, or too near zero, for difficulties to be finite.")
    values = {"ability": found.abilities, "diff": difficulties, "disc": found.slopes}
    flat = found.slopes.shape[1] == 1
    record: dict[str, Any] = {name: (v[:, 0] if flat else v).tolist() for name, v in values.items()}
    record["irt_model"] = _TO_THEIRS.get(found.irt_model, found.irt_model)
    record["item_ids"] = {str(i): name for i, name in enumerate(found.items)}
    record["subject_ids"] = {str(i): name for i, name in enumerate(found.models)}
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()


def read_parameters(data: bytes, ids_from: bytes | None = None) -> Parameters:
    """Read a parameter file. A rotated one (`ability_rot`, …) has no names: give its unrotated sibling as `ids_from`.

    Raises IrtInputError where a part is missing, does not fit the others or is not finite.
    """
    record = _object(data)
    suffix = _ROTATED if f"ability{_ROTATED}" in record else ""
    named = record if ids_from is None else _object(ids_from)
    values = {name: _array(record, name + suffix) for name in _NAMES}
    items, models = _names(named, "item_ids"), _names(named, "subject_ids")
    shapes = {name: v.shape for name, v in values.items()}
    dims = values["disc"].shape[1]
    if shapes != {"ability": (len(models), dims), "diff": (len(items), dims), "disc": (len(items), dims)}:
        raise IrtInputError(
            f"The parameters have shapes {shapes} for {len(models)} models and {len(items)} items in {dims} dimensions."
        )
    theirs = {name: ours for ours, name in _TO_THEIRS.items()}
    kind = _model(named)
    with np.errstate(over="ignore", invalid="ignore"):
        intercepts = -(values["disc"] * values["diff"]).sum(axis=1)
    if not np.isfinite(intercepts).all():
        raise IrtInputError("'disc' and 'diff' in the parameter file are so large that their products are not finite.")
    return Parameters(theirs.get(kind, kind), models, items, values["disc"], intercepts, values["ability"])


def _object(data: bytes) -> dict[str, Any]:
    log = IssueLog()
    found = read_object(data, log, _FORM)
    if found is None or has_errors(log.issues):
        raise IrtInputError("The parameter file is refused. " + " ".join(issue.message for issue in log.issues))
    return found


def _array(record: Mapping[str, Any], name: str) -> Floats:
    if name not in record:
        raise IrtInputError(f"The parameter file lacks {name!r}; it has {shown_all(sorted(record))}.")
    try:
        given = np.array(record[name])
    except ValueError as error:
        raise IrtInputError(f"{name!r} in the parameter file is not a list of numbers of one shape.") from error
    # Text would be converted, true and null too.
    if given.dtype.kind not in "iuf":
        raise IrtInputError(f"{name!r} in the parameter file is not a list of numbers.")
    found = given.astype(np.float64)
    found = found[:, None] if found.ndim == 1 else found
    if found.ndim != 2 or not np.isfinite(found).all():
        raise IrtInputError(f"{name!r} in the parameter file is not a finite matrix; its shape is {found.shape}.")
    return found


def _model(named: Mapping[str, Any]) -> str:
    """Return the model's name as the file has it; empty where it has none."""
    found = named.get("irt_model")
    return found[:60] if isinstance(found, str) else ""


def _names(record: Mapping[str, Any], key: str) -> list[str]:
    """Return the names in the order of their indices, which have to be 0, 1, … ."""
    found = record.get(key)
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
        raise IrtInputError(
            f"The parameter file lacks {key!r}, a map from index to name. A rotated file drops it: give its "
            "unrotated sibling too."
        )
    expected = [str(i) for i in range(len(found))]
    if set(found) != set(expected):
        raise IrtInputError(f"The indices of {key!r} are not 0 to {len(found) - 1}, each once.")
    names = [found[i] for i in expected]
    if len(set(names)) != len(names):
        raise IrtInputError(f"{key!r} in the parameter file names {len(names) - len(set(names))} rows twice.")
    return names
