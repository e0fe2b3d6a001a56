-- macro: paired_difference
-- kind: table
-- returns: one row: cell b minus cell a, paired by question
-- For every question with a usable row in both cells the mean of its rows in b minus that in a; then mean, standard
-- error (sd / sqrt(n_pairs)), 95 % interval and two-sided p by Student's t. Questions in one cell only are counted
-- and left out. Change in accuracy, confidence and bias stand side by side: whether confidence moves with accuracy
-- is what they answer together.
-- parameter a: name of the cell to compare with, such as the one without a skill
-- parameter b: name of the other cell
-- parameter is_probability: false for a score of which only the order means anything: bias and Brier score are null
-- example: SELECT n_pairs, d_accuracy, d_accuracy_se, d_accuracy_p FROM paired_difference('t', 'direct', 'llm_select')
CREATE OR REPLACE MACRO paired_difference(tbl, a, b, is_probability := true) AS TABLE
WITH
_rows AS (
    SELECT *
    FROM query_table(tbl)
    WHERE cell IN (a, b)
),

_sums AS (FROM question_sums('_rows')),

_means AS (FROM question_means('_sums', is_probability)),

_a AS (
    SELECT *
    FROM _means
    WHERE cell = a
),

_b AS (
    SELECT *
    FROM _means
    WHERE cell = b
),

_pairs AS (
    SELECT
        concat(b, ' - ', a) AS cell,
        _a.accuracy IS NOT NULL AS in_a,
        _b.accuracy IS NOT NULL AS in_b,
        _b.accuracy - _a.accuracy AS d_accuracy,
        _b.confidence - _a.confidence AS d_confidence,
        _b.bias - _a.bias AS d_bias,
        _b.brier - _a.brier AS d_brier
    FROM _a
    FULL JOIN _b ON _a.question_id = _b.question_id
)

FROM paired_figures_of('_pairs')
WHERE (SELECT known FROM known_keys(tbl)) AND (SELECT known FROM known_cells(tbl, a, b))
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(is_probability IS NOT NULL, 'is_probability', is_probability, 'true or false');
