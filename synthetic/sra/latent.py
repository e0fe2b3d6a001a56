"""The statistical model behind a bundle, and what it makes true about the effect of a skill.

For question q of a data set and one model, p is the probability that a rollout is right and m the mean of a
probability signal (A/B or T/F). Under `direct` both follow the question's difficulty. Under `llm_select`

    p' = p + accuracy_shift + u             u uniform on [-0.05, 0.05], independent between questions
    m' = m + confidence_shift + u/2 + v     v uniform on [-0.02, 0.02], independent between questions

and under `gold_skill` the same with both shifts multiplied by 1.5 (and the same u and v). Nothing is clipped: the
ranges of p and m leave room. A rollout's signal is Beta distributed with mean m + 0.3 (correct - p), so its mean over
rollouts is m exactly, and it tells right from wrong. Hence, for every model and data set, over questions,

    E[accuracy(llm_select) - accuracy(direct)] = accuracy_shift
    E[mean signal(llm_select) - mean signal(direct)] = confidence_shift

Questions are independent clusters, and the nine rollouts of one are independent given q. A/B splits its value over
the two orders as value ± gap, so their mean is the value itself. T/F is written with six decimals, and one value in
500 is null, whatever it was. Agreement follows from the answers drawn and has no shift of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from synthetic.sra.spec import GOLD, MODELS, SAMPLES, Job, Spec
from synthetic.sra.streams import Generator, stream

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

GOLD_FACTOR: Final = 1.5
ABILITY: Final = dict(zip(MODELS, (0.5, -0.2, 0.3, 0.0, 0.6), strict=True))
_SPREAD, _CONFIDENCE_SPREAD, _SLOPE = 0.05, 0.02, 0.3
_EDGE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Latent:
    """One cell's planned truth. Shape: (questions,) for p, m and native; (questions, 9) for the rest."""

    p: Floats
    mean_signal: Floats
    native_correct: Bools
    correct: Bools
    ab: Floats
    ab_gap: Floats
    tf: Floats
    unease: Floats


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _direct(spec: Spec, job: Job, n: int) -> Floats:
    """Probability of a right rollout under `direct`: inside a range that every shift keeps within [0.02, 0.98]."""
    shift = spec.effect.accuracy_shift * GOLD_FACTOR
    low, high = 0.02 + _SPREAD + max(0.0, -shift), 0.98 - _SPREAD - max(0.0, shift)
    difficulty = stream(spec.seed, "difficulty", job.dataset).normal(size=n)
    own = stream(spec.seed, "difficulty", job.dataset, job.model).normal(size=n)
    return low + (high - low) * _sigmoid(ABILITY[job.model] - 1.3 * difficulty + 0.6 * own)


def _shifts(spec: Spec, job: Job, n: int) -> tuple[Floats, Floats]:
    if job.condition == "direct":
        return np.zeros(n), np.zeros(n)
    factor = GOLD_FACTOR if job.condition == GOLD else 1.0
    rng = stream(spec.seed, "effect", job.dataset, job.model)
    u = rng.uniform(-_SPREAD, _SPREAD, n)
    v = rng.uniform(-_CONFIDENCE_SPREAD, _CONFIDENCE_SPREAD, n)
    return factor * spec.effect.accuracy_shift + u, factor * spec.effect.confidence_shift + u / 2 + v


def _signal(rng: Generator, mean: Floats, concentration: float) -> Floats:
    drawn = rng.beta(concentration * mean, concentration * (1.0 - mean))
    return np.clip(drawn, _EDGE, 1.0 - _EDGE)


def draw(spec: Spec, job: Job) -> Latent:
    """Draw one cell's truth; equal for equal arguments, whatever else was drawn before."""
    n = spec.n_questions(job.dataset)
    direct = _direct(spec, job, n)
    more_right, surer = _shifts(spec, job, n)
    p, mean = direct + more_right, 0.40 + 0.25 * direct + surer
    rng = stream(spec.seed, "rollouts", job.cell)
    correct = rng.random((n, SAMPLES)) < p[:, None]
    per_rollout = mean[:, None] + _SLOPE * (correct - p[:, None])
    ab, tf = _signal(rng, per_rollout, 3.0), _signal(rng, per_rollout, 4.0)
    return Latent(
        p=p,
        mean_signal=mean,
        native_correct=rng.random(n) < p,
        correct=correct,
        ab=ab,
        ab_gap=ab * (1.0 - ab) * np.clip(rng.normal(0.35, 0.25, ab.shape), -0.9, 0.9),
        tf=tf,
        unease=_sigmoid(rng.normal(size=ab.shape) - 0.7 * correct - 1.2 * (p[:, None] - 0.5)),
    )
