"""Seeds from the project's own generators: small, sound files of every source."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any, Final

from synthetic.benchmirt import make_release
from synthetic.grace import synth_release, synth_runs
from synthetic.sra import Spec, generate
from transforms.sra.layout import CellKey
from transforms.sra.question import Question
from transforms.sra.questions import parse_questions
from transforms.sra.tokenizers import Vocabulary, parse_tokenizer

CELL: Final = CellKey("Qwen3-32B", "champ", "llm_select")
DATASETS: Final = ("champ", "theoremqa", "medcalcbench", "logicbench")
FILES: Final = (
    "sampling9.jsonl.gz", "ab_logprob9.jsonl.gz", "tf_logprob9.jsonl.gz", "token_entropy9.bin",
    "token_entropy9.index.jsonl.gz",
)  # fmt: skip


@cache
def bundle() -> dict[str, bytes]:
    """Return a bundle of two questions a data set."""
    return dict(generate(Spec("tiny", seed=3, questions=2, mean_tokens=10)))


def cell_file(name: str, cell: CellKey = CELL) -> bytes:
    """Return one file of a cell, inflated where it is gzip."""
    data = bundle()[f"bundle/{cell.path(name)}"]
    return gzip.decompress(data) if name.endswith(".gz") else data


@cache
def questions(dataset: str) -> dict[str, Question]:
    """Return the questions of a data set."""
    found, issues = parse_questions(dataset, bundle()[f"instances/{dataset}.json"], "q.json")
    assert not issues, issues
    return {question.instance_id: question for question in found}


@cache
def tokenizer(model: str) -> bytes:
    """Return a tokenizer file of some fifty pieces, which a fuzzer gets through quickly."""
    document: dict[str, Any] = json.loads(bundle()[f"bundle/tokenizers/{model}/tokenizer.json"])
    vocab = list(document["model"]["vocab"].items())[:50]
    document["model"]["vocab"] = {piece: place for place, (piece, _) in enumerate(vocab)}
    document["model"]["merges"] = []
    for place, token in enumerate(document["added_tokens"]):
        token["id"] = 50 + place
    return json.dumps(document).encode()


@cache
def known_vocabulary() -> Vocabulary:
    """Return the vocabulary that the cell's token ids are of."""
    found, issues = parse_tokenizer(bundle()[f"bundle/tokenizers/{CELL.model}/tokenizer.json"], "tokenizer.json")
    assert found is not None and not issues, issues
    return found


def tf_drift() -> list[bytes]:
    """Return T/F files of every shape a line may have."""
    numbers = [0.1, 0.2, 0.3, 0.4, None, 0.6, 0.7, 0.8, 0.9]
    hashes = ["ab" * 32] * 9
    shapes: list[dict[str, Any]] = [
        {"p_correct": numbers}, {"tf_p_correct": numbers, "mean_rollout_p_correct": 0.5},
        {"p_correct": numbers, "answer_sha256s": hashes},
        {"orders": {"TF": numbers, "FT": numbers}},
        {"rollouts": [{"sample": j, "p_correct": x} for j, x in enumerate(numbers)]},
        {"rollouts": [{"sample": j, "tf_p_correct": x, "answer_sha256": "ab" * 32} for j, x in enumerate(numbers)]},
        {"rollouts": [{"sample": j, "orders": {"TF": x, "FT": x}} for j, x in enumerate(numbers)]},
    ]  # fmt: skip
    files = [json.dumps({"instance_id": "champ_00000"} | shape).encode() + b"\n" for shape in shapes]
    lines = [json.dumps({"instance_id": "champ_00000", "sample": j, "p_correct": x}) for j, x in enumerate(numbers)]
    orders = [
        {"instance_id": "champ_00001", "sample": j, "orders": {"TF": x, "FT": 0.5}} for j, x in enumerate(numbers)
    ]
    nans = b'{"instance_id": "champ_00000", "p_correct": [NaN,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5]}\n'
    return [*files, "\n".join(lines).encode(), "\n".join(map(json.dumps, orders)).encode(), nans]


@cache
def packets() -> tuple[list[bytes], list[bytes]]:
    """Return packets of the made-up GRACE release, and the run files that belong to them."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(synth_release(0, 2, 3))) as archive:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        found = [archive.read(name, pwd=b"buzzbuzz") for name in names]
    runs = [data for kind in ("logit", "verb") for data in synth_runs(0, 1, 3, kind).values()]
    return found, runs


@cache
def benchmirt() -> tuple[bytes, bytes, bytes]:
    """Return a release of six models and sixteen items: responses, items, models."""
    release = make_release(6, 2, 0, 0.05)
    return release.responses_csv, release.items_csv, release.models_csv
