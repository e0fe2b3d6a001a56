-- macro: cal_score_of
-- kind: table
-- internal
-- returns: one row a cell
-- The figures of cal_score. `runs` names a relation with cell, question_id, confidence, correct and human_share.
-- example: SELECT cell, cal_score FROM cal_score_of('t')
CREATE OR REPLACE MACRO cal_score_of(runs) AS TABLE
WITH
_runs AS (
    SELECT
        cell,
        question_id,
        CASE WHEN human_share IS NOT NULL THEN confidence END AS confidence,
        correct,
        CASE WHEN is_correct(correct) THEN (1.0::DOUBLE - human_share) * confidence ELSE 0.0::DOUBLE END AS gain
    FROM query_table(runs)
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

_means AS (FROM clustered_mean_of('_scores', 'score'))

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
