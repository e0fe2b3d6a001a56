"""How often does `skill_effect` hold the effect that was planted in a sample?

    python -m tests.bench.coverage_planted_effect [--first S] [--seeds N] [--questions Q]

A sample a seed: one model, one data set, direct and llm_select, written as raw files with a known change in accuracy
and in the probability signals, read by the pipeline's own functions, and asked through the view. Prints, by signal
and figure, in how many seeds the 95 % interval holds the truth, and how few would still be chance.
"""

from __future__ import annotations

import argparse
from collections import Counter

import polars as pl
from scipy.stats import binom

from synthetic.sra import Effect, Job, Spec, run_job
from tests.sql.database import database, derive, rows
from transforms.sra.cell import AnswersInput, read_answers
from transforms.sra.coverage import coverage_frame, observe_cell
from transforms.sra.layout import CellKey
from transforms.sra.question import Question
from transforms.sra.questions import parse_questions

MODEL, DATASET = "Qwen3-32B", "champ"
EFFECT = Effect(accuracy_shift=0.06, confidence_shift=0.09)
TRUTH = {
    "accuracy": EFFECT.accuracy_shift,
    "confidence": EFFECT.confidence_shift,
    "bias": EFFECT.confidence_shift - EFFECT.accuracy_shift,
}
MAX_BYTES = 1 << 30


def read_cell(spec: Spec, condition: str, questions: dict[str, Question]) -> dict[str, pl.DataFrame]:
    """Write one cell's files in memory and read them as a build does; return its tables."""
    cell = CellKey(MODEL, DATASET, condition)
    files = {
        path.rsplit("/", 1)[1]: (path, data) for path, data in run_job(spec, Job("cell", *cell.columns.values())).files
    }
    given = AnswersInput(
        sampling=files["sampling9.jsonl.gz"], ab=files["ab_logprob9.jsonl.gz"], tf=files["tf_logprob9.jsonl.gz"],
        questions=questions, entropies=None, index=None, index_lines=None, index_unread=(), memory=None,
        accepted=False, acceptance=None, max_bytes=MAX_BYTES,
    )  # fmt: skip
    result, _memory = read_answers(cell, given)
    tables = {name: table for name, table in result.tables.items() if isinstance(table, pl.DataFrame)}
    seen = observe_cell(
        ("sampling", "ab", "tf"), tables["question_conditions"], tables["rollouts"], tables["tf_verdicts"]
    )
    return tables | {"signal_coverage": coverage_frame([MODEL], [DATASET], [condition], {cell: seen})}


def effects(seed: int, n_questions: int) -> list[dict[str, object]]:
    """Return the rows of `skill_effect` of one sample, of all pairs and the probe signals."""
    spec = Spec("tiny", seed=seed, effect=EFFECT, questions=n_questions, mean_tokens=20)
    (path, data), *_rest = run_job(spec, Job("instances", dataset=DATASET)).files
    questions = {question.instance_id: question for question in parse_questions(DATASET, data, path)[0]}
    cells = [read_cell(spec, condition, questions) for condition in ("direct", "llm_select")]
    frames = {name: pl.concat([cell[name] for cell in cells], how="diagonal") for name in cells[0]}
    with derive(database(frames)) as connection:
        return rows(connection, "FROM skill_effect WHERE skill_subset = 'all' AND signal IN ('ab', 'tf')")


def main() -> None:
    """Count over the seeds and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--questions", type=int, default=60)
    arguments = parser.parse_args()
    held: Counter[tuple[str, str]] = Counter()
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        for row in effects(seed, arguments.questions):
            for figure, truth in TRUTH.items():
                low, high = row[f"d_{figure}_lo"], row[f"d_{figure}_hi"]
                held[str(row["signal"]), figure] += bool(low <= truth <= high)  # type: ignore[operator]
    expected = binom.ppf(0.05, arguments.seeds, 0.95)
    print(f"{arguments.seeds} seeds of {arguments.questions} questions; 19 times in 20 at least {expected:.0f} hold")
    for (signal, figure), n in sorted(held.items()):
        print(f"{signal:4} d_{figure:<11} {n} of {arguments.seeds}")


if __name__ == "__main__":
    main()
