-- macro: average_precision
-- kind: table
-- returns: one row a cell
-- Average precision of the right rows, in steps and with one point a distinct confidence; the trapezoid over it is
-- another and wrong number.
-- example: SELECT cell, average_precision FROM average_precision('t')
CREATE OR REPLACE MACRO average_precision(tbl) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_figures AS (FROM rank_figures_of('_groups'))

SELECT
    _cells.cell,
    coalesce(n, 0) AS n,
    n_null,
    n_nan,
    coalesce(n_correct, 0) AS n_correct,
    average_precision,
    undefined_reason(average_precision, n, 'none_correct') AS average_precision_reason
FROM _cells
LEFT JOIN _figures ON _cells.cell = _figures.cell
WHERE (SELECT known FROM known_keys(tbl));
