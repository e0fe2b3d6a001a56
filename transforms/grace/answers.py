"""Answer lines: an answer, then directions to the moderator, e.g. 'X (“ecks”) [or Y; prompt on Z; reject “W”]'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_PARENTHESIS: Final = re.compile(r"\(([^()]*)\)")
# A direction opens a clause, also where the ';' before it was forgotten: 'accept A accept B', 'A, prompt on B'.
_DIRECTION: Final = re.compile(
    r"(?:^|[\s,]\s*)(?:(?:but|and)\s+)?(anti-?prompt on|prompt on|do not accept|accept|reject|REJECT)(?=[\s\"“])"
)
_OR: Final = re.compile(r"or\s+")
_KIND: Final = {"accept": "accept", "do not accept": "reject", "reject": "reject"}  # what is left prompts
_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^“”]*”")


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A parsed answer line. Clauses keep their wording ('X before “Y” is read'): they are for a moderator to apply."""

    answer: str
    accept: list[str] = field(default_factory=list)
    prompt: list[str] = field(default_factory=list)
    reject: list[str] = field(default_factory=list)
    pronunciation: str | None = None
    note: str | None = None
    unclosed: bool = False


def parse_answer_line(line: str) -> AnswerLine:
    """Return the parts of an answer line. An 'or' clause is of the kind of the clause before it, at first 'accept'."""
    outside, inside, unclosed = _brackets(line)
    answer, pronunciation, note = _parentheses(outside)
    clauses: dict[str, list[str]] = {"accept": [], "prompt": [], "reject": []}
    for kind, clause in _clauses(inside):
        clauses[kind].append(clause)
    return AnswerLine(answer, **clauses, pronunciation=pronunciation, note=note, unclosed=unclosed)


def _brackets(line: str) -> tuple[str, str, bool]:
    """Split a line into what stands outside its outermost square brackets, what stands inside, and 'left open'."""
    outside: list[str] = []
    inside: list[str] = []
    depth = 0
    for character in line:
        depth += character == "["
        (inside if depth else outside).append(character)
        if character == "]" and depth:
            depth -= 1
            inside.extend(";" if not depth else "")
    text = "".join(inside).strip()
    return "".join(outside), _without_brackets(text, unclosed=depth > 0), depth > 0


def _without_brackets(text: str, *, unclosed: bool) -> str:
    if unclosed and text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]  # closed by the wrong bracket
    return text.replace("[", " ").replace("]", " ")


def _parentheses(text: str) -> tuple[str, str | None, str | None]:
    """Split the text outside brackets into the answer, its quoted pronunciation and other notes in parentheses."""
    found = [part.strip() for part in _PARENTHESIS.findall(text)]
    spoken = [part.strip('"“”') for part in found if part.startswith(('"', "“"))]
    notes = [part for part in found if part and not part.startswith(('"', "“"))]
    answer = _tidy(_PARENTHESIS.sub(" ", text))
    return answer, "; ".join(spoken) or None, "; ".join(notes) or None


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    kind = "accept"
    for piece in text.split(";"):
        # A ';' inside quotation marks ('reject "A;" reject "B"') leaves a stray mark before the next direction.
        # Runs of white space are closed first, for a direction is looked for behind every blank.
        rest = " ".join(piece.split()).removeprefix('" ')
        starts = list(_DIRECTION.finditer(rest))
        before = rest[: starts[0].start()] if starts else rest
        if clause := _tidy(_OR.sub("", before, count=1) if _OR.match(before) else before):
            yield kind, clause
        ends = [*(start.start() for start in starts[1:]), len(rest)]
        for here, end in zip(starts, ends, strict=False):
            kind = _KIND.get(here[1].lower(), "prompt")
            if clause := _tidy(rest[here.end() : end]):
                yield kind, clause


def _tidy(clause: str) -> str:
    """Return a clause without surrounding marks: quotation marks around all of it, stray ones, a last comma."""
    text = " ".join(clause.split()).strip(" ,")
    if text.count('"') % 2:
        text = text.strip('" ')
    return text[1:-1].strip() if _QUOTED.fullmatch(text) else text
