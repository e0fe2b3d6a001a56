-- macro: hosmer_lemeshow
-- kind: table
-- returns: one row a cell
-- The Hosmer-Lemeshow statistic over bins, equal-mass ones where nothing else is said. Degrees of freedom are the
-- bins that hold a row, because a confidence is not fitted on the rows it is judged by; with fitted := true two
-- fewer. Takes rows as independent. Null where a bin's mean confidence is 0 or 1.
-- parameter n_bins: number of bins, 10 where not given
-- parameter strategy: equal_width or equal_mass
-- parameter fitted: whether the confidence was fitted on these very rows
-- example: SELECT cell, hosmer_lemeshow, hosmer_lemeshow_df, hosmer_lemeshow_p FROM hosmer_lemeshow('t', n_bins := 4)
CREATE OR REPLACE MACRO hosmer_lemeshow(tbl, n_bins := 10, strategy := 'equal_mass', fitted := false) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_binned AS (FROM binned_groups('_groups', n_bins, strategy)),

_bins AS (
    SELECT
        *,
        pow(n_correct - confidence_sum, 2)
        / nullif(confidence_sum * (1 - mean_confidence), 0) AS term
    FROM bin_sums('_binned')
),

_figures AS (
    SELECT
        cell,
        CASE WHEN count(*) = count(term) THEN ordered_sum(term) END AS statistic,
        count(*) - 2 * fitted::INTEGER AS degrees
    FROM _bins
    GROUP BY cell
)

SELECT
    _cells.cell,
    n_in_range AS n,
    n_null,
    n_nan,
    n_out_of_range,
    statistic AS hosmer_lemeshow,
    degrees AS hosmer_lemeshow_df,
    chi_squared_p(statistic, degrees) AS hosmer_lemeshow_p,
    undefined_reason(statistic, n_in_range, 'degenerate_expectation') AS hosmer_lemeshow_reason
FROM _cells
LEFT JOIN _figures ON _cells.cell = _figures.cell
WHERE (SELECT known FROM known_keys(tbl))
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(fitted::BOOLEAN IS NOT NULL, 'fitted', fitted, 'true or false');
