from __future__ import annotations

import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sra.entropy_cases import BIN, INDEX, Generation, vocabulary, write
from transforms.sra import entropy_checks
from transforms.sra.entropy import read_blocks
from transforms.sra.token_blocks import Layout, TokenBlocks
from transforms.sra.tokenizers import Vocabulary
from warehouse.contracts.issues import Issue, Rule, Severity

SMALLEST, LARGEST = 2.0**-24, 65504.0
NAN, INF = float("nan"), float("inf")
LAYOUTS: list[Layout] = ["blocked", "interleaved"]


def read(
    *generations: Generation, layout: Layout = "blocked", known: Vocabulary | None = None
) -> tuple[TokenBlocks | None, list[Issue]]:
    data, index = write(generations, layout)
    return read_blocks(data, index, BIN, INDEX, layout=layout, vocabulary=known)


def sound(*generations: Generation, layout: Layout = "blocked", known: Vocabulary | None = None) -> TokenBlocks:
    blocks, issues = read(*generations, layout=layout, known=known)
    assert issues == []
    assert blocks is not None
    return blocks


def only(rule: Rule, *generations: Generation, layout: Layout = "blocked", known: Vocabulary | None = None) -> Issue:
    blocks, issues = read(*generations, layout=layout, known=known)
    assert [issue.rule for issue in issues] == [rule.name]
    assert (blocks is None) == (rule.severity is Severity.ERROR)
    return issues[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rollouts_come_sorted_whatever_the_order_in_the_file(layout: Layout) -> None:
    blocks = sound(
        Generation("b", 0, [0.25, 2.0], [7, 8]),
        Generation("a", 1, [1.5], [3]),
        Generation("Z", 8, [SMALLEST, LARGEST, 0.5], [1, 2**31 - 1, 0]),
        Generation("a", 0, [], []),
        layout=layout,
    )
    assert list(zip(blocks.instance_ids, blocks.samples.tolist(), strict=True)) == [
        ("Z", 8),
        ("a", 0),
        ("a", 1),
        ("b", 0),
    ]
    assert blocks.starts.tolist() == [0, 3, 3, 4, 6]
    assert blocks.entropies.dtype == np.float32
    assert blocks.entropies.tolist() == [SMALLEST, LARGEST, 0.5, 1.5, 0.25, 2.0]
    assert blocks.token_ids.tolist() == [1, 2**31 - 1, 0, 3, 7, 8]
    assert (blocks.n_rollouts, blocks.n_tokens) == (4, 6)


HALVES = st.integers(1, 0x7BFF).map(lambda bits: struct.unpack("<e", struct.pack("<H", bits))[0])
TOKENS = st.lists(st.tuples(HALVES, st.integers(0, 2**31 - 1)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.tuples(st.text("abÜ", min_size=1, max_size=3), st.integers(0, 8)), TOKENS, max_size=6),
    st.sampled_from(LAYOUTS),
)
def test_what_was_written_is_read(cells: dict[tuple[str, int], list[tuple[float, int]]], layout: Layout) -> None:
    generations = [Generation(*key, [e for e, _ in tokens], [i for _, i in tokens]) for key, tokens in cells.items()]
    blocks = sound(*generations, layout=layout)
    for rollout, key in enumerate(sorted(cells)):
        assert (blocks.instance_ids[rollout], blocks.samples[rollout]) == key
        inside = slice(*blocks.starts[rollout : rollout + 2])
        found = zip(blocks.entropies[inside].tolist(), blocks.token_ids[inside].tolist(), strict=True)
        assert list(found) == cells[key]


def test_an_empty_file_with_an_empty_index_has_no_rollouts() -> None:
    blocks = sound()
    assert (blocks.n_rollouts, blocks.n_tokens, blocks.starts.tolist()) == (0, 0, [0])


def test_a_view_of_a_file_is_read_like_its_bytes() -> None:
    data, index = write([Generation("a", 0, [0.5, 1.0, 1.5], [1, 2, 3])])
    blocks, _ = read_blocks(memoryview(b"x" + data)[1:], index, BIN, INDEX)
    assert blocks is not None and blocks.token_ids.tolist() == [1, 2, 3]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("rule", "value", "shown"),
    [
        (entropy_checks.ZERO, 0.0, "0.0"),
        (entropy_checks.NEGATIVE, -0.0, "-0.0"),
        (entropy_checks.NEGATIVE, -0.5, "-0.5"),
        (entropy_checks.NEGATIVE, -SMALLEST, "-5.9604645e-08"),
        (entropy_checks.NOT_A_NUMBER, NAN, "nan"),
        (entropy_checks.INFINITE, INF, "inf"),
        (entropy_checks.INFINITE, -INF, "-inf"),
    ],
)
def test_a_damaged_entropy_is_an_error_that_names_its_place(
    rule: Rule, value: float, shown: str, layout: Layout
) -> None:
    damaged = Generation("q2", 4, [0.5, value, 0.5, value], extra={"mean_entropy": 0.4, "max_entropy": 0.5})
    issue = only(rule, Generation("q1", 0), Generation("q0", 0, []), damaged, layout=layout)
    assert (issue.path, issue.line, issue.instance_id, issue.sample) == (BIN, 3, "q2", 4)
    assert issue.value == f"entropy {shown}"
    assert f"{BIN}: token 1 of 4 of 'q2', sample 4 (line 3 of {INDEX}) has entropy {shown}" in issue.message
    assert "the first of 2 such tokens" in issue.message


@pytest.mark.parametrize("bits", [0x7C01, 0x7E00, 0x7FFF, 0xFC01, 0xFFFF])
def test_every_bit_pattern_of_a_nan_is_one(bits: int) -> None:
    data, index = write([Generation("q", 0, [0.5])])
    _, issues = read_blocks(struct.pack("<H", bits) + data[2:], index, BIN, INDEX)
    assert [issue.rule for issue in issues] == [entropy_checks.NOT_A_NUMBER.name]


def test_each_rollout_and_each_kind_of_damage_is_reported_once() -> None:
    mixed = [0.0, -1.0, NAN, INF, 0.0, 0.5]
    _, issues = read(Generation("q", 0, mixed), Generation("q", 1, mixed, [-1, 0, -5, 0, 0, 0]), Generation("q", 2))
    damage = ["entropy.zero", "entropy.nan", "entropy.infinite", "entropy.negative"]
    assert sorted(issue.rule for issue in issues) == sorted([*damage, *damage, "entropy.negative_token_id"])


def test_a_negative_token_id_is_damage() -> None:
    issue = only(entropy_checks.NEGATIVE_ID, Generation("q", 3, [0.5, 0.5], [4, -2]))
    assert (issue.path, issue.line, issue.sample, issue.value) == (BIN, 1, 3, "token id -2")


@pytest.mark.parametrize("holes", [False, True])
def test_an_id_that_the_tokenizer_lacks_is_damage(holes: bool) -> None:
    whole = vocabulary([b"a", b"b", b"c"])
    known = Vocabulary(whole.offsets, whole.blob, whole.has_digit, np.array([True, not holes, True]))
    sound(Generation("q", 0, [0.5] * 2, [0, 2]), known=known)
    issue = only(entropy_checks.UNKNOWN_ID, Generation("q", 0, [0.5] * 3, [2, 3, 2**31 - 1]), known=known)
    assert (
        "token 1 of 3" in issue.message and "whose largest is 2" in issue.message and "the first of 2" in issue.message
    )
    if holes:
        assert only(entropy_checks.UNKNOWN_ID, Generation("q", 0, [0.5], [1]), known=known).value == "token id 1"
    negative = [issue.rule for issue in read(Generation("q", 0, [0.5], [-2]), known=known)[1]]
    assert negative == [entropy_checks.NEGATIVE_ID.name]


@pytest.mark.parametrize(
    ("name", "rule"),
    [("mean_entropy", entropy_checks.MEAN_DIFFERS), ("max_entropy", entropy_checks.MAX_DIFFERS)],
)
@pytest.mark.parametrize("factor", [1.0011, 0.9989, 0.0, -1.0, INF, NAN])
def test_a_stored_figure_beyond_the_tolerance_is_a_warning(name: str, rule: Rule, factor: float) -> None:
    issue = only(rule, Generation("q", 5, [2.0, 2.0], extra={name: 2.0 * factor}))
    assert (issue.path, issue.line, issue.sample, issue.value) == (INDEX, 1, 5, repr(2.0 * factor))
    assert f"{name} {2.0 * factor!r}, but its tokens give 2.0" in issue.message


@pytest.mark.parametrize("name", ["mean_entropy", "max_entropy"])
@pytest.mark.parametrize("factor", [1.0, 1.0009, 0.9991])
def test_a_stored_figure_within_the_tolerance_passes(name: str, factor: float) -> None:
    sound(Generation("q", 5, [2.0, 2.0], extra={name: 2.0 * factor}))


@pytest.mark.parametrize("stored", [None, NAN, 0.0])
def test_no_tokens_have_no_mean_to_differ_from(stored: float | None) -> None:
    sound(Generation("q", 0, [], extra={"mean_entropy": stored, "max_entropy": stored}))


def test_a_mean_of_no_tokens_is_a_warning() -> None:
    issue = only(entropy_checks.MEAN_DIFFERS, Generation("q", 0, [], extra={"mean_entropy": 0.3}))
    assert "there are no tokens to have one" in issue.message


def test_figures_that_are_not_stored_are_counted_once_a_file() -> None:
    lacking = [Generation("q", sample, extra={"mean_entropy": None}) for sample in range(3)]
    issue = only(entropy_checks.NOT_STORED, Generation("p", 0), *lacking)
    assert "3 of 4 lines hold no mean_entropy" in issue.message
    assert (issue.line, issue.severity) == (2, Severity.INFO)


def test_stored_figures_of_damaged_rollouts_are_not_compared_and_those_of_others_are() -> None:
    wrong = {"mean_entropy": 9.0}
    _, issues = read(Generation("q", 0, [NAN], extra=wrong), Generation("q", 1, [1.0], extra=wrong))
    assert [(issue.rule, issue.sample) for issue in issues] == [("entropy.nan", 0), ("entropy.stored_mean_differs", 1)]


def test_structure_and_values_are_both_looked_at() -> None:
    data, index = write([Generation("q", 0, [0.0]), Generation("q", 1, [1.0]), Generation("q", 1, [-1.0], [-1])])
    index = index.with_columns(sample=pl.Series([0, 9, 1], dtype=pl.Int64))
    blocks, issues = read_blocks(data + b"\0", index, BIN, INDEX)
    assert blocks is None
    assert sorted(issue.rule for issue in issues) == [
        "entropy.negative",
        "entropy.negative_token_id",
        "entropy.zero",
        "entropy_index.bad_sample",
        "entropy_index.uncovered_bytes",
    ]


def test_every_rule_has_its_own_name() -> None:
    assert len({rule.name for rule in entropy_checks.RULES}) == len(entropy_checks.RULES)
