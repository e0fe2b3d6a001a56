-- macro: clustered_mean_of
-- kind: table
-- internal
-- returns: one row a cell
-- The figures of clustered_mean. `observations` names a relation with cell, question_id and the column `col`.
-- example: SELECT cell, mean, mean_se FROM clustered_mean_of('t', 'confidence')
CREATE OR REPLACE MACRO clustered_mean_of(observations, col) AS TABLE
WITH
_rows AS (
    SELECT
        cell,
        question_id,
        struct_extract(observation, col)::DOUBLE AS x
    FROM query_table(observations) AS observation
),

_clusters AS (
    SELECT
        cell,
        question_id,
        count(x) FILTER (NOT isnan(x)) AS n,
        count(*) FILTER (x IS NULL) AS n_null,
        count(*) FILTER (isnan(x)) AS n_nan,
        ordered_sum(CASE WHEN NOT isnan(x) THEN x END) AS total
    FROM _rows
    GROUP BY cell, question_id
),

_means AS (
    SELECT
        cell,
        sum(n)::BIGINT AS n,
        sum(n_null)::BIGINT AS n_null,
        sum(n_nan)::BIGINT AS n_nan,
        count(*) FILTER (n > 0) AS n_questions,
        ordered_sum(total) / nullif(sum(n), 0) AS mean
    FROM _clusters
    GROUP BY cell
),

_squares AS (
    SELECT
        _rows.cell,
        sqrt(ordered_sum(pow(x - mean, 2)) / nullif(any_value(n) - 1, 0) / any_value(n)) AS naive_se
    FROM _rows
    INNER JOIN _means ON _rows.cell = _means.cell
    WHERE NOT isnan(x)
    GROUP BY _rows.cell
),

_errors AS (
    SELECT
        c.cell,
        cluster_se(c.total, c.n, m.mean) AS mean_se
    FROM _clusters AS c
    INNER JOIN _means AS m ON c.cell = m.cell
    WHERE c.n > 0
    GROUP BY c.cell
)

SELECT
    _means.cell,
    n,
    n_null,
    n_nan,
    n_questions,
    mean,
    mean_se,
    mean - t_q975(n_questions - 1) * mean_se AS mean_lo,
    mean + t_q975(n_questions - 1) * mean_se AS mean_hi,
    naive_se,
    pow(mean_se / nullif(naive_se, 0), 2) AS deff,
    undefined_reason(mean, n, NULL) AS mean_reason,
    CASE
        WHEN n = 0 THEN 'empty'
        WHEN n_questions = 1 THEN 'one_question'
        WHEN mean_se = 0 THEN 'zero_variance'
    END AS mean_se_reason
FROM _means
LEFT JOIN _squares ON _means.cell = _squares.cell
LEFT JOIN _errors ON _means.cell = _errors.cell
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(col IS NOT NULL, 'col', col, 'the name of a column');
