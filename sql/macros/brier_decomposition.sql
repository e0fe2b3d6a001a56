-- macro: brier_decomposition
-- kind: table
-- returns: one row a cell
-- brier = reliability - resolution + uncertainty + within_bin_variance - within_bin_covariance, exactly: the two
-- terms within bins are what the three-term form leaves out (Stephenson, 2008). residual is what is left, which is
-- rounding.
-- parameter n_bins: number of bins, 10 where not given
-- parameter strategy: equal_width or equal_mass
-- example: SELECT cell, brier, reliability, resolution, uncertainty FROM brier_decomposition('t', n_bins := 5)
CREATE OR REPLACE MACRO brier_decomposition(tbl, n_bins := 10, strategy := 'equal_width') AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_binned AS (FROM binned_groups('_groups', n_bins, strategy)),

_bins AS (FROM bin_sums('_binned')),

_terms AS (FROM calibration_error_of('_bins')),

_scores AS (FROM proper_scores_of('_groups'))

SELECT
    _cells.cell,
    n_in_range AS n,
    n_null,
    n_nan,
    n_out_of_range,
    brier,
    reliability,
    resolution,
    uncertainty,
    within_bin_variance,
    within_bin_covariance,
    brier - (reliability - resolution + uncertainty + within_bin_variance - within_bin_covariance) AS residual,
    1 - brier / nullif(uncertainty, 0) AS brier_skill,
    undefined_reason(brier, n_in_range, NULL) AS calibration_reason,
    undefined_reason(brier_skill, n_in_range, 'one_class') AS brier_skill_reason
FROM _cells
LEFT JOIN _terms ON _cells.cell = _terms.cell
LEFT JOIN _scores ON _cells.cell = _scores.cell
WHERE (SELECT known FROM known_keys(tbl));
