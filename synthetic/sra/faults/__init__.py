"""Faults by name: what may be wrong with a bundle, what a build has to make of it, and how to plant it.

Belongs here: functions from a bundle's files to the same files with one fault, one module a kind of file.

Does not belong here: the rule that finds it (`transforms/sra`), faults of other sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from synthetic.sra.faults import containers, documents, entropy, manifest, sampling, verdicts_ab, verdicts_tf
from synthetic.sra.faults.base import Fault, Outcome, Patch
from synthetic.sra.streams import stream


def _registry() -> dict[str, Fault]:
    found: dict[str, Fault] = {}
    for module in (manifest, containers, sampling, verdicts_ab, verdicts_tf, entropy, documents):
        for fault in module.FAULTS:
            if fault.name in found:
                raise ValueError(f"two faults are called {fault.name!r}: rename one of them")
            found[fault.name] = fault
    return found


FAULTS: Final[dict[str, Fault]] = _registry()


def plant(files: Mapping[str, bytes], name: str, seed: int, refresh_manifest: bool = True) -> dict[str, bytes | None]:
    """Return what a fault changes: new bytes a path, or None where a file is to go.

    `files` has the `bundle/` and `instances/` paths of `generate`; it may read from disk, only what is needed is read.
    Raises `KeyError` for an unknown name and `ValueError` where the bundle has nothing the fault could apply to.
    """
    fault = FAULTS[name]
    patch = Patch(files, stream(seed, "fault", name))
    fault.plant(patch)
    if refresh_manifest and fault.refreshable:
        patch.refresh_manifest()
    return patch.changes


def apply_fault(files: Mapping[str, bytes], name: str, seed: int, refresh_manifest: bool = True) -> dict[str, bytes]:
    """Return the whole bundle with a fault planted; `files` is left as it is."""
    changed = {**files, **plant(files, name, seed, refresh_manifest)}
    return {path: data for path, data in changed.items() if data is not None}


__all__ = ["FAULTS", "Fault", "Outcome", "apply_fault", "plant"]
