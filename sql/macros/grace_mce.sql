-- macro: grace_mce(relation)
-- grain: cell
-- GRACE's miscalibration of a model over the clues of its questions (Sung et al. 2025, `Grace_q_non_adjusted`): a
-- question scores 1 - mean(g * c) over its runs, g whether the guess is right and c its confidence; the figure is the
-- plain mean over questions. 0 is best: right and certain at every clue. It is not the maximum calibration error of
-- the field, which is `mce`. Rows without a confidence in [0, 1] are counted and left out; a question without a usable
-- run has no score, where the publishers' code gives it 1. A question is one cluster and gives one value, so the
-- standard error is the standard deviation over questions / sqrt(questions), the interval t with questions - 1.
-- Computed as cal_score with no human ever right.
-- `relation` has cell, question_id, confidence (probability), correct (boolean), a row a run.
-- column cell: what the caller groups by
-- column n: usable runs [runs]
-- column n_null: runs left out because confidence or correct is null [runs]
-- column n_nan: runs left out because the confidence is NaN [runs]
-- column n_out_of_range: runs left out because the confidence is outside [0, 1] [runs]
-- column n_questions: questions with a usable run: the clusters [questions]
-- column grace_mce: mean over questions of 1 - mean(g * c); null without a usable run
-- column grace_mce_se: its standard error; null with one question
-- column grace_mce_lo: lower end of its 95 % interval
-- column grace_mce_hi: upper end of its 95 % interval
CREATE OR REPLACE MACRO grace_mce(relation) AS TABLE
WITH grace_mce_runs AS (
    SELECT
        cell,
        question_id,
        confidence,
        correct,
        0.0::DOUBLE AS human_share
    FROM query_table(relation)
)

SELECT
    cell,
    n,
    n_null,
    n_nan,
    n_out_of_range,
    n_questions,
    cal_score AS grace_mce,
    cal_score_se AS grace_mce_se,
    cal_score_lo AS grace_mce_lo,
    cal_score_hi AS grace_mce_hi
FROM cal_score('grace_mce_runs');
