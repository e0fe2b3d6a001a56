-- macro: score_groups
-- kind: table
-- internal
-- returns: one row a cell and distinct confidence
-- Ties are pooled here, once, and never split after: every rank statistic is a function of this relation.
-- example: SELECT * FROM score_groups('t')
CREATE OR REPLACE MACRO score_groups(observations) AS TABLE
WITH
_pooled AS (
    SELECT
        cell,
        confidence::DOUBLE + 0.0 AS confidence,
        count(*) AS n,
        count(*) FILTER (is_correct(correct)) AS n_correct
    FROM query_table(observations)
    WHERE conf_ranks(confidence) AND correct IS NOT NULL
    GROUP BY ALL
)

SELECT
    cell,
    confidence,
    n,
    n_correct,
    (sum(n) OVER surer - n)::BIGINT AS n_above,
    (sum(n_correct) OVER surer - n_correct)::BIGINT AS n_correct_above
FROM _pooled
WINDOW surer AS (PARTITION BY cell ORDER BY confidence DESC ROWS UNBOUNDED PRECEDING);
