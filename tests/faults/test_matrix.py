"""Every fault has the outcome that was stated of it beforehand, with the manifest renewed and as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from synthetic.sra.faults import FAULTS
from tests.faults.matrix import Bench, Case, Outcome, all_cases, disagreement
from warehouse.contracts import Rule, Severity


def _short(cases: Sequence[Case]) -> set[str]:
    """Return a case for every stated outcome and rule: what is tried where the rest would take too long."""
    first: dict[tuple[str, str], str] = {}
    for case in cases:
        first.setdefault(case.fault.expected(case.refresh), case.name)
    return set(first.values())


CASES = all_cases()
SHORT = _short(CASES)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    yield Bench.set_up(tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.name, marks=() if case.name in SHORT else pytest.mark.slow) for case in CASES],
)
def test_a_fault_has_the_outcome_stated(bench: Bench, case: Case) -> None:
    assert disagreement(case, bench.outcome_of(case), bench.clean) is None


def test_the_clean_build_is_clean(bench: Bench) -> None:
    assert bench.clean.rules(Severity.ERROR) == bench.clean.rules(Severity.WARNING) == {}
    assert not bench.clean.strays
    assert len({path.split("/")[1] for path in bench.clean.files}) == 9


def test_a_build_after_the_faults_is_the_clean_build_again(bench: Bench) -> None:
    _lake, stage, built = bench.run({}, {})
    assert bench.outcome(stage, built).files == bench.clean.files


def test_the_comparison_sees_what_it_has_to_see(bench: Bench) -> None:
    case = next(case for case in CASES if case.name == "entropy_zero-renewed")
    clean, files = bench.clean, dict(bench.clean.files)
    error = Rule("entropy.zero", Severity.ERROR, "").issue("An entropy is zero.")
    assert "stated an error" in str(disagreement(case, Outcome([], files, set()), clean))
    assert disagreement(case, Outcome([error], files, set()), clean) is None
    assert "what is left differs" in str(disagreement(case, Outcome([error], files, set(), {"x": "y"}), clean))
    assert "reported files differ" in str(disagreement(case, Outcome([error], files, {"x"}), clean))
    dress = next(case for case in CASES if case.name == "manifest_dress")
    assert "stated info, found errors" in str(disagreement(dress, Outcome([error], files, set()), clean))
    same = next(case for case in CASES if case.fault.name == "manifest_column_order")
    assert disagreement(same, Outcome([], files, set()), clean) is None
    assert "tables differ" in str(disagreement(same, Outcome([], files, set(), {"x": "y"}), clean))
    assert "missing or added" in str(disagreement(same, Outcome([], {}, set()), clean))


def test_the_short_form_tries_every_kind_of_outcome_and_every_rule() -> None:
    stated = {case.fault.expected(case.refresh) for case in CASES}
    assert {case.fault.expected(case.refresh) for case in CASES if case.name in SHORT} == stated
    assert {outcome for outcome, _rule in stated} == {"refused", "warning", "info", "identical"}
    assert len(FAULTS) == len({case.fault.name for case in CASES})
