"""Small inputs that a library gets, or got, wrong: each by its number in the list of known cases."""

from __future__ import annotations

from itertools import permutations

import pytest
from sklearn.isotonic import IsotonicRegression

from tests.sql.database import Connection, observe, one, rows
from tests.sql.inputs import CLOSE, D10_CONFIDENCE, D10_CORRECT, NAN, SEVEN, d10, figure, scalar

ECE = [
    ("B3", [0, 0.8], [1, 1], 10, 0.6),
    ("B4", [0, 1], [1, 0], 10, 1.0),
    ("B5", [7 / 9, 8 / 9], [1, 0], 9, 0.5555556),
    ("B7", [0.3, 0.25], [1, 0], 10, 0.225),
    ("B9", [1, 1], [1, 1], 10, 0.0),
    ("B15", [0.1, 0.9], [0, 1], 10, 0.1),
    ("B16", [NAN, 0.5], [1, 0], 10, 0.5),
    ("B18", [1.5, 0.5], [0, 1], 10, 0.5),
]


@pytest.mark.parametrize(("number", "confidence", "correct", "bins", "right"), ECE, ids=[case[0] for case in ECE])
def test_ece(db: Connection, number: str, confidence: list[float], correct: list[int], bins: int, right: float) -> None:
    assert figure(db, "calibration_error", confidence, correct, bins)["ece"] == pytest.approx(right, abs=SEVEN), number


def test_b11_equal_mass_bins_do_not_split_ties(db: Connection) -> None:
    for correct in set(permutations([0, 0, 1, 1])):
        found = figure(db, "calibration_error", [0.5] * 4, correct, 2, "equal_mass")
        assert (found["ece"], found["n_bins_used"]) == (0.0, 1)


def test_b14_empty_bins_are_rows(db: Connection) -> None:
    observe(db, [0.9, 0.8, 0.2], [1, 1, 0])
    found = rows(db, "FROM reliability_diagram('t', 3) ORDER BY bin")
    assert [(row["n"], row["accuracy"]) for row in found] == [(1, 0.0), (0, None), (2, 1.0)]
    assert [(row["lo"], row["hi"]) for row in found] == [(0.0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1.0)]


def test_b16_and_b18_count_what_they_leave_out(db: Connection) -> None:
    b16 = figure(db, "calibration_error", [NAN, 0.5], [1, 0])
    assert (b16["n"], b16["n_nan"]) == (1, 1)
    b18 = figure(db, "calibration_error", [1.5, 0.5], [0, 1])
    assert (b18["n"], b18["n_out_of_range"]) == (1, 1)
    nothing = figure(db, "calibration_error", [None], [None])
    assert (nothing["ece"], nothing["calibration_reason"]) == (None, "empty")


def test_b20_brier_of_one_class(db: Connection) -> None:
    assert scalar(db, "brier_score(confidence, correct)", [1, 1, 1, 1], [1, 1, 1, 1]) == 0.0
    assert scalar(db, "brier_score(confidence, correct)", [0.5], [1]) == 0.25


def test_b21_log_loss_is_clipped_in_double(db: Connection) -> None:
    assert scalar(db, "log_loss(confidence, correct)", [0, 0], [1, 0]) == pytest.approx(18.0218, abs=5e-5)
    assert scalar(db, "n_clipped(confidence, correct)", [0, 0], [1, 0]) == 1
    old = scalar(db, "log_loss(confidence, correct, eps := 1e-15)", [0, 0], [1, 0])
    assert old == pytest.approx(17.27, abs=5e-3)


def test_b23_scores_are_compared_exactly(db: Connection) -> None:
    assert figure(db, "auroc", [3.4000000000000004, 3.4], [1, 0])["auroc"] == 1.0


def test_b24_logits_are_ranked_as_they_are(db: Connection) -> None:
    assert figure(db, "auroc", [98, 98.5, 99], [0, 1, 1])["auroc"] == 1.0


def test_b26_auroc_of_one_class(db: Connection) -> None:
    found = figure(db, "auroc", [0.4, 0.6], [1, 1])
    assert (found["auroc"], found["auroc_se"], found["auroc_reason"]) == (None, None, "one_class")


def test_b27_average_precision_of_a_tie(db: Connection) -> None:
    assert figure(db, "average_precision", [0.5] * 4, [1, 0, 0, 0])["average_precision"] == 0.25
    none = figure(db, "average_precision", [0.5] * 2, [0, 0])
    assert (none["average_precision"], none["average_precision_reason"]) == (None, "none_correct")


def test_b28_aurc_of_a_tie_in_any_order(db: Connection) -> None:
    for tied in set(permutations([0, 1, 1])):
        found = figure(db, "aurc", [0.9, 0.7, 0.7, 0.7], [1, *tied])["aurc"]
        assert found == pytest.approx(0.1597222, abs=SEVEN)


def test_b29_a_constant_signal_rejects_at_random(db: Connection) -> None:
    for correct in ([1, 0], [0, 1]):
        assert figure(db, "aurc", [0.5, 0.5], correct)["prr"] == pytest.approx(0.0, abs=CLOSE)


@pytest.mark.parametrize("correct", [[1, 1], [0, 0]])
def test_b30_prr_of_one_class(db: Connection, correct: list[int]) -> None:
    found = figure(db, "aurc", [0.4, 0.6], correct)
    assert (found["prr"], found["prr_reason"]) == (None, "one_class")


def test_b32_the_interval_of_auroc_stays_inside(db: Connection) -> None:
    found = d10(db, "auroc")
    assert 0 < found["auroc_lo"] < 0.78 < found["auroc_hi"] < 1
    assert 0.78 + 1.959964 * found["auroc_se"] == pytest.approx(1.0824, abs=5e-5)


def test_b34_spiegelhalters_p_is_two_sided(db: Connection) -> None:
    p = scalar(db, "normal_p(spiegelhalter_z(confidence, correct))", D10_CONFIDENCE, D10_CORRECT)
    assert p == pytest.approx(0.5801336, abs=SEVEN)


def test_b35_hosmer_lemeshow_groups_are_contiguous(db: Connection) -> None:
    observe(db, [i / 11 for i in range(1, 11)], [0, 1] * 5)
    assert [row["n"] for row in rows(db, "FROM reliability_diagram('t', 3, 'equal_mass') ORDER BY bin")] == [4, 3, 3]


def test_b37_recalibration_changes_ranks_by_tying(db: Connection) -> None:
    score, correct = [0.0, 1.0, 1.0, 2.0, 3.0], [0, 0, 1, 0, 1]
    assert figure(db, "auroc", score, correct)["auroc"] == pytest.approx(0.75, abs=CLOSE)
    fitted = IsotonicRegression().fit_transform(score, correct)
    assert fitted == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3, 1], abs=CLOSE)
    assert figure(db, "auroc", list(fitted), correct)["auroc"] == pytest.approx(0.8333333, abs=SEVEN)


def test_b39_nine_rollouts_of_three_questions(db: Connection) -> None:
    correct = [1] * 9 + [0] * 9 + [1] * 5 + [0] * 4
    observe(db, [0.5] * 27, correct, question=[i // 9 for i in range(27)])
    found = one(db, "FROM clustered_mean('t')")
    assert found["mean"] == pytest.approx(0.5185185, abs=SEVEN)
    assert found["mean_se"] == pytest.approx(0.2892685, abs=SEVEN)
    assert found["naive_se"] == pytest.approx(0.0979908, abs=SEVEN)
    assert found["deff"] == pytest.approx((found["mean_se"] / found["naive_se"]) ** 2, rel=CLOSE)


def test_b41_a_mean_over_cells_weighs_cells_alike(db: Connection) -> None:
    query = "SELECT macro_mean_se(se) AS se, macro_mean(x) AS x FROM (VALUES (0.15, 1.0), (0.01, 0.0)) AS t (se, x)"
    assert one(db, query) == {"se": pytest.approx(0.0751665, abs=SEVEN), "x": 0.5}
    assert one(db, "SELECT macro_mean_se(se) AS se FROM (VALUES (0.15), (NULL)) AS t (se)") == {"se": None}


def test_b42_a_row_without_a_score_leaves_with_its_question(db: Connection) -> None:
    observe(db, [0.2, NAN, 0.6, 0.8], [0, 1, 1, 1], question=["a", "b", "b", "c"])
    found = one(db, "FROM clustered_mean('t', col := 'confidence')")
    assert (found["n"], found["n_nan"], found["n_questions"]) == (3, 1, 3)
    observe(db, [0.2, 0.6, 0.8], [0, 1, 1], question=["a", "b", "c"])
    without = one(db, "FROM clustered_mean('t', col := 'confidence')")
    assert found["mean_se"] == without["mean_se"]


def paired_questions() -> tuple[list[float], list[int], list[int], list[str]]:
    """Four questions with accuracies 1, 0, .5, 1 under direct and .5, .25, .5, 0 under select, four rollouts each."""
    n_right = {"direct": [4, 0, 2, 4], "select": [2, 1, 2, 0]}
    correct, question, cell = [], [], []
    for name, counts in n_right.items():
        for number, k in enumerate(counts):
            correct += [1] * k + [0] * (4 - k)
            question += [number] * 4
            cell += [name] * 4
    return [0.5] * len(correct), correct, question, cell


def test_p1_paired_by_question(db: Connection) -> None:
    confidence, correct, question, cell = paired_questions()
    observe(db, confidence, correct, question, cell)
    found = one(db, "FROM paired_difference('t', 'direct', 'select')")
    assert (found["n_pairs"], found["n_a_only"], found["n_b_only"]) == (4, 0, 0)
    assert found["d_accuracy"] == -0.3125
    assert found["d_accuracy_se"] == pytest.approx(0.2771695, abs=SEVEN)
    assert (found["d_confidence"], found["d_confidence_p"], found["d_confidence_reason"]) == (
        0.0,
        None,
        "zero_variance",
    )
    assert found["d_bias"] == 0.3125
