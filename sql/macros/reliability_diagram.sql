-- macro: reliability_diagram
-- kind: table
-- returns: one row a cell and bin; empty bins of equal width are rows with n = 0
-- Mean confidence against accuracy. The interval is Wilson's on the effective number of rows, n / deff, because the
-- rollouts of one question are not independent; a design effect below 1 counts as 1, and where a bin is all right
-- or all wrong, so that it has none, the number of questions stands in.
-- parameter n_bins: number of bins, 10 where not given
-- parameter strategy: equal_width or equal_mass
-- example: SELECT bin, lo, hi, n, mean_confidence, accuracy, accuracy_lo, accuracy_hi FROM reliability_diagram('t')
CREATE OR REPLACE MACRO reliability_diagram(tbl, n_bins := 10, strategy := 'equal_width') AS TABLE
WITH
_cells AS (FROM row_counts(tbl)),

_groups AS (FROM score_groups(tbl)),

_binned AS (FROM binned_groups('_groups', n_bins, strategy)),

_bins AS (FROM bin_sums('_binned')),

_rows AS (
    SELECT
        cell,
        question_id,
        confidence::DOUBLE + 0.0 AS confidence,
        is_correct(correct) AS is_right
    FROM query_table(tbl)
    WHERE conf_ok(confidence) AND correct IS NOT NULL
),

_question_bins AS (
    SELECT
        _rows.cell,
        bin,
        question_id,
        count(*) AS n,
        count(*) FILTER (is_right) AS n_correct
    FROM _rows
    INNER JOIN _binned ON _rows.cell = _binned.cell AND _rows.confidence = _binned.confidence
    GROUP BY _rows.cell, bin, question_id
)

FROM reliability_diagram_of('_cells', '_bins', '_question_bins', n_bins, strategy)
WHERE (SELECT known FROM known_keys(tbl));
