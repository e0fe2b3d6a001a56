"""Where files stand and what is expected of a cell."""

from __future__ import annotations

from collections import Counter

import pytest

from transforms.sra import layout
from transforms.sra.layout import CellKey, cell_of, check_cell_files, expectation, group_cells, kind_of, tokenizer_model
from warehouse.contracts import Rule, Severity
from warehouse.contracts.sra import CONDITIONS, DATASETS, MODELS, SIGNALS

ODD = ['a"b', "c;d--", "e\nf", "𝔸é", "g'h", " ", "models"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("models/m/d/c/sampling9.jsonl.gz", "sampling"),
        ("models/m/d/c/ab_logprob9.jsonl.gz", "ab"),
        ("models/m/d/c/tf_logprob9.jsonl.gz", "tf"),
        ("models/m/d/c/token_entropy9.bin", "entropy_bin"),
        ("models/m/d/c/token_entropy9.index.jsonl.gz", "entropy_index"),
        ("tokenizers/m/tokenizer.json", "tokenizer"),
        ("BUNDLE_AUDIT.json", "audit"),
        ("MANIFEST.csv", "manifest"),
        ("aux/MANIFEST.csv", "other"),
        ("models/m/d/c/config.json", "other"),
        ("models/m/d/c/more/sampling9.jsonl.gz", "other"),
        ("models/m/d/sampling9.jsonl.gz", "other"),
        ("models/m//c/sampling9.jsonl.gz", "other"),
        ("aux/m/d/c/sampling9.jsonl.gz", "other"),
        ("tokenizers/m/other.json", "other"),
        ("tokenizers//tokenizer.json", "other"),
        ("tokenizers/tokenizer.json", "other"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert kind_of(path) == kind
    assert (cell_of(path) is not None) == (kind in layout.CELL_FILES.values())
    assert tokenizer_model(path) == ("m" if kind == "tokenizer" else None)


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_names(name: str) -> None:
    cell = CellKey(name, name, name)
    path = cell.path("sampling9.jsonl.gz")
    assert cell_of(path) == cell
    assert group_cells([path, "aux/x"]) == {cell: {"sampling": path}}


def test_cells_are_grouped_in_order() -> None:
    cells = [CellKey("b", "d", "c"), CellKey("a", "d", "e"), CellKey("a", "d", "c")]
    paths = [cell.path(name) for cell in cells for name in ("tf_logprob9.jsonl.gz", "sampling9.jsonl.gz")]
    grouped = group_cells(paths)
    assert list(grouped) == sorted(cells)
    assert {tuple(sorted(files)) for files in grouped.values()} == {("sampling", "tf")}


GEMMA = CellKey(MODELS[2], "champ", "direct")
QWEN = CellKey(MODELS[0], "champ", "direct")


@pytest.mark.parametrize(
    ("cell", "kinds", "rules"),
    [
        (QWEN, ["sampling"], []),
        (QWEN, ["sampling", "ab", "tf", "entropy_bin", "entropy_index"], []),
        (QWEN, ["tf"], [layout.NO_SAMPLING]),
        (QWEN, ["sampling", "entropy_bin"], [layout.HALF_ENTROPY]),
        (QWEN, ["sampling", "entropy_index"], [layout.HALF_ENTROPY]),
        (GEMMA, ["sampling", "tf"], []),
        (GEMMA, ["sampling", "ab"], [layout.NOT_APPLICABLE_FILE]),
        (GEMMA, ["ab", "entropy_bin"], [layout.NO_SAMPLING, layout.HALF_ENTROPY, layout.NOT_APPLICABLE_FILE]),
    ],
)
def test_a_cells_files_belong_together(cell: CellKey, kinds: list[str], rules: list[Rule]) -> None:
    issues = check_cell_files(cell, {kind: kind for kind in kinds})
    assert [issue.rule for issue in issues] == [rule.name for rule in rules]
    assert all(issue.model == cell.model for issue in issues)
    assert layout.NOT_APPLICABLE_FILE.severity is Severity.WARNING


def test_expectations_give_the_publishers_counts() -> None:
    """Of 2,830 questions, as stated: question-conditions, A/B and T/F records, entropy rollouts a model."""
    cells = [CellKey(model, dataset, condition) for model in MODELS for dataset in DATASETS for condition in CONDITIONS]
    questions = dict(zip(DATASETS, (223, 747, 1100, 760), strict=True))
    counts = Counter[str]()
    for cell in cells:
        for signal in SIGNALS:
            counts[signal] += questions[cell.dataset] * (expectation(cell, signal).status == "expected")
    assert counts["agreement"] == 39_620
    assert counts["ab"] == 25_470
    assert counts["tf"] == 31_130
    assert {counts[signal] * 9 for signal in SIGNALS if signal.startswith("entropy")} == {50_940 * 5}


def test_what_is_not_expected_has_a_reason() -> None:
    for model in MODELS:
        for condition in CONDITIONS:
            for signal in SIGNALS:
                found = expectation(CellKey(model, "champ", condition), signal)
                assert (found.reason is None) == (found.status == "expected")


@pytest.mark.parametrize(
    ("cell", "signal", "status"),
    [
        (CellKey(MODELS[2], "x", "gold_skill"), "ab", "not_applicable"),
        (CellKey(MODELS[2], "x", "gold_skill"), "agreement", "withheld"),
        (CellKey(MODELS[4], "x", "gold_skill"), "tf", "expected"),
        (CellKey(MODELS[4], "x", "gold_skill"), "ab", "not_applicable"),
        (CellKey(MODELS[3], "x", "gold_skill"), "tf", "withheld"),
        (CellKey(MODELS[3], "x", "gold_skill"), "ab", "expected"),
        (CellKey("Llama", "x", "gold_skill"), "tf", "expected"),
        (CellKey("Gemma-5", "x", "direct"), "ab", "expected"),
        (CellKey(MODELS[0], "x", "another"), "entropy_whole", "expected"),
    ],
)
def test_expectations(cell: CellKey, signal: str, status: str) -> None:
    assert expectation(cell, signal).status == status


def test_every_rule_is_listed_once() -> None:
    rules = [value for value in vars(layout).values() if isinstance(value, Rule)]
    assert sorted(rule.name for rule in layout.RULES) == sorted(rule.name for rule in rules)
