-- macro: auroc
-- kind: table
-- returns: one row a cell
-- Area under the ROC curve: how often a right row has a higher confidence than a wrong one, a tie counting one
-- half. The standard error is Obuchowski's, clustered by question; the interval is made on the logit scale with
-- Student's t and stays inside [0, 1]. Any score that can be ordered will do.
-- example: SELECT cell, auroc, auroc_se, auroc_lo, auroc_hi FROM auroc('t')
CREATE OR REPLACE MACRO auroc(tbl) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_placements AS (FROM question_placements(tbl, '_groups')),

_figures AS (FROM rank_figures_of('_groups')),

_errors AS (FROM auroc_se_of('_placements'))

SELECT
    _cells.cell,
    coalesce(_figures.n, 0) AS n,
    _cells.n_null,
    _cells.n_nan,
    coalesce(_errors.n_questions, 0) AS n_questions,
    coalesce(_figures.n_correct, 0) AS n_correct,
    _figures.auroc,
    _errors.auroc_se,
    _errors.auroc_lo,
    _errors.auroc_hi,
    undefined_reason(_figures.auroc, _figures.n, 'one_class') AS auroc_reason,
    coalesce(_errors.auroc_se_reason, undefined_reason(1, _figures.n, NULL)) AS auroc_se_reason
FROM _cells
LEFT JOIN _figures ON _cells.cell = _figures.cell
LEFT JOIN _errors ON _cells.cell = _errors.cell
WHERE (SELECT known FROM known_keys(tbl));
