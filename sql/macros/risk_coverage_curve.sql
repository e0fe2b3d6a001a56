-- macro: risk_coverage_curve
-- kind: table
-- returns: one row a cell and distinct confidence
-- What is wrong among the rows that are at least this sure. One point a distinct confidence, never one inside a
-- block of ties.
-- example: SELECT cell, confidence, coverage, selective_risk FROM risk_coverage_curve('t') ORDER BY cell, coverage
CREATE OR REPLACE MACRO risk_coverage_curve(tbl) AS TABLE
WITH
_groups AS (FROM score_groups(tbl))

FROM risk_coverage_of('_groups')
WHERE (SELECT known FROM known_keys(tbl));
