"""The folder of published data beside the checkout; tests that use it skip, with the reason, where it is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(path: str) -> Path:
    """Return a path of the shared folder, or skip the test."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"{found} is not there: the data beside the checkout is not part of the project")
    return found
