-- macro: cal_score(relation)
-- grain: cell
-- GRACE's CalScore, miscalibration that counts only where the model is ahead of the humans (Sung et al. 2025,
-- `Grace_q_adjusted`): a question scores 1 - mean((1 - h) * g * c) over its runs, g whether the guess is right, c its
-- confidence, h the share of the human teams that buzz on the question which have been right up to and including the
-- run; the figure is the plain mean over questions. Lower is better; never below grace_mce, and above 0 as soon as a
-- human is right while the model is. Rows without a confidence in [0, 1] are counted and left out; a question without
-- a usable run has no score, where the publishers' code gives it 1. A question is one cluster and gives one value, so
-- the standard error is the standard deviation over questions / sqrt(questions), the interval t with questions - 1.
-- `relation` has cell, question_id, confidence (probability), correct (boolean), human_share (h), a row a run.
-- column cell: what the caller groups by
-- column n: usable runs [runs]
-- column n_null: runs left out because confidence, correct or human_share is null [runs]
-- column n_nan: runs left out because the confidence is NaN [runs]
-- column n_out_of_range: runs left out because the confidence is outside [0, 1] [runs]
-- column n_questions: questions with a usable run: the clusters [questions]
-- column cal_score: mean over questions of 1 - mean((1 - h) * g * c); null without a usable run
-- column cal_score_se: its standard error; null with one question
-- column cal_score_lo: lower end of its 95 % interval
-- column cal_score_hi: upper end of its 95 % interval
CREATE OR REPLACE MACRO cal_score(relation) AS TABLE
WITH runs AS (
    SELECT
        cell,
        question_id,
        confidence IS NULL OR correct IS NULL OR human_share IS NULL AS is_null,
        isnan(confidence) AS is_nan,
        confidence BETWEEN 0.0 AND 1.0 AS in_range,
        CASE WHEN correct THEN (1.0::DOUBLE - human_share) * confidence ELSE 0.0::DOUBLE END AS gain
    FROM query_table(relation)
),

counts AS (
    SELECT
        cell,
        count(*) FILTER (NOT is_null AND in_range) AS n,
        count(*) FILTER (is_null) AS n_null,
        count(*) FILTER (NOT is_null AND is_nan) AS n_nan,
        count(*) FILTER (NOT is_null AND NOT is_nan AND NOT in_range) AS n_out_of_range
    FROM runs
    GROUP BY cell
),

questions AS (
    SELECT
        cell,
        question_id,
        1.0::DOUBLE - list_sum(list(gain ORDER BY gain)) / count(*) AS score
    FROM runs
    WHERE NOT is_null AND in_range
    GROUP BY cell, question_id
),

means AS (
    SELECT
        cell,
        list(score ORDER BY question_id) AS scores,
        count(*) AS n_questions,
        list_sum(list(score ORDER BY question_id)) / count(*) AS mean
    FROM questions
    GROUP BY cell
),

spread AS (
    SELECT
        cell,
        n_questions,
        mean,
        CASE
            WHEN n_questions > 1
                THEN sqrt(
                    list_sum(list_transform(scores, lambda score: (score - mean) * (score - mean)))
                    / (n_questions - 1) / n_questions
                )
        END AS se
    FROM means
)

SELECT
    counts.cell,
    counts.n,
    counts.n_null,
    counts.n_nan,
    counts.n_out_of_range,
    coalesce(spread.n_questions, 0) AS n_questions,
    spread.mean AS cal_score,
    spread.se AS cal_score_se,
    spread.mean - t_quantiles.q975 * spread.se AS cal_score_lo,
    spread.mean + t_quantiles.q975 * spread.se AS cal_score_hi
FROM counts
LEFT JOIN spread ON spread.cell IS NOT DISTINCT FROM counts.cell
LEFT JOIN t_quantiles ON t_quantiles.df = least(spread.n_questions - 1, 10000);
