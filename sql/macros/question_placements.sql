-- macro: question_placements
-- kind: table
-- internal
-- returns: one row a cell and question that has a row with a confidence
-- What the clustered standard error of AUROC is made of: how many rows of the other class lie above each row,
-- summed over the rows of a question, a tie counting one half. Counts are doubled, so they are whole numbers.
-- `groups` names the relation that score_groups makes of the same rows.
-- example: WITH g AS (FROM score_groups('t')) SELECT * FROM question_placements('t', 'g')
CREATE OR REPLACE MACRO question_placements(observations, groups) AS TABLE
WITH
_rows AS (
    SELECT
        cell,
        question_id,
        confidence::DOUBLE + 0.0 AS confidence,
        is_correct(correct) AS is_right
    FROM query_table(observations)
    WHERE conf_ranks(confidence) AND correct IS NOT NULL
),

_groups AS (
    SELECT
        cell,
        confidence,
        2 * n_correct_above + n_correct AS correct_placement,
        2 * (n_above - n_correct_above) + (n - n_correct) AS wrong_placement
    FROM query_table(groups)
)

SELECT
    _rows.cell,
    question_id,
    count(*) FILTER (is_right) AS n_correct,
    count(*) FILTER (NOT is_right) AS n_wrong,
    coalesce(sum(wrong_placement) FILTER (is_right), 0)::BIGINT AS wrong_above_correct,
    coalesce(sum(correct_placement) FILTER (NOT is_right), 0)::BIGINT AS correct_above_wrong
FROM _rows
INNER JOIN _groups ON _rows.cell = _groups.cell AND _rows.confidence = _groups.confidence
GROUP BY _rows.cell, question_id;
