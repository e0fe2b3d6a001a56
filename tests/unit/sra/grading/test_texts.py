"""Fast extraction against the slow definitions it stands for, on text made of what matters to them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.sra.grading import medcalcbench, theoremqa
from transforms.sra.grading.texts import (
    TRIGGERS,
    after_trigger,
    ascii_lower,
    drop_thinking,
    last_answer_line,
    last_line,
    last_match,
    last_number,
)

PIECES = (
    "ANSWER:", "answer:", "Answer: ", "**", "\n", "\n\n", " ", "\t", "\u00a0", "é", "π", "5", "-7", "1.5", ".", "-",
    "/", ":", "word", *TRIGGERS, "he answer is", "<think>", "</think>", "<thi", "nk>", '"answer": ', 'Answer":', "}",
    "{", '"', "\ud800",
)  # fmt: skip
made = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
# Filler on either side moves what matters in and out of the part that is looked at first.
texts = st.builds(lambda a, b, n: f"{a}{'filler ' * n}{b}", made, made, st.sampled_from((0, 0, 100)))


@given(texts)
def test_thinking_is_dropped(text: str) -> None:
    closed = re.sub(r"<think>.*?</think>\s*", "", text, flags=re.DOTALL)
    slow = re.sub(r"<think>.*", "", closed, flags=re.DOTALL).lstrip() if "<think>" in text else text
    assert drop_thinking(text) == slow


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>\n b", "b"),
        ("a<think>b</think> c<think>d", "ac"),
        ("<think>a<think>b</think>c</think>d", "c</think>d"),
        ("<thi<think></think>nk>rest", ""),
        ("</think> a ", "</think> a "),
        (" a ", " a "),
    ],
)
def test_what_thinking_leaves(text: str, left: str) -> None:
    assert drop_thinking(text) == left


@given(texts)
def test_the_last_answer_line(text: str) -> None:
    lines = [line.strip() for line in text.split("\n")]
    found = [line[7:].strip().strip("*").strip() for line in lines if line[:7].upper() == "ANSWER:"]
    assert last_answer_line(text) == (found[-1] if found else None)


@given(texts)
def test_the_rest_of_the_line_behind_the_last_trigger(text: str) -> None:
    starts = {m.start(): trigger for trigger in TRIGGERS for m in re.finditer(f"(?={trigger})", text)}
    slow = None
    if starts:
        last = max(starts)
        slow = text[last + len(starts[last]) :].partition("\n")[0].strip().rstrip(".").rstrip("/").strip()
    assert after_trigger(text) == slow


@given(texts)
def test_the_last_line(text: str) -> None:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    assert last_line(text) == (lines[-1] if lines else "")


@given(st.text(alphabet="12.- x\n", max_size=12))
def test_the_last_number(text: str) -> None:
    for fast, plain in ((medcalcbench._NUMBER, r"-?\d+\.?\d*"), (theoremqa._NUMBER, r"-?\d*\.?\d+")):
        found = re.findall(plain, text)
        assert last_number(fast, text) == (found[-1] if found else "")


@given(st.text(alphabet="abc1 ", max_size=12))
def test_the_last_match(text: str) -> None:
    pattern = re.compile("ab?[0-9]")
    found = pattern.findall(text)
    fast = last_match(pattern, "a", text)
    assert (fast and fast[0]) == (found[-1] if found else None)


@given(texts)
def test_the_json_answer(text: str) -> None:
    found = re.search(r'[Aa]nswer":\s*(.*?)\}', text)
    answer = found[1].strip().strip('"').strip("'") if found else ""
    assert (medcalcbench._json_answer(text) or "") == answer


@given(st.text())
def test_lower_case_keeps_positions(text: str) -> None:
    low = ascii_lower(text)
    assert len(low) == len(text)
    same = str.maketrans({chr(k): chr(k + 32) for k in range(65, 91)})
    expected = "".join("?" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text).translate(same)
    assert low == (text.lower() if text.isascii() else expected)
