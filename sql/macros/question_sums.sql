-- macro: question_sums
-- kind: table
-- internal
-- returns: one row a cell and question that has a row with a confidence
-- What clustered standard errors and paired differences are made of: the question is the cluster.
-- example: SELECT * FROM question_sums('t')
CREATE OR REPLACE MACRO question_sums(observations) AS TABLE
WITH
_rows AS (
    SELECT
        cell,
        question_id,
        confidence::DOUBLE AS score,
        usable_conf(confidence, correct) AS used,
        is_correct(correct) AS is_right
    FROM query_table(observations)
    WHERE conf_ranks(confidence) AND correct IS NOT NULL
)

SELECT
    cell,
    question_id,
    count(*) FILTER (is_right) AS n_correct,
    count(*) FILTER (NOT is_right) AS n_wrong,
    ordered_sum(score) AS score_sum,
    count(used) AS n_in_range,
    count(*) FILTER (is_right AND used IS NOT NULL) AS n_correct_in_range,
    coalesce(exact_sum(used), 0) AS confidence_sum,
    coalesce(exact_sum(pow(used - is_right::INTEGER, 2)), 0) AS brier_sum,
    coalesce(exact_sum(log_loss_of_row(used, is_right)), 0) AS log_loss_sum
FROM _rows
GROUP BY cell, question_id;
