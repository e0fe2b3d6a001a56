"""What the files of a bundle hold, read here by the plainest means: gzip, json, numpy, tokenizers."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from synthetic.sra import Job, Spec, describe, draw, finish, generate, plan, run_job
from synthetic.sra.spec import DATASETS, MODELS, has_ab, has_entropy, has_tf

Floats = np.ndarray[Any, Any]
SPEC = Spec("tiny", seed=11)
CELLS = [job for job in plan(SPEC) if job.kind == "cell"]
KINDS: dict[str, Callable[[Job], bool]] = {
    "sampling9.jsonl.gz": lambda job: True,
    "ab_logprob9.jsonl.gz": lambda job: has_ab(job.model),
    "tf_logprob9.jsonl.gz": lambda job: has_tf(job.model, job.condition),
    "token_entropy9.bin": lambda job: has_entropy(job.condition),
    "token_entropy9.index.jsonl.gz": lambda job: has_entropy(job.condition),
}


def _path(job: Job, name: str) -> str:
    return f"bundle/models/{job.cell}/{name}"


def _lines(files: dict[str, bytes], job: Job, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(files[_path(job, name)]).splitlines()]


def _nine(record: dict[str, Any]) -> list[float | None]:
    nine: list[float | None] = record["p_correct" if "p_correct" in record else "tf_p_correct"]
    return nine


def _answers(files: dict[str, bytes], job: Job) -> dict[str, list[str]]:
    found = {}
    for line in _lines(files, job, "sampling9.jsonl.gz"):
        found[line["instance_id"]] = [r["answer"] for r in sorted(line["rollouts"], key=lambda r: int(r["sample"]))]
    return found


def _ids(files: dict[str, bytes], dataset: str) -> list[str]:
    return [row["instance_id"] for row in json.loads(files[f"instances/{dataset}.json"])]


def _blocks(files: dict[str, bytes], job: Job) -> Iterator[tuple[dict[str, Any], Floats, Floats]]:
    data = files[_path(job, "token_entropy9.bin")]
    for line in _lines(files, job, "token_entropy9.index.jsonl.gz"):
        offset, n = line["offset"], line["n_tokens"]
        yield line, np.frombuffer(data, "<f2", n, offset), np.frombuffer(data, "<i4", n, offset + 2 * n)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(tiny: dict[str, bytes]) -> None:
    assert dict(generate(SPEC)) == tiny
    other = dict(generate(Spec("tiny", seed=12)))
    assert other.keys() == tiny.keys()
    same = [path for path in tiny if other[path] == tiny[path]]
    assert same == []


def test_neither_the_order_of_jobs_nor_what_ran_before_matters(tiny: dict[str, bytes]) -> None:
    results = [run_job(SPEC, job) for job in reversed(plan(SPEC))]
    files = {path: data for result in results for path, data in result.files}
    metas = [describe(path, data) for path, data in files.items()]
    files |= finish([(r.job, r.counts) for r in results if r.counts], metas)
    assert files == tiny


def test_the_manifest_comes_last_and_names_every_other_file_rightly() -> None:
    paths = [path for path, _ in generate(SPEC)]
    assert paths[-1] == "bundle/MANIFEST.csv"
    files = dict(generate(SPEC))
    rows = list(csv.DictReader(io.StringIO(files["bundle/MANIFEST.csv"].decode())))
    inside = {p.removeprefix("bundle/"): d for p, d in files.items() if p.startswith("bundle/") and "MANIFEST" not in p}
    assert {row["path"] for row in rows} == set(inside)
    assert len(rows) == len(inside)
    for row in rows:
        data = inside[row["path"]]
        assert (int(row["size_bytes"]), row["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_there_where_coverage_says_so_and_nowhere_else(name: str, tiny: dict[str, bytes]) -> None:
    due = {_path(job, name) for job in CELLS if KINDS[name](job)}
    assert due == {path for path in tiny if path.endswith(f"/{name}")}


def test_the_audit_counts_what_the_files_hold(tiny: dict[str, bytes]) -> None:
    audit = json.loads(tiny["bundle/BUNDLE_AUDIT.json"])
    lines = {job: len(_lines(tiny, job, "sampling9.jsonl.gz")) for job in CELLS}
    probes = [
        line for job in CELLS if has_tf(job.model, job.condition) for line in _lines(tiny, job, "tf_logprob9.jsonl.gz")
    ]
    hashed = sum("answer_sha256s" in line for line in probes)
    assert audit["question_conditions"] == sum(lines.values())
    assert audit["rollouts"] == 9 * sum(lines.values())
    assert audit["joins"]["tf"] == {"records": len(probes), "verified": hashed, "positional": len(probes) - hashed}
    assert audit["joins"]["ab"]["records"] == sum(n for job, n in lines.items() if has_ab(job.model))
    tokens = {job.cell: len(tiny[_path(job, "token_entropy9.bin")]) // 6 for job in CELLS if has_entropy(job.condition)}
    assert audit["entropy"] == {cell: {"rollouts": 9 * _n(cell), "tokens": n} for cell, n in tokens.items()}


def _n(cell: str) -> int:
    return SPEC.n_questions(cell.split("/")[1])


@pytest.mark.parametrize("job", CELLS, ids=lambda job: job.cell)
def test_sampling_lines_have_nine_rollouts_and_agree_with_themselves(job: Job, tiny: dict[str, bytes]) -> None:
    lines = _lines(tiny, job, "sampling9.jsonl.gz")
    gold = {row["instance_id"]: row["eval_data"]["answer"] for row in json.loads(tiny[f"instances/{job.dataset}.json"])}
    assert sorted(line["instance_id"] for line in lines) == sorted(gold)
    for line in lines:
        assert (line["model"], line["dataset"], line["condition"]) == (job.model, job.dataset, job.condition)
        assert sorted(r["sample"] for r in line["rollouts"]) == list(range(9))
        answers = [r["answer"] for r in line["rollouts"]]
        assert line["agreement"] == answers.count(line["native_answer"]) / 9
        assert all(r["correct"] == (r["answer"] == gold[line["instance_id"]]) for r in line["rollouts"])
        assert (line["skill_id"] is None) == (job.condition == "direct")


def test_a_gold_skill_is_annotated_and_a_selected_one_only_sometimes() -> None:
    files = dict(generate(Spec("tiny", seed=1, questions=20, mean_tokens=10)))
    hits: Counter[tuple[str, bool]] = Counter()
    for dataset in DATASETS:
        skills = {r["instance_id"]: r["skill_annotations"] for r in json.loads(files[f"instances/{dataset}.json"])}
        for condition in ("llm_select", "gold_skill"):
            lines = _lines(files, Job("cell", "Qwen3-32B", dataset, condition), "sampling9.jsonl.gz")
            hits.update((condition, line["skill_id"] in skills[line["instance_id"]]) for line in lines)
    assert hits["gold_skill", False] == 0
    assert 0 < hits["llm_select", True] < hits["llm_select", False]


def test_penalties_and_repairs_are_of_the_rollout() -> None:
    spec = Spec("tiny", seed=5, questions=60, mean_tokens=10)
    for job in plan(spec):
        if job.kind != "cell" or job.model not in ("Qwen3.6-35B-A3B", "Qwen3-32B"):
            continue
        files = dict(run_job(spec, job).files)
        rollouts = [r for line in _lines(files, job, "sampling9.jsonl.gz") for r in line["rollouts"]]
        always = (job.model, job.dataset, job.condition) == ("Qwen3.6-35B-A3B", "medcalcbench", "llm_select")
        for rollout in rollouts:
            meta = rollout["meta"]
            assert meta["presence_penalty"] == (1.5 if always or meta["cap_repair"] else 0.0)
        assert any(r["meta"]["cap_repair"] for r in rollouts) or len(rollouts) < 600


@pytest.mark.parametrize("job", [j for j in CELLS if has_entropy(j.condition)], ids=lambda job: job.cell)
def test_tokens_decode_to_the_text_and_summaries_are_theirs(job: Job, tiny: dict[str, bytes]) -> None:
    tokenizer = Tokenizer.from_str(tiny[f"bundle/tokenizers/{job.model}/tokenizer.json"].decode())
    lines = _lines(tiny, job, "sampling9.jsonl.gz")
    rollouts = {(line["instance_id"], r["sample"]): r for line in lines for r in line["rollouts"]}
    for line, entropies, ids in _blocks(tiny, job):
        rollout = rollouts.pop((line["instance_id"], line["sample"]))
        decoded = tokenizer.decode(ids.tolist(), skip_special_tokens=True)
        assert rollout["text"] in (decoded, decoded.strip())
        assert rollout["n_tokens"] == line["n_tokens"] == len(ids)
        assert 0 <= ids.min() <= ids.max() < tokenizer.get_vocab_size()
        assert np.isfinite(entropies).all()
        assert (entropies > 0).all()
        assert line["mean_entropy"] == pytest.approx(entropies.astype(np.float64).mean(), rel=1e-12)
        assert line["max_entropy"] == float(entropies.max())
    assert rollouts == {}


@pytest.mark.parametrize("job", [j for j in CELLS if has_entropy(j.condition)], ids=lambda job: job.cell)
def test_blocks_cover_the_file_without_overlap(job: Job, tiny: dict[str, bytes]) -> None:
    spans = sorted((b["offset"], b["offset"] + 6 * b["n_tokens"]) for b, _, _ in _blocks(tiny, job))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(tiny[_path(job, "token_entropy9.bin")])
    assert all(end == start for (_, end), (start, _) in pairwise(spans))


def _orders_seen(tiny: dict[str, bytes]) -> dict[str, set[bool]]:
    """For what may come in any order: whether it was seen sorted and unsorted."""
    seen: dict[str, set[bool]] = {"blocks": set(), "lines": set(), "rollouts": set()}
    for job in CELLS:
        lines, ids = _lines(tiny, job, "sampling9.jsonl.gz"), _ids(tiny, job.dataset)
        seen["lines"].add([line["instance_id"] for line in lines] == ids)
        seen["rollouts"].add(all([r["sample"] for r in line["rollouts"]] == list(range(9)) for line in lines))
        if has_entropy(job.condition):
            keys = {(ids.index(b["instance_id"]), b["sample"]): b["offset"] for b, _, _ in _blocks(tiny, job)}
            seen["blocks"].add([keys[k] for k in sorted(keys)] == sorted(keys.values()))
    return seen


def test_orders_are_mixed(tiny: dict[str, bytes]) -> None:
    assert all(found == {True, False} for found in _orders_seen(tiny).values())


@pytest.mark.parametrize("name", ["ab_logprob9.jsonl.gz", "tf_logprob9.jsonl.gz"])
def test_hashes_are_those_of_the_samples_answers(name: str, tiny: dict[str, bytes]) -> None:
    checked = 0
    for job in (j for j in CELLS if KINDS[name](j)):
        answers = _answers(tiny, job)
        for line in _lines(tiny, job, name):
            own = [hashlib.sha256(answer.encode()).hexdigest() for answer in answers[line["instance_id"]]]
            assert line.get("answer_sha256s", own) == own
            checked += "answer_sha256s" in line
    assert checked > 50


def test_ab_log_probabilities_are_those_of_the_mass_on_two_letters(tiny: dict[str, bytes]) -> None:
    for job in (j for j in CELLS if has_ab(j.model)):
        for line in _lines(tiny, job, "ab_logprob9.jsonl.gz"):
            for order in (order for r in line["rollouts"] for order in r["orders"].values()):
                assert order["logp_A"] < 0 > order["logp_B"]
                assert 0 < order["letter_mass"] < 1
                assert np.exp(order["logp_A"]) + np.exp(order["logp_B"]) == pytest.approx(order["letter_mass"])


def test_every_producer_of_tf_lines_occurs_inside_one_file() -> None:
    spec = Spec("tiny", seed=3, questions=40, mean_tokens=10)
    job = Job("cell", "Gemma-4-31B-it", "champ", "gold_skill")
    lines = _lines(dict(run_job(spec, job).files), job, "tf_logprob9.jsonl.gz")
    assert {tuple(sorted(set(line) - {"instance_id"})) for line in lines} == {
        ("answer_sha256s", "p_correct"), ("p_correct",), ("tf_p_correct",), ("mean_rollout_p_correct", "tf_p_correct"),
    }  # fmt: skip


def test_a_stored_mean_is_that_of_nine_numbers_and_a_few_values_are_null() -> None:
    spec = Spec("tiny", seed=3, questions=100, mean_tokens=10)
    job = Job("cell", "Gemma-4-31B-it", "champ", "direct")
    lines = _lines(dict(run_job(spec, job).files), job, "tf_logprob9.jsonl.gz")
    values = [x for line in lines for x in _nine(line)]
    assert 0 < values.count(None) < 20
    for line in lines:
        if "mean_rollout_p_correct" in line:
            assert line["mean_rollout_p_correct"] == pytest.approx(np.mean(np.array(line["tf_p_correct"])))


def test_the_files_hold_the_planned_signals(tiny: dict[str, bytes]) -> None:
    for job in CELLS:
        latent, ids = draw(SPEC, job), _ids(tiny, job.dataset)
        for line in _lines(tiny, job, "tf_logprob9.jsonl.gz") if has_tf(job.model, job.condition) else []:
            for value, planned in zip(_nine(line), latent.tf[ids.index(line["instance_id"])], strict=True):
                assert value is None or value == pytest.approx(planned, abs=1e-6)
        for line in _lines(tiny, job, "ab_logprob9.jsonl.gz") if has_ab(job.model) else []:
            for rollout, planned in zip(line["rollouts"], latent.ab[ids.index(line["instance_id"])], strict=True):
                ab, ba = rollout["orders"]["AB"], rollout["orders"]["BA"]
                right = 1 / (1 + np.exp(ab["logp_B"] - ab["logp_A"])), 1 / (1 + np.exp(ba["logp_A"] - ba["logp_B"]))
                assert np.mean(right) == pytest.approx(planned, abs=1e-9)


def test_models_share_nothing_but_their_family_vocabulary(tiny: dict[str, bytes]) -> None:
    files = {model: tiny[f"bundle/tokenizers/{model}/tokenizer.json"] for model in MODELS}
    assert len(set(files.values())) == 3
