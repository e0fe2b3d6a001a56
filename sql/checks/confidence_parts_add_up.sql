-- check: confidence_parts_add_up
-- The cells, the distinct confidences, the questions and the figures of a cell count the same rows, right and
-- wrong.
WITH
_groups AS (
    SELECT
        cell,
        sum(n) AS n,
        sum(n_correct) AS n_correct
    FROM confidence_groups
    GROUP BY cell
),

_clusters AS (
    SELECT
        cell,
        sum(n_correct + n_wrong) AS n,
        sum(n_correct) AS n_correct,
        sum(n_in_range) AS n_in_range
    FROM confidence_clusters
    GROUP BY cell
)

SELECT c.cell
FROM confidence_cells AS c
LEFT JOIN _groups AS g ON c.cell = g.cell
LEFT JOIN _clusters AS q ON c.cell = q.cell
LEFT JOIN calibration_figures AS f ON c.cell = f.cell AND f.rows_used = 'all'
WHERE
    f.cell IS NULL
    OR coalesce(g.n, 0) <> c.n_in_range + c.n_out_of_range
    OR coalesce(q.n, 0) <> coalesce(g.n, 0)
    OR coalesce(q.n_correct, 0) <> coalesce(g.n_correct, 0)
    OR coalesce(q.n_in_range, 0) <> c.n_in_range
    OR f.n <> CASE WHEN c.is_probability THEN c.n_in_range ELSE c.n_in_range + c.n_out_of_range END
