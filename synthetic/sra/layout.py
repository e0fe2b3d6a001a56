"""Which units make up the generations of a cell: the plan from which tokens, text and stored answers follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from synthetic.sra.forms import FORMS, Form
from synthetic.sra.latent import Bools, Latent
from synthetic.sra.questions import Question
from synthetic.sra.spec import SAMPLES
from synthetic.sra.streams import Generator
from synthetic.sra.units import Filler, Ints, Unit, Units, encoded
from synthetic.sra.vocabulary import SPECIAL, Vocabulary

ENCODINGS: Final = (24, 4, 2)  # longest piece, in bytes, of the three ways to split what is not filler
ENCODING_SHARES: Final = (0.75, 0.2, 0.05)
THINKS: Final = {"qwen": 0.6, "glm": 0.5, "gemma": 0.06}
RESTATES: Final = 0.88
_OPENINGS: Final = ("<think>", "<think>\nANSWER: 12 comes to mind first.", "<think>\nthe answer is: 3, perhaps.")
_CLOSINGS: Final = ("</think>", "</think>\n\n")
_MAX_FILLER: Final = 6000


@dataclass(frozen=True, slots=True)
class Choices:
    """Form and answer of each rollout. Shape: rollouts, questions in order, nine each; `native` one a question."""

    forms: tuple[Form, ...]
    answers: tuple[str, ...]
    form: Ints
    answer: Ints
    native: Ints


@dataclass(frozen=True, slots=True)
class Setting:
    """What the generations of a cell are made with, and the questions they are about."""

    mean_tokens: int
    vocab: Vocabulary
    base: Filler
    asked: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Units of every rollout, flat, and how many each rollout has."""

    units: Units
    picks: Ints
    per_rollout: Ints


def _weighted(rng: Generator, weights: npt.NDArray[np.float64], count: int) -> Ints:
    return np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(count), side="right")


def _choose_forms(rng: Generator, questions: tuple[Question, ...], right: Bools) -> tuple[tuple[Form, ...], Ints]:
    """Draw a form a rollout: any form suits a wrong rollout, only a sound one a right one."""
    kinds = [f"{q.dataset}/{q.draft.kind}" for q in questions]
    forms: list[Form] = []
    chosen = np.zeros(len(right), dtype=np.int64)
    for kind in dict.fromkeys(kinds):
        own = FORMS[kind]
        of_kind = np.repeat(np.array([k == kind for k in kinds]), SAMPLES)
        weights = np.array([form.weight for form in own])
        sound = weights * [form.sound for form in own]
        for rows, share in ((of_kind & right, sound), (of_kind & ~right, weights)):
            chosen[rows] = len(forms) + _weighted(rng, share, int(rows.sum()))
        forms += own
    return tuple(forms), chosen


def _pick_answers(rng: Generator, first: Ints, count: Ints, likely: tuple[float, ...]) -> Ints:
    """Draw one of `count` consecutive answers from `first` on, the earlier the likelier."""
    return first + np.minimum(_weighted(rng, np.array(likely), len(first)), count - 1)


def choose(rng: Generator, questions: tuple[Question, ...], latent: Latent) -> Choices:
    """Draw forms and answers that come out as right and wrong as `latent` plans."""
    n_right = np.array([len(q.draft.right) for q in questions])
    n_wrong = np.array([len(q.draft.wrong) for q in questions])
    first = np.cumsum(n_right + n_wrong) - n_right - n_wrong
    right = latent.correct.ravel()
    forms, form = _choose_forms(rng, questions, right)
    first_r, right_r, wrong_r = (np.repeat(x, SAMPLES) for x in (first, n_right, n_wrong))
    hidden = np.array([f.opens_think for f in forms])[form] & (rng.random(len(form)) < 0.5)
    good = _pick_answers(rng, first_r, right_r, (0.86, 0.1, 0.04))
    bad = _pick_answers(rng, first_r + right_r, wrong_r, (0.62, 0.25, 0.13))
    native_bad = _pick_answers(rng, first + n_right, n_wrong, (0.62, 0.25, 0.13))
    return Choices(
        forms=forms,
        answers=tuple(answer for q in questions for answer in (*q.draft.right, *q.draft.wrong)),
        form=form,
        answer=np.where(right | hidden, good, bad),
        native=np.where(latent.native_correct, first, native_bad),
    )


def _lengths(rng: Generator, mean: float, count: int) -> Ints:
    """Draw lengths with a long tail around `mean`."""
    drawn = rng.lognormal(np.log(mean) - 0.18, 0.6, count)
    return np.minimum(np.ceil(drawn), _MAX_FILLER).astype(np.int64)


@dataclass(slots=True)
class _Slots:
    """Collects a cell's own units; every group is reached by its first index."""

    vocab: Vocabulary
    base: int
    made: list[Unit]

    def add(self, units: list[Unit]) -> int:
        """Add a group of units and return the index of its first."""
        first = self.base + len(self.made)
        self.made += units
        return first

    def texts(self, texts: tuple[str, ...]) -> int:
        """Add texts, each in every encoding: text k in encoding e is at first + k * len(ENCODINGS) + e."""
        return self.add([encoded(self.vocab, text, width) for text in texts for width in ENCODINGS])


def _special(vocab: Vocabulary, name: str) -> Unit:
    return (vocab.added[name],), b""


def _thoughts(rng: Generator, slots: _Slots, choices: Choices) -> tuple[Ints, Ints]:
    """Units that open and close a think block, 0 where there is none."""
    count = len(choices.form)
    open_form = np.array([f.opens_think for f in choices.forms])[choices.form]
    thinks = open_form | (rng.random(count) < THINKS[slots.vocab.family])
    openings = slots.add([encoded(slots.vocab, text) for text in _OPENINGS])
    closings = slots.add([encoded(slots.vocab, text) for text in _CLOSINGS])
    opened = openings + _weighted(rng, np.array([0.8, 0.12, 0.08]), count)
    closed = closings + rng.integers(0, len(_CLOSINGS), count)
    return np.where(thinks, opened, 0), np.where(thinks & ~open_form, closed, 0)


def _edges(rng: Generator, slots: _Slots, choices: Choices) -> tuple[Ints, Ints, Ints]:
    """Special tokens at the start (now and then) and at the end (one, sometimes two; none where it was cut)."""
    names, count = SPECIAL[slots.vocab.family], len(choices.form)
    first = slots.add([_special(slots.vocab, name) for name in names])
    cut = np.array([f.cut for f in choices.forms])[choices.form]
    start = np.where(rng.random(count) < (0.3 if slots.vocab.family == "glm" else 0.0), first + len(names) - 1, 0)
    end = np.where(cut, 0, first + 1)
    return start, end, np.where(~cut & (rng.random(count) < 0.1), first, 0)


def _restated(rng: Generator, slots: _Slots, questions: tuple[Question, ...]) -> Ints:
    """The unit that restates the question's note, for most rollouts of questions that have one."""
    notes = tuple(f" {q.draft.note}" if q.draft.note else "" for q in questions)
    rows = slots.texts(notes) + np.repeat(np.arange(len(questions)), SAMPLES) * len(ENCODINGS)
    return np.where(rng.random(len(rows)) < RESTATES, rows, 0)


def _endings(rng: Generator, slots: _Slots, choices: Choices) -> list[Ints]:
    """Units before, of, between and after the answers, each split in one of the encodings."""
    count, width = len(choices.form), len(ENCODINGS)
    before = slots.texts(tuple(f.before for f in choices.forms))
    again = slots.texts(tuple(f.again or "" for f in choices.forms))
    after = slots.texts(tuple(f.after for f in choices.forms))
    answers = slots.texts(choices.answers)
    repeated = np.array([f.again is not None for f in choices.forms])[choices.form]
    shares = np.array(ENCODING_SHARES)

    def split(first: int, row: Ints) -> Ints:
        return first + row * width + _weighted(rng, shares, count)

    answer = split(answers, choices.answer)
    second = np.where(repeated, split(answers, choices.answer), 0)
    return [split(before, choices.form), answer, split(again, choices.form), second, split(after, choices.form)]


def lay_out(rng: Generator, setting: Setting, choices: Choices) -> Layout:
    """Put every rollout of a cell together from units."""
    count, base = len(choices.form), setting.base
    slots = _Slots(setting.vocab, len(base.units), [])
    opened, closed = _thoughts(rng, slots, choices)
    start, end, last = _edges(rng, slots, choices)
    restated = _restated(rng, slots, setting.asked)
    endings = _endings(rng, slots, choices)
    units = base.units.append(Units.of(slots.made))
    per_unit = float(base.units.tokens.lengths[base.draw].mean())
    fixed = sum(float(units.tokens.lengths[column].mean()) for column in (restated, *endings, end))
    body = _lengths(rng, max(4.0, (setting.mean_tokens - fixed) / per_unit), count)
    thought = (body * rng.uniform(0.2, 0.9, count) * (opened > 0)).astype(np.int64)
    columns = [start, opened, thought, closed, restated, body - thought, *endings, end, last]
    picks, per_rollout = _flatten(rng, columns, {2, 5}, base)
    return Layout(units, picks, per_rollout)


def _flatten(rng: Generator, columns: list[Ints], drawn: set[int], base: Filler) -> tuple[Ints, Ints]:
    """Lay columns out rollout by rollout: a plain column is one unit, a drawn one that many units of filler."""
    sizes = np.stack([c if k in drawn else np.ones_like(c) for k, c in enumerate(columns)], axis=1)
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    picks = base.draw[rng.integers(0, len(base.draw), int(ends[-1, -1]), dtype=np.uint16)].astype(np.int64)
    for k, column in enumerate(columns):
        if k not in drawn:
            picks[ends[:, k] - 1] = column
    return picks, sizes.sum(axis=1)
