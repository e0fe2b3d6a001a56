-- table: calibration_figures
-- grain: cell, rows_used
-- The figures of every cell over all its rows, and of every cell that has cap-repaired rows once more without them.
WITH
_kept AS MATERIALIZED (
    SELECT o.*
    FROM confidence_observations AS o
    SEMI JOIN (SELECT * FROM confidence_cells WHERE n_cap_repair > 0) AS c ON o.cell = c.cell
    WHERE o.cap_repair IS DISTINCT FROM true
),

_kept_counts AS (FROM row_counts('_kept')),

_kept_cells AS (
    SELECT
        c.cell,
        c.is_probability,
        coalesce(k.n_in_range, 0) AS n_in_range,
        coalesce(k.n_out_of_range, 0) AS n_out_of_range
    FROM confidence_cells AS c
    LEFT JOIN _kept_counts AS k ON c.cell = k.cell
    WHERE c.n_cap_repair > 0
),

_kept_groups AS MATERIALIZED (FROM score_groups('_kept')),

_kept_sums AS (FROM question_sums('_kept')),

_kept_placements AS (FROM question_placements('_kept', '_kept_groups')),

_kept_clusters AS MATERIALIZED (
    SELECT
        s.*,
        p.wrong_above_correct,
        p.correct_above_wrong
    FROM _kept_sums AS s
    INNER JOIN _kept_placements AS p ON s.cell = p.cell AND s.question_id = p.question_id
),

_figures AS (
    SELECT
        'all' AS rows_used,
        *
    FROM calibration_figures_of('confidence_cells', 'confidence_groups', 'confidence_clusters')
    UNION ALL
    SELECT
        'without_cap_repair' AS rows_used,
        *
    FROM calibration_figures_of('_kept_cells', '_kept_groups', '_kept_clusters')
)

SELECT
    c.source,
    c.model,
    f.*
FROM _figures AS f
INNER JOIN confidence_cells AS c ON f.cell = c.cell;
