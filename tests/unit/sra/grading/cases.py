"""Questions of the four benchmarks, made for a gold answer."""

from __future__ import annotations

from transforms.sra.question import Question

CHOICES = "Which follows?\n  choice_1: Mike rests.\n  choice_2: Mike is tired of waiting.\n  choice_3: neither."


def _question(dataset: str, gold: str, kind: str, text: str = "?") -> Question:
    return Question(dataset, f"{dataset}_00000", text, gold, kind, None, None, None, ())


def champ(gold: str) -> Question:
    """A CHAMP question."""
    return _question("champ", gold, "text")


def theoremqa(kind: str, gold: str) -> Question:
    """A TheoremQA question of an answer_type."""
    return _question("theoremqa", gold, kind)


def logicbench(kind: str, gold: str) -> Question:
    """A LogicBench question with three choices."""
    return _question("logicbench", gold, kind, CHOICES)


def medcalcbench(gold: str, kind: str = "decimal", calculator: int = 2, limits: tuple[str, str] = ("", "")) -> Question:
    """A MedCalc-Bench question of a calculator."""
    return Question(
        "medcalcbench", "medcalcbench_00000", "?", gold, kind, calculator, limits[0], limits[1], ("medcalcbench_001",)
    )


# One of each comparison.
EVERY_KIND = (
    champ("239"),
    champ("Yes"),
    champ("No integer solutions"),
    champ("2^n/(n+1), or equivalently n!/4!"),
    theoremqa("bool", "True"),
    theoremqa("option", "(b)"),
    theoremqa("integer", "12"),
    theoremqa("float", "0.25"),
    theoremqa("list of integer", "[1, 2]"),
    medcalcbench("5.0", limits=("4.75", "5.25")),
    medcalcbench("4", "integer", 4, ("4", "4")),
    medcalcbench("12/25/2019", "date", 13),
    medcalcbench("('3 weeks', '4 days')", "date", 69),
    logicbench("BQA", "no"),
    logicbench("MCQA", "choice_2"),
)
