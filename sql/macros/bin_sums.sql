-- macro: bin_sums
-- kind: table
-- internal
-- returns: one row a cell and bin that holds a row
-- `binned` names a relation as binned_groups makes it.
-- example: WITH g AS (FROM score_groups('t')), b AS (FROM binned_groups('g', 9, 'equal_width')) FROM bin_sums('b')
CREATE OR REPLACE MACRO bin_sums(binned) AS TABLE
SELECT
    cell,
    bin,
    sum(n)::BIGINT AS n,
    sum(n_correct)::BIGINT AS n_correct,
    min(confidence) AS confidence_min,
    max(confidence) AS confidence_max,
    exact_sum(n * confidence) AS confidence_sum,
    exact_sum(n * confidence * confidence) AS confidence_squares,
    exact_sum(n_correct * confidence) AS confidence_sum_correct,
    confidence_sum / sum(n) AS mean_confidence,
    sum(n_correct) / sum(n) AS accuracy
FROM query_table(binned)
GROUP BY cell, bin;
