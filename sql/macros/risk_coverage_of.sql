-- macro: risk_coverage_of
-- kind: table
-- internal
-- returns: one row a cell and distinct confidence
-- The points of risk_coverage_curve from `groups`, which names a relation as score_groups makes it.
-- example: WITH g AS (FROM score_groups('t')) SELECT * FROM risk_coverage_of('g')
CREATE OR REPLACE MACRO risk_coverage_of(groups) AS TABLE
WITH
_groups AS (FROM query_table(groups)),

_totals AS (
    SELECT
        cell,
        sum(n)::BIGINT AS n_cell
    FROM _groups
    GROUP BY cell
)

SELECT
    _groups.cell,
    confidence,
    n,
    n - n_correct AS n_wrong,
    n_above + n AS n_accepted,
    (n_above + n) / n_cell AS coverage,
    (n_above - n_correct_above + n - n_correct) / (n_above + n) AS selective_risk,
    (n_above - n_correct_above + n - n_correct) / n_cell AS generalized_risk
FROM _groups
INNER JOIN _totals ON _groups.cell = _totals.cell;
