"""The forms a generation's answer takes, and what the benchmark's rules make of each.

A form is a text before the answer and one after it. A *sound* form is graded by the answer in it: right answers right,
wrong ones wrong. The others are graded wrong: an unclosed think block hides even a right answer, the rest hold only
wrong ones. So a rollout's planned correctness is what grading finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Stored = Literal["plain", "empty", "whole"]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to end a generation.

    `again`: what stands before a repetition of the answer, where there is one. `weight` is relative within a kind of
    question. `stored`: what the producer's own extraction makes of it: the answer, nothing, or the answer with what
    surrounds it. `opens_think` leaves a think block open; `cut` stops at the length limit, without an end of turn.
    """

    before: str
    after: str = ""
    weight: float = 1.0
    again: str | None = None
    sound: bool = True
    stored: Stored = "plain"
    opens_think: bool = False
    cut: bool = False

    def stored_answer(self, answer: str) -> str:
        """What the producer stores as the extracted answer."""
        if self.stored == "empty":
            return ""
        return f"{self.before}{answer}{self.after}".strip() if self.stored == "whole" else answer


_UNCLOSED = Form("\nANSWER: ", sound=False, stored="empty", opens_think=True, weight=0.25)
_CUT = Form("\nSo far the running value is ", sound=False, stored="empty", cut=True, weight=0.25)
_BOLD = Form("\nANSWER: **", "**", weight=0.8)
_BARE = Form("\n", weight=0.6)
_LINES: Final = (
    Form("\n\nANSWER: ", weight=5),
    Form("\nANSWER: ", "\n", weight=3),
    Form("\nAnswer: "),
    Form("\n  answer:", "  ", weight=0.4),
    Form("\nThe answer is: ", ".", weight=1.5),
    Form("\nANSWER: 41\nThat line was a slip.\nANSWER: ", weight=0.6),
    Form("\nANSWER: ", "\n\nTell me if a longer derivation helps.", weight=0.5),
)
_CHAMP: Final = (
    *_LINES,
    _BOLD,
    _BARE,
    Form("\nThus \\boxed{", again="}.\nANSWER: ", weight=0.7),
    Form("\n\\boxed{", "}", sound=False, weight=0.5),
    Form("\n**ANSWER: ", "**", sound=False, stored="whole", weight=0.3),
)
_MEDCALC: Final = (
    *_LINES,
    _BOLD,
    Form("\n**ANSWER: ", "**"),
    Form("\nThe value comes to \\boxed{", "}"),
    Form('\n{"step_by_step_thinking": "as above", "answer": "', '"}'),
    Form("\nRounded, this gives ", weight=0.6),
)
_WEEKS: Final = (Form("\n\nANSWER: ", weight=5), Form("\nAnswer: "), Form("\nANSWER: ", "\n"))
_THEOREM: Final = (
    Form("\nTherefore, the answer is ", ".", weight=4),
    Form("\nThe answer is: ", weight=2),
    Form("\nANSWER: see below.\nThe answer is: ", weight=0.8),
    Form("\nthe answer is: 9\nThat was hasty. Therefore, the answer is ", ".", weight=0.7),
    Form("\nThis gives \\boxed{", ".", again="}.\nTherefore, the answer is "),
)
_NUMBERS: Final = (*_THEOREM, Form("\nTherefore, the answer is $x = ", "$.", weight=0.8), _UNCLOSED, _CUT)
_LOGIC: Final = (
    Form("\nThe answer is: ", ".", weight=3),
    Form("\nAnswer is **", "**", weight=1.5),
    Form("\n\nANSWER: the answer is ", weight=2),
    Form("\nThe most fitting conclusion is ", "."),
    Form("\nSo the best supported reading is ", ".", stored="whole", weight=0.4),
    Form("\n", weight=0.8),
)

FORMS: Final[dict[str, tuple[Form, ...]]] = {
    "champ/number": (*_CHAMP, _UNCLOSED, _CUT),
    "champ/text": (*_CHAMP, _UNCLOSED),
    "champ/yesno": (*_LINES, _BOLD, _BARE),
    "theoremqa/float": _NUMBERS,
    "theoremqa/integer": _NUMBERS,
    "theoremqa/bool": _THEOREM,
    "theoremqa/option": _THEOREM,
    "theoremqa/list of integer": _THEOREM,
    "theoremqa/list of float": _THEOREM,
    "medcalcbench/number": (*_MEDCALC, _UNCLOSED, _CUT),
    "medcalcbench/score": (*_MEDCALC, _CUT),
    "medcalcbench/date": (*_LINES, _UNCLOSED),
    "medcalcbench/weeks": _WEEKS,
    "logicbench/BQA": _LOGIC,
    "logicbench/MCQA": (*_LOGIC, _UNCLOSED),
}
