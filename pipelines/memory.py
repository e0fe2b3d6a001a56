"""How this program uses memory."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Let the interpreter look for cycles of objects less often.

    Loading libraries and reading lines makes a million objects that stay or that no cycle holds: looking for cycles at
    every 700 of them takes a tenth of the time.
    """
    gc.set_threshold(100_000, 50, 1000)
