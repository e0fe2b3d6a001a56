-- macro: aurc
-- kind: table
-- returns: one row a cell
-- Area under the risk-coverage curve and its relatives. Tied rows are taken in expectation over every order, so row
-- order cannot matter; the optimum is the exact one of this number of rows, so e_aurc is never negative.
-- example: SELECT cell, aurc, e_aurc, augrc, prr FROM aurc('t')
CREATE OR REPLACE MACRO aurc(tbl) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_figures AS (FROM rank_figures_of('_groups'))

SELECT
    _cells.cell,
    coalesce(n, 0) AS n,
    n_null,
    n_nan,
    1 - error_rate AS accuracy,
    aurc,
    aurc_optimal,
    e_aurc,
    augrc,
    prr,
    undefined_reason(aurc, n, NULL) AS aurc_reason,
    undefined_reason(prr, n, 'one_class') AS prr_reason
FROM _cells
LEFT JOIN _figures ON _cells.cell = _figures.cell
WHERE (SELECT known FROM known_keys(tbl));
