-- macro: prediction_rejection_ratio
-- kind: table
-- returns: one row a cell
-- How much of the way from a random to a perfect order of rejection the confidence goes, when at most the share
-- `max_rejection` of the rows is rejected: mean selective accuracy over the last floor(max_rejection * n) ranks,
-- random 0 and perfect 1. With max_rejection 1 it is the prr of aurc.
-- example: SELECT cell, prr FROM prediction_rejection_ratio('t', max_rejection := 0.5)
CREATE OR REPLACE MACRO prediction_rejection_ratio(tbl, max_rejection := 1.0) AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_totals AS (
    SELECT
        cell,
        sum(n)::BIGINT AS n_cell,
        sum(n - n_correct)::BIGINT AS n_wrong_cell,
        floor(sum(n) * max_rejection::DOUBLE)::BIGINT AS n_rejected,
        n_cell - n_rejected + 1 AS from_rank
    FROM _groups
    GROUP BY cell
),

_areas AS (
    SELECT
        _groups.cell,
        exact_sum(
            rejection_area(n_above, n_above - n_correct_above, n, n - n_correct, from_rank := from_rank)
        ) AS area
    FROM _groups
    INNER JOIN _totals ON _groups.cell = _totals.cell
    GROUP BY _groups.cell
),

_ratios AS (
    SELECT
        _totals.cell,
        n_cell,
        (n_wrong_cell / n_cell - area / nullif(n_rejected, 0))
        / nullif(
            n_wrong_cell / n_cell
            - rejection_area(n_cell - n_wrong_cell, 0, n_wrong_cell, n_wrong_cell, from_rank := from_rank)
            / nullif(n_rejected, 0),
            0
        ) AS prr
    FROM _totals
    INNER JOIN _areas ON _totals.cell = _areas.cell
)

SELECT
    _cells.cell,
    coalesce(n_cell, 0) AS n,
    n_null,
    n_nan,
    max_rejection::DOUBLE AS max_rejection,
    prr,
    undefined_reason(prr, n_cell, 'one_class') AS prr_reason
FROM _cells
LEFT JOIN _ratios ON _cells.cell = _ratios.cell
WHERE (SELECT known FROM known_keys(tbl))
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT (
    expected(
        max_rejection::DOUBLE > 0 AND max_rejection::DOUBLE <= 1,
        'max_rejection', max_rejection, 'a number above 0 and at most 1'
    )
);
