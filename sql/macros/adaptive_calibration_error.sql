-- macro: adaptive_calibration_error
-- kind: table
-- returns: one row a cell
-- ACE is the name of two figures, and thresholded calibration error of a third; all are unweighted means over bins
-- of the gap. ace_equal_mass is Nixon's, over equal-mass bins; mean_gap_equal_width is netcal's, over equal-width
-- bins that hold a row; tce is Nixon's over the rows with a confidence of at least `threshold`, left out before the
-- edges are found.
-- parameter n_bins: number of bins, 10 where not given
-- parameter threshold: lowest confidence that tce keeps
-- example: SELECT cell, ace_equal_mass, mean_gap_equal_width, tce FROM adaptive_calibration_error('t', n_bins := 5)
CREATE OR REPLACE MACRO adaptive_calibration_error(tbl, n_bins := 10, threshold := 0.001) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_sure_groups AS (
    SELECT *
    FROM _groups
    WHERE confidence >= threshold::DOUBLE
),

_wide AS (FROM binned_groups('_groups', n_bins, 'equal_width')),

_heavy AS (FROM binned_groups('_groups', n_bins, 'equal_mass')),

_sure AS (FROM binned_groups('_sure_groups', n_bins, 'equal_mass')),

_wide_bins AS (FROM bin_sums('_wide')),

_heavy_bins AS (FROM bin_sums('_heavy')),

_sure_bins AS (FROM bin_sums('_sure')),

_gaps AS (
    SELECT
        'wide' AS kind,
        cell,
        mean_gap,
        n
    FROM calibration_error_of('_wide_bins')
    UNION ALL
    SELECT
        'heavy' AS kind,
        cell,
        mean_gap,
        n
    FROM calibration_error_of('_heavy_bins')
    UNION ALL
    SELECT
        'sure' AS kind,
        cell,
        mean_gap,
        n
    FROM calibration_error_of('_sure_bins')
)

SELECT
    _cells.cell,
    any_value(n_in_range) AS n,
    any_value(n_null) AS n_null,
    any_value(n_nan) AS n_nan,
    any_value(n_out_of_range) AS n_out_of_range,
    any_value(mean_gap) FILTER (kind = 'heavy') AS ace_equal_mass,
    any_value(mean_gap) FILTER (kind = 'wide') AS mean_gap_equal_width,
    any_value(mean_gap) FILTER (kind = 'sure') AS tce,
    coalesce(any_value(_gaps.n) FILTER (kind = 'sure'), 0) AS tce_n,
    undefined_reason(mean_gap_equal_width, any_value(n_in_range), NULL) AS calibration_reason,
    undefined_reason(tce, tce_n, NULL) AS tce_reason
FROM _cells
LEFT JOIN _gaps ON _cells.cell = _gaps.cell
WHERE (SELECT known FROM known_keys(tbl))
GROUP BY _cells.cell
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(threshold::DOUBLE BETWEEN 0 AND 1, 'threshold', threshold, 'a number from 0 to 1');
