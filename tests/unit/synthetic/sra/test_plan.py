"""Counts at every scale, from the plan alone: nothing is generated here."""

from __future__ import annotations

from collections import Counter

import pytest

from synthetic.sra import Effect, Spec, manifest_paths, plan
from synthetic.sra.spec import (
    DATASETS,
    MODELS,
    SAMPLES,
    Job,
    conditions,
    has_ab,
    has_entropy,
    has_tf,
    hashed_records,
)  # fmt: skip

FULL = Spec("full")
CELLS = [job for job in plan(FULL) if job.kind == "cell"]


def _records(jobs: list[Job]) -> int:
    return sum(FULL.n_questions(job.dataset) for job in jobs)


def test_full_scale_has_the_stated_questions_and_rollouts() -> None:
    assert [FULL.n_questions(dataset) for dataset in DATASETS] == [223, 747, 1100, 760]
    assert _records(CELLS) == 39_620
    assert _records(CELLS) * SAMPLES == 356_580


def test_full_scale_has_the_stated_probe_records() -> None:
    probed = [job for job in CELLS if has_tf(job.model, job.condition)]
    hashed = sum(hashed_records(FULL, job.model, job.dataset, job.condition) for job in probed)
    assert _records([job for job in CELLS if has_ab(job.model)]) == 25_470
    assert (_records(probed), hashed, _records(probed) - hashed) == (31_130, 14_150, 16_980)


@pytest.mark.parametrize("model", MODELS)
def test_full_scale_has_the_stated_entropies_a_model(model: str) -> None:
    assert _records([j for j in CELLS if j.model == model and has_entropy(j.condition)]) * SAMPLES == 50_940


def test_full_scale_lists_349_files() -> None:
    paths = manifest_paths(FULL)
    assert len(paths) == len(set(paths)) == 349
    names = Counter(path.rsplit("/", 1)[1] for path in paths if path.startswith("models/"))
    assert names == {
        "sampling9.jsonl.gz": 56, "ab_logprob9.jsonl.gz": 36, "tf_logprob9.jsonl.gz": 44, "token_entropy9.bin": 40,
        "token_entropy9.index.jsonl.gz": 40,
    }  # fmt: skip


def test_coverage_is_uneven_as_stated() -> None:
    assert [m for m in MODELS if not has_ab(m)] == ["Gemma-4-26B-A4B-it", "Gemma-4-31B-it"]
    assert [m for m in MODELS if "gold_skill" not in conditions(m)] == ["Gemma-4-26B-A4B-it"]
    assert [m for m in MODELS if has_tf(m, "gold_skill")] == ["Gemma-4-31B-it"]
    assert not has_entropy("gold_skill")


@pytest.mark.parametrize("scale", ["tiny", "small", "full"])
def test_every_file_of_probes_mixes_hashed_and_other_records(scale: str) -> None:
    spec = Spec(scale)  # type: ignore[arg-type]
    for job in plan(spec):
        if job.kind == "cell" and has_tf(job.model, job.condition):
            hashed = hashed_records(spec, job.model, job.dataset, job.condition)
            assert 0 < hashed < spec.n_questions(job.dataset)


def test_jobs_are_distinct() -> None:
    assert len(set(plan(FULL))) == len(plan(FULL)) == 56 + 5 + 4 + 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"scale": "huge"}, "scale"), ({"seed": -1}, "seed"), ({"questions": 0}, "questions"),
        ({"mean_tokens": 5000}, "mean_tokens"),
    ],
)  # fmt: skip
def test_a_spec_that_means_nothing_is_refused(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Spec(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("shifts", [(0.3, 0.0), (0.0, 0.2)])
def test_an_effect_that_probabilities_have_no_room_for_is_refused(shifts: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="shift"):
        Effect(*shifts)
