-- macro: question_means
-- kind: table
-- internal
-- returns: one row a cell and question that has a usable row
-- Accuracy, confidence, bias and Brier score of one question from `sums`, which names a relation as question_sums
-- makes it. With is_probability false any score will do, and bias and Brier score are null.
-- example: WITH s AS (FROM question_sums('t')) SELECT * FROM question_means('s', true)
CREATE OR REPLACE MACRO question_means(sums, is_probability) AS TABLE
SELECT
    cell,
    question_id,
    CASE
        WHEN is_probability THEN n_correct_in_range / n_in_range
        ELSE n_correct / (n_correct + n_wrong)
    END AS accuracy,
    CASE WHEN is_probability THEN confidence_sum / n_in_range ELSE score_sum / (n_correct + n_wrong) END AS confidence,
    CASE WHEN is_probability THEN (confidence_sum - n_correct_in_range) / n_in_range END AS bias,
    CASE WHEN is_probability THEN brier_sum / n_in_range END AS brier
FROM query_table(sums)
WHERE CASE WHEN is_probability THEN n_in_range ELSE n_correct + n_wrong END > 0;
