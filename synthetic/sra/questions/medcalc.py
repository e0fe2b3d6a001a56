"""Clinical calculators on made-up notes: decimals within limits, whole-number scores, dates and gestational ages."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from synthetic.sra.questions.base import Draft, decimal, whole
from synthetic.sra.streams import Generator

_TAIL: Final = " Use the values measured on admission, before any treatment."


def _person(rng: Generator) -> str:
    age, sex = int(rng.integers(19, 92)), ("woman", "man")[int(rng.integers(2))]
    return f"A {age}-year-old {sex}"


def _wrap(note: str, task: str) -> str:
    return f"Patient Note: {note} The examination was otherwise without findings.\n\nTask:\n{task}{_TAIL}"


def _limits(value: float) -> tuple[str, str]:
    low, high = sorted((value * 0.95, value * 1.05))
    return str(round(low, 5)), str(round(high, 5))


def _decimal(note: str, task: str, calculator: int, value: float) -> Draft:
    gold = round(value, 5)
    low, high = _limits(gold)
    right, wrong = decimal(gold, 2)
    fields: dict[str, str | int] = {
        "answer": str(gold), "calculator_id": calculator, "output_type": "decimal",
        "lower_limit": low, "upper_limit": high,
    }  # fmt: skip
    return Draft(_wrap(note, task), "number", (str(gold), *right), wrong, fields, note)


def _exact(text: tuple[str, str], calculator: int, kind: str, gold: str, wrong: tuple[str, ...]) -> Draft:
    """A draft of (note, task) whose gold is compared exactly."""
    fields: dict[str, str | int] = {
        "answer": gold, "calculator_id": calculator, "output_type": "integer" if kind == "score" else "date",
        "lower_limit": gold, "upper_limit": gold,
    }  # fmt: skip
    return Draft(_wrap(*text), kind, (gold,), wrong, fields, text[0])


def _pressure(rng: Generator) -> Draft:
    systolic, diastolic = int(rng.integers(95, 190)), int(rng.integers(50, 94))
    note = f"{_person(rng)} came with headache; the blood pressure was {systolic}/{diastolic} mmHg."
    task = "What is the patient's mean arterial pressure in mmHg?"
    return _decimal(note, task, 5, (systolic + 2 * diastolic) / 3)


def _body_mass(rng: Generator) -> Draft:
    height, weight = int(rng.integers(148, 199)), int(rng.integers(480, 1300)) / 10
    note = f"{_person(rng)} of {height} cm and {weight} kg was seen for a check-up."
    return _decimal(note, "What is the patient's body mass index in kg/m²?", 6, weight / (height / 100) ** 2)


def _calcium(rng: Generator) -> Draft:
    calcium, albumin = int(rng.integers(70, 125)) / 10, int(rng.integers(18, 46)) / 10
    note = f"{_person(rng)} had a serum calcium of {calcium} mg/dL and an albumin of {albumin} g/dL."
    task = "What is the patient's albumin-corrected calcium in mg/dL? A normal albumin is 4.0 g/dL."
    return _decimal(note, task, 7, calcium + 0.8 * (4.0 - albumin))


def _qt(rng: Generator) -> Draft:
    interval, rate = int(rng.integers(330, 520)), int(rng.integers(45, 140))
    note = f"{_person(rng)} had a heart rate of {rate} per minute and a QT interval of {interval} ms."
    task = "What is the patient's corrected QT interval in ms by Bazett's formula?"
    return _decimal(note, task, 11, interval / math.sqrt(60 / rate))


def _anion_gap(rng: Generator) -> Draft:
    sodium, chloride, bicarbonate = int(rng.integers(128, 152)), int(rng.integers(92, 112)), int(rng.integers(9, 30))
    if abs(sodium - chloride - bicarbonate) < 3:
        sodium += 6  # a gold near 0 has no room for answers within 5 %
    note = f"{_person(rng)}: sodium {sodium} mEq/L, chloride {chloride} mEq/L, bicarbonate {bicarbonate} mEq/L."
    value = float(sodium - chloride - bicarbonate)
    return _decimal(note, "What is the patient's anion gap in mEq/L?", 39, value)


def _clearance(rng: Generator) -> Draft:
    age, weight, creatinine = int(rng.integers(20, 92)), int(rng.integers(45, 115)), int(rng.integers(6, 38)) / 10
    note = f"A {age}-year-old man of {weight} kg had a creatinine of {creatinine} mg/dL."
    task = "What is the patient's creatinine clearance in mL/min by the Cockcroft-Gault formula, actual weight?"
    return _decimal(note, task, 2, (140 - age) * weight / (72 * creatinine))


def _score(rng: Generator) -> Draft:
    items = ("confusion", "a urea of 9 mmol/L", "a breathing rate of 34 per minute", "a systolic pressure of 84 mmHg")
    present = [item for item in items if rng.random() < 0.5]
    older = bool(rng.random() < 0.5)
    note = f"A {78 if older else 51}-year-old woman with pneumonia had {', '.join(present) or 'stable signs'}."
    gold = len(present) + older
    return _exact((note, "What is the patient's CURB-65 score?"), 45, "score", str(gold), whole(gold)[1])


def _day(value: date) -> str:
    return value.strftime("%m/%d/%Y")


def _dated(rng: Generator, task: str, calculator: int, days: int) -> Draft:
    start = date(2001, 1, 1) + timedelta(days=int(rng.integers(0, 8000)))
    note = f"A pregnant woman's last menstrual period began on {_day(start)}; her cycle lasts 28 days."
    due = start + timedelta(days=days)
    wrong = tuple(_day(due + timedelta(days=off)) for off in (1, -7, 31))
    return _exact((note, f"{task} Answer as M/D/Y."), calculator, "date", _day(due), wrong)


def _due(rng: Generator) -> Draft:
    return _dated(rng, "What is the estimated due date by Naegele's rule?", 13, 280)


def _conception(rng: Generator) -> Draft:
    return _dated(rng, "What is the estimated date of conception?", 68, 14)


def _gestation(rng: Generator) -> Draft:
    start = date(2001, 1, 1) + timedelta(days=int(rng.integers(0, 8000)))
    weeks, days = int(rng.integers(5, 40)), int(rng.integers(0, 7))
    seen = start + timedelta(days=7 * weeks + days)
    note = f"A pregnant woman seen on {_day(seen)} had her last menstrual period on {_day(start)}."
    task = "What is the estimated gestational age, as a tuple of weeks and days?"
    wrong = (_age(weeks + 1, days), _age(weeks - 2, days), _age(weeks, (days + 3) % 7))
    return _exact((note, task), 69, "weeks", _age(weeks, days), wrong)


def _age(weeks: int, days: int) -> str:
    return f"('{weeks} weeks', '{days} days')"


TEMPLATES: Final[tuple[Callable[[Generator], Draft], ...]] = (
    _body_mass, _score, _due, _gestation, _pressure, _calcium, _qt, _anion_gap, _clearance, _score, _conception,
)  # fmt: skip


def draft(rng: Generator, rank: int) -> Draft:
    """Make the question at place `rank`."""
    return TEMPLATES[rank % len(TEMPLATES)](rng)
