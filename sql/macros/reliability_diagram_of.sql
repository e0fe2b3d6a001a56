-- macro: reliability_diagram_of
-- kind: table
-- internal
-- returns: one row a cell and bin, empty bins of equal width included
-- The rows of reliability_diagram. `cells`, `bins` and `question_bins` name relations: (cell), as bin_sums makes
-- it, and (cell, bin, question_id, n, n_correct).
-- example: WITH g AS (FROM score_groups('t')), w AS (FROM binned_groups('g', 2, 'equal_width')),
--   b AS (FROM bin_sums('w')), q AS (SELECT cell, bin, cell AS question_id, n, n_correct FROM b)
--   FROM reliability_diagram_of('b', 'b', 'q', 2, 'equal_width')
CREATE OR REPLACE MACRO reliability_diagram_of(cells, bins, question_bins, n_bins, strategy) AS TABLE
WITH
_slots AS (
    SELECT
        cell,
        unnest(range(1, n_bins::BIGINT + 1)) AS bin
    FROM query_table(cells)
),

_bins AS (
    SELECT
        *,
        sum(n) OVER so_far AS n_so_far,
        sum(n) OVER (PARTITION BY cell) AS n_cell,
        lead(confidence_min) OVER so_far AS next_confidence
    FROM query_table(bins)
    WINDOW so_far AS (PARTITION BY cell ORDER BY bin ROWS UNBOUNDED PRECEDING)
),

_clusters AS (
    SELECT
        q.cell,
        q.bin,
        count(*) AS n_questions,
        sum(pow(b.n::HUGEINT * q.n_correct - q.n::HUGEINT * b.n_correct, 2)::HUGEINT)::DOUBLE AS squares
    FROM query_table(question_bins) AS q
    INNER JOIN _bins AS b ON q.cell = b.cell AND q.bin = b.bin
    GROUP BY q.cell, q.bin
),

_filled AS (
    SELECT
        _bins.*,
        n_questions,
        squares * n_questions * (n - 1)
        / nullif((n_questions - 1) * pow(n::DOUBLE, 2) * n_correct * (n - n_correct), 0) AS deff,
        (n_cell - 1) * (_bins.bin / n_bins) AS place,
        CASE
            WHEN next_confidence IS NULL THEN 1.0
            WHEN n_so_far - 1 > floor(place) THEN confidence_max
            ELSE confidence_max + (next_confidence - confidence_max) * (place - floor(place))
        END AS edge
    FROM _bins
    INNER JOIN _clusters ON _bins.cell = _clusters.cell AND _bins.bin = _clusters.bin
),

_wide AS (
    SELECT
        _slots.cell,
        _slots.bin,
        (_slots.bin - 1) / n_bins AS lo,
        _slots.bin / n_bins AS hi,
        _filled.* EXCLUDE (cell, bin)
    FROM _slots
    LEFT JOIN _filled ON _slots.cell = _filled.cell AND _slots.bin = _filled.bin
    WHERE strategy = 'equal_width'
),

_heavy AS (
    SELECT
        cell,
        row_number() OVER rising AS bin,
        coalesce(lag(edge) OVER rising, 0.0) AS lo,
        edge AS hi,
        _filled.* EXCLUDE (cell, bin)
    FROM _filled
    WHERE strategy = 'equal_mass'
    WINDOW rising AS (PARTITION BY cell ORDER BY bin)
),

_both AS (
    SELECT * FROM _wide
    UNION ALL
    SELECT * FROM _heavy
),

_rows AS (
    SELECT
        *,
        CASE WHEN deff IS NULL THEN n_questions ELSE n / greatest(1.0, deff) END AS n_effective
    FROM _both
)

SELECT
    cell,
    bin,
    lo,
    hi,
    coalesce(n, 0) AS n,
    coalesce(n_questions, 0) AS n_questions,
    coalesce(n_correct, 0) AS n_correct,
    mean_confidence,
    accuracy,
    mean_confidence - accuracy AS gap,
    deff,
    n_effective,
    wilson_lo(accuracy * n_effective, n_effective) AS accuracy_lo,
    wilson_hi(accuracy * n_effective, n_effective) AS accuracy_hi,
    CASE WHEN n IS NULL THEN 'empty' END AS accuracy_reason
FROM _rows
UNION ALL BY NAME
SELECT NULL AS cell
WHERE NOT (
    expected(is_whole(n_bins, 1), 'n_bins', n_bins, 'a whole number of at least 1')
    AND expected(strategy IN ('equal_width', 'equal_mass'), 'strategy', strategy, 'equal_width or equal_mass')
);
