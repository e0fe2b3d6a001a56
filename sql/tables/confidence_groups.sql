-- table: confidence_groups
-- grain: cell, confidence
-- What score_groups makes of confidence_observations: ties pooled and ranked.
WITH
_groups AS (FROM score_groups('confidence_observations'))

SELECT
    g.cell,
    g.confidence,
    c.source,
    c.model,
    g.n,
    g.n_correct,
    g.n_above,
    g.n_correct_above
FROM _groups AS g
INNER JOIN confidence_cells AS c ON g.cell = c.cell;
