-- view: confidence_observations
-- grain: source, model, dataset, condition, signal, unit_id
-- Every confidence signal of every source in one relation; every macro runs on it as it is. It is the union of every
-- view whose name ends in _confidence_observations, which the loader puts where the marker stands: a new source adds
-- its own view and nothing else.
CREATE OR REPLACE VIEW confidence_observations AS
SELECT
    cell,
    source,
    model,
    dataset,
    condition,
    signal,
    unit,
    unit_id,
    question_id,
    confidence,
    is_probability,
    correct,
    cap_repair
FROM every_confidence_observations;
