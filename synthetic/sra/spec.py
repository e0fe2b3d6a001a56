"""What a synthetic bundle holds: its scale, its cells and signals, and the independent jobs that make it.

The format stated here is stated a second time on purpose: the generator shares nothing with the modules that read
bundles, so an error in one of the two is seen by the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Scale = Literal["tiny", "small", "full"]
Kind = Literal["cell", "tokenizer", "instances", "aux"]

SAMPLES: Final = 9
MODELS: Final = ("Qwen3.6-35B-A3B", "GLM-4.7-Flash", "Gemma-4-26B-A4B-it", "Qwen3-32B", "Gemma-4-31B-it")
DATASETS: Final = ("champ", "theoremqa", "medcalcbench", "logicbench")
PAIRED: Final = ("direct", "llm_select")
GOLD: Final = "gold_skill"
QUESTIONS: Final[dict[Scale, tuple[int, int, int, int]]] = {
    "tiny": (3, 6, 4, 3),
    "small": (40, 40, 40, 40),
    "full": (223, 747, 1100, 760),
}
TOKENS: Final[dict[Scale, int]] = {"tiny": 60, "small": 120, "full": 589}
AUX_FILES: Final[dict[Scale, int]] = {"tiny": 3, "small": 5, "full": 127}
MAX_QUESTIONS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Effect:
    """What a skill changes, on the probability scale, in every model and data set (`latent` says it precisely)."""

    accuracy_shift: float = 0.06
    confidence_shift: float = 0.09

    def __post_init__(self) -> None:
        if abs(self.accuracy_shift) > 0.2 or abs(self.confidence_shift) > 0.1:
            raise ValueError(
                f"Effect({self.accuracy_shift}, {self.confidence_shift}): the accuracy shift must lie within ±0.2 and "
                "the confidence shift within ±0.1, or probabilities would leave [0, 1]"
            )


@dataclass(frozen=True, slots=True)
class Spec:
    """One bundle. `questions` (a data set) and `mean_tokens` (a rollout) replace what the scale says."""

    scale: Scale = "tiny"
    seed: int = 0
    effect: Effect = field(default_factory=Effect)
    questions: int | None = None
    mean_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.scale not in QUESTIONS:
            raise ValueError(f"scale {self.scale!r}: expected one of {', '.join(QUESTIONS)}")
        if self.seed < 0:
            raise ValueError(f"seed {self.seed}: expected a whole number from 0")
        if self.questions is not None and not 1 <= self.questions <= MAX_QUESTIONS:
            raise ValueError(f"questions {self.questions}: expected 1 to {MAX_QUESTIONS}")
        if self.mean_tokens is not None and not 10 <= self.mean_tokens <= 2000:
            raise ValueError(f"mean_tokens {self.mean_tokens}: expected 10 to 2000")

    def n_questions(self, dataset: str) -> int:
        """Questions of one data set."""
        return self.questions or QUESTIONS[self.scale][DATASETS.index(dataset)]

    @property
    def tokens(self) -> int:
        """Mean number of tokens a rollout."""
        return self.mean_tokens or TOKENS[self.scale]


@dataclass(frozen=True, slots=True)
class Job:
    """One independent piece of a bundle; the fields that do not apply are empty."""

    kind: Kind
    model: str = ""
    dataset: str = ""
    condition: str = ""

    @property
    def cell(self) -> str:
        """The cell's folder below `models/`."""
        return f"{self.model}/{self.dataset}/{self.condition}"


def conditions(model: str) -> tuple[str, ...]:
    """Conditions a model has been run under."""
    return PAIRED if model == "Gemma-4-26B-A4B-it" else (*PAIRED, GOLD)


def has_ab(model: str) -> bool:
    """Whether the A/B probe means anything for the model."""
    return not model.startswith("Gemma")


def has_tf(model: str, condition: str) -> bool:
    """Whether the T/F probe was run."""
    return condition in PAIRED or model == "Gemma-4-31B-it"


def has_entropy(condition: str) -> bool:
    """Whether token entropies are published."""
    return condition in PAIRED


def tf_cells() -> list[tuple[str, str]]:
    """The (model, condition) pairs with a T/F probe, in one fixed order."""
    return [(m, c) for m in MODELS for c in conditions(m) if has_tf(m, c)]


def hashed_records(spec: Spec, model: str, dataset: str, condition: str) -> int:
    """How many T/F records of a cell carry answer hashes: five elevenths of a data set's, spread evenly over cells."""
    n, cells = spec.n_questions(dataset), tf_cells()
    rank = cells.index((model, condition))
    return 5 * n * (rank + 1) // len(cells) - 5 * n * rank // len(cells)


def plan(spec: Spec) -> list[Job]:
    """Return the jobs of a bundle: one a cell, one a tokenizer, one a data set's questions, one for the rest."""
    cells = [Job("cell", m, d, c) for m in MODELS for d in DATASETS for c in conditions(m)]
    cells.sort(key=lambda job: -spec.n_questions(job.dataset))
    tokenizers = [Job("tokenizer", m) for m in MODELS]
    return [*cells, *tokenizers, *(Job("instances", dataset=d) for d in DATASETS), Job("aux")]


def cell_files(job: Job) -> list[str]:
    """Paths, below the bundle, of the files of one cell."""
    names = ["sampling9.jsonl.gz"]
    names += ["ab_logprob9.jsonl.gz"] if has_ab(job.model) else []
    names += ["tf_logprob9.jsonl.gz"] if has_tf(job.model, job.condition) else []
    names += ["token_entropy9.bin", "token_entropy9.index.jsonl.gz"] if has_entropy(job.condition) else []
    return [f"models/{job.cell}/{name}" for name in names]


def manifest_paths(spec: Spec) -> list[str]:
    """Every path the manifest lists, sorted."""
    cells = [path for job in plan(spec) if job.kind == "cell" for path in cell_files(job)]
    tokenizers = [f"tokenizers/{model}/tokenizer.json" for model in MODELS]
    aux = [f"aux/report_{k:03d}.json" for k in range(AUX_FILES[spec.scale])]
    return sorted(["BUNDLE_AUDIT.json", *tokenizers, *aux, *cells])
