"""How often do the 95 % intervals of what a skill changes hold the truth?

    python -m tests.bench.coverage_skill_effect [--runs N] [--replicates B] [--seed S]

Simulates pairs of cells, nine rollouts a question, whose true change is known: a skill that makes half of the
questions easier, and a confidence that follows. Per number of questions and figure it prints the share of runs whose
interval holds the truth: Student's t over questions for the means (as `skill_effect`), and the cluster bootstrap (as
`bootstrap_differences`). The truth of ECE, AUROC and AURC is that of a very large sample, so the bias that a binned
ECE has in a small one counts against it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from scipy.special import expit, stdtrit

from transforms.statistics.bootstrap import Bootstrapped, Interval, bootstrap_cell, difference, interval
from transforms.statistics.cells import Cell
from transforms.statistics.rows import FloatArray, Rows
from transforms.statistics.skill_effect import pair
from transforms.statistics.weights import poisson_weights, question_hashes, sample_itself

ROLLOUTS = 9
QUESTIONS = (30, 223, 1_100)
LARGE = 200_000
MEANS = ("accuracy", "mean_confidence", "bias")
FIGURES = (*MEANS, "ece", "brier", "auroc", "aurc")


def simulate(questions: int, rng: np.random.Generator) -> tuple[Cell, Cell]:
    """Return one model's `ab` under direct and under llm_select, the same questions in both."""
    difficulty = rng.normal(0.4, 1.2, questions)
    helped = 0.6 * (rng.random(questions) < 0.5)
    return _cell("direct", difficulty, rng), _cell("llm_select", difficulty + helped, rng)


def _cell(condition: str, ability: FloatArray, rng: np.random.Generator) -> Cell:
    question = np.repeat(np.arange(len(ability)), ROLLOUTS)
    correct = rng.random(len(question)) < expit(ability[question])
    belief = 1.5 * ability[question] + rng.normal(0.3, 1.0, len(question)) + 0.8 * (correct - 0.5)
    rows = Rows.of(expit(belief), correct, question)
    return Cell("sra", "simulated", "simulated", condition, "ab", is_probability=True, usable=rows, ranked=rows)


def _figures(cells: tuple[Cell, Cell], questions: int, replicates: int, seed: int) -> dict[str, Bootstrapped]:
    hashes = question_hashes("simulated", [str(q) for q in range(questions)])
    weights = poisson_weights(hashes, replicates, seed)
    direct, skill = (bootstrap_cell(cell, weights, 10) for cell in cells)
    return {name: difference(skill[name], direct[name]) for name in FIGURES}


def true_changes(rng: np.random.Generator) -> dict[str, float]:
    """Return each figure's change in a sample so large that its own error does not matter."""
    direct, skill = (bootstrap_cell(cell, sample_itself(LARGE), 10) for cell in simulate(LARGE, rng))
    return {name: float(skill[name].replicates[0] - direct[name].replicates[0]) for name in FIGURES}


def _student(cells: tuple[Cell, Cell], questions: int) -> Iterator[tuple[str, float, float]]:
    """Yield figure, middle and half-width of the paired intervals over questions."""
    pairs = pair(cells[0].usable, cells[1].usable, np.ones(questions, dtype=bool))
    changes = (pairs.d_accuracy, pairs.d_confidence, pairs.d_confidence - pairs.d_accuracy)
    for name, change in zip(MEANS, changes, strict=True):
        reach = float(stdtrit(questions - 1, 0.975)) * float(change.std(ddof=1)) / np.sqrt(questions)
        yield name, float(change.mean()), reach


def coverage(questions: int, runs: int, replicates: int, truth: dict[str, float], seed: int) -> dict[str, float]:
    """Return the share of runs whose interval holds the truth, by 'kind: figure'."""
    rng = np.random.default_rng([seed, questions])
    held: dict[str, int] = defaultdict(int)
    for run in range(runs):
        cells = simulate(questions, rng)
        for name, figure in _figures(cells, questions, replicates, seed + run).items():
            found = interval(figure)
            if isinstance(found, Interval):
                held[f"bootstrap: {name}"] += found.lo <= truth[name] <= found.hi
        for name, middle, reach in _student(cells, questions):
            held[f"t: {name}"] += abs(middle - truth[name]) <= reach
    return {key: count / runs for key, count in held.items()}


def main() -> None:
    """Print a table: a line a kind of interval and figure, a column a number of questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400, help="simulated pairs of cells a column")
    parser.add_argument("--replicates", type=int, default=400, help="bootstrap replicates a run")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    truth = true_changes(np.random.default_rng(given.seed))
    columns = [coverage(q, given.runs, given.replicates, truth, given.seed) for q in QUESTIONS]
    margin = 1.96 * np.sqrt(0.95 * 0.05 / given.runs)
    print(f"share of {given.runs} runs whose 95 % interval holds the truth (simulation error ±{margin:.3f})")
    print(f"{'interval: figure':28s}{'true change':>13s}" + "".join(f"{q:>8d} q" for q in QUESTIONS))
    for key in columns[0]:
        name = key.split(": ")[1]
        print(f"{key:28s}{truth[name]:13.4f}" + "".join(f"{column[key]:10.3f}" for column in columns))


if __name__ == "__main__":
    main()
