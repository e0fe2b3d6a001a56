-- table: confidence_clusters
-- grain: cell, question_id
-- What question_sums and question_placements make of confidence_observations.
WITH
_sums AS (FROM question_sums('confidence_observations')),

_placements AS (FROM question_placements('confidence_observations', 'confidence_groups'))

SELECT
    _sums.cell,
    _sums.question_id,
    _cells.source,
    _cells.model,
    _sums.n_correct,
    _sums.n_wrong,
    _sums.score_sum,
    _placements.wrong_above_correct,
    _placements.correct_above_wrong,
    _sums.n_in_range,
    _sums.n_correct_in_range,
    _sums.confidence_sum,
    _sums.brier_sum,
    _sums.log_loss_sum
FROM _sums
INNER JOIN _placements ON _sums.cell = _placements.cell AND _sums.question_id = _placements.question_id
INNER JOIN confidence_cells AS _cells ON _sums.cell = _cells.cell;
