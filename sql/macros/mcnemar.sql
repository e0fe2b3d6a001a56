-- macro: mcnemar
-- kind: table
-- returns: one row
-- McNemar's test of two cells that each have one row a question: in how many questions only one of them is right,
-- and the exact two-sided p-value. For native answers, that is the agreement signal; with several rows a question
-- the figures are null.
-- parameter a: name of one cell
-- parameter b: name of the other cell
-- example: SELECT n_pairs, n_a_only_correct, n_b_only_correct, mcnemar_p FROM mcnemar('t', 'direct', 'llm_select')
CREATE OR REPLACE MACRO mcnemar(tbl, a, b) AS TABLE
WITH
_questions AS (
    SELECT
        question_id,
        count(*) FILTER (cell = a) AS n_a,
        count(*) FILTER (cell = b) AS n_b,
        bool_or(is_correct(correct)) FILTER (cell = a) AS a_is_right,
        bool_or(is_correct(correct)) FILTER (cell = b) AS b_is_right
    FROM query_table(tbl)
    WHERE cell IN (a, b) AND correct IS NOT NULL
    GROUP BY question_id
),

_counts AS (
    SELECT
        count(*) FILTER (n_a > 0 AND n_b > 0) AS n_pairs,
        count(*) FILTER (n_b = 0) AS n_a_only,
        count(*) FILTER (n_a = 0) AS n_b_only,
        count(*) FILTER (a_is_right AND NOT b_is_right) AS n_a_right,
        count(*) FILTER (b_is_right AND NOT a_is_right) AS n_b_right,
        coalesce(max(greatest(n_a, n_b)), 0) <= 1 AS is_single
    FROM _questions
)

SELECT
    n_pairs,
    n_a_only,
    n_b_only,
    CASE WHEN is_single THEN n_a_right END AS n_a_only_correct,
    CASE WHEN is_single THEN n_b_right END AS n_b_only_correct,
    CASE WHEN is_single THEN pow(n_a_right - n_b_right, 2) / nullif(n_a_right + n_b_right, 0) END AS mcnemar_statistic,
    CASE WHEN is_single AND n_pairs > 0 THEN sign_test_p(n_a_right, n_a_right + n_b_right) END AS mcnemar_p,
    CASE WHEN n_pairs = 0 THEN 'too_few_pairs' WHEN NOT is_single THEN 'several_rows_a_question' END AS mcnemar_reason
FROM _counts
WHERE (SELECT known FROM known_keys(tbl)) AND (SELECT known FROM known_cells(tbl, a, b));
