"""The rows a contrast of two conditions adds to each table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from transforms.statistics.bootstrap import Bootstrapped, difference
from transforms.statistics.cell_tables import Record, bootstrap_columns, filled
from transforms.statistics.cells import Cell, Dataset
from transforms.statistics.skill_effect import Pairs, pair, skill_effect
from transforms.statistics.undefined import Undefined
from warehouse.contracts.statistics_contrasts import CONTRASTS

Subsets = Mapping[str, npt.NDArray[np.bool_]]
_BASE: Final = "direct"
_ANNOTATION: Final = ("dataset", "condition", "question_id", "skill_is_annotated")


def contrasts(cells: tuple[Cell, ...]) -> Iterator[tuple[str, Cell, Cell]]:
    """Yield each contrast's name with its cells, (name, direct, other), of every signal that both conditions have."""
    by_key = {(cell.condition, cell.signal): cell for cell in cells}
    for name in CONTRASTS:
        condition = name.removesuffix(f" - {_BASE}")
        for cell in cells:
            other = by_key.get((condition, cell.signal))
            if cell.condition == _BASE and other is not None:
                yield name, cell, other


def _key(name: str, cell: Cell) -> Record:
    return {**{k: v for k, v in cell.key.items() if k != "condition"}, "contrast": name}


def subsets(dataset: Dataset, condition: str, annotations: pl.DataFrame | None) -> Subsets:
    """Return the questions of each skill_subset as a mask over the data set's question codes.

    `annotations` has `dataset, condition, question_id, skill_is_annotated`; without it there is `all` alone. Raises
    ValueError where it lacks one.
    """
    masks = {"all": np.ones(len(dataset.question_ids), dtype=bool)}
    if annotations is None:
        return masks
    if missing := [name for name in _ANNOTATION if name not in annotations.columns]:
        raise ValueError(f"the annotations have no column {', '.join(missing)}; found {', '.join(annotations.columns)}")
    of_condition = annotations.filter(dataset=dataset.name, condition=condition)
    for subset, is_annotated in (("annotated", True), ("not_annotated", False)):
        held = set(of_condition.filter(skill_is_annotated=is_annotated)["question_id"])
        masks[subset] = np.array([question in held for question in dataset.question_ids], dtype=bool)
    return masks


def bootstrap_differences(
    name: str, direct: tuple[Cell, Mapping[str, Bootstrapped]], other: tuple[Cell, Mapping[str, Bootstrapped]]
) -> list[Record]:
    """Return the contrast's rows of `bootstrap_differences`, a row a statistic."""
    (direct_cell, direct_figures), (other_cell, other_figures) = direct, other
    n_questions = 1 + max(int(cell.ranked.question.max(initial=-1)) for cell in (direct_cell, other_cell))
    pairs = pair(direct_cell.usable, other_cell.usable, np.ones(n_questions, dtype=bool))
    return [
        {
            **_key(name, direct_cell),
            "statistic": statistic,
            **_pair_counts(pairs),
            **bootstrap_columns(difference(other_figures[statistic], direct_figures[statistic])),
        }
        for statistic in direct_figures
    ]


def _pair_counts(pairs: Pairs) -> Record:
    return {"n_pairs": pairs.n, "n_direct_only": pairs.n_direct_only, "n_skill_only": pairs.n_skill_only}


def skill_effect_tests(name: str, direct: Cell, other: Cell, masks: Subsets) -> list[Record]:
    """Return the contrast's rows of `skill_effect_tests`, a row a subset of questions."""
    return [
        {
            **_key(name, direct),
            "skill_subset": subset,
            **_tests(pair(direct.usable, other.usable, mask), direct),
        }
        for subset, mask in masks.items()
    ]


def _tests(pairs: Pairs, cell: Cell) -> Record:
    found = skill_effect(pairs, cell.is_probability, is_native=cell.signal == "agreement")
    changes = {"accuracy": pairs.d_accuracy, "confidence": pairs.d_confidence}
    if cell.is_probability:
        changes["bias"] = pairs.d_confidence - pairs.d_accuracy
    record: Record = _pair_counts(pairs)
    for change in ("accuracy", "confidence", "bias"):
        record[f"d_{change}"] = _finite_mean(changes.get(change))
        names = {f"d_{change}_{name}": name for name in ("t", "p", "p_normal")}
        record |= filled(getattr(found, change), names, f"d_{change}_reason")
    sign = found.sign_p if isinstance(found.sign_p, Undefined) else found
    return {
        **record,
        "n_same_sign": found.n_same_sign,
        "n_opposite_sign": found.n_opposite_sign,
        **filled(sign, {"sign_agreement": "sign_agreement", "sign_agreement_p": "sign_p"}, "sign_agreement_reason"),
        **filled(found.pearson, {"pearson_r": "r", "pearson_p": "p"}, "pearson_reason"),
        **filled(found.spearman, {"spearman_rho": "r", "spearman_p": "p"}, "spearman_reason"),
        **filled(
            found.mcnemar,
            {
                "mcnemar_direct_only_right": "first_only",
                "mcnemar_skill_only_right": "second_only",
                "mcnemar_p": "p",
            },
            "mcnemar_reason",
        ),
    }


def _finite_mean(values: npt.NDArray[np.float64] | None) -> float | None:
    if values is None or not len(values) or not np.isfinite(values).all():
        return None
    return float(values.mean())
