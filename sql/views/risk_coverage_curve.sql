-- view: risk_coverage_curve
-- grain: source, model, dataset, condition, signal, confidence
-- What is wrong among the rows that are at least this sure: one point a distinct confidence, never one inside a
-- block of ties. Read it as a rule to answer only above a threshold: coverage says how often, selective_risk how
-- wrong.
-- example: SELECT confidence, coverage, selective_risk FROM risk_coverage_curve WHERE signal = 'agreement'
--    ORDER BY confidence DESC
-- column n: rows at exactly this confidence
-- column n_wrong: wrong ones among them
-- column n_accepted: rows at this confidence or a higher one
-- column coverage: share of the cell's ranked rows that are accepted
-- column selective_risk: share of the accepted rows that are wrong
-- column generalized_risk: share of all ranked rows that are accepted and wrong
CREATE OR REPLACE VIEW risk_coverage_curve AS
SELECT
    c.source,
    c.model,
    c.dataset,
    c.condition,
    c.signal,
    p.cell,
    p.confidence,
    p.n,
    p.n_wrong,
    p.n_accepted,
    p.coverage,
    p.selective_risk,
    p.generalized_risk
FROM risk_coverage_of('confidence_groups') AS p
INNER JOIN confidence_cells AS c ON p.cell = c.cell;
