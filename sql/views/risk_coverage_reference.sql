-- view: risk_coverage_reference
-- grain: source, model, dataset, condition, signal, coverage
-- The two lines to read a risk-coverage curve against, at every hundredth of the coverage and at the one where the
-- oracle runs out of right rows: an oracle that ranks every right row above every wrong one, and a random order, whose
-- expected risk is the error rate at any coverage. Over the rows that are ranked, as in risk_coverage_curve.
-- example: SELECT coverage, oracle_risk, random_risk FROM risk_coverage_reference WHERE signal = 'tf'
-- column coverage: share of the cell's ranked rows that are accepted
-- column oracle_risk: share of the accepted rows that are wrong when all right rows come first
-- column random_risk: share of the ranked rows that are wrong: what a random order expects
CREATE OR REPLACE VIEW risk_coverage_reference AS
WITH
_totals AS (
    SELECT
        cell,
        sum(n_correct) / sum(n) AS accuracy
    FROM confidence_groups
    GROUP BY cell
    HAVING sum(n) > 0
),

_points AS (
    SELECT DISTINCT
        cell,
        accuracy,
        unnest(list_append([i / 100 FOR i IN range(1, 101)], nullif(accuracy, 0))) AS coverage
    FROM _totals
)

SELECT
    c.source,
    c.model,
    c.dataset,
    c.condition,
    c.signal,
    p.cell,
    p.coverage,
    greatest(0, p.coverage - p.accuracy) / p.coverage AS oracle_risk,
    1 - p.accuracy AS random_risk
FROM _points AS p
INNER JOIN confidence_cells AS c ON p.cell = c.cell
WHERE p.coverage IS NOT NULL;
