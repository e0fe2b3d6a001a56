-- macro: ks_calibration_error
-- kind: table
-- returns: one row a cell
-- The cumulative difference between outcome and confidence in order of confidence, looked at only where a block of
-- tied rows ends. ks_ce is its largest distance from 0; kuiper is the distance between its highest and lowest
-- point, 0 among them. Neither has bins; neither is divided by a length scale.
-- example: SELECT cell, ks_ce, kuiper FROM ks_calibration_error('t')
CREATE OR REPLACE MACRO ks_calibration_error(tbl) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_walk AS (
    SELECT
        cell,
        sum(n_correct) OVER surer AS correct_so_far,
        sum((n * confidence * 79228162514264337593543950336.0::DOUBLE)::HUGEINT) OVER surer
        / 79228162514264337593543950336.0::DOUBLE AS confidence_so_far,
        sum(n) OVER (PARTITION BY cell) AS n_cell
    FROM _groups
    WHERE confidence BETWEEN 0 AND 1
    WINDOW surer AS (PARTITION BY cell ORDER BY confidence ROWS UNBOUNDED PRECEDING)
),

_figures AS (
    SELECT
        cell,
        max(abs(correct_so_far - confidence_so_far) / n_cell) AS ks_ce,
        greatest(0.0, max((correct_so_far - confidence_so_far) / n_cell))
        - least(0.0, min((correct_so_far - confidence_so_far) / n_cell)) AS kuiper
    FROM _walk
    GROUP BY cell
)

SELECT
    _cells.cell,
    n_in_range AS n,
    n_null,
    n_nan,
    n_out_of_range,
    ks_ce,
    kuiper,
    undefined_reason(ks_ce, n_in_range, NULL) AS calibration_reason
FROM _cells
LEFT JOIN _figures ON _cells.cell = _figures.cell
WHERE (SELECT known FROM known_keys(tbl));
