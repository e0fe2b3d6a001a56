-- table: reliability_bins
-- grain: cell, bin
-- What the macro reliability_diagram makes of every cell whose confidence is a probability.
WITH
_cells AS (
    SELECT *
    FROM confidence_cells
    WHERE is_probability
),

_groups AS (
    SELECT g.*
    FROM confidence_groups AS g
    SEMI JOIN _cells AS c ON g.cell = c.cell
),

_binned AS (FROM binned_groups('_groups', 10, 'equal_width')),

_bins AS (FROM bin_sums('_binned')),

_question_bins AS (
    SELECT
        cell,
        conf_bin(confidence, 10) AS bin,
        question_id,
        count(*) AS n,
        count(*) FILTER (correct) AS n_correct
    FROM confidence_observations
    WHERE is_probability AND conf_ok(confidence) AND correct IS NOT NULL
    GROUP BY ALL
),

_rows AS (FROM reliability_diagram_of('_cells', '_bins', '_question_bins', 10, 'equal_width'))

SELECT
    _cells.source,
    _cells.model,
    _rows.*
FROM _rows
INNER JOIN _cells ON _rows.cell = _cells.cell;
