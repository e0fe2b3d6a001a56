"""What only follows from a line with an error is counted behind it; what has a cause of its own is still named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.sra.record_cases import CELL
from transforms.sra import consequences, entropy_blocks, join, sampling
from transforms.sra.consequences import FOLLOWS, folded
from transforms.sra.entropy_blocks import NO_LINE, NO_ROLLOUT, UNCOVERED
from transforms.sra.join import AB, TF
from transforms.sra.sampling import UNKNOWN_QUESTION
from transforms.sra.sampling_lines import COMMON
from warehouse.contracts import Issue, Rule, Severity

SAMPLING, AB_FILE, TF_FILE = (CELL.path(f"{name}.jsonl.gz") for name in ("sampling9", "ab_logprob9", "tf_logprob9"))
INDEX, BIN = CELL.path("token_entropy9.index.jsonl.gz"), CELL.path("token_entropy9.bin")


def bad_line(line: int | None, name: str | None = None, path: str = SAMPLING, rule: Rule = COMMON.mistyped) -> Issue:
    return rule.issue("A cause.", path=path, line=line, instance_id=name)


def unbound(*names: str) -> list[Issue]:
    """What a question without rollouts gives in the three other files."""
    return [
        found
        for name in names
        for found in (
            AB.no_rollout.issue("x", path=AB_FILE, line=3, instance_id=name),
            TF.no_rollout.issue("x", path=TF_FILE, line=3, instance_id=name),
            *(NO_ROLLOUT.issue("x", path=INDEX, line=k, instance_id=name, sample=k) for k in range(9)),
        )
    ]


def rules(issues: list[Issue]) -> list[str]:
    return [issue.rule for issue in issues]


def test_one_bad_line_is_one_cause_and_one_count_of_what_follows() -> None:
    cause = bad_line(17, "a")
    first, second = folded([*unbound("a"), cause])
    assert first == cause
    assert (second.rule, second.path, second.line, second.value) == (FOLLOWS.name, SAMPLING, 17, "11")
    for part in ("line 17", "1 ab.no_rollout", "1 tf.no_rollout", "9 entropy_index.unknown_rollout"):
        assert part in second.message


@pytest.mark.parametrize(
    ("causes", "names", "left"),
    [
        ([bad_line(17, "a")], ["a", "b"], {"b"}),
        ([bad_line(17, "a"), bad_line(18)], ["a", "b"], set()),
        ([bad_line(18)], ["a", "b"], {"a", "b"}),
        ([bad_line(18), bad_line(19)], ["a", "b"], set()),
        ([bad_line(17, "z", rule=UNKNOWN_QUESTION)], ["a"], set()),
        ([bad_line(None)], ["a", "b", "c"], set()),
        ([bad_line(17, "a", path=AB_FILE)], ["a"], {"a"}),
        ([], ["a"], {"a"}),
    ],
)
def test_what_has_a_cause_of_its_own_stays(causes: list[Issue], names: list[str], left: set[str]) -> None:
    found = folded([*causes, *unbound(*names)])
    assert [issue for issue in found if issue in causes] == causes
    assert {issue.instance_id for issue in found if issue.rule == TF.no_rollout.name} == left


def test_warnings_are_no_causes() -> None:
    warned = COMMON.nan.issue("x", path=SAMPLING, line=2, instance_id="a")
    assert folded([warned, *unbound("a")]) == [warned, *unbound("a")]


def test_a_line_of_a_probe_explains_the_question_that_it_leaves_without_a_record() -> None:
    missing = [TF.missing_question.issue("x", path=TF_FILE, instance_id=name) for name in ("a", "b")]
    cause = bad_line(4, "a", TF_FILE)
    assert rules(folded([cause, *missing])) == [cause.rule, FOLLOWS.name, TF.missing_question.name]


def test_a_name_that_nobody_sampled_may_be_the_one_that_is_missing() -> None:
    wrong = AB.no_rollout.issue("x", path=AB_FILE, line=4, instance_id="z")
    missing = AB.missing_question.issue("x", path=AB_FILE, instance_id="a")
    assert rules(folded([wrong, missing])) == [AB.no_rollout.name, FOLLOWS.name]


def test_a_line_of_the_index_explains_bytes_that_belong_to_no_line() -> None:
    gaps = [UNCOVERED.issue("x", path=BIN, line=2, value=f"{k}-9") for k in range(2)]
    causes = [bad_line(3, "a", INDEX), bad_line(7, None, INDEX)]
    assert rules(folded([*causes, *gaps])) == [*rules(causes), FOLLOWS.name]
    assert folded([*causes[:1], *gaps]) == [*causes[:1], *gaps]
    missing = NO_LINE.issue("x", path=INDEX, instance_id="a", sample=1)
    assert rules(folded([causes[0], missing])) == [causes[0].rule, FOLLOWS.name]


def test_every_rule_that_is_folded_is_one_that_is_there() -> None:
    known = {rule.name for module in (join, sampling, entropy_blocks) for rule in module.RULES}
    assert set(consequences._CAUSED_BY) | consequences._DOUBTFUL <= known


@given(st.lists(st.sampled_from([bad_line(17, "a"), bad_line(18), *unbound("a", "b")]), max_size=30))
def test_every_finding_is_kept_or_counted(issues: list[Issue]) -> None:
    found = folded(issues)
    counted = sum(int(issue.value or 0) for issue in found if issue.rule == FOLLOWS.name)
    assert len([issue for issue in found if issue.rule != FOLLOWS.name]) + counted == len(issues)
    assert any(issue.severity is Severity.ERROR for issue in found) == bool(issues)
