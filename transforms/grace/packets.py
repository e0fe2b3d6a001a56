"""One packet of the release: a JSON list of questions, into rows of three tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from transforms.grace import rules
from transforms.grace.answers import parse_answer_line
from transforms.grace.categories import UNGROUPED, normalise
from transforms.grace.notes import QUESTIONS, Notes, require_keys, text_field, unknown_fields
from transforms.grace.positions import Buzz, check_buzzes, check_marks, read_position
from transforms.grace.tables import Row
from transforms.issue_log import shown
from transforms.jsondoc import read_array
from transforms.jsontext import json_type

_NEEDED: Final = ("tossup_index", "category", "question", "answer", "question_buzzpoints", "position")
_KNOWN: Final = frozenset(_NEEDED)


@dataclass(slots=True)
class PacketRows:
    """Rows by table, as they grow packet by packet."""

    questions: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)
    buzzes: list[Row] = field(default_factory=list)


def read_packet(number: int, data: bytes, notes: Notes, rows: PacketRows) -> None:
    """Add a packet's questions to `rows`. Grain: question; a question that is unsound is left out and is an error."""
    packet: list[Row] = []
    for ordinal, item in enumerate(read_array(data, notes.log, QUESTIONS)):
        here = notes.at(f"{number}/{ordinal}")
        if not isinstance(item, dict):
            here.add(rules.MISTYPED, f"{here.place} is {json_type(item)}; an object was expected.")
        elif require_keys(item, _NEEDED, here):
            question = _read_question({"packet": number, "ordinal": ordinal}, item, here, rows)
            packet.extend([question] if question else [])
    _check_indices(number, packet, notes)
    rows.questions.extend(packet)


def _read_question(key: Row, item: dict[str, Any], notes: Notes, rows: PacketRows) -> Row | None:
    texts = {name: text_field(item, name, notes) for name in ("category", "question", "answer", "question_buzzpoints")}
    index = read_index(item["tossup_index"], notes)
    found = read_position(item["position"], notes)
    category, question, answer, marked = texts.values()
    if index is None or category is None or question is None or answer is None or marked is None:
        return None
    n_words = len(question.split())
    check_marks(question, marked, found, notes)
    buzzes = check_buzzes(found, n_words, notes)
    unknown = unknown_fields(item, _KNOWN, notes)
    rows.texts.append({**key, "question": question, "question_buzzpoints": marked, "unknown_fields": unknown})
    rows.buzzes.extend(_buzz_rows(key, buzzes, n_words))
    return {
        **key,
        "tossup_index": index[0],
        "tossup_index_type": index[1],
        **_category(category, notes),
        **_answer(answer, notes),
        "n_words": n_words,
        "n_human_buzzes": sum(buzz.is_human for buzz in buzzes),
        "n_model_buzzes": sum(not buzz.is_human for buzz in buzzes),
    }


def read_index(value: object, notes: Notes) -> tuple[str, str] | None:
    """Return a `tossup_index` as text with its type in the file; None, with an error noted, where it is neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value), "integer"
    if isinstance(value, str) and value.strip():
        return value, "string"
    message = f"{notes.place} has {json_type(value)} under 'tossup_index'; a whole number or a string was expected."
    notes.add(rules.MISTYPED, message)
    return None


def _category(category: str, notes: Notes) -> Row:
    normalised, group = normalise(category)
    if group == UNGROUPED:
        message = f"{notes.place} has a category without a group; it is grouped under '{UNGROUPED}'."
        notes.add(rules.UNKNOWN_CATEGORY, message)
    return {"category": category, "category_normalised": normalised, "category_group": group}


def _answer(line: str, notes: Notes) -> Row:
    parsed = parse_answer_line(line)
    if parsed.unclosed:
        notes.add(
            rules.ANSWER_UNCLOSED, f"{notes.place} has an answer line with an open bracket; it is closed at the end."
        )
    if not parsed.answer:
        notes.add(rules.ANSWER_EMPTY, f"{notes.place} has an answer line of directions without an answer.")
    return {
        "answer_line": line,
        "answer": parsed.answer,
        "answer_accept": parsed.accept,
        "answer_prompt": parsed.prompt,
        "answer_reject": parsed.reject,
        "answer_pronunciation": parsed.pronunciation,
        "answer_note": parsed.note,
    }


def _buzz_rows(key: Row, buzzes: list[Buzz], n_words: int) -> list[Row]:
    return [
        {
            **key,
            "team": buzz.team,
            "team_kind": "human" if buzz.is_human else "model",
            "word_index": buzz.word,
            "buzz_order": order,
            "correct": buzz.correct,
            "share_heard": (buzz.word + 1) / n_words,
            "clue": None,
        }
        for order, buzz in enumerate(buzzes)
    ]


def _check_indices(number: int, packet: list[Row], notes: Notes) -> None:
    """Note every identifier that two questions of one packet share: nothing could then say which is meant."""
    places: dict[str, list[int]] = defaultdict(list)
    for row in packet:
        places[row["tossup_index"]].append(row["ordinal"])
    for index, ordinals in places.items():
        if len(ordinals) > 1:
            message = (
                f"{notes.path} has the tossup_index {shown(index)} at the ordinals {ordinals[:20]} of packet {number}."
            )
            notes.add(rules.REPEATED_INDEX, message)


def check_shared_indices(questions: list[Row], notes: Notes) -> None:
    """Note identifiers that questions of different packets share: (packet, tossup_index) is a key, it alone is not."""
    packets: dict[str, set[int]] = defaultdict(set)
    for row in questions:
        packets[row["tossup_index"]].add(row["packet"])
    for index, found in packets.items():
        if len(found) > 1:
            message = f"{notes.path} has the tossup_index {shown(index)} in the packets {sorted(found)[:20]}."
            notes.add(rules.SHARED_INDEX, message)
