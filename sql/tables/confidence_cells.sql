-- table: confidence_cells
-- grain: cell
-- Every cell of confidence_observations with its keys and what became of each of its rows.
WITH
_keys AS (
    SELECT
        cell,
        any_value(source) AS source,
        any_value(model) AS model,
        any_value(dataset) AS dataset,
        any_value(condition) AS condition,
        any_value(signal) AS signal,
        any_value(unit) AS unit,
        bool_and(is_probability) AS is_probability,
        count(*) FILTER (cap_repair) AS n_cap_repair
    FROM confidence_observations
    GROUP BY cell
),

_counts AS (FROM row_counts('confidence_observations'))

SELECT
    _keys.cell,
    _keys.source,
    _keys.model,
    _keys.dataset,
    _keys.condition,
    _keys.signal,
    _keys.unit,
    _keys.is_probability,
    _counts.n_rows,
    _counts.n_in_range,
    _counts.n_out_of_range,
    _counts.n_nan,
    _counts.n_null,
    _keys.n_cap_repair
FROM _keys
INNER JOIN _counts ON _keys.cell = _counts.cell;
