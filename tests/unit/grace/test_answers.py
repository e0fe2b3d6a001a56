"""Answer lines, in the ways the release writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.grace.made import needs_release, unhurried
from tests.unit.grace.published import published_tables
from transforms.grace.answers import AnswerLine, parse_answer_line

LINES = [
    ("Wexa", AnswerLine("Wexa")),
    ("“The Wexa Ode”", AnswerLine("The Wexa Ode")),
    ("Wexa [accept Wexus or Wexum]", AnswerLine("Wexa", accept=["Wexus or Wexum"])),
    ("Wexa [or Wexus; or Wexum]", AnswerLine("Wexa", accept=["Wexus", "Wexum"])),
    ("Wexa [Wexus]", AnswerLine("Wexa", accept=["Wexus"])),
    ("Wexa [prompt on river until read]", AnswerLine("Wexa", prompt=["river until read"])),
    ("Wexa [prompt on a; or b]", AnswerLine("Wexa", prompt=["a", "b"])),
    ("Wexa [antiprompt on Wexatown]", AnswerLine("Wexa", prompt=["Wexatown"])),
    ("Wexa [reject “Wexo”]", AnswerLine("Wexa", reject=["Wexo"])),
    ('Wexa [reject "a" or "b"]', AnswerLine("Wexa", reject=['"a" or "b"'])),
    ("Wexa [do not accept “Wexo”]", AnswerLine("Wexa", reject=["Wexo"])),
    ('Wexa [reject "a;" reject "b;" reject "c"]', AnswerLine("Wexa", reject=["a", "b", "c"])),
    ("Wexa [accept a accept b]", AnswerLine("Wexa", accept=["a", "b"])),
    ("Wexa [accept a or b, prompt on c or d]", AnswerLine("Wexa", accept=["a or b"], prompt=["c or d"])),
    ("Wexa [prompt on a but REJECT “b”]", AnswerLine("Wexa", prompt=["a"], reject=["b"])),
    ("Wexa [prompt on a with “Who owns it?”]", AnswerLine("Wexa", prompt=["a with “Who owns it?”"])),
    ("Wexa [accept a before it is read and prompt afterwards]",
     AnswerLine("Wexa", accept=["a before it is read and prompt afterwards"])),
    ("Wexa [accept Acceptance v Wexa (AG)]", AnswerLine("Wexa", accept=["Acceptance v Wexa (AG)"])),
    ("Wexa (“WEKS-uh”)", AnswerLine("Wexa", pronunciation="WEKS-uh")),
    ('Wexa ("WEKS-uh") [or Wexus] (The first clue is from “Wexo.”)',
     AnswerLine("Wexa", accept=["Wexus"], pronunciation="WEKS-uh", note="The first clue is from “Wexo.”")),
    ("Wexa [or Wexus; accept Wexum", AnswerLine("Wexa", accept=["Wexus", "Wexum"], unclosed=True)),
    ('Wexa [or Wexus; accept "Wexum")', AnswerLine("Wexa", accept=["Wexus", "Wexum"], unclosed=True)),
    ("Wexa [or a] [accept b]", AnswerLine("Wexa", accept=["a", "b"])),
    ("[accept Wexa]", AnswerLine("", accept=["Wexa"])),
    ("Wexa []", AnswerLine("Wexa")),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_parts(line: str, expected: AnswerLine) -> None:
    assert parse_answer_line(line) == expected


@unhurried
@given(st.text(alphabet='ab or;,[]()"“”accept prompt on reject', max_size=120))
def test_any_line_has_parts_that_stand_in_it(line: str) -> None:
    parsed = parse_answer_line(line)
    words = " ".join(line.replace("[", " ").replace("]", " ").split())
    for clause in (*parsed.accept, *parsed.prompt, *parsed.reject):
        assert clause
        assert clause.split()[0] in words
    assert parsed.unclosed == (unclosed_brackets(line) > 0)


def unclosed_brackets(line: str) -> int:
    depth = 0
    for character in line:
        depth = max(0, depth + (character == "[") - (character == "]"))
    return depth


@needs_release
def test_the_release_has_165_lines_that_are_more_than_an_answer() -> None:
    questions = published_tables().tables["grace_questions"]
    lines = questions["answer_line"].to_list()
    kinds = [("[" in line, "(" in line.split("[")[0] + line.rpartition("]")[2]) for line in lines]
    more = [row for row in questions.iter_rows(named=True) if row["answer"] != row["answer_line"].strip('“”"')]
    assert len(more) == 149 + 11 + 5
    assert sum(bracket for bracket, _ in kinds) == 149 + 11
    for row in questions.iter_rows(named=True):
        directions = row["answer_accept"] + row["answer_prompt"] + row["answer_reject"]
        assert bool(directions) == ("[" in row["answer_line"])
        assert not any(part.startswith(("accept ", "prompt ", "reject ", "or ")) for part in directions)
        assert row["answer"]


def test_blanks_without_end_take_no_more_than_linear_time() -> None:
    """A hundred thousand blanks would take minutes where a direction is looked for behind each of them."""
    blanks = " \t" * 100_000
    assert parse_answer_line(f"Wexa [or{blanks}x]") == AnswerLine("Wexa", accept=["x"])
    assert parse_answer_line(f"Wexa [accept{blanks}x,{blanks}prompt on y]") == AnswerLine("Wexa", ["x"], ["y"])
