"""Grading: texts and answers that a model may have written, against questions, and gold answers from strangers."""

from __future__ import annotations

from random import Random

from tests.fuzz.mutations import plain
from tests.fuzz.properties import require
from tests.fuzz.seeds import DATASETS, questions
from tests.fuzz.target import Target
from transforms.sra.grading import MAX_ANSWER_CHARS, Grader, champ, grade_answer, grade_text
from transforms.sra.grading.gold import KINDS, gold_fault
from transforms.sra.question import Question

_MEDCALC = (4, 13, 68, 69, 2)


def _asked() -> list[Question]:
    return [question for dataset in DATASETS for question in questions(dataset).values()]


def _text(data: bytes) -> None:
    """The first byte is the question, the rest what a model wrote."""
    asked = _asked()
    question = asked[data[0] % len(asked)] if data else asked[0]
    text = data[1:].decode("utf-8", "surrogatepass" if data[:1] > b"\x80" else "replace") if _decodes(data) else ""
    for grade in (grade_text(question, text), grade_answer(question, text)):
        require(grade.extracted is None or len(grade.extracted) <= MAX_ANSWER_CHARS, "an endless answer")
        require(isinstance(grade.correct, bool) and grade.rule.isidentifier(), f"odd verdict {grade}")
    require(grade_text(question, text) == grade_text(question, text), "another verdict at the second reading")
    grader = Grader({question.instance_id: question}, cache_size=1)
    require(grader.texts([question.instance_id], [text]) == [grade_text(question, text)], "the cache changes a verdict")


def _decodes(data: bytes) -> bool:
    try:
        data[1:].decode("utf-8", "surrogatepass" if data[:1] > b"\x80" else "replace")
    except UnicodeDecodeError:
        return False
    return True


def _gold(data: bytes) -> None:
    """A gold answer, a vertical bar, an answer: under every kind; a gold answer that is sound may be compared."""
    gold, _, answer = data.decode("utf-8", "replace").partition("|")
    for dataset, kinds in KINDS.items():
        for kind in kinds:
            for calculator in _MEDCALC if dataset == "medcalcbench" else (None,):
                question = Question(dataset, "q", f"choice_1: {gold[:50]}", gold, kind, calculator, answer, gold, ())
                if gold_fault(question) is None:
                    grade = grade_answer(question, answer)
                    require(grade == grade_answer(question, answer), "another verdict at the second time")
                    if answer == gold and dataset == "champ" and len(gold) <= MAX_ANSWER_CHARS:
                        require(grade.correct, "the gold answer is wrong")
    require(champ.compare(gold, answer) == champ.compare(gold, answer), "another verdict at the second time")


_WORDS = (
    "1", "2", "10", "308", "n", "x", "y", "pi", "I", "E", "sqrt(", "C(", "abs(", "floor(", "exp(", "log(", "factorial(",
    "sin(", "tan(", "(", ")", "[", "]", "{", "}", "+", "-", "*", "/", "^", "**", "!", ",", ";", ".", "e", "1e308",
    "1e400",
    "\\frac{", "}{", "\\binom{", "\\pi", "\\times", "\\left(", "\\right)", "^{", "π", "%", " ", "\n", "ANSWER: ", "**",
    "The answer is: ", "Therefore, the answer is", "<think>", "</think>", '"answer": "', "or equivalently ", "(i.e., ",
    "yes", "no", "True", "(a)", "choice_2", "12/25/2020", "38 weeks, 2 days", "99999999999999999999", "0.1", "=", "$",
    "inf", "nan", "٣", "_", "no solutions", "at most 0", "7 values", "1,000", "1/3", "i", "2^1023", "1.7e308", "(-1)^",
)  # fmt: skip


def _written(data: bytes, rng: Random) -> bytes:
    """Write pieces of mathematics and of answers into a text."""
    if rng.random() < 0.2:
        return plain(data, rng)
    at = rng.randrange(1, len(data) + 1) if data else 0
    cut = at + rng.choice((0, 0, 1, 3, 30))
    words = "".join(rng.choice(_WORDS) for _ in range(rng.choice((1, 2, 4, 8, 20)))) * rng.choice((1, 1, 1, 5))
    return data[:at] + words.encode() + data[cut:]


_LEAVES = (
    "x", "n", "y", "1", "2", "10", "308", "0", "1.7", "0.5", "I", "pi", "E", "1e308", "10^308", "170",
    "1.7*10^308*(1+I)",
)  # fmt: skip
_FORMS = (
    "({}+{})", "({}-{})", "{}*{}", "({})/({})", "({})^({})", "C({},{})", "{}({})", "-({})", "({})!", "sqrt({})",
    "exp({})", "floor({})", "abs({})", "log({})", "tan({})", "ceil({})", "\\frac{{{}}}{{{}}}",
)  # fmt: skip


def _expression(rng: Random, depth: int) -> str:
    """Return a well-formed expression, whose value may be as large, complex or undefined as any."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(_LEAVES)
    one, other = _expression(rng, depth - 1), _expression(rng, depth - 1)
    return rng.choice(_FORMS).format(one, other)


def _compared(data: bytes, rng: Random) -> bytes:
    """Put an expression in the place of the gold answer, of the answer, or something equal to a part of it."""
    if rng.random() < 0.4:
        return _written(data, rng)
    gold, _, answer = data.partition(b"|")
    made = _expression(rng, rng.choice((1, 2, 3, 4))).encode()
    return rng.choice((made + b"|" + answer, gold + b"|" + made, made + b"|" + made, gold + b"|" + gold + b"*1"))


def _text_seeds() -> list[bytes]:
    texts = ("so ANSWER: 715", "The answer is: \\frac{1}{2}.", '{"answer": "3.2"}', "yes, it is", "choice_2", "1 2 3")
    return [bytes([place]) + text.encode() for place in range(8) for text in texts]


def _gold_seeds() -> list[bytes]:
    return [
        b"sqrt(3)/3|1/sqrt(3)", b"n^2+n|n(n+1)", b"C(n, 4)|n!/(4!(n-4)!)", b"[1, 2]|(2, 1)", b"12/25/2020|12/25/2020",
        b"(38 weeks, 2 days)|38 weeks 2 days", b"3.14|\\pi", b"True|true", b"(a)|(a)", b"yes|no", b"choice_1|choice_1",
        b"x|10^308", b"2|1.9999", b"x^0.5|sqrt(x)",
    ]  # fmt: skip


TARGETS = (
    Target("grading", _text, _text_seeds, _written, short=2_000, max_len=4_096),
    Target("gold_answers", _gold, _gold_seeds, _compared, short=2_000, max_len=1_024),
)
