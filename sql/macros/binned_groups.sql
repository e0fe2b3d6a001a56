-- macro: binned_groups
-- kind: table
-- internal
-- returns: one row a cell and distinct confidence in [0, 1], with its bin
-- strategy 'equal_width': conf_bin. strategy 'equal_mass': edges are the quantiles k / n_bins with linear
-- interpolation, as quantile_cont and numpy have them, equal edges merged, bins (lo, hi]. A confidence lies at or
-- below edge k where its first rank r, from 0, is at most (n - 1) * (k / n_bins) in doubles, so the bin follows
-- from the rank and no rounding of an edge can part a tie. `groups` names a relation as score_groups makes it.
-- example: WITH g AS (FROM score_groups('t')) SELECT * FROM binned_groups('g', 4, 'equal_mass')
CREATE OR REPLACE MACRO binned_groups(groups, n_bins, strategy) AS TABLE
WITH
_usable AS (
    SELECT *
    FROM query_table(groups)
    WHERE confidence BETWEEN 0 AND 1
),

_cells AS (
    SELECT
        cell,
        sum(n)::BIGINT AS n_cell,
        min(n_above) AS n_over
    FROM _usable
    GROUP BY cell
),

_ranked AS (
    SELECT
        _usable.*,
        n_cell - 1 AS last_rank,
        n_cell - (n_above - n_over) - n AS first_rank
    FROM _usable
    INNER JOIN _cells ON _usable.cell = _cells.cell
),

_guessed AS (
    SELECT
        *,
        greatest(1, (first_rank * n_bins + last_rank - 1) // nullif(last_rank, 0)) AS edge
    FROM _ranked
)

SELECT
    cell,
    confidence,
    n,
    n_correct,
    CASE
        WHEN strategy = 'equal_width' THEN conf_bin(confidence, n_bins)
        ELSE edge + (last_rank * (edge / n_bins) < first_rank)::BIGINT
    END AS bin
FROM _guessed
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT (
    expected(is_whole(n_bins, 1), 'n_bins', n_bins, 'a whole number of at least 1')
    AND expected(strategy IN ('equal_width', 'equal_mass'), 'strategy', strategy, 'equal_width or equal_mass')
);
