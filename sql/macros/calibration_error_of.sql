-- macro: calibration_error_of
-- kind: table
-- internal
-- returns: one row a cell that has a bin
-- The figures of calibration_error and brier_decomposition from bins; `bins` names a relation as bin_sums makes it.
-- example: WITH g AS (FROM score_groups('t')), w AS (FROM binned_groups('g', 5, 'equal_width')),
--   b AS (FROM bin_sums('w')) FROM calibration_error_of('b')
CREATE OR REPLACE MACRO calibration_error_of(bins, min_bin_n := 1) AS TABLE
WITH
_bins AS (
    SELECT
        *,
        mean_confidence - accuracy AS gap,
        sum(n) OVER (PARTITION BY cell) AS n_cell,
        sum(n_correct) OVER (PARTITION BY cell) / sum(n) OVER (PARTITION BY cell) AS cell_accuracy
    FROM query_table(bins)
),

_worst AS (
    SELECT
        cell,
        max(abs(gap)) AS mce
    FROM _bins
    WHERE n >= min_bin_n
    GROUP BY cell
)

SELECT
    _bins.cell,
    sum(n)::BIGINT AS n,
    count(*) AS n_bins_used,
    sum(n_correct) / sum(n) AS accuracy,
    exact_sum(confidence_sum) / sum(n) AS mean_confidence,
    exact_sum(n / n_cell * gap) AS bias,
    exact_sum(n / n_cell * abs(gap)) AS ece,
    any_value(mce) AS mce,
    max(n) FILTER (n >= min_bin_n AND abs(gap) = mce)::BIGINT AS mce_n,
    exact_sum(abs(gap)) / count(*) AS mean_gap,
    sqrt(exact_sum(n / n_cell * gap * gap)) AS rmsce,
    sqrt(
        greatest(
            0.0,
            exact_sum(
                CASE WHEN n >= 2 THEN n / n_cell * (gap * gap - accuracy * (1 - accuracy) / (n - 1)) ELSE 0 END
            )
        )
    ) AS rmsce_debiased,
    exact_sum(n / n_cell * greatest(0.0, gap)) AS overconfidence,
    exact_sum(n / n_cell * greatest(0.0, -gap)) AS underconfidence,
    exact_sum(n / n_cell * gap * gap) AS reliability,
    exact_sum(n / n_cell * pow(accuracy - cell_accuracy, 2)) AS resolution,
    any_value(cell_accuracy * (1 - cell_accuracy)) AS uncertainty,
    exact_sum((confidence_squares - n * pow(mean_confidence, 2)) / n_cell) AS within_bin_variance,
    exact_sum(2 * (confidence_sum_correct - n * accuracy * mean_confidence) / n_cell) AS within_bin_covariance
FROM _bins
LEFT JOIN _worst ON _bins.cell = _worst.cell
GROUP BY _bins.cell
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(is_whole(min_bin_n, 0), 'min_bin_n', min_bin_n, 'a whole number of at least 0');
