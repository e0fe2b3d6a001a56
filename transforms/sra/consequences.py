"""One cause, one finding: what only follows from a line with an error is counted after it, and not listed.

A line of a sampling file that is not sound leaves its question without rollouts, and so the question's records in up to
three other files without anything to be bound to; a line of a probe's file, or of the index, leaves a question without
a record, or bytes without a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from transforms.issue_log import shown_all
from transforms.sra.layout import kind_of
from warehouse.contracts import Issue, Rule, Severity

FOLLOWS = Rule("consequences", Severity.ERROR, "What follows from lines with errors, counted and not listed.")
RULES: Final = (FOLLOWS,)

# Of each rule that may notice a mere consequence, the kind of file whose lines can be the cause. By name: one half of a
# cell should not depend on the code of the other for the sake of it.
_CAUSED_BY: Final = {
    "ab.no_rollout": "sampling", "tf.no_rollout": "sampling", "entropy_index.unknown_rollout": "sampling",
    "ab.missing_question": "ab", "tf.missing_question": "tf", "entropy_index.missing_rollout": "entropy_index",
    "entropy_index.uncovered_bytes": "entropy_index",
}  # fmt: skip
# The name in a line of which these are said is itself in doubt, so that any other may be meant.
_DOUBTFUL: Final = {"sampling.unknown_question", *(rule for rule, kind in _CAUSED_BY.items() if kind == "sampling")}


def folded(issues: Sequence[Issue]) -> list[Issue]:
    """Return the findings about one cell, with one in the place of all that only follow from lines of a file.

    It stands behind the last of their causes. A consequence is one whose question is that of a line with an error; and
    one of no more others than there are such lines of which no question is known.
    """
    found = list(issues)
    # The records of a sampling file come first: what remains without a rollout may be the cause of what comes next.
    for kind in dict.fromkeys(_CAUSED_BY.values()):
        found = _folded(found, kind)
    return found


def _folded(issues: list[Issue], kind: str) -> list[Issue]:
    rules = [rule for rule, cause in _CAUSED_BY.items() if cause == kind]
    causes = [issue for issue in issues if _is_cause(issue, kind, rules)]
    if not causes:
        return issues
    lost = _Lost.of(causes)
    following = [issue for rule in rules for issue in lost.explained([issue for issue in issues if issue.rule == rule])]
    if not following:
        return issues
    gone = {id(issue) for issue in following}
    at = max(place for place, issue in enumerate(issues) if issue is causes[-1]) + 1
    before, after = ([issue for issue in part if id(issue) not in gone] for part in (issues[:at], issues[at:]))
    return [*before, _counted(causes, lost, following), *after]


def _is_cause(issue: Issue, kind: str, rules: Sequence[str]) -> bool:
    is_error = issue.severity is Severity.ERROR and issue.rule not in rules
    return is_error and issue.path is not None and kind_of(issue.path) == kind


def _counted(causes: Sequence[Issue], lost: _Lost, following: Sequence[Issue]) -> Issue:
    counts = ", ".join(f"{n} {rule}" for rule, n in sorted(Counter(issue.rule for issue in following).items()))
    lines = sorted(lost.lines)
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {shown_all(lines)}" if lines else "this file"
    message = f"From what is wrong in {where} {len(following)} more errors follow, which are not listed: {counts}."
    last = causes[-1]
    line = lines[-1] if lines else None
    place = {"model": last.model, "dataset": last.dataset, "condition": last.condition}
    return FOLLOWS.issue(message, source=last.source, path=last.path, line=line, value=str(len(following)), **place)


@dataclass(frozen=True, slots=True)
class _Lost:
    """What lines with an error would have held: questions by name, and lines of which no question is known."""

    names: frozenset[str]
    lines: frozenset[int]
    nameless: frozenset[int]
    is_whole: bool

    @classmethod
    def of(cls, causes: Sequence[Issue]) -> _Lost:
        lines = frozenset(issue.line for issue in causes if issue.line is not None)
        named = {issue.line: issue.instance_id for issue in causes if issue.instance_id and issue.rule not in _DOUBTFUL}
        names = frozenset(name for name in named.values() if name)
        return cls(names, lines, lines - named.keys(), any(issue.line is None for issue in causes))

    def explained(self, found: Sequence[Issue]) -> list[Issue]:
        """Return those findings of one rule that follow from these lines."""
        if self.is_whole:
            return list(found)
        sure = [issue for issue in found if issue.instance_id in self.names]
        others = [issue for issue in found if issue.instance_id not in self.names]
        # Bytes without a line have no name, and each line with an error may be theirs.
        unknown = {issue.instance_id or issue.value for issue in others}
        spare = self.nameless if any(issue.instance_id for issue in others) else self.lines
        return [*sure, *others] if len(unknown) <= len(spare) else sure
