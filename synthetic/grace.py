"""A made-up GRACE release and made-up model runs: own questions, the shape, the sizes and the mess of the real one."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from typing import Any, Final

from synthetic.zipcrypto import Entry, write_zip
from transforms.grace.positions import Buzz
from transforms.grace.run_lists import Elicitation
from warehouse.contracts.grace import DEFAULT_PASSWORD

FOLDER: Final = "[public]ALL_final_buzzpoints"
_SYLLABLES: Final = (
    "ba", "ce", "di", "fo", "gu", "ha", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su", "ta", "ve", "wo", "xi", "yo",
    "zu", "bri", "cla", "dre", "fro", "gli", "sta", "tru", "ple",
)  # fmt: skip
_SPELLINGS: Final = (
    "Social Science", "Physics", "American Lit", "Painting/Sculpture", "World Hist", "Religion", "Other Hist",
    "Chemistry", "Philosophy", "Euro Lit", "Biology", "Classical Music", "Euro Hist", "British Lit", "Other Sci",
    "American Hist", "Other Arts", "Geo/CE", "Myth/Other Academic", "World/Other",
)  # fmt: skip
_OTHER_SPELLINGS: Final = {
    "Other Arts": "Other Fine Arts",
    "Geo/CE": "Geo/CE/other",
    "Myth/Other Academic": "Myth",
    "World/Other": "World/Other Lit",
}
_LIVE_MODELS: Final = ("M1", "M2", "M3")
_RUN_MODELS: Final = ("M1", "M2", "M3", "M4", "M5", "M6")


@dataclass(frozen=True, slots=True)
class _Question:
    """One made-up question: how hard it is, its words, who buzzed, and where its clues end."""

    index: int | str
    category: str
    words: list[str]
    answer: str
    buzzes: list[Buzz]
    clue_ends: list[int]
    difficulty: float


def synth_release(seed: int = 0, n_packets: int = 3, n_questions: int = 20, password: str = DEFAULT_PASSWORD) -> bytes:
    """Return the bytes of an encrypted zip of `n_packets` packets of `n_questions` questions each.

    Equal arguments give equal bytes. Like the real release it has text identifiers in its first packet, an identifier
    that occurs in two packets, several spellings of a category, brackets that are no marks, double spaces lost in the
    marked text, buzzes that share a word, and answer lines with directions, one of them left open.
    """
    entries = [Entry(f"{FOLDER}/", b"", mode=0o40755, encrypted=False, method=0)]
    # The publishers' archive has its packets in the order of their names, 10 before 2.
    for number in sorted(range(1, n_packets + 1), key=str):
        packet = [_published(question) for question in _questions(seed, number, n_questions)]
        entries.append(Entry(f"{FOLDER}/packet{number}_buzzpoints.json", json.dumps(packet).encode()))
    return write_zip(entries, password)


def synth_runs(
    seed: int = 0, n_packets: int = 3, n_questions: int = 20, elicitation: Elicitation = "logit"
) -> dict[str, bytes]:
    """Return run files by name, for the release of the same seed and sizes.

    They have six models, `position` in its second shape, and an empty run list now and then.
    """
    files: dict[str, bytes] = {}
    for number in range(1, n_packets + 1):
        draw = random.Random(f"runs {seed} {number} {elicitation}")
        questions = _questions(seed, number, n_questions)
        content = [_with_runs(question, elicitation, draw) for question in questions]
        files[f"packet{number}_model_human_output.json"] = json.dumps(content).encode()
    return files


def _questions(seed: int, number: int, n_questions: int) -> list[_Question]:
    draw = random.Random(f"questions {seed} {number}")
    return [_question(draw, number, ordinal) for ordinal in range(n_questions)]


def _question(draw: random.Random, number: int, ordinal: int) -> _Question:
    words = _words(draw, draw.randint(81, 123))
    if ordinal == 1:
        words.insert(7, "[pause]")
    category = _SPELLINGS[ordinal % len(_SPELLINGS)]
    if number % 3 == 2:
        category = _OTHER_SPELLINGS.get(category, category)
    difficulty = draw.random()
    return _Question(
        index=f"exh-{ordinal + 1}" if number == 1 else _index(number, ordinal),
        category=category,
        words=words,
        answer=_answer(draw, ordinal),
        buzzes=_buzzes(draw, number, len(words), difficulty),
        clue_ends=_clue_ends(draw, len(words)),
        difficulty=difficulty,
    )


def _index(number: int, ordinal: int) -> int:
    """Return an identifier; the second question of packets 2 and 3 has the same, as two of the real release have."""
    return 7 if ordinal == 1 and number in (2, 3) else number * 1_000 + ordinal


def _word(draw: random.Random) -> str:
    return "".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(1, 3)))


def _words(draw: random.Random, count: int) -> list[str]:
    words = [_word(draw) for _ in range(count)]
    for start in range(0, count, 17):
        words[start] = words[start].capitalize()
        words[start - 1] += "."
    return words


def _answer(draw: random.Random, ordinal: int) -> str:
    name = _word(draw).capitalize()
    other, third = _word(draw), _word(draw)
    forms = (
        name,
        f"{name} [or {other}]",
        f"{name} (“{other.upper()}-{third}”) [accept {third}; prompt on {other} before “{third}” is read]",
        f"{name} [or {other}; accept {third} accept {third}s, prompt on {third} but reject “{other}”]",
        f"{name} [accept {other}; or {third})",
        f"{name} (The first clue is about {third}.)",
    )
    return forms[ordinal % len(forms)]


def _buzzes(draw: random.Random, number: int, n_words: int, difficulty: float) -> list[Buzz]:
    """Draw buzzes in order: models earlier than humans and more often wrong, as in the real release."""
    humans = [f"H{team}" for team in range(1, 10) if (team + number) % 3]
    found: list[Buzz] = []
    for team in (*humans, *_LIVE_MODELS):
        is_model = team in _LIVE_MODELS
        if draw.random() > (0.7 if is_model else 0.55):
            continue
        share = min(1.0, max(0.02, draw.gauss(0.5 if is_model else 0.72, 0.2) + 0.2 * (difficulty - 0.5)))
        right = draw.random() < (0.55 if is_model else 0.65) + 0.3 * share - 0.3 * difficulty
        found.append(Buzz(math.ceil(share * n_words) - 1, team, right))
    return sorted(found, key=lambda buzz: buzz.word)


def _clue_ends(draw: random.Random, n_words: int) -> list[int]:
    """Return how many words are heard after each clue; the last clue ends the question."""
    count = draw.randint(5, 10)
    return [*sorted(draw.sample(range(4, n_words - 1), count - 1)), n_words]


def _published(question: _Question) -> dict[str, Any]:
    text = " ".join(question.words)
    return {
        "tossup_index": question.index,
        "category": question.category,
        # A double space that the marked text does not have.
        "question": text.replace(". ", ".  ", 1) if question.difficulty < 0.1 else text,
        "answer": question.answer,
        "question_buzzpoints": _marked(question),
        "position": [{str(buzz.word): _mark(buzz)} for buzz in question.buzzes],
    }


def _mark(buzz: Buzz) -> str:
    return f"[{buzz.team}, {'+' if buzz.correct else '-'}]"


def _marked(question: _Question) -> str:
    parts: list[str] = []
    for place, word in enumerate(question.words):
        parts.append(word)
        parts.extend(_mark(buzz) for buzz in question.buzzes if buzz.word == place)
    return " ".join(parts)


def _with_runs(question: _Question, elicitation: Elicitation, draw: random.Random) -> dict[str, Any]:
    by_word: dict[str, list[str]] = {}
    for buzz in sorted(question.buzzes, key=lambda buzz: buzz.team):
        by_word.setdefault(str(buzz.word), []).append(_mark(buzz))
    found: dict[str, Any] = {"tossup_index": question.index, "position": by_word}
    for model in _RUN_MODELS:
        empty = model == "M6" and draw.random() < 0.1
        found[model] = [] if empty else _runs(question, elicitation, draw)
    return found


def _runs(question: _Question, elicitation: Elicitation, draw: random.Random) -> list[dict[str, Any]]:
    knows_from = draw.random() * 0.6 + 0.5 * question.difficulty
    runs = []
    start = 0
    for clue, end in enumerate(question.clue_ends):
        correct = end / len(question.words) >= knows_from
        probability = min(1.0, max(0.01, draw.gauss(0.85 if correct else 0.6, 0.15)))
        items = {b.team: "+" if b.correct else "-" for b in question.buzzes if start <= b.word < end}
        run = {
            "run": " ".join(question.words[:end]),
            "guess": question.answer.split(" ")[0] if correct else _word(draw).capitalize(),
            "conf": math.log(probability) if elicitation == "logit" else probability,
            "buzzed": False,
            "correctness": correct,
            "run_index": clue,
            "word_range": [start, end - 1],
        }
        runs.append({**run, "position_items": items} if items else run)
        start = end
    return runs
