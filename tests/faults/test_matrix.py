"""Every fault has the outcome that was stated of it beforehand; whatever the manifest was not told of, it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle

import pytest

from pipelines.progress import Reporter
from pipelines.sra.bundle import verify_bundle
from synthetic.sra.faults import FAULTS
from synthetic.sra.faults.base import MANIFEST
from tests.faults.bundles import small_bundle, write_files
from tests.faults.matrix import Bench, Case, Outcome, all_cases, disagreement, refusal_differs
from transforms.sra.layout import cell_of, kind_of
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


LISTED = sorted(path for path in small_bundle() if path.startswith("bundle/") and path != MANIFEST)
DAMAGE: dict[str, tuple[Callable[[bytes], bytes | None], str]] = {
    "first_byte": (lambda data: bytes([data[0] ^ 1]) + data[1:], "manifest.hash_mismatch"),
    "last_byte": (lambda data: data[:-1] + bytes([data[-1] ^ 128]), "manifest.hash_mismatch"),
    "shorter": (lambda data: data[:-1], "manifest.size_mismatch"),
    "longer": (lambda data: data + b"\n", "manifest.size_mismatch"),
    "empty": (lambda _: b"", "manifest.size_mismatch"),
    "gone": (lambda _: None, "manifest.missing_file"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_the_manifest_was_not_told_of_is_refused_by_it(bench: Bench, damage: str) -> None:
    """Whatever file of the bundle it is: one error, of that file, and no cell that would read it."""
    change, rule = DAMAGE[damage]
    raw = bench.folder / "raw"
    for path in LISTED:
        write_files(raw, {path: change(small_bundle()[path])})
        found = verify_bundle(raw / "bundle", 1, Reporter(quiet=True))
        write_files(raw, {path: small_bundle()[path]})
        name = path.removeprefix("bundle/")
        errors = [(issue.rule, issue.path) for issue in found.issues if issue.severity is Severity.ERROR]
        assert errors == [(rule, name)]
        assert name not in {file.path for files in found.cells.values() for file in files.values()}
        assert cell_of(name) not in found.cells


ONE_OF_A_KIND = {kind_of(path.removeprefix("bundle/")): path for path in LISTED}


@pytest.mark.parametrize(("kind", "damage"), list(zip(sorted(ONE_OF_A_KIND), cycle(DAMAGE), strict=False)))
def test_what_is_left_of_a_bundle_without_a_file_of_each_kind_is_the_clean_build(
    bench: Bench, kind: str, damage: str
) -> None:
    path = ONE_OF_A_KIND[kind]
    found = bench.outcome_with({path: DAMAGE[damage][0](small_bundle()[path])}, {}, {})
    assert not found.strays
    assert refusal_differs(found, DAMAGE[damage][1]) is None


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
