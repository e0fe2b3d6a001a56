-- macro: cal_score
-- kind: table
-- returns: one row a cell
-- GRACE's CalScore (Sung et al. 2025, their `Grace_q_adjusted`): miscalibration of a model that is heard clue by
-- clue, where only being ahead of the humans counts. A question scores 1 - mean((1 - h) * g * c) over its runs: g
-- whether the guess is right, c its confidence, h the share of the human teams that buzz on the question which have
-- been right up to and including the run. The figure is the plain mean over questions. Lower is better; it is never
-- below grace_mce, and above 0 as soon as a human is right. A question is one cluster with one value: CR1 and
-- Student's t with n_questions - 1. Rows without a confidence in [0, 1], an outcome or h are counted and left out; a
-- question without a usable run has no score, where the publishers' code gives an empty list the worst one. The
-- relation also has human_share: h.
-- example: SELECT cell, cal_score, cal_score_lo, cal_score_hi FROM cal_score('t')
CREATE OR REPLACE MACRO cal_score(tbl) AS TABLE
WITH
_runs AS (
    SELECT
        cell,
        question_id,
        CASE WHEN human_share IS NOT NULL THEN confidence END AS confidence,
        correct,
        CASE WHEN is_correct(correct) THEN (1.0::DOUBLE - human_share) * confidence ELSE 0.0::DOUBLE END AS gain
    FROM query_table(tbl)
),

_counts AS (FROM row_counts('_runs')),

_scores AS (
    SELECT
        cell,
        question_id,
        1.0::DOUBLE - ordered_mean(gain) AS score
    FROM _runs
    WHERE conf_ok(confidence) AND correct IS NOT NULL
    GROUP BY cell, question_id
),

_means AS (FROM clustered_mean('_scores', col := 'score'))

SELECT
    _counts.cell,
    _counts.n_in_range AS n,
    _counts.n_null,
    _counts.n_nan,
    _counts.n_out_of_range,
    coalesce(_means.n_questions, 0) AS n_questions,
    _means.mean AS cal_score,
    _means.mean_se AS cal_score_se,
    _means.mean_lo AS cal_score_lo,
    _means.mean_hi AS cal_score_hi,
    undefined_reason(_means.mean, _counts.n_in_range, NULL) AS cal_score_reason,
    coalesce(_means.mean_se_reason, undefined_reason(_means.mean, _counts.n_in_range, NULL)) AS cal_score_se_reason
FROM _counts
LEFT JOIN _means ON _counts.cell = _means.cell;
