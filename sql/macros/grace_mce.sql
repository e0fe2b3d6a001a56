-- macro: grace_mce
-- kind: table
-- returns: one row a cell
-- GRACE's MCE (Sung et al. 2025, their `Grace_q_non_adjusted`): miscalibration of a model that is heard clue by clue.
-- A question scores 1 - mean(g * c) over its runs: g whether the guess is right, c its confidence. The figure is the
-- plain mean over questions; 0 is best: right and certain at every clue. It is not the maximum calibration error,
-- which is `mce`. It is cal_score where no human is ever right; standard errors and rows that are left out are as
-- there.
-- example: SELECT cell, grace_mce, grace_mce_lo, grace_mce_hi FROM grace_mce('t')
CREATE OR REPLACE MACRO grace_mce(tbl) AS TABLE
WITH
_unopposed AS (
    SELECT
        cell,
        question_id,
        confidence,
        correct,
        0.0::DOUBLE AS human_share
    FROM query_table(tbl)
),

_scores_of_cells AS (FROM cal_score_of('_unopposed'))

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
    cal_score_hi AS grace_mce_hi,
    cal_score_reason AS grace_mce_reason,
    cal_score_se_reason AS grace_mce_se_reason
FROM _scores_of_cells
WHERE (SELECT known FROM known_keys(tbl));
