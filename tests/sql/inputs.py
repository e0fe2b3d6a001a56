"""Small inputs, the ten reference rows among them, and one figure asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.sql.database import Connection, Row, observe, one

CLOSE = 1e-12


SEVEN = 5e-8  # what seven printed decimals can say


D10_CONFIDENCE = [0.1, 0.4, 0.35, 0.8, 0.8, 0.8, 1.0, 0.0, 0.55, 0.55]


D10_CORRECT = [0, 0, 1, 1, 0, 1, 1, 0, 1, 0]


NAN = float("nan")


def figure(db: Connection, macro: str, confidence: Sequence[Any], correct: Sequence[Any], *more: Any) -> Row:
    observe(db, confidence, correct)
    arguments = ", ".join(repr(item) for item in ("t", *more))
    return one(db, f"FROM {macro}({arguments})")


def d10(db: Connection, macro: str, *more: Any) -> Row:
    return figure(db, macro, D10_CONFIDENCE, D10_CORRECT, *more)


def scalar(db: Connection, expression: str, confidence: Sequence[Any], correct: Sequence[Any]) -> Any:
    observe(db, confidence, correct)
    return one(db, f"SELECT {expression} AS x FROM t")["x"]
