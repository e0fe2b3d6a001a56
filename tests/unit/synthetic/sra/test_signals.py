"""What is planted can be found again: distributions, information about correctness, and the effect of a skill."""

from __future__ import annotations

import gzip
import json

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from synthetic.sra import Effect, Job, Latent, Spec, draw, run_job
from synthetic.sra.spec import MODELS

WIDE = Spec("tiny", seed=4, questions=300, mean_tokens=60)


def _latent(condition: str, spec: Spec = WIDE, model: str = "Qwen3-32B") -> Latent:
    return draw(spec, Job("cell", model, "champ", condition))


def _entropies(model: str) -> npt.NDArray[np.float64]:
    job = Job("cell", model, "theoremqa", "direct")
    spec = Spec("tiny", seed=4, questions=60, mean_tokens=400)
    files = dict(run_job(spec, job).files)
    data = files[f"bundle/models/{job.cell}/token_entropy9.bin"]
    lines = gzip.decompress(files[f"bundle/models/{job.cell}/token_entropy9.index.jsonl.gz"]).splitlines()
    blocks = [json.loads(line) for line in lines]
    return np.concatenate([np.frombuffer(data, "<f2", b["n_tokens"], b["offset"]) for b in blocks]).astype(np.float64)


def test_entropies_have_the_stated_tail() -> None:
    values = _entropies("Qwen3.6-35B-A3B")
    assert 0.7e-4 < np.median(values) < 1.8e-4
    assert 0.07 < values.mean() < 0.14
    assert 2.8 < values.max() <= 3.3
    assert values.min() > 0


def test_levels_differ_between_models() -> None:
    assert _entropies("Gemma-4-31B-it").mean() < 0.7 * _entropies("Qwen3.6-35B-A3B").mean()


@pytest.mark.parametrize("condition", ["direct", "llm_select", "gold_skill"])
@pytest.mark.parametrize("signal", ["ab", "tf", "unease"])
def test_every_signal_tells_right_from_wrong(signal: str, condition: str) -> None:
    latent = _latent(condition)
    score = getattr(latent, signal) * (-1 if signal == "unease" else 1)
    assert 0.6 < roc_auc_score(latent.correct.ravel(), score.ravel()) < 0.95


def test_ab_orders_are_biased_and_stay_probabilities() -> None:
    latent = _latent("direct")
    assert latent.ab_gap.mean() > 0.02
    for side in (latent.ab + latent.ab_gap, latent.ab - latent.ab_gap):
        assert ((side > 0) & (side < 1)).all()


@pytest.mark.parametrize("effect", [Effect(), Effect(0.2, 0.1), Effect(-0.2, -0.1), Effect(0.0, 0.0)])
def test_probabilities_keep_their_range_under_every_effect(effect: Effect) -> None:
    for condition in ("direct", "llm_select", "gold_skill"):
        latent = _latent(condition, Spec("tiny", seed=4, questions=3000, effect=effect))
        assert 0.019 <= latent.p.min() <= latent.p.max() <= 0.981
        assert 0.1 < latent.mean_signal.min() < latent.mean_signal.max() < 0.9


def _paired(seed: int, effect: Effect, signal: str, condition: str = "llm_select") -> npt.NDArray[np.float64]:
    """Paired differences, a value a question."""
    spec = Spec("tiny", seed=seed, questions=60, effect=effect)
    before, after = _latent("direct", spec), _latent(condition, spec)
    difference: npt.NDArray[np.float64] = getattr(after, signal).mean(axis=1) - getattr(before, signal).mean(axis=1)
    return difference


@pytest.mark.parametrize(("signal", "shift"), [("correct", 0.1), ("ab", -0.05), ("tf", -0.05)])
def test_intervals_cover_the_planted_effect_as_often_as_they_should(signal: str, shift: float) -> None:
    effect = Effect(accuracy_shift=0.1, confidence_shift=-0.05)
    covered = 0
    for seed in range(200):
        low, high = stats.ttest_1samp(_paired(seed, effect, signal), 0.0).confidence_interval(0.95)
        covered += int(low < shift < high)
    # 95 % of 200: fewer than 178 or all 200 would each happen less than once in 10,000 times.
    assert 178 <= covered < 200


@pytest.mark.parametrize("signal", ["correct", "ab", "tf"])
def test_a_gold_skill_moves_half_as_much_again(signal: str) -> None:
    effect = Effect(accuracy_shift=0.1, confidence_shift=0.1)
    found = np.concatenate([_paired(seed, effect, signal, "gold_skill") for seed in range(60)])
    assert found.mean() == pytest.approx(0.15, abs=4 * found.std() / np.sqrt(len(found)))


def test_changes_in_accuracy_and_confidence_go_together() -> None:
    spec = Spec("tiny", seed=8, questions=2000)
    before, after = _latent("direct", spec), _latent("llm_select", spec)
    moved = np.corrcoef(after.p - before.p, after.mean_signal - before.mean_signal)[0, 1]
    assert 0.6 < moved < 0.95


def test_questions_are_hard_for_every_model() -> None:
    p = [_latent("direct", Spec("tiny", seed=2, questions=500), model).p for model in MODELS]
    assert np.min(np.corrcoef(p)) > 0.5
