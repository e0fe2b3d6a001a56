-- macro: binned_groups
-- kind: table
-- returns: one row a cell and distinct confidence in [0, 1], with its bin
-- strategy 'equal_width': conf_bin. strategy 'equal_mass': edges are the quantiles k / n_bins with linear
-- interpolation, equal edges merged, bins (lo, hi]. A confidence lies at or below edge k where its first rank r,
-- from 0, has r <= k (n - 1) / n_bins, so the bin follows from whole numbers and no rounding of an edge can move a
-- tie. `groups` names a relation as score_groups makes it.
-- example: WITH g AS (FROM score_groups('t')) SELECT * FROM binned_groups('g', 4, 'equal_mass')
CREATE OR REPLACE MACRO binned_groups(groups, n_bins, strategy) AS TABLE
WITH
_usable AS (
    SELECT *
    FROM query_table(groups)
    WHERE
        confidence BETWEEN 0 AND 1
        AND CASE
            WHEN strategy IN ('equal_width', 'equal_mass') THEN true
            ELSE error(concat('strategy is ', strategy, ': expected equal_width or equal_mass'))
        END
),

_cells AS (
    SELECT
        cell,
        sum(n)::BIGINT AS n_cell,
        min(n_above) AS n_over
    FROM _usable
    GROUP BY cell
)

SELECT
    _usable.cell,
    confidence,
    n,
    n_correct,
    CASE
        WHEN strategy = 'equal_width' THEN conf_bin(confidence, n_bins)
        WHEN n_cell = 1 THEN 1
        ELSE greatest(
            1,
            ((n_cell - (n_above - n_over) - n) * n_bins + n_cell - 2) // nullif(n_cell - 1, 0)
        )
    END AS bin
FROM _usable
INNER JOIN _cells ON _usable.cell = _cells.cell;
