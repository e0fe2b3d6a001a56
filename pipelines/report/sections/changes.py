"""What differs between two versions."""

from __future__ import annotations

from typing import Final

from pipelines.report.model import Figure, Section
from pipelines.report.reading import Record, Rows
from pipelines.report.sections.contents import facts
from pipelines.report.sections.tables import table

_CELL: Final = {name: name for name in ("source", "model", "dataset", "condition", "signal")}
_HEADINGS: Final = {
    "changed_cells": {
        "source": "source", "dataset": "data set", "condition": "condition", "signal": "signal",
        "n_came": "cells that came", "n_went": "cells that went",
    },
    "changed_figures": _CELL | {
        "figure": "figure", "value_before": "before", "value_after": "after", "change": "change", "n_changed": "of",
    },
    "changed_coverage": {
        "model": "model", "condition": "condition", "signal": "signal", "status": "status",
        "n_datasets_before": "data sets before", "n_datasets_after": "after",
        "n_present_before": "values before", "n_present_after": "after",
    },
    "changed_findings": {
        "severity": "severity", "source": "source", "rule": "rule", "n_before": "before", "n_after": "after",
    },
}  # fmt: skip


def changes_section(rows: Rows, record: Record) -> Section:
    """Return what changed since a version, which `record` is of; what did not change is said in one sentence."""
    found = {name: rows.frame(name) for name in _HEADINGS}
    figures = [Figure((name,), table=table(found[name], _HEADINGS[name])) for name in found if found[name].height]
    same = [_SAME[name] for name in found if found[name].is_empty()]
    lead = f"This version beside {record['version_id']}. {' '.join(same)}"
    return Section("changes", "What changed", lead.strip(), figures, facts=facts(record))


_SAME: Final = {
    "changed_cells": "Both have the same cells.",
    "changed_figures": "No figure of a cell changed.",
    "changed_coverage": "No coverage changed.",
    "changed_findings": "The same rules noticed as much.",
}
