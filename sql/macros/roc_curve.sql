-- macro: roc_curve
-- kind: table
-- returns: one row a cell and distinct confidence, and one for the corner where nothing is accepted
-- One point a distinct confidence, from the surest down: rows at least that sure are called right. The corner has
-- an infinite confidence. A rate whose class is empty is null.
-- example: SELECT cell, confidence, false_positive_rate, true_positive_rate FROM roc_curve('t') ORDER BY 1, 2 DESC
CREATE OR REPLACE MACRO roc_curve(tbl) AS TABLE
WITH
_groups AS (FROM score_groups(tbl)),

_totals AS (
    SELECT
        cell,
        sum(n_correct)::BIGINT AS n_correct_cell,
        sum(n - n_correct)::BIGINT AS n_wrong_cell
    FROM _groups
    GROUP BY cell
),

_points AS (
    SELECT
        cell,
        confidence,
        n_correct_above + n_correct AS n_true_positive,
        n_above - n_correct_above + n - n_correct AS n_false_positive
    FROM _groups
    UNION ALL
    SELECT
        cell,
        'infinity'::DOUBLE AS confidence,
        0 AS n_true_positive,
        0 AS n_false_positive
    FROM _totals
)

SELECT
    _points.cell,
    confidence,
    n_true_positive,
    n_false_positive,
    n_true_positive / nullif(n_correct_cell, 0) AS true_positive_rate,
    n_false_positive / nullif(n_wrong_cell, 0) AS false_positive_rate
FROM _points
INNER JOIN _totals ON _points.cell = _totals.cell
WHERE (SELECT known FROM known_keys(tbl));
