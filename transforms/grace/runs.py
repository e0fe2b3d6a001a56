"""Model runs, where somebody has them: a guess and a confidence after each clue, from one JSON file a packet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

import polars as pl

from transforms.grace import rules
from transforms.grace.notes import QUESTIONS, Notes, require_keys, unknown_fields
from transforms.grace.packets import read_index
from transforms.grace.positions import one_buzz_a_team, read_position
from transforms.grace.run_lists import Elicitation, read_run_list
from transforms.grace.tables import Row, SourceTables, file_row, frame
from transforms.issue_log import of_files, shown
from transforms.jsondoc import read_array
from transforms.jsontext import json_type
from warehouse.contracts import Issue
from warehouse.contracts.grace import SOURCE

_FILE: Final = re.compile(r"packet([1-9][0-9]{0,3})_model_human_output\.json")
_NAME: Final = "packetN_model_human_output.json"
_MODEL: Final = re.compile(r"M[0-9]{1,6}")
_NEEDED: Final = ("tossup_index", "position")
# The texts are the release's own and are not stored twice.
_KNOWN: Final = frozenset((*_NEEDED, "question", "answer", "category", "question_buzzpoints"))


@dataclass(slots=True)
class _Reading:
    """How the run files are read, and what has been gathered so far."""

    elicitation: Elicitation
    lists: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    files: list[Row] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)


def is_run_file(path: str) -> bool:
    """Tell whether a path is named as the run file of a packet."""
    return _FILE.fullmatch(path.rsplit("/", 1)[-1]) is not None


def read_runs(files: Mapping[str, bytes | None], elicitation: Elicitation, questions: pl.DataFrame) -> SourceTables:
    """Return `grace_run_lists` and `grace_runs` from packetN_model_human_output.json files.

    `files` maps a path inside the folder to its bytes, or to None for what is no run file; `questions` is the table
    `grace_questions`. `elicitation` says what `conf` is: a log-probability (logit) or a probability (verb). Raises
    ValueError for another elicitation; everything that is wrong with the files is in `issues`.
    """
    if elicitation not in get_args(Elicitation):
        raise ValueError(f"the elicitation is {elicitation!r}; 'logit' or 'verb' was expected")
    found = _Reading(elicitation)
    packets = _packet_files(files, found)
    for number, path in sorted(packets.items()):
        notes = Notes.of(path)
        known = questions.filter(pl.col("packet") == number)
        _read_file(number, files[path] or b"", known, notes, found)
        found.issues.extend(notes.log.issues)
    tables = {"grace_run_lists": frame("grace_run_lists", found.lists), "grace_runs": frame("grace_runs", found.runs)}
    return SourceTables(tables, found.issues, frame("source_files", found.files))


def _packet_files(files: Mapping[str, bytes | None], found: _Reading) -> dict[int, str]:
    """Sort the files out by name: the path of each packet's, once; what is not one is recorded."""
    packets: dict[int, str] = {}
    strangers = {path: 1 for path in sorted(files) if not is_run_file(path)}
    if strangers:
        one, many = f"This file is not named {_NAME} and is not read.", f"are not named {_NAME} and are not read"
        found.issues.append(of_files(rules.RUNS_FILE_UNLISTED, strangers, one, many, source=SOURCE))
    for path in sorted(files):
        match = _FILE.fullmatch(path.rsplit("/", 1)[-1])
        if match is not None and int(match[1]) in packets:
            message = f"{path} is a second file of packet {match[1]}; {packets[int(match[1])]} is read."
            found.issues.append(rules.RUNS_REPEATED_QUESTION.issue(message, source=SOURCE, path=path))
        elif match is not None:
            packets[int(match[1])] = path
        read = match is not None and packets[int(match[1])] == path
        status = "ok" if read else "unlisted" if match is None else "refused"
        found.files.append(file_row(path, "runs" if match else "other", status, files[path]))
    if not packets:
        message = f"None of the {len(files)} files is named {_NAME}: is it the right folder?"
        found.issues.append(rules.RUNS_NO_FILES.issue(message, source=SOURCE))
    return packets


def _read_file(number: int, data: bytes, questions: pl.DataFrame, notes: Notes, found: _Reading) -> None:
    by_index = {row["tossup_index"]: row for row in questions.iter_rows(named=True)}
    seen: set[str] = set()
    for place, item in enumerate(read_array(data, notes.log, QUESTIONS)):
        question = _identify(number, place, item, by_index, notes)
        if question is None:
            continue
        here = notes.at(f"{number}/{question['ordinal']}")
        if question["tossup_index"] in seen:
            here.add(rules.RUNS_REPEATED_QUESTION, f"{here.place} occurs twice; the first is read.")
            continue
        seen.add(question["tossup_index"])
        _read_question(question, item, here, found)
    if missing := len(by_index.keys() - seen):
        message = f"{notes.path} leaves {missing} of the {len(by_index)} questions of packet {number} out."
        notes.add(rules.RUNS_MISSING_QUESTIONS, message, value=str(missing))


def _identify(number: int, place: int, item: object, by_index: Mapping[str, Row], notes: Notes) -> Row | None:
    """Return the release's row of a question of a run file; None, with an error noted, where there is none."""
    here = notes.at(f"{number}/entry {place}")
    if not isinstance(item, dict):
        here.add(rules.MISTYPED, f"{here.place} is {json_type(item)}; an object was expected.")
        return None
    if not require_keys(item, _NEEDED, here) or (index := read_index(item["tossup_index"], here)) is None:
        return None
    question = by_index.get(index[0])
    if question is None:
        message = f"{here.place} has the tossup_index {shown(index[0])}, which packet {number} of the release lacks."
        here.add(rules.RUNS_UNKNOWN_QUESTION, message)
    return question


def _read_question(question: Row, item: dict[str, Any], notes: Notes, found: _Reading) -> None:
    buzzes = one_buzz_a_team(read_position(item["position"], notes), notes)
    humans = frozenset(buzz.team for buzz in buzzes if buzz.is_human)
    stated = question["n_human_buzzes"]
    if len(humans) != stated:
        message = (
            f"{notes.place} has {len(humans)} human buzzers by its 'position', which count; the release has {stated}."
        )
        notes.add(rules.RUNS_POSITION, message)
    models = sorted((key for key in item if _MODEL.fullmatch(key)), key=lambda model: (len(model), model))
    if not models:
        notes.add(rules.RUNS_NO_MODEL, f"{notes.place} has no model's runs.")
    shared = {"n_human_buzzers": len(humans), "unknown_fields": unknown_fields(item, _KNOWN | set(models), notes)}
    heard = []
    for model in models:
        key = {"packet": question["packet"], "ordinal": question["ordinal"], "model": model}
        rows = _read_model(key | shared, item[model], humans, replace(notes, model=model), found)
        found.runs.extend(key | row for row in rows)
        heard.append([row["n_words_heard"] for row in rows])
    _check_prefixes(heard, question["n_words"], notes)


def _read_model(shared: Row, runs: object, humans: frozenset[str], notes: Notes, found: _Reading) -> list[Row]:
    if not isinstance(runs, list):
        notes.add(rules.MISTYPED, f"{notes.place} is {json_type(runs)}; a list of runs was expected.")
        return []
    if not runs:
        notes.add(rules.RUNS_EMPTY, f"{notes.place} has no runs and so no score.")
    found.lists.append({**shared, "elicitation": found.elicitation, "n_runs": len(runs)})
    return read_run_list(runs, found.elicitation, humans, notes)


def _check_prefixes(heard: list[list[int | None]], n_words: int, notes: Notes) -> None:
    """Note runs that do not hear ever more of the question, or not the same for every model."""
    told = {tuple(words for words in model if words is not None) for model in heard if model and None not in model}
    longest = max(told, key=len, default=())
    if any(prefix != longest[: len(prefix)] for prefix in told):
        message = f"{notes.place} has runs that differ between models in what was heard; its buzzes get no clue there."
        notes.add(rules.RUNS_PREFIX, message)
    if any(list(prefix) != sorted(set(prefix)) or prefix[-1] > n_words for prefix in told):
        notes.add(rules.RUNS_PREFIX, f"{notes.place} has runs that do not hear ever more of its {n_words} words.")


def attach_clues(buzzes: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return `grace_buzzes` with `clue` filled: the first run whose prefix holds the word buzzed at.

    A clue stays null where the question has no runs, where they do not say what they heard, where its models heard
    different prefixes, or where no prefix holds the word.
    """
    question, clue = ["packet", "ordinal"], ["packet", "ordinal", "clue"]
    heard = runs.group_by(clue).agg(
        pl.col("n_words_heard").first(),
        ((pl.col("n_words_heard").n_unique() == 1) & pl.col("n_words_heard").is_not_null().all()).alias("agreed"),
    )
    agreed = heard.filter(pl.col("agreed").all().over(question))
    bound = (
        buzzes.select(*question, "team", "word_index")
        .join(agreed, on=question)
        .filter(pl.col("n_words_heard") > pl.col("word_index"))
        .group_by(*question, "team")
        .agg(pl.col("clue").min())
    )
    return buzzes.drop("clue").join(bound, on=[*question, "team"], how="left").select(buzzes.columns)
