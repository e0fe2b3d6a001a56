-- view: sra_confidence_observations
-- grain: question-condition (agreement) or rollout (the others) x signal
-- SRA's six confidence signals as observations. A signal that does not apply to a cell, or that was withheld, has no rows;
-- a value that should be there and is not (null, NaN, not joined) is a row without a usable confidence, and is counted.
CREATE OR REPLACE VIEW sra_confidence_observations AS
WITH present AS (
    SELECT model, dataset, condition, signal
    FROM signal_coverage
    WHERE status IN ('present', 'partial')
),

repaired AS (
    SELECT model, dataset, condition, instance_id, bool_or(cap_repair) AS cap_repair
    FROM rollouts
    GROUP BY ALL
),

agreement AS (
    SELECT
        model, dataset, condition, 'agreement' AS signal, 'question_condition' AS unit, instance_id AS unit_id,
        instance_id AS question_id, agreement_recomputed AS confidence, true AS is_probability,
        native_correct AS correct, cap_repair
    FROM question_conditions
    INNER JOIN repaired USING (model, dataset, condition, instance_id)
),

by_rollout AS (
    SELECT
        model, dataset, condition, unnest(['ab', 'tf', 'entropy_whole', 'entropy_answer', 'entropy_numeric']) AS signal,
        'rollout' AS unit, instance_id || '/' || sample AS unit_id, instance_id AS question_id,
        unnest([ab_p_correct, tf_p_correct, -entropy_mean, -answer_entropy_mean, -numeric_entropy_mean]) AS confidence,
        unnest([true, true, false, false, false]) AS is_probability, correct, cap_repair
    FROM rollouts
)

SELECT cell_name('sra', model, dataset, condition, signal) AS cell, 'sra' AS source, *
FROM (FROM agreement UNION ALL BY NAME FROM by_rollout)
SEMI JOIN present USING (model, dataset, condition, signal);
