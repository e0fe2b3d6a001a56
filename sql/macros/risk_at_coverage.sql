-- macro: risk_at_coverage
-- kind: table
-- returns: one row a cell
-- The selective risk at the highest threshold that accepts at least the share `min_coverage` of the rows.
-- example: SELECT cell, risk_at_coverage, coverage FROM risk_at_coverage('t', 0.8)
CREATE OR REPLACE MACRO risk_at_coverage(tbl, min_coverage) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_wide AS (
    SELECT
        cell,
        min_by(selective_risk, coverage) AS risk_at_coverage,
        min(coverage) AS coverage,
        max(confidence) AS confidence
    FROM risk_coverage_of('_groups')
    WHERE coverage >= min_coverage::DOUBLE
    GROUP BY cell
)

SELECT
    _cells.cell,
    n_in_range + n_out_of_range AS n,
    n_null,
    n_nan,
    min_coverage::DOUBLE AS min_coverage,
    risk_at_coverage,
    coverage,
    confidence,
    undefined_reason(risk_at_coverage, n_in_range + n_out_of_range, 'no_threshold') AS risk_at_coverage_reason
FROM _cells
LEFT JOIN _wide ON _cells.cell = _wide.cell
WHERE (SELECT known FROM known_keys(tbl))
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(min_coverage::DOUBLE BETWEEN 0 AND 1, 'min_coverage', min_coverage, 'a number from 0 to 1');
