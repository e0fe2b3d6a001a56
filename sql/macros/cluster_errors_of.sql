-- macro: cluster_errors_of
-- kind: table
-- internal
-- returns: one row a cell that has a usable row
-- Standard errors (CR1) of the means that calibration_summary serves, and the design effect of the accuracy. `sums`
-- names a relation with a row a cell and question: n, n_correct, confidence_sum, brier_sum, log_loss_sum; the last
-- three are null where the confidence is not a probability.
-- example: WITH s AS (SELECT cell, question_id, n_in_range AS n, n_correct_in_range AS n_correct, confidence_sum,
--   brier_sum, log_loss_sum FROM question_sums('t')) FROM cluster_errors_of('s')
CREATE OR REPLACE MACRO cluster_errors_of(sums) AS TABLE
WITH
_totals AS (
    SELECT
        cell,
        count(*) AS n_questions,
        sum(n)::BIGINT AS n,
        sum(n_correct)::BIGINT AS n_correct,
        sum(n_correct) / sum(n) AS accuracy,
        exact_sum(confidence_sum) / sum(n) AS mean_confidence,
        (exact_sum(confidence_sum) - sum(n_correct)) / sum(n) AS bias,
        exact_sum(brier_sum) / sum(n) AS brier,
        exact_sum(log_loss_sum) / sum(n) AS log_loss
    FROM query_table(sums)
    GROUP BY cell
),

_errors AS (
    SELECT
        q.cell,
        cluster_se(q.n_correct, q.n, t.accuracy) AS accuracy_se,
        cluster_se(q.confidence_sum, q.n, t.mean_confidence) AS mean_confidence_se,
        cluster_se(q.confidence_sum - q.n_correct, q.n, t.bias) AS bias_se,
        cluster_se(q.brier_sum, q.n, t.brier) AS brier_se,
        cluster_se(q.log_loss_sum, q.n, t.log_loss) AS log_loss_se
    FROM query_table(sums) AS q
    INNER JOIN _totals AS t ON q.cell = t.cell
    GROUP BY q.cell
)

SELECT
    _totals.*,
    _errors.* EXCLUDE (cell),
    t_q975(n_questions - 1) AS t_reach,
    pow(accuracy_se, 2) / nullif(accuracy * (1 - accuracy) / nullif(n - 1, 0), 0) AS deff,
    CASE WHEN n_questions = 1 THEN 'one_question' END AS se_reason
FROM _totals
LEFT JOIN _errors ON _totals.cell = _errors.cell;
