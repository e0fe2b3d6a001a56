-- macro: coverage_at_risk
-- kind: table
-- returns: one row a cell
-- The largest share of rows that can be accepted, surest first, with a selective risk of at most `max_risk`. The
-- curve is not monotone, so this is the largest such coverage and not the first. Null where no threshold is that
-- safe.
-- example: SELECT cell, coverage_at_risk, confidence FROM coverage_at_risk('t', 0.1)
CREATE OR REPLACE MACRO coverage_at_risk(tbl, max_risk) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_safe AS (
    SELECT
        cell,
        max(coverage) AS coverage_at_risk,
        min(confidence) AS confidence
    FROM risk_coverage_of('_groups')
    WHERE selective_risk <= max_risk::DOUBLE
    GROUP BY cell
)

SELECT
    _cells.cell,
    n_in_range + n_out_of_range AS n,
    n_null,
    n_nan,
    max_risk::DOUBLE AS max_risk,
    coverage_at_risk,
    confidence,
    undefined_reason(coverage_at_risk, n_in_range + n_out_of_range, 'no_threshold') AS coverage_at_risk_reason
FROM _cells
LEFT JOIN _safe ON _cells.cell = _safe.cell
WHERE (SELECT known FROM known_keys(tbl))
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT expected(max_risk::DOUBLE BETWEEN 0 AND 1, 'max_risk', max_risk, 'a number from 0 to 1');
