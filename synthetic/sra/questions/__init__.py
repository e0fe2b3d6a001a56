"""The questions of a synthetic bundle: made from templates, in the `instances` format, for all four data sets.

Belongs here: templates, gold answers, and right and wrong answers to them, one module a benchmark.

Does not belong here: how often a model is right (`latent.py`), how an answer is judged (`transforms/sra/grading`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import orjson

from synthetic.sra.questions import champ, logicbench, medcalc, theoremqa
from synthetic.sra.questions.base import Question
from synthetic.sra.spec import Spec
from synthetic.sra.streams import Generator, stream

_DRAFTS: Final = {
    "champ": champ.draft, "theoremqa": theoremqa.draft, "medcalcbench": medcalc.draft, "logicbench": logicbench.draft,
}  # fmt: skip
_SKILLS: Final = {"champ": 89, "theoremqa": 300, "medcalcbench": 55, "logicbench": 18}


def _number(dataset: str, rank: int) -> int:
    """Number in the question's name; CHAMP's names have gaps."""
    return rank + rank // 5 if dataset == "champ" else rank


def _annotated(rng: Generator, dataset: str) -> tuple[str, ...]:
    count = int(rng.choice(5, p=(0.5, 0.3, 0.14, 0.04, 0.02))) + 1 if dataset == "champ" else 1
    return tuple(f"{dataset}_{k:03d}" for k in rng.choice(_SKILLS[dataset], count, replace=False).tolist())


@lru_cache(maxsize=16)
def questions(spec: Spec, dataset: str) -> tuple[Question, ...]:
    """Return the questions of one data set, in file order."""
    rng = stream(spec.seed, "questions", dataset)
    made = []
    for rank in range(spec.n_questions(dataset)):
        draft = _DRAFTS[dataset](rng, rank)
        made.append(Question(f"{dataset}_{_number(dataset, rank):05d}", dataset, draft, _annotated(rng, dataset)))
    return tuple(made)


def instances_file(spec: Spec, dataset: str) -> bytes:
    """Return `instances/<dataset>.json`: a JSON array, a question an object."""
    rows = [question.instance() for question in questions(spec, dataset)]
    return orjson.dumps(rows, option=orjson.OPT_INDENT_2)


__all__ = ["Question", "instances_file", "questions"]
