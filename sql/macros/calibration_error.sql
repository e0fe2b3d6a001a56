-- macro: calibration_error
-- kind: table
-- returns: one row a cell
-- Binned calibration figures. strategy 'equal_width' has bins (lo, hi], the first closed at 0, with the doubles k /
-- n_bins as edges; 'equal_mass' has the quantiles. The mean confidence of a bin stands for it, not its middle. A
-- maximum over bins is noise where bins are small: min_bin_n leaves bins with fewer rows out of mce, and mce_n says
-- how many rows its bin has. The unweighted mean gap is called ACE by two authors: ace_equal_mass (Nixon's) and
-- mean_gap_equal_width (netcal's) are each null under the other strategy. Only for probabilities.
-- parameter n_bins: number of bins, 10 where not given
-- parameter strategy: equal_width or equal_mass
-- parameter min_bin_n: rows a bin needs to count for mce
-- example: SELECT cell, ece, mce, rmsce, bias FROM calibration_error('t', n_bins := 15, strategy := 'equal_mass')
CREATE OR REPLACE MACRO calibration_error(tbl, n_bins := 10, strategy := 'equal_width', min_bin_n := 1) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_binned AS (FROM binned_groups('_groups', n_bins, strategy)),

_bins AS (FROM bin_sums('_binned')),

_figures AS (FROM calibration_error_of('_bins', min_bin_n := min_bin_n))

SELECT
    _cells.cell,
    n_in_range AS n,
    n_null,
    n_nan,
    n_out_of_range,
    coalesce(n_bins_used, 0) AS n_bins_used,
    accuracy,
    mean_confidence,
    bias,
    ece,
    mce,
    mce_n,
    CASE WHEN strategy = 'equal_mass' THEN mean_gap END AS ace_equal_mass,
    CASE WHEN strategy = 'equal_width' THEN mean_gap END AS mean_gap_equal_width,
    rmsce,
    rmsce_debiased,
    overconfidence,
    underconfidence,
    undefined_reason(ece, n_in_range, NULL) AS calibration_reason
FROM _cells
LEFT JOIN _figures ON _cells.cell = _figures.cell
WHERE (SELECT known FROM known_keys(tbl));
