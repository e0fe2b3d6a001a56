"""Made-up tables of a lake, drawn from a seed: the shape, coverage and awkward values of the real ones, at any size."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import stats

from warehouse.contracts import TABLES
from warehouse.contracts.sra import CONDITIONS, DATASETS, MODELS, SIGNALS, SPANS

Frames = dict[str, pl.DataFrame]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
FULL_SIZE: Final = {"champ": 223, "theoremqa": 747, "medcalcbench": 1100, "logicbench": 760}
ROLLOUTS: Final = 9
AB_MODELS: Final = tuple(model for model in MODELS if not model.startswith("Gemma"))
VALUES: Final = {
    "agreement": ("question_conditions", "agreement"),
    "ab": ("rollouts", "ab_p_correct"),
    "tf": ("rollouts", "tf_p_correct"),
    "entropy_whole": ("rollouts", "entropy_mean"),
    "entropy_answer": ("rollouts", "answer_entropy_mean"),
    "entropy_numeric": ("rollouts", "numeric_entropy_mean"),
}


def exists(model: str, condition: str) -> bool:
    """Tell whether the bundle has the cell at all."""
    return not (model == "Gemma-4-26B-A4B-it" and condition == "gold_skill")


def coverage_of(model: str, condition: str, signal: str) -> str:
    """Return the coverage status of a signal that is complete where it exists."""
    if signal == "ab" and model not in AB_MODELS:
        return "not_applicable"
    if not exists(model, condition):
        return "withheld"
    tf_there = condition != "gold_skill" or model == "Gemma-4-31B-it"
    there = {"agreement": True, "ab": True, "tf": tf_there}.get(signal, condition != "gold_skill")
    return "present" if there else "withheld"


def lake_tables(questions: dict[str, int], seed: int = 0) -> Frames:
    """Return every table of a lake that the SRA views read; the others are empty."""
    random = np.random.default_rng(seed)
    cells = [(m, d, c) for m in MODELS for d in DATASETS for c in CONDITIONS if exists(m, c)]
    drawn = [_cell(random, cell, questions[cell[1]]) for cell in cells]
    frames = {name: pl.concat([cell[name] for cell in drawn]) for name in drawn[0]}
    frames["signal_coverage"] = _coverage(frames)
    frames["questions"] = _questions(questions)
    frames["source_files"] = _files(349)
    frames["t_quantiles"] = t_quantiles()
    return {name: _conform(name, frames.get(name)) for name in TABLES}


def t_quantiles() -> pl.DataFrame:
    """Return Student's 97.5 % quantiles by scipy: fewer than a lake has, so that tests reach beyond them."""
    df = np.arange(1, 1001)
    return pl.DataFrame({"df": df, "q975": stats.t.ppf(0.975, df)}, schema={"df": pl.Int32, "q975": pl.Float64})


def _conform(name: str, frame: pl.DataFrame | None) -> pl.DataFrame:
    table = TABLES[name]
    if frame is None:
        return table.empty()
    missing = [pl.lit(None, dtype=dtype).alias(c) for c, dtype in table.polars_schema.items() if c not in frame.columns]
    return frame.with_columns(missing).select(pl.col(c).cast(dtype) for c, dtype in table.polars_schema.items())


def _questions(questions: dict[str, int]) -> pl.DataFrame:
    rows = [(d, instance, "q", "1", "integer") for d, n in questions.items() for instance in _names(d, n)]
    return pl.DataFrame(
        rows, schema=["dataset", "instance_id", "question", "gold_answer", "answer_kind"], orient="row"
    ).with_columns(pl.lit([], dtype=pl.List(pl.String)).alias("skill_ids"))


def _files(n: int) -> pl.DataFrame:
    paths = [f"file_{i:03d}" for i in range(n)]
    return pl.DataFrame({"source": "sra", "path": paths, "kind": "other", "bytes_declared": 1, "status": "ok"})


def _names(dataset: str, n: int) -> list[str]:
    return [f"{dataset}_{i:05d}" for i in range(n)]


def _coverage(frames: Frames) -> pl.DataFrame:
    counts = {signal: _counts(frames, signal) for signal in SIGNALS}
    rows = []
    for key in product(MODELS, DATASETS, CONDITIONS):
        for signal in SIGNALS:
            status, (n_expected, n_present) = coverage_of(key[0], key[2], signal), counts[signal].get(key, (0, 0))
            if status == "present":
                rows.append((*key, signal, status if n_present == n_expected else "partial", n_expected, n_present))
            else:
                rows.append((*key, signal, status, 0, 0))
    return pl.DataFrame(
        rows, schema=["model", "dataset", "condition", "signal", "status", "n_expected", "n_present"], orient="row"
    )


def _counts(frames: Frames, signal: str) -> dict[tuple[str, str, str], tuple[int, int]]:
    table, column = VALUES[signal]
    there = pl.col(column).is_not_null() & ~pl.col(column).is_nan().fill_null(True)
    cells = frames[table].group_by("model", "dataset", "condition").agg(pl.len(), there.sum().alias("there"))
    return {(m, d, c): (n, n_there) for m, d, c, n, n_there in cells.iter_rows()}


def _cell(random: np.random.Generator, cell: tuple[str, str, str], n: int) -> Frames:
    model, dataset, condition = cell
    keys = {"model": model, "dataset": dataset, "condition": condition}
    ability = random.normal(0, 1.2, n)
    right = random.random((n, ROLLOUTS)) < _sigmoid(ability)[:, None]
    question = pl.DataFrame({"instance_id": _names(dataset, n)})
    rollout = pl.DataFrame(
        {
            "instance_id": np.repeat(question["instance_id"].to_numpy(), ROLLOUTS),
            "sample": np.tile(np.arange(ROLLOUTS, dtype=np.int32), n),
            "correct": right.ravel(),
        }
    ).with_columns(pl.lit(value).alias(name) for name, value in keys.items())
    question = question.with_columns(pl.lit(value).alias(name) for name, value in keys.items())
    verdicts = {"ab": _ab(random, cell, right.ravel()), "tf": _tf(random, cell, right.ravel())}
    spans = _spans(random, cell, right.ravel())
    frames = {
        "question_conditions": _agreement(random, question, right, condition),
        "rollouts": _rollouts(random, rollout, verdicts, spans),
        "ab_verdicts": _verdict_rows(rollout, verdicts["ab"]),
        "tf_verdicts": _verdict_rows(rollout, verdicts["tf"]),
        "rollout_entropies": _entropy_rows(rollout, spans),
    }
    return {name: _conform(name, frame) for name, frame in frames.items()}


def _agreement(random: np.random.Generator, question: pl.DataFrame, right: Booleans, condition: str) -> pl.DataFrame:
    native = random.random(len(right)) < 0.1 + 0.8 * right.mean(axis=1)
    matching = np.where(native, right.sum(axis=1), (ROLLOUTS - right.sum(axis=1)) // 2)
    annotated = np.ones(len(right), dtype=bool) if condition == "gold_skill" else random.random(len(right)) < 0.4
    skill = None if condition == "direct" else pl.Series(annotated)
    return question.with_columns(
        pl.Series(native).alias("native_correct"),
        (pl.Series(matching) / ROLLOUTS).alias("agreement"),
        (pl.Series(matching) / ROLLOUTS).alias("agreement_recomputed"),
        pl.lit(None, dtype=pl.Boolean).alias("skill_is_annotated")
        if skill is None
        else skill.alias("skill_is_annotated"),
        pl.lit(ROLLOUTS).alias("n_rollouts"),
        pl.Series(right.sum(axis=1)).alias("n_correct"),
        pl.Series(right.mean(axis=1)).alias("accuracy"),
    )


def _ab(random: np.random.Generator, cell: tuple[str, str, str], right: Booleans) -> pl.DataFrame | None:
    model, _, condition = cell
    if coverage_of(model, condition, "ab") != "present":
        return None
    true, bias = np.where(right, 1.5, -1.0), random.normal(0.4, 0.3, len(right))
    spread = random.normal(0, 2.5, len(right))
    first, second = true + spread + bias, true + spread - bias
    return pl.DataFrame(
        {
            "producer": "ab",
            "join_basis": "answer_sha256",
            "ab_p_correct_ab": _sigmoid(first),
            "ab_p_correct_ba": _sigmoid(second),
            "ab_p_correct": (_sigmoid(first) + _sigmoid(second)) / 2,
            "ab_logit": (first + second) / 2,
        }
    )


def _tf(random: np.random.Generator, cell: tuple[str, str, str], right: Booleans) -> pl.DataFrame | None:
    model, _, condition = cell
    if coverage_of(model, condition, "tf") != "present":
        return None
    hashed = condition == "direct"
    p = _sigmoid(np.where(right, 2.0, 0.5) + random.normal(0, 2, len(right)))
    p[random.random(len(p)) < 0.02] = np.nan
    failed = random.random(len(p)) < 0.01
    return pl.DataFrame(
        {
            "producer": np.where(hashed, "hashed", random.choice(["bare", "tf"], len(p))),
            "join_basis": "answer_sha256" if hashed else "position",
            "tf_p_correct": pl.select(pl.when(pl.Series(failed)).then(None).otherwise(pl.Series(p))).to_series(),
        }
    )


def _spans(random: np.random.Generator, cell: tuple[str, str, str], right: Booleans) -> dict[str, pl.DataFrame]:
    model, _, condition = cell
    if coverage_of(model, condition, "entropy_whole") != "present":
        return {}
    found, size = {}, len(right)
    there = {"whole": np.ones(size, dtype=bool), "answer": random.random(size) < 0.8}
    there["numeric"] = there["answer"] & (random.random(size) < 0.9)
    for span in SPANS:
        mean = np.exp(random.normal(np.where(right, -2.6, -2.1), 0.6))
        figures = {
            "mean": mean, "median": mean / 700, "p90": mean * 2, "p99": mean * 9, "max": mean * 20,
            "share_above_0_5": np.clip(np.round(mean * 40) / 100, 0, 1),
        }  # fmt: skip
        n_tokens = np.where(there[span], random.integers(5, 60, size), 0)
        known = pl.Series(there[span])
        found[span] = (
            pl.DataFrame(figures)
            .select(pl.when(known).then(pl.col(name)).alias(name) for name in figures)
            .with_columns(pl.Series(n_tokens).alias("n_tokens"), (pl.Series(n_tokens * mean)).alias("sum"))
        )
    return found


def _rollouts(
    random: np.random.Generator,
    rollout: pl.DataFrame,
    verdicts: dict[str, pl.DataFrame | None],
    spans: dict[str, pl.DataFrame],
) -> pl.DataFrame:
    capped = pl.Series(random.random(len(rollout)) < 0.03)
    frame = rollout.with_columns(capped.alias("cap_repair"), capped.cast(pl.Float64).alias("presence_penalty"))
    for signal, verdict in verdicts.items():
        if verdict is not None:
            frame = frame.hstack(verdict.drop("producer", "join_basis"))
            frame = frame.with_columns(verdict["join_basis"].alias(f"{signal}_join_basis"))
            if signal == "tf":
                frame = frame.with_columns(verdict["producer"].alias("tf_producer"))
    if spans:
        frame = frame.with_columns(
            spans["whole"]["mean"].alias("entropy_mean"),
            spans["whole"]["median"].alias("entropy_median"),
            spans["whole"]["max"].alias("entropy_max"),
            spans["answer"]["mean"].alias("answer_entropy_mean"),
            spans["numeric"]["mean"].alias("numeric_entropy_mean"),
            spans["answer"]["n_tokens"].alias("n_tokens_answer"),
            spans["numeric"]["n_tokens"].alias("n_tokens_numeric"),
        )
    return frame


def _verdict_rows(rollout: pl.DataFrame, verdict: pl.DataFrame | None) -> pl.DataFrame:
    keys = rollout.drop("correct")
    return keys.clear() if verdict is None else keys.hstack(verdict.with_columns(pl.lit("joined").alias("join_status")))


def _entropy_rows(rollout: pl.DataFrame, spans: dict[str, pl.DataFrame]) -> pl.DataFrame:
    keys = rollout.drop("correct")
    rows = [keys.hstack(figures).with_columns(pl.lit(span).alias("span")) for span, figures in spans.items()]
    return pl.concat(rows) if rows else keys.clear()


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
