"""One synthetic question with its gold answer, and the ways a model may write a right or a wrong answer to it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Draft:
    """What a template makes.

    `kind` says which answer forms suit it. `right` are renderings that the benchmark's rules accept, the gold's own
    first; `wrong` are clearly wrong ones, the likeliest first. `note` is what a generation may restate of the question.
    """

    text: str
    kind: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    eval_data: dict[str, str | int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A draft with its place in a data set."""

    instance_id: str
    dataset: str
    draft: Draft
    skills: tuple[str, ...] = field(default=())

    def instance(self) -> dict[str, object]:
        """The question as `instances/<dataset>.json` holds it."""
        return {
            "instance_id": self.instance_id,
            "dataset": self.dataset,
            "question": self.draft.text,
            "skill_annotations": list(self.skills),
            "eval_data": self.draft.eval_data,
        }


def whole(value: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Right and wrong renderings of a whole number; the wrong ones are off by more than rounding and 5 %."""
    off = max(3, abs(value) // 4)
    right = (str(value), f"{value}.0") if abs(value) < 10_000 else (str(value), f"{value:,}")
    return right, (str(value + off), str(value - off - 1), str(2 * value + 7))


def decimal(value: float, digits: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Right and wrong renderings of a number that is compared within 4 or 5 %; `value` must not be near 0."""
    step = abs(value)
    rounded = (f"{value:.{digits}f}", f"{value * 1.004:.{digits + 2}f}")
    wrong = (value + 0.37 * step, value - 0.21 * step, value + 1.9 * step)
    return rounded, tuple(f"{w:.{digits + 1}f}" for w in wrong)
