"""Every rule of the statistics contracts passes a row it should and fails one it should not."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tests.unit.statistics.observations import one_model
from transforms.statistics import Settings, statistics_tables
from transforms.statistics.undefined import Undefined
from warehouse.contracts import TABLES, Table, statistics, statistics_contrasts

# The tables that Python computes a model at a time; those that are SQL queries are tested in tests/sql.
_STATISTICS = [*statistics.TABLES, *statistics_contrasts.TABLES]
_FRAMES = statistics_tables(one_model(questions=12), Settings(replicates=20))


def _own_rules(table: Table) -> list[str]:
    return [
        name for name in table.schema._validation_rules(with_cast=False) if "|" not in name and name != "primary_key"
    ]


_EXPLAINED = [(table.name, rule) for table in _STATISTICS for rule in _own_rules(table) if rule.endswith("_explained")]
_ORDERED = [(table.name, rule) for table in _STATISTICS for rule in _own_rules(table) if rule.endswith("_ordered")]
_BREAKS: dict[tuple[str, str], dict[str, Any]] = {
    ("corp_reliability", "ends_are_ordered"): {"confidence_lo": 0.9, "confidence_hi": 0.1},
    ("corp_reliability", "counts_are_ordered"): {"n": 3, "n_correct": 4},
    ("bootstrap_intervals", "ends_are_ordered"): {"lo": 0.6, "hi": 0.5},
    ("bootstrap_differences", "ends_are_ordered"): {"lo": 0.6, "hi": 0.5},
}


def _failures(table: Table, row: pl.DataFrame) -> dict[str, int]:
    return dict(table.schema.filter(row).failure.counts())


def test_every_rule_is_tested() -> None:
    assert set(_ORDERED) == set(_BREAKS)
    assert len(_EXPLAINED) == 23


@pytest.mark.parametrize(("name", "rule"), _ORDERED)
def test_what_is_out_of_order_fails(name: str, rule: str) -> None:
    table = TABLES[name]
    row = _FRAMES[name].drop_nulls("lo" if "lo" in table.polars_schema else "fitted").head(1)
    assert rule not in _failures(table, row)
    broken = row.with_columns(
        pl.lit(value).cast(table.polars_schema[k]).alias(k) for k, value in _BREAKS[name, rule].items()
    )
    assert _failures(table, broken).get(rule) == 1


def _reason_of(table: Table, rule: str) -> str:
    """The reason column the rule reads."""
    roots = table.schema._validation_rules(with_cast=False)[rule].expr.meta.root_names()
    (reason,) = {root for root in roots if root.endswith("reason")}
    return str(reason)


@pytest.mark.parametrize(("name", "rule"), _EXPLAINED)
def test_a_figure_is_there_or_its_reason_is(name: str, rule: str) -> None:
    table = TABLES[name]
    reason = _reason_of(table, rule)
    rows = _FRAMES[name].filter(pl.col(reason).is_null()).head(1)
    assert rows.height == 1, "the synthetic model has the figure"
    assert rule not in _failures(table, rows)
    with_reason = rows.with_columns(pl.lit("empty").alias(reason))
    assert _failures(table, with_reason).get(rule) == 1, "a figure and a reason why there is none"
    figures = set(table.schema._validation_rules(with_cast=False)[rule].expr.meta.root_names()) - {reason}
    for figure in figures:
        without = rows.with_columns(pl.lit(None, dtype=table.polars_schema[figure]).alias(figure))
        assert _failures(table, without).get(rule) == 1, f"{figure} is null and nothing says why"
    absent = with_reason.with_columns(pl.lit(None, dtype=table.polars_schema[f]).alias(f) for f in figures)
    assert rule not in _failures(table, absent)


def test_an_unknown_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="'because' is no reason of the contract; expected one of empty, "):
        Undefined("because")
    row = _FRAMES["calibration_tests"].head(1).with_columns(pl.lit("because").alias("bias_reason"))
    assert "bias_reason|check" in _failures(TABLES["calibration_tests"], row)
