-- macro: known_keys
-- kind: table
-- internal
-- returns: one row: true, or an error that says in how many rows the cell or the question is null
-- How a macro refuses a relation whose rows lack a key: such a row is in no cell, or in no cluster, so there is no
-- right way to count it. `tbl` names the caller's relation. A macro asks it in a scalar subquery of its last WHERE,
-- which is evaluated whatever the caller filters; a filter on the cell would prune a branch of its own.
-- example: SELECT known FROM known_keys('t')
CREATE OR REPLACE MACRO known_keys(tbl) AS TABLE
WITH
_nulls AS (
    SELECT
        count(*) AS n_rows,
        count(*) - count(cell) AS n_cell,
        count(*) - count(question_id) AS n_question
    FROM query_table(tbl)
)

SELECT
    CASE
        WHEN n_cell = 0 AND n_question = 0 THEN true
        ELSE error(
            concat(
                tbl,
                ': ',
                concat_ws(
                    ', ',
                    CASE WHEN n_cell > 0 THEN concat('cell is NULL in ', n_cell, ' of ', n_rows, ' rows') END,
                    CASE
                        WHEN n_question > 0 THEN concat('question_id is NULL in ', n_question, ' of ', n_rows, ' rows')
                    END
                ),
                ': expected a value in every row; give those rows one, or leave them out'
            )
        )
    END AS known
FROM _nulls;
