"""One contract a table. `TABLES` is the registry; every module of this package that has a `TABLES` joins it.

Belongs here: columns with type, bounds, unit and meaning; keys, grain, restriction, licence; findings and their
rules' shape.

Does not belong here: how a table is filled, read or stored: a contract is imported by everyone and imports nobody.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Final

from warehouse.contracts.base import CELL_KEYS, Table
from warehouse.contracts.issues import Issue, Rule, Severity, fingerprint, has_errors, issues_frame


def _modules() -> list[ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}") for name in names]


def _discover() -> dict[str, Table]:
    found: dict[str, Table] = {}
    for module in _modules():
        for table in getattr(module, "TABLES", ()):
            if table.name in found:
                raise ValueError(f"two contracts are named {table.name!r}: rename one of them")
            found[table.name] = table
    return found


TABLES: Final[dict[str, Table]] = _discover()
LICENCES: Final[dict[str, str]] = {m.SOURCE: m.LICENCE for m in _modules() if hasattr(m, "LICENCE")}

__all__ = [
    "CELL_KEYS",
    "TABLES",
    "Issue",
    "Rule",
    "Severity",
    "Table",
    "fingerprint",
    "has_errors",
    "issues_frame",
]
