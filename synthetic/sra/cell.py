"""One cell of a bundle: from its planned truth to the bytes of its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from synthetic.sra.entropy import entropies
from synthetic.sra.latent import Latent, draw
from synthetic.sra.layout import Choices, Layout, Setting, choose, lay_out
from synthetic.sra.questions import Question, questions
from synthetic.sra.records import Blocks, Record, ab_records, json_lines, tf_records
from synthetic.sra.spec import GOLD, SAMPLES, Job, Spec, has_ab, has_entropy, has_tf, hashed_records
from synthetic.sra.streams import Generator, stream
from synthetic.sra.units import Ints, filler
from synthetic.sra.vocabulary import family_of, vocabulary

STRIPPED: Final = ("GLM-4.7-Flash", "Qwen3-32B")
PENALISED: Final = ("Qwen3.6-35B-A3B", "medcalcbench", "llm_select")
REPAIRED_SHARE: Final = 0.007
_BATCH: Final = 600  # rollouts put together at a time: keeps the gathers inside the processor's cache


@dataclass(frozen=True, slots=True)
class Counts:
    """What the audit counts in one cell."""

    rollouts: int
    ab: int
    tf_hashed: int
    tf_positional: int
    entropy_tokens: int | None


@dataclass(frozen=True, slots=True)
class Generations:
    """The generations of a cell. `tokens` is flat, `n_tokens` and `texts` have a value a rollout."""

    tokens: npt.NDArray[np.int32]
    n_tokens: Ints
    texts: list[str]


def _batches(layout: Layout) -> Iterator[tuple[npt.NDArray[np.int32], Ints, bytes, Ints]]:
    """Yield tokens and bytes of a batch of rollouts, each with its lengths."""
    ends = np.cumsum(layout.per_rollout)
    for first in range(0, len(ends), _BATCH):
        sizes = layout.per_rollout[first : first + _BATCH]
        begin = int(ends[first] - sizes[0])
        picks = layout.picks[begin : begin + int(sizes.sum())]
        starts = np.cumsum(sizes) - sizes
        n_tokens = np.add.reduceat(layout.units.tokens.lengths[picks], starts, dtype=np.int64)
        n_bytes = np.add.reduceat(layout.units.text.lengths[picks], starts, dtype=np.int64)
        yield layout.units.tokens.gather(picks), n_tokens, layout.units.text.gather(picks).tobytes(), n_bytes


def _realise(layout: Layout, stripped: bool) -> Generations:
    tokens, lengths, texts = [], [], []
    for ids, n_tokens, data, n_bytes in _batches(layout):
        tokens.append(ids)
        lengths.append(n_tokens)
        ends = np.cumsum(n_bytes).tolist()
        texts += [data[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)]
    if stripped:
        texts = [text.strip() for text in texts]
    return Generations(np.concatenate(tokens), np.concatenate(lengths), texts)


def _stored_answers(choices: Choices) -> list[str]:
    pairs = zip(choices.form.tolist(), choices.answer.tolist(), strict=True)
    return [choices.forms[f].stored_answer(choices.answers[a]) for f, a in pairs]


@dataclass(frozen=True, slots=True)
class _Cell:
    """Everything the files of one cell are written from. `answers` has a value a rollout."""

    spec: Spec
    job: Job
    rng: Generator
    latent: Latent
    asked: tuple[Question, ...]
    choices: Choices
    made: Generations
    answers: list[str]

    @classmethod
    def of(cls, spec: Spec, job: Job) -> _Cell:
        """Draw the cell's truth and the generations that bear it out."""
        rng, latent, asked = stream(spec.seed, "cell", job.cell), draw(spec, job), questions(spec, job.dataset)
        choices, family = choose(rng, asked, latent), family_of(job.model)
        vocab, base = vocabulary(family, spec.scale, spec.seed), filler(family, spec.scale, spec.seed)
        plan = Setting(spec.tokens, vocab, base, asked)
        made = _realise(lay_out(rng, plan, choices), job.model in STRIPPED)
        return cls(spec, job, rng, latent, asked, choices, made, _stored_answers(choices))

    @property
    def ids(self) -> list[str]:
        """Names of the questions, in file order."""
        return [question.instance_id for question in self.asked]

    def mixed(self, lines: list[Record]) -> bytes:
        """Compress the lines, now and then in another order: theirs is not promised."""
        order = self.rng.permutation(len(lines)).tolist() if self.rng.random() < 0.3 else range(len(lines))
        return json_lines(lines[k] for k in order)


def _skills(cell: _Cell) -> list[str | None]:
    """The skill supplied: none, the first annotated one, or what the model picked, right about four times in ten."""
    count, condition = len(cell.asked), cell.job.condition
    if condition == "direct":
        return [None] * count
    found = (cell.rng.random(count) < (1.0 if condition == GOLD else 0.4)).tolist()
    other = cell.rng.integers(0, 500, count).tolist()
    return [q.skills[0] if hit else f"web_{k:03d}" for q, hit, k in zip(cell.asked, found, other, strict=True)]


def _rollouts(cell: _Cell) -> list[Record]:
    count, job, choices = len(cell.answers), cell.job, cell.choices
    repaired = cell.rng.random(count) < REPAIRED_SHARE
    penalised = repaired | ((job.model, job.dataset, job.condition) == PENALISED)
    cut = np.array([form.cut for form in choices.forms])[choices.form]
    gold = [str(q.draft.eval_data["answer"]) for q in cell.asked]
    lists = (cell.made.n_tokens.tolist(), repaired.tolist(), penalised.tolist(), cut.tolist())
    return [
        {
            "sample": k % SAMPLES,
            "text": text,
            "answer": answer,
            "correct": answer == gold[k // SAMPLES],
            "n_tokens": size,
            "finish_reason": "length" if was_cut else "stop",
            "meta": {"presence_penalty": 1.5 if penalty else 0.0, "cap_repair": repair},
        }
        for k, (text, answer, size, repair, penalty, was_cut) in enumerate(
            zip(cell.made.texts, cell.answers, *lists, strict=True)
        )
    ]


def _sampling(cell: _Cell) -> list[Record]:
    rollouts, skills, job = _rollouts(cell), _skills(cell), cell.job
    natives = [cell.choices.answers[k] for k in cell.choices.native.tolist()]
    shuffled = cell.rng.random() < 0.3
    lines = []
    for k, (question, native, skill) in enumerate(zip(cell.asked, natives, skills, strict=True)):
        nine = slice(k * SAMPLES, (k + 1) * SAMPLES)
        order = cell.rng.permutation(SAMPLES).tolist() if shuffled else range(SAMPLES)
        lines.append({
            "instance_id": question.instance_id, "model": job.model, "dataset": job.dataset, "condition": job.condition,
            "native_answer": native, "agreement": cell.answers[nine].count(native) / SAMPLES, "skill_id": skill,
            "rollouts": [rollouts[nine][j] for j in order],
        })  # fmt: skip
    return lines


def _entropy_files(cell: _Cell) -> dict[str, bytes]:
    pieces = vocabulary(family_of(cell.job.model), cell.spec.scale, cell.spec.seed).pieces
    digits = np.array([any(48 <= b <= 57 for b in piece) for piece in pieces])
    tokens, n_tokens, unease = cell.made.tokens, cell.made.n_tokens, cell.latent.unease.ravel()
    values = entropies(cell.rng, cell.job.model, unease, n_tokens, digits[tokens])
    count = len(n_tokens)
    order = cell.rng.permutation(count) if cell.rng.random() < 0.4 else np.arange(count)
    blocks = Blocks(values, tokens, n_tokens, order)
    listed = order if cell.rng.random() < 0.5 else np.arange(count)
    return {"token_entropy9.bin": blocks.data(), "token_entropy9.index.jsonl.gz": blocks.index(cell.ids, listed)}


def build_cell(spec: Spec, job: Job) -> tuple[list[tuple[str, bytes]], Counts]:
    """Return the cell's files (path below the bundle, bytes) and what the audit is to say of them."""
    cell = _Cell.of(spec, job)
    files, hashed, probed = {"sampling9.jsonl.gz": cell.mixed(_sampling(cell))}, 0, has_tf(job.model, job.condition)
    if has_ab(job.model):
        files["ab_logprob9.jsonl.gz"] = cell.mixed(ab_records(cell.ids, cell.answers, cell.latent, cell.rng))
    if probed:
        hashed = hashed_records(spec, job.model, job.dataset, job.condition)
        lines = tf_records(cell.ids, cell.answers, cell.latent.tf, hashed, cell.rng)
        files["tf_logprob9.jsonl.gz"] = cell.mixed(lines)
    if has_entropy(job.condition):
        files |= _entropy_files(cell)
    n = len(cell.asked)
    counts = Counts(
        rollouts=SAMPLES * n,
        ab=n if has_ab(job.model) else 0,
        tf_hashed=hashed,
        tf_positional=n - hashed if probed else 0,
        entropy_tokens=int(cell.made.n_tokens.sum()) if has_entropy(job.condition) else None,
    )
    return [(f"models/{job.cell}/{name}", data) for name, data in files.items()], counts
